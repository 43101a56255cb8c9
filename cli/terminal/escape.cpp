// SPDX-License-Identifier: MIT
#include "escape.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "code_points.hpp"

namespace hawser::cli {

namespace {

void append_hex(std::string& to, std::uint32_t number, std::size_t digits) {
  std::array<char, 8> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  const auto size = static_cast<std::size_t>(end - text.data());
  to.append(digits > size ? digits - size : 0, '0').append(text.data(), size);
}

void append_visible(std::string& to, code_point c) {
  to += c.valid ? "\\u{" : "\\x";
  append_hex(to, c.value, c.valid ? 1 : 2);
  if (c.valid) to += '}';
}

// The length of the prefix that needs no escaping: printable ASCII.
std::size_t plain_prefix(std::string_view text) noexcept {
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, plain) - text.begin());
}

class writer {
 public:
  writer(std::string_view text, escape_limits limits) : rest_(text.substr(0, limits.max_bytes)), limits_(limits) {
    // Do not cut inside a UTF-8 sequence.
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    for (int i = 0; i < 3 && !rest_.empty() && rest_.size() < text.size() && continues(rest_.size()); ++i) {
      rest_.remove_suffix(1);
    }
    cut_ = text.size() - rest_.size();
    out_.reserve(rest_.size());
  }

  std::string run() {
    while (!rest_.empty() && !full_) {
      if (const std::size_t plain = std::min(plain_prefix(rest_), room()); plain > 0) {
        put(plain);
        after_variation_ = false;
      } else {
        step();
      }
    }
    cut_ += rest_.size();
    if (cut_ > 0) out_.append("... (").append(std::to_string(cut_)).append(" more bytes)");
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool many_lines() const noexcept { return limits_.max_lines > 1; }
  [[nodiscard]] std::size_t room() const noexcept { return limits_.max_line_bytes - line_bytes_; }

  void put(std::size_t bytes) {
    out_ += rest_.substr(0, bytes);
    skip(bytes);
  }
  void skip(std::size_t bytes) {
    rest_.remove_prefix(bytes);
    line_bytes_ += bytes;
  }

  void step() {
    if (many_lines() && (rest_.front() == '\n' || rest_.starts_with("\r\n"))) return end_line();
    const code_point c = first_code_point(rest_);
    if (c.bytes > room()) return cut_line();
    const bool shown = c.valid && !is_hidden(c.value) && !(is_variation_selector(c.value) && after_variation_);
    after_variation_ = is_variation_selector(c.value);
    if (shown || (many_lines() && c.value == '\t')) return put(c.bytes);
    append_visible(out_, c);
    skip(c.bytes);
  }

  void end_line() {
    skip(rest_.front() == '\r' ? 2 : 1);
    line_bytes_ = 0;
    after_variation_ = false;
    if (++lines_ >= limits_.max_lines && !rest_.empty()) full_ = true;
    out_ += '\n';
  }

  // Skips the rest of a line that is too long.
  void cut_line() {
    const std::size_t end = many_lines() ? std::min(rest_.find('\n'), rest_.size()) : rest_.size();
    if (!many_lines()) {
      full_ = true;
      return;
    }
    const bool returned = end > 0 && end < rest_.size() && rest_[end - 1] == '\r';
    const std::size_t missing = end - (returned ? 1 : 0);
    out_.append("... (").append(std::to_string(missing)).append(" more bytes)");
    rest_.remove_prefix(end);
    line_bytes_ = 0;
  }

  std::string_view rest_;
  escape_limits limits_;
  std::string out_;
  std::size_t cut_ = 0;
  std::size_t lines_ = 0;
  std::size_t line_bytes_ = 0;
  bool after_variation_ = false;
  bool full_ = false;
};

void append_json_escape(std::string& to, char32_t c) {
  if (c > 0xffff) {
    append_json_escape(to, 0xd800 + ((c - 0x10000) >> 10));
    append_json_escape(to, 0xdc00 + ((c - 0x10000) & 0x3ff));
    return;
  }
  to += "\\u";
  append_hex(to, c, 4);
}

}  // namespace

safe_text::safe_text(std::initializer_list<text_piece> parts) {
  for (const text_piece& part : parts) text_ += part.view();
}

safe_text& safe_text::operator+=(text_piece more) {
  text_ += more.view();
  return *this;
}

std::size_t safe_text::columns() const noexcept {
  std::size_t count = 0;
  for (std::string_view rest = text_; !rest.empty();) {
    const code_point c = first_code_point(rest);
    count += column_width(c.value);
    rest.remove_prefix(c.bytes);
  }
  return count;
}

safe_text safe_text::fitted(std::size_t columns) const {
  constexpr std::string_view ellipsis = "...";
  if (text_.size() <= columns || this->columns() <= columns) return *this;
  if (columns <= ellipsis.size()) return safe_text{std::string(columns, '.')};
  std::size_t used = 0;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const code_point c = first_code_point(rest);
    if (used + column_width(c.value) > columns - ellipsis.size()) break;
    used += column_width(c.value);
    rest.remove_prefix(c.bytes);
  }
  return safe_text{text_.substr(0, text_.size() - rest.size()).append(ellipsis)};
}

safe_text safe_text::repeated(std::size_t count) const {
  std::string all;
  all.reserve(text_.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text_;
  return safe_text{std::move(all)};
}

std::size_t safe_text::lines() const noexcept {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text_, '\n'));
  return text_.empty() || text_.ends_with('\n') ? ends : ends + 1;
}

safe_text escaped(std::string_view untrusted, escape_limits limits) {
  return safe_text{writer{untrusted, limits}.run()};
}

safe_text escaped_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const std::size_t plain = plain_prefix(json);
    out += json.substr(0, plain);
    json.remove_prefix(plain);
    if (json.empty()) break;
    const code_point c = first_code_point(json);
    if (c.value == '\n' || c.value == '\r' || c.value == '\t') {
      out += ' ';  // between values; they cannot occur inside a string
    } else if (!c.valid) {
      out += "\\ufffd";
    } else if (is_hidden(c.value) || is_variation_selector(c.value)) {
      append_json_escape(out, c.value);
    } else {
      out += json.substr(0, c.bytes);
    }
    json.remove_prefix(c.bytes);
  }
  return safe_text{std::move(out)};
}

safe_text decimal(std::int64_t number) { return safe_text{std::to_string(number)}; }

}  // namespace hawser::cli
