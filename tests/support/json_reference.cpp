// SPDX-License-Identifier: MIT
#include "json_reference.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/scanner.hpp"

namespace hawser::testing {

namespace {

namespace bj = boost::json;

constexpr std::string_view space = " \t\r\n";

std::string_view std_view(const bj::string& text) { return {text.data(), text.size()}; }

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
  return text.substr(0, text.find_last_not_of(space) + 1);
}

bool inside(std::string_view whole, std::string_view part) {
  const std::less_equal<> ordered;
  return part.empty() ||
         (ordered(whole.data(), part.data()) && ordered(part.data() + part.size(), whole.data() + whole.size()));
}

std::string number_difference(std::string_view json, const bj::value& tree) {
  const auto integer = integer_of(json);
  if (integer.has_value() != tree.is_int64()) return "integer_of() takes another kind of number";
  if (integer) return *integer == tree.get_int64() ? "" : "integer_of() has another value";
  const double wanted = tree.is_uint64() ? static_cast<double>(tree.get_uint64()) : tree.get_double();
  const auto got = number_of(json);
  // number_of() returns nothing for what a double cannot represent; Boost.JSON gives infinity, zero or the nearest
  // denormal.
  if (!got) return !std::isfinite(wanted) || std::fabs(wanted) < 1e-300 ? "" : "number_of() finds none";
  // Boost.JSON's own conversion is not exact to the last bits.
  const bool near = std::fabs(*got - wanted) <= 1e-9 * std::fabs(*got) || std::fabs(*got) < 1e-290;
  return near || !std::isfinite(wanted) ? "" : "number_of() has another value";
}

std::string array_difference(std::string_view json, const bj::array& tree) {
  std::vector<std::string_view> elements;
  for_each_element(json, [&](std::string_view element) {
    elements.push_back(element);
    return true;
  });
  if (elements.size() != tree.size()) return "another number of elements";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (auto why = walk_difference(elements[i], tree[i]); !why.empty()) return why;
  }
  return {};
}

std::string object_difference(std::string_view json, const bj::object& tree) {
  std::map<std::string, std::string_view> members;  // the last of each name, as in the tree
  for_each_member(json, [&](std::string_view name, std::string_view value) {
    members[unescaped(name)] = value;
    return true;
  });
  if (members.size() != tree.size()) return "another number of members";
  for (const auto& [name, value] : members) {
    const bj::value* there = tree.if_contains(name);
    if (there == nullptr) return "a member that is not in the tree";
    if (find_member(json, name).data() != value.data()) return "find_member() finds another one";
    if (auto why = walk_difference(value, *there); !why.empty()) return why;
  }
  return {};
}

}  // namespace

reference_parse boost_parse(std::string_view text, std::size_t max_depth) {
  bj::parse_options options;
  options.max_depth = max_depth;
  boost::system::error_code failure;
  reference_parse opinion;
  opinion.tree = bj::parse({text.data(), text.size()}, failure, {}, options);
  opinion.accepted = !failure;
  opinion.not_comparable = failure == bj::error::exponent_overflow;
  return opinion;
}

std::string walk_difference(std::string_view json, const bj::value& tree) {
  if (json.empty() || json != trimmed(json)) return "a value begins or ends elsewhere";
  switch (tree.kind()) {
    case bj::kind::object: return json.front() == '{' ? object_difference(json, tree.get_object()) : "no object";
    case bj::kind::array: return json.front() == '[' ? array_difference(json, tree.get_array()) : "no array";
    case bj::kind::string: return text_of(json) == std_view(tree.get_string()) ? "" : "another text";
    case bj::kind::null: return json == "null" ? "" : "not null";
    case bj::kind::bool_: return json == (tree.get_bool() ? "true" : "false") ? "" : "another truth";
    default: return number_difference(json, tree);
  }
}

std::string json_difference(std::string_view text) {
  const bool ours = validate_json(text).has_value();
  const reference_parse theirs = boost_parse(text);
  if (theirs.not_comparable) return {};
  if (ours != theirs.accepted) return ours ? "accepted, and Boost.JSON refuses" : "refused, and Boost.JSON accepts";
  return ours ? walk_difference(trimmed(text), theirs.tree) : "";
}

namespace {

// The message envelope, derived from the tree.
class expected_message {
 public:
  expected_message(std::string_view bytes, const bj::object& tree) : tree_(tree) {
    for_each_member(trimmed(bytes), [&](std::string_view name, std::string_view) {
      ++count_[unescaped(name)];
      return true;
    });
  }

