// SPDX-License-Identifier: MIT
#include "json_text.hpp"

#include <charconv>

#include "detail/json_blocks.hpp"
#include "json_validator.hpp"

namespace hawser {

const char* detail::skip_value(const char* p, const char* end) noexcept {
  if (*p == '"') return skip_string(p + 1, end);
  if (*p == '{' || *p == '[') return skip_container(p, end);
  while (p != end && *p != ',' && *p != '}' && *p != ']' && *p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') ++p;
  return p;
}

std::string_view find_member(std::string_view object, std::string_view name) {
  std::string_view found;
  if (object.empty() || object.front() != '{') return found;
  for_each_member(object, [&](std::string_view raw, std::string_view value) {
    if (same_name(raw, name)) found = value;
    return true;
  });
  return found;
}

namespace {

void append_utf8(std::string& to, unsigned long c) {
  const auto byte = [&to](unsigned long b) { to += static_cast<char>(b); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

unsigned long code_unit(std::string_view raw, std::size_t at) {
  unsigned long unit = 0;
  std::from_chars(raw.data() + at, raw.data() + at + 4, unit, 16);
  return unit;
}

}  // namespace

namespace {

// Appends what the escape means that begins at `at`, a backslash; where the text goes on behind it.
std::size_t append_escape(std::string& to, std::string_view raw, std::size_t at) {
  switch (const char c = raw[at + 1]) {
    case 'b': to += '\b'; break;
    case 'f': to += '\f'; break;
    case 'n': to += '\n'; break;
    case 'r': to += '\r'; break;
    case 't': to += '\t'; break;
    case 'u': {
      unsigned long unit = code_unit(raw, at + 2);
      std::size_t end = at + 6;
      if (unit >= 0xD800 && unit < 0xDC00) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (code_unit(raw, end + 2) - 0xDC00);
        end += 6;
      }
      append_utf8(to, unit);
      return end;
    }
    default: to += c;
  }
  return at + 2;
}

}  // namespace

std::string unescaped(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] == '\\') {
      i = append_escape(text, raw, i);
    } else {
      text += raw[i++];
    }
  }
  return text;
}

// Of a name with escapes no more is read than it takes to tell it from the other one: a message may have millions.
bool same_name(std::string_view raw, std::string_view name) {
  if (raw.size() < name.size()) return false;
  std::string character;  // never more than four bytes, which need no memory
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\') {
      if (name.empty() || name.front() != raw[i++]) return false;
      name.remove_prefix(1);
      continue;
    }
    character.clear();
    i = append_escape(character, raw, i);
    if (!name.starts_with(character)) return false;
    name.remove_prefix(character.size());
  }
  return name.empty();
}

bool members_within(std::string_view object, std::size_t limit) {
  std::size_t count = 0;
  if (object.empty() || object.front() != '{') return true;
  for_each_member(object, [&](std::string_view, std::string_view) { return ++count <= limit; });
  return count <= limit;
}

bool elements_within(std::string_view array, std::size_t limit) {
  std::size_t count = 0;
  if (array.empty() || array.front() != '[') return true;
  for_each_element(array, [&](std::string_view) { return ++count <= limit; });
  return count <= limit;
}

std::optional<std::string> text_of(std::string_view json) {
  if (json.size() < 2 || json.front() != '"') return std::nullopt;
  return unescaped(json.substr(1, json.size() - 2));
}

namespace {

template <class T>
std::optional<T> parsed(std::string_view json) noexcept {
  T value{};
  const char* end = json.data() + json.size();
  const auto [stopped, failure] = std::from_chars(json.data(), end, value);
  if (json.empty() || failure != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> integer_of(std::string_view json) noexcept { return parsed<std::int64_t>(json); }

std::optional<double> number_of(std::string_view json) noexcept {
  if (!is_number(json)) return std::nullopt;  // from_chars accepts "inf" and "nan", JSON does not
  return parsed<double>(json);
}

void append_quoted(std::string& to, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  const char* p = text.data();
  const char* end = p + text.size();
  json_validator utf8{end, {}};
  to += '"';
  while (true) {
    const char* special = detail::plain_run(p, end);
    to.append(p, special);
    if (special == end) break;
    p = special + 1;
    switch (const auto c = static_cast<unsigned char>(*special)) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (c < 0x20) {
          to += "\\u00";
          to += digits[c >> 4];
          to += digits[c & 0xF];
        } else if (const char* behind = utf8.multibyte(special); behind != nullptr) {
          to.append(special, behind);
          p = behind;
        } else {
          to += "\xEF\xBF\xBD";
        }
    }
  }
  to += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace hawser
