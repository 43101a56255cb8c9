// SPDX-License-Identifier: MIT
#include "mcp_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "../../runtime/crypto.hpp"
#include "../http/http_fields.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/protocol.hpp"

namespace hawser {

namespace {

constexpr std::string_view mark = "x-mcp-header";
constexpr std::string_view sentinel = "=?base64?";
constexpr std::int64_t largest = (std::int64_t{1} << 53) - 1;
constexpr int deepest = 64;
constexpr std::size_t longest_quote = 80;

// A long text is not cut: the beginning of a secret in it would not be recognised as one by whoever redacts the error.
std::string quoted_whole(std::string_view text) {
  if (text.size() > longest_quote) return " of " + std::to_string(text.size()) + " bytes";
  return ' ' + std::string{text};
}

bool is_safe(std::string_view text) noexcept {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text.starts_with(sentinel)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::string_view name_member(std::string_view method) noexcept {
  namespace m = protocol::method;
  if (method == m::tools_call || method == m::prompts_get) return "name";
  if (method == m::resources_read) return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return {};
}

std::string encode_field_value(std::string_view text) {
  if (is_safe(text)) return std::string{text};
  return std::string{sentinel} + base64(text) + "?=";
}

std::optional<std::string> decode_field_value(std::string_view value) {
  constexpr std::string_view end = "?=";
  if (!value.starts_with(sentinel) || !value.ends_with(end) || value.size() < sentinel.size() + end.size())
    return std::string{value};
  value.remove_prefix(sentinel.size());
  value.remove_suffix(end.size());
  return from_base64(value);
}

void append_modern_fields(std::string& head, std::string_view version, std::string_view method,
                          std::string_view params) {
  append_field(head, protocol::header::protocol_version, version);
  if (method.empty()) return;
  append_field(head, protocol::header::method, encode_field_value(method));
  const std::string_view member = name_member(method);
  if (member.empty() || params.empty()) return;
  if (const auto name = text_of(find_member(params, member)))
    append_field(head, protocol::header::name, encode_field_value(*name));
}

// Reads a schema in one pass; no byte is read twice.
class header_arguments::reader {
 public:
  // Returns the end of the value that starts at `p`, or null if a mark is invalid. `where` is `argument` for the
  // arguments object and for properties with a unique position in it: those that are reached through `properties`
  // alone.
  enum class place : std::uint8_t { argument, elsewhere };
  const char* schema(const char* p, const char* end, place where, int depth) {
    if (*p != '{' && *p != '[') return detail::skip_value(p, end);
    if (depth > deepest) {
      fault_ = "its input schema is too deep";
      return nullptr;
    }
    if (*p == '[')
      return walk_array(p, [&](const char* inner) { return schema(inner, end, place::elsewhere, depth + 1); });
    std::string_view name;
    std::string_view type;
    const char* behind = walk_object(p, end, [&](std::string_view raw, const char* value) {
      if (same_name(raw, "properties") && *value == '{') return properties(value, end, where, depth);
      const bool is_mark = same_name(raw, mark);
      const bool is_type = same_name(raw, "type");
      if (!is_mark && !is_type && !is_text(raw)) return schema(value, end, place::elsewhere, depth + 1);
      const char* value_end = detail::skip_value(value, end);
      const std::string_view text{value, static_cast<std::size_t>(value_end - value)};
      if (is_mark) name = text;
      if (is_type) type = text;
      return value_end;
    });
    if (behind == nullptr || name.empty()) return behind;
    return marked(name, type, where) ? behind : nullptr;
  }

  result<header_arguments> take() && {
    if (!fault_.empty()) return error{.code = errc::protocol, .what = std::move(fault_)};
    return std::move(made_);
  }

 private:
  struct step {
    std::string_view raw_name;
    std::size_t property;  // 0 until a property below it is marked
  };

  // Values that are not schemas, whatever they contain.
  static bool is_text(std::string_view raw) {
    return same_name(raw, "default") || same_name(raw, "const") || same_name(raw, "enum") || same_name(raw, "examples");
  }

  const char* properties(const char* p, const char* end, place where, int depth) {
    return walk_object(p, end, [&](std::string_view name, const char* value) {
      path_.push_back({name, 0});
      const char* behind = schema(value, end, where, depth + 1);
      path_.pop_back();
      return behind;
    });
  }

  bool marked(std::string_view value, std::string_view type, place where) {
    const auto wrong = [&](const char* reason) {
      fault_ = std::string{mark} + quoted_whole(value) + reason;
      return false;
    };
    const auto name = text_of(value);
    const auto kind = text_of(type);
    if (!name || name->empty() || !valid_field_name(*name)) return wrong(" is no name of a header field");
    if (where != place::argument || path_.empty()) return wrong(" stands where no argument has one place");
    if (kind != "string" && kind != "integer" && kind != "boolean")
      return wrong(" marks what is no string, integer or boolean");
    std::string lower = *name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    if (!names_.insert(std::move(lower)).second) return wrong(" stands there twice");
    made_.properties_[property_of_path()].field = std::string{protocol::header::parameter_prefix} + *name;
    return true;
  }

  std::size_t property_of_path() {
    auto& all = made_.properties_;
    if (all.empty()) all.emplace_back();
    auto next = path_.end();
    while (next != path_.begin() && std::prev(next)->property == 0) --next;
    std::size_t at = next == path_.begin() ? 0 : std::prev(next)->property;
    for (; next != path_.end(); ++next) {
      const auto [found, is_new] = all[at].inner.try_emplace(unescaped(next->raw_name), all.size());
      at = next->property = found->second;
      if (is_new) all.emplace_back();
    }
    return at;
  }

  header_arguments made_;
  std::set<std::string> names_;  // in lower case
  std::vector<step> path_;
  std::string fault_;
};

result<header_arguments> header_arguments::read(std::string_view input_schema) {
  reader walk;
  // Most schemas have no marks and need no walk.
  if (input_schema.find(mark) != input_schema.npos) {
    const char* end = input_schema.data() + input_schema.size();
    walk.schema(detail::skip_space(input_schema.data()), end, reader::place::argument, 0);
  }
  return std::move(walk).take();
}

class header_arguments::writer {
 public:
  explicit writer(const std::vector<property>& all) : all_(all), seen_(all.size()) {}

  const char* object(const char* p, const char* end, const property& about) {
    return walk_object(p, end, [&](std::string_view raw, const char* value) -> const char* {
      const bool escaped = raw.find('\\') != std::string_view::npos;
      const auto found = escaped ? about.inner.find(unescaped(raw)) : about.inner.find(raw);
      if (found == about.inner.end()) return detail::skip_value(value, end);
      const property& inner = all_[found->second];
      // Whether the first or the last duplicate counts depends on the parser that reads the body: the field could
      // differ.
      if (seen_[found->second]) {
        fault_ = "the argument" + quoted_whole(found->first) + ", which goes into a header field, stands there twice";
        return nullptr;
      }
      seen_[found->second] = true;
      if (inner.field.empty() && *value == '{') return object(value, end, inner);
      const char* behind = detail::skip_value(value, end);
      if (inner.field.empty()) return behind;
      return write(inner.field, {value, static_cast<std::size_t>(behind - value)}) ? behind : nullptr;
    });
  }

  result<std::string> take() && {
    if (!fault_.empty()) return error{.code = errc::config, .what = std::move(fault_)};
    return std::move(lines_);
  }

 private:
  bool write(std::string_view field, std::string_view value) {
    if (value == "null") return true;
    if (value == "true" || value == "false") {
      append_field(lines_, field, value);
    } else if (const auto text = text_of(value)) {
      append_field(lines_, field, encode_field_value(*text));
    } else if (const auto number = integer_of(value); number && *number <= largest && *number >= -largest) {
      append_field(lines_, field, std::to_string(*number));
    } else {
      fault_ = "the argument for the header field " + std::string{field} + " is no string, boolean or integer";
    }
    return fault_.empty();
  }

  const std::vector<property>& all_;
  std::vector<bool> seen_;
  std::string lines_;
  std::string fault_;
};

result<std::string> header_arguments::fields(std::string_view arguments) const {
  writer lines{properties_};
  if (!empty() && arguments.starts_with('{'))
    lines.object(arguments.data(), arguments.data() + arguments.size(), properties_.front());
  return std::move(lines).take();
}

}  // namespace hawser