  [[nodiscard]] message_kind kind() const {
    for (const char* name : {"jsonrpc", "id", "method", "params", "result", "error"}) {
      if (const auto found = count_.find(name); found != count_.end() && found->second > 1)
        return message_kind::unusable;
    }
    const bj::value* version = member("jsonrpc");
    if (version == nullptr || *version != "2.0") return message_kind::unusable;
    const bj::value* result = member("result");
    const bj::value* error = member("error");
    if (const bj::value* method = member("method")) {
      const bj::value* params = member("params");
      const bool sound = method->is_string() && result == nullptr && error == nullptr &&
                         (params == nullptr || params->is_object()) && (member("id") == nullptr || answerable_id());
      if (!sound) return message_kind::unusable;
      return member("id") != nullptr ? message_kind::request : message_kind::notification;
    }
    if ((result != nullptr) == (error != nullptr)) return message_kind::unusable;
    return result != nullptr ? message_kind::result : message_kind::failure;
  }
  [[nodiscard]] const bj::value* member(const char* name) const { return tree_.if_contains(name); }
  [[nodiscard]] bool one_id() const {
    const auto found = count_.find("id");
    return found != count_.end() && found->second == 1;
  }
  [[nodiscard]] bool answerable_id() const {
    const bj::value* id = member("id");
    return id != nullptr && (id->is_string() || id->is_number());
  }

 private:
  const bj::object& tree_;
  std::map<std::string, int> count_;
};

std::string part_difference(const char* name, std::string_view part, const bj::value* wanted) {
  if (part.empty() != (wanted == nullptr)) return std::string{name} + " is there only for one of both";
  if (wanted == nullptr) return {};
  const auto why = walk_difference(part, *wanted);
  return why.empty() ? why : std::string{name} + ": " + why;
}

std::string id_difference(const message_view& message, const expected_message& expected) {
  // For an unusable message, the id is reported if there is one and it could be one of ours.
  const bool any = message.kind == message_kind::unusable && !expected.answerable_id();
  if (!expected.one_id()) return message.id.empty() ? "" : "an id, and there is none or more than one";
  if (any && message.id.empty()) return {};
  const bj::value* wanted = expected.member("id");
  if (message.integer_id != wanted->is_int64()) return "integer_id is wrong";
  if (message.integer_id && message.number != wanted->get_int64()) return "the id has another value";
  return part_difference("id", message.id, wanted);
}

}  // namespace

// A result with a grammar error inside passes the envelope scan and fails where it is used; no other error may pass.
static std::string unchecked_result_difference(std::string_view bytes, std::string_view result) {
  if (result.front() != '{' && result.front() != '[')
    return "a result without an inside, and Boost.JSON reads no object";
  if (raw_json{result}.check().has_value()) return "the result is valid, and Boost.JSON reads no object";
  std::string repaired{bytes};
  repaired.replace(static_cast<std::size_t>(result.data() - bytes.data()), result.size(), "{}");
  return boost_parse(repaired).accepted ? "" : "something else than the result is wrong, and it was accepted";
}

std::string scan_difference(std::string_view bytes) {
  scanner scan;
  const message_view message = scan.scan(bytes);
  for (const std::string_view part : {message.id, message.params, message.result, message.error}) {
    if (!inside(bytes, part)) return "a part outside of the message";
  }
  const bool unusable = message.kind == message_kind::unusable;
  if (unusable != (message.fault != nullptr)) return "unusable, or a fault, and not both";
  const reference_parse theirs = boost_parse(bytes);
  if (theirs.not_comparable) return {};
  if (!theirs.accepted || !theirs.tree.is_object()) {
    if (message.kind == message_kind::result) return unchecked_result_difference(bytes, message.result);
    if (!unusable) return "usable, and Boost.JSON reads no object";
    if (message.id.empty()) return {};
    const reference_parse id = boost_parse(message.id);
    return id.not_comparable || (id.accepted && (id.tree.is_string() || id.tree.is_number())) ? ""
                                                                                              : "an id that is none";
  }
  const expected_message expected{bytes, theirs.tree.get_object()};
  if (message.kind != expected.kind()) return "another kind of message";
  if (auto why = id_difference(message, expected); !why.empty()) return why;
  if (unusable) return {};
  const bj::value* method = expected.member("method");
  if (message.method != (method != nullptr ? std_view(method->get_string()) : std::string_view{}))
    return "another method";
  for (const auto& [name, part] :
       {std::pair{"params", message.params}, std::pair{"result", message.result}, std::pair{"error", message.error}}) {
    if (auto why = part_difference(name, part, expected.member(name)); !why.empty()) return why;
  }
  return {};
}

}  // namespace hawser::testing
