// SPDX-License-Identifier: MIT
#include "tool_choice.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "../../oauth/display_text.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/message.hpp"

namespace hawser::bench {

namespace {

namespace json = boost::json;

constexpr std::size_t most_listed = 30;

struct argument {
  std::string name{};
  bool required = false;
  bool is_text = false;
};

std::vector<argument> arguments_of(const tool& one) {
  std::vector<argument> found;
  const auto schema = raw_json{one.input_schema}.parse();
  if (!schema || !schema->is_object()) return found;
  const json::object& object = schema->get_object();
  if (const json::value* properties = object.if_contains("properties"); properties && properties->is_object()) {
    for (const auto& property : properties->get_object()) {
      argument known{.name = std::string{property.key()}};
      const json::object* members = property.value().if_object();
      const json::value* type = members != nullptr ? members->if_contains("type") : nullptr;
      known.is_text = type != nullptr && type->is_string() && type->get_string() == "string";
      found.push_back(std::move(known));
    }
  }
  const json::value* required = object.if_contains("required");
  if (required == nullptr || !required->is_array()) return found;
  for (const json::value& name : required->get_array()) {
    if (!name.is_string()) continue;
    const std::string text{name.get_string()};
    const auto known = std::ranges::find(found, text, &argument::name);
    if (known == found.end()) {
      found.push_back({.name = text, .required = true});
    } else {
      known->required = true;
    }
  }
  return found;
}

std::vector<argument> required_of(const tool& one) {
  std::vector<argument> all = arguments_of(one);
  std::erase_if(all, [](const argument& a) { return !a.required; });
  return all;
}

bool says_that_it_writes(const tool& one) {
  return one.hints.read_only == hint_value::no || one.hints.destructive == hint_value::yes;
}

// `{}` if no arguments are required; a text for the one string that an echo tool requires; nullopt if we would have
// to guess.
std::optional<std::string> usual_arguments(const tool& one) {
  if (one.name == "echo") {
    std::vector<argument> taken = required_of(one);
    if (taken.empty()) taken = arguments_of(one);
    if (taken.size() == 1 && taken.front().is_text) return '{' + json_string(taken.front().name) + R"(:"hello"})";
  }
  if (required_of(one).empty()) return "{}";
  return std::nullopt;
}

std::string signature(const tool& one) {
  std::string text = display_text(one.name, 64) + '(';
  for (const argument& a : arguments_of(one)) {
    if (!text.ends_with('(')) text += ", ";
    text += display_text(a.name, 40) + (a.required ? "" : "?");
  }
  return text + ')';
}

error unsure(std::string what, std::span<const tool> all) {
  what += all.empty() ? "; it has none" : "; it has ";
  for (std::size_t i = 0; i < all.size() && i < most_listed; ++i) what += (i == 0 ? "" : ", ") + signature(all[i]);
  if (all.size() > most_listed) what += ", and " + std::to_string(all.size() - most_listed) + " more";
  return error{.code = errc::config, .what = std::move(what)};
}

result<tool_choice> with_arguments(const tool& one, const std::string& given, std::string why) {
  if (!given.empty()) return tool_choice{.tool = std::string{one.name}, .arguments = given, .why = std::move(why)};
  auto usual = usual_arguments(one);
  if (!usual)
    return error{.code = errc::config,
                 .what = "the tool needs arguments: pass --tool and --arguments '{…}' for " + signature(one)};
  if (why.empty() && *usual != "{}") why = "no arguments were given";
  return tool_choice{.tool = std::string{one.name}, .arguments = *std::move(usual), .why = std::move(why)};
}

}  // namespace

result<tool_choice> choose_tool(std::span<const tool> all, const std::string& name, const std::string& arguments) {
  if (!name.empty()) {
    const auto named = std::ranges::find(all, name, &tool::name);
    if (named == all.end()) return unsure("the server has no tool " + json_string(name), all);
    return with_arguments(*named, arguments, {});
  }
  const auto echo = std::ranges::find(all, "echo", &tool::name);
  if (echo != all.end() && usual_arguments(*echo))
    return with_arguments(*echo, arguments, "it gives back what it gets");
  if (all.size() == 1 && !says_that_it_writes(all.front()))
    return with_arguments(all.front(), arguments, "it is the only one");
  std::vector<const tool*> easy;
  for (const tool& one : all) {
    if (required_of(one).empty() && !says_that_it_writes(one)) easy.push_back(&one);
  }
  const auto reads = std::ranges::find_if(easy, [](const tool* one) { return one->hints.is_read_only(); });
  if (reads != easy.end())
    return with_arguments(**reads, arguments, "it needs no arguments, and the server says that it only reads");
  if (easy.size() == 1) return with_arguments(*easy.front(), arguments, "it is the only one that needs no arguments");
  return unsure("say which tool to call, with --tool NAME and --arguments '{…}'", all);
}

}  // namespace hawser::bench
