// SPDX-License-Identifier: MIT
#include "render.hpp"

#include <array>

namespace hawser {

namespace {

// The length of the well-formed UTF-8 sequence at the beginning (Unicode, table 3-7), or 0. Surrogates, overlong forms
// and code points above U+10FFFF are invalid.
std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// The single-byte characters that need no escape in a JSON string.
constexpr std::array<bool, 256> stands_for_itself = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

void append_escape(std::string& to, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': to += R"(\")"; return;
    case '\\': to += R"(\\)"; return;
    case '\b': to += R"(\b)"; return;
    case '\f': to += R"(\f)"; return;
    case '\n': to += R"(\n)"; return;
    case '\r': to += R"(\r)"; return;
    case '\t': to += R"(\t)"; return;
    default:
      to += R"(\u00)";
      to += digits[static_cast<unsigned char>(c) >> 4U];
      to += digits[static_cast<unsigned char>(c) & 0xfU];
  }
}

void append_member(std::string& to, std::string_view name, std::string_view text) {
  to += name;
  to += '"';
  detail::append_escaped(to, text);
  to += '"';
}

// In JSON a raw line break can only be white space. It must not reach a transport that frames messages by lines.
void append_raw(std::string& to, std::string_view json) {
  for (;;) {
    const std::size_t end = json.find_first_of("\r\n");
    to += json.substr(0, end);
    if (end == std::string_view::npos) return;
    to += ' ';
    json.remove_prefix(end + 1);
  }
}

std::size_t size_without_escapes(const tool_row& row) noexcept {
  constexpr std::size_t around = 100;  // the member names and punctuation
  const tool& t = *row.definition;
  return around + row.name.size() + row.server_name.size() + t.title.size() + t.description.size() +
         t.input_schema.size() + t.output_schema.size();
}

}  // namespace

void detail::append_escaped(std::string& to, std::string_view text) {
  std::size_t written = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (stands_for_itself[byte]) {
      ++at;
      continue;
    }
    const bool bare = byte >= 0x20 && byte != '"' && byte != '\\';
    if (const std::size_t length = bare ? utf8_sequence(text.substr(at)) : 0; length > 0) {
      at += length;
      continue;
    }
    to += text.substr(written, at - written);
    if (bare) {
      to += "\xef\xbf\xbd";
    } else {
      append_escape(to, text[at]);
    }
    written = ++at;
  }
  to += text.substr(written);
}

void append_tool(std::string& to, const tool_row& row, const render_options& options) {
  const tool& t = *row.definition;
  append_member(to, R"({"name":)", row.name);
  if (!t.title.empty()) append_member(to, R"(,"title":)", t.title);
  const bool prefixed = options.server_in_description && !row.server_name.empty();
  if (prefixed || !t.description.empty()) {
    to += R"(,"description":")";
    if (prefixed) {
      to += '[';
      detail::append_escaped(to, row.server_name);
      to += t.description.empty() ? "]" : "] ";
    }
    detail::append_escaped(to, t.description);
    to += '"';
  }
  to += R"(,"inputSchema":)";
  // MCP requires an inputSchema.
  append_raw(to, t.input_schema.empty() ? std::string_view{R"({"type":"object"})"} : t.input_schema);
  if (!t.output_schema.empty()) {
    to += R"(,"outputSchema":)";
    append_raw(to, t.output_schema);
  }
  to += '}';
}

void append_tools(std::string& to, std::span<const tool_row* const> rows, const render_options& options) {
  if (options.filter == nullptr) {  // one allocation instead of twenty; escapes add little
    std::size_t about = to.size();
    for (const tool_row* row : rows) about += size_without_escapes(*row);
    to.reserve(about);
  }
  to += '[';
  bool first = true;
  for (const tool_row* row : rows) {
    if (options.filter != nullptr && !options.filter->admits(*row)) continue;
    if (!first) to += ',';
    first = false;
    append_tool(to, *row, options);
  }
  to += ']';
}

std::string render_tools(const tool_table& table, const render_options& options) {
  std::string text;
  append_tools(text, table.rows(), options);
  return text;
}

}  // namespace hawser
