// SPDX-License-Identifier: MIT
#include "../../../bench/questions/tool_choice.hpp"

#include <vector>

#include "../../support/contains.hpp"
#include "../../support/ut.hpp"

namespace tool_choice_test {

using namespace hawser;
using bench::choose_tool;
using testing::contains;

constexpr std::string_view nothing = R"({"type":"object"})";
constexpr std::string_view one_text =
    R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})";
constexpr std::string_view two_numbers =
    R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]})";

tool made(std::string_view name, std::string_view schema, hint_value read_only = hint_value::unset) {
  return {.name = name, .input_schema = schema, .hints = {.read_only = read_only}};
}

const suite<"tool_choice"> tests = [] {
  "an echo is chosen before all others, with a text for its argument"_test = [] {
    const std::vector all{made("add", two_numbers), made("echo", one_text), made("status", nothing, hint_value::yes)};
    const auto chosen = choose_tool(all, "", "");
    expect(fatal(chosen.has_value()));
    expect(chosen->tool == "echo" and chosen->arguments == R"({"message":"hello"})" and not chosen->why.empty());
  };

  "an argument that an echo need not have is given to it, too"_test = [] {
    const std::vector all{made("echo", R"({"type":"object","properties":{"text":{"type":"string"}}})")};
    expect(choose_tool(all, "", "").value().arguments == R"({"text":"hello"})");
  };

  "the only tool is chosen, if it needs nothing that we would have to guess"_test = [] {
    const std::vector easy{made("now", nothing)};
    expect(choose_tool(easy, "", "").value().tool == "now");
    const std::vector hard{made("add", two_numbers)};
    const auto unsure = choose_tool(hard, "", "");
    expect(unsure.has_error() and contains(unsure.error().what, "add(a, b)")) << unsure.error().what;
    expect(choose_tool(hard, "", R"({"a":1,"b":2})").value().arguments == R"({"a":1,"b":2})");
  };

  "of many, one that says that it only reads is chosen; one that says that it writes never"_test = [] {
    const std::vector all{made("add", two_numbers), made("clear", nothing, hint_value::no), made("purge", nothing),
                          made("roots", nothing, hint_value::yes)};
    expect(choose_tool(all, "", "").value().tool == "roots");
    const std::vector alone{made("clear", nothing, hint_value::no)};
    expect(choose_tool(alone, "", "").has_error()) << "not even if there is no other";
    const tool deletes{.name = "wipe", .input_schema = nothing, .hints = {.destructive = hint_value::yes}};
    const std::vector also{deletes, made("now", nothing)};
    expect(choose_tool(also, "", "").value().tool == "now");
  };

  "where nothing tells which, the tools are listed with what they take"_test = [] {
    const std::vector all{made("one", nothing), made("two", nothing), made("add", two_numbers)};
    const auto unsure = choose_tool(all, "", "");
    expect(fatal(unsure.has_error()));
    expect(unsure.error().code == errc::config);
    for (const char* part : {"--tool", "--arguments", "one()", "two()", "add(a, b)"})
      expect(contains(unsure.error().what, part)) << part << "in" << unsure.error().what;
    expect(contains(choose_tool({}, "", "").error().what, "it has none"));
    const std::vector many(100, made("same", two_numbers));
    expect(contains(choose_tool(many, "", "").error().what, "and 70 more"));
  };

  "a named tool is used whatever its annotations say"_test = [] {
    const std::vector all{made("clear", nothing, hint_value::no), made("echo", one_text), made("add", two_numbers)};
    expect(choose_tool(all, "clear", "").value().arguments == "{}");
    expect(choose_tool(all, "clear", R"({"x":1})").value().why.empty());
    expect(choose_tool(all, "echo", "").value().arguments == R"({"message":"hello"})");
    expect(contains(choose_tool(all, "add", "").error().what, "add(a, b)"));
    expect(contains(choose_tool(all, "nope", "").error().what, "no tool \"nope\""));
  };

  "schemas that are none are no arguments"_test = [] {
    for (const std::string_view odd : {"", "[]", "{", R"({"required":7})", R"({"properties":[],"required":[1]})"})
      expect(choose_tool(std::vector{made("now", odd)}, "", "").value().arguments == "{}") << odd;
    const auto unknown = choose_tool(std::vector{made("now", R"({"required":["x"]})")}, "", "");
    expect(unknown.has_error() and contains(unknown.error().what, "now(x)"));
  };

  "names that control a terminal do not reach it"_test = [] {
    const std::vector all{made("a\x1b[2J", two_numbers), made("b", two_numbers)};
    expect(not contains(choose_tool(all, "", "").error().what, "\x1b"));
  };
};

}  // namespace tool_choice_test
