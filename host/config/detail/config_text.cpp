// SPDX-License-Identifier: MIT
#include "config_text.hpp"

#include <algorithm>
#include <utility>

#include "../../../transports/detail/is_digit.hpp"
#include "../../../transports/json/json_validator.hpp"

namespace hawser::detail {

namespace {

constexpr json_limits limits{};

// The position after the string that starts at `at`; a string ends at the end of its line at the latest.
std::size_t behind_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return std::min(at, text.size());
}

std::size_t behind_comment(std::string_view text, std::size_t at) noexcept {
  if (text[at + 1] == '/') return std::min(text.find('\n', at), text.size());
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? end : end + 2;
}

void blank(std::string& text, std::size_t from, std::size_t to) noexcept {
  for (; from < to; ++from) {
    if (text[from] != '\n' && text[from] != '\r') text[from] = ' ';
  }
}

// Follows the structure itself and leaves strings, numbers and words to the validator, which does not report positions.
class fault_finder {
 public:
  explicit fault_finder(std::string_view text) noexcept
      : text_(text), check_(text.data() + text.size(), limits), p_(text.data()), end_(text.data() + text.size()) {}

  std::optional<text_fault> find() {
    do {
      if (!value()) return fault_;
      while (!open_.empty() && !first_) {
        skip();
        if (p_ == end_) return unclosed();
        if (*p_ == closing()) {
          close();
          continue;
        }
        if (*p_ != ',') return wrong(expected_after());
        ++p_;
        break;
      }
    } while (!open_.empty());
    skip();
    return p_ == end_ ? std::nullopt : wrong("something stands behind the value");
  }

 private:
  void skip() noexcept { p_ = check_.space(p_); }
  [[nodiscard]] char closing() const noexcept { return *open_.back() == '{' ? '}' : ']'; }
  [[nodiscard]] const char* expected_after() const noexcept {
    return *open_.back() == '{' ? "expected `,` or `}`" : "expected `,` or `]`";
  }
  void close() noexcept {
    ++p_;
    open_.pop_back();
    first_ = false;
  }

  // Reads one member or element: past a scalar value, into a container, or out of an empty one.
  bool value() {
    skip();
    const bool first = std::exchange(first_, false);
    if (!open_.empty()) {
      if (p_ == end_) return keep(unclosed());
      if (first && *p_ == closing()) {
        close();
        return true;
      }
      if (*open_.back() == '{' && !name()) return false;
    }
    if (p_ == end_) return keep(wrong("a value is missing"));
    if (*p_ == '{' || *p_ == '[') {
      if (open_.size() == limits.max_depth) return keep(wrong("nested too deeply"));
      open_.push_back(p_++);
      first_ = true;
      return true;
    }
    const char* behind = check_.value(p_, 0);
    if (behind == nullptr) return keep(wrong(check_.fault()));
    p_ = behind;
    return true;
  }

  bool name() {
    if (*p_ != '"') return keep(wrong("expected a name in double quotes"));
    const char* behind = check_.string(p_ + 1);
    if (behind == nullptr) return keep(wrong(check_.fault()));
    p_ = behind;
    skip();
    if (p_ == end_) return keep(unclosed());
    if (*p_ != ':') return keep(wrong("expected `:`"));
    ++p_;
    skip();
    return true;
  }

  bool keep(std::optional<text_fault> fault) {
    fault_ = std::move(fault);
    return false;
  }
  [[nodiscard]] std::optional<text_fault> wrong(const char* what) const { return at(p_, what); }
  [[nodiscard]] std::optional<text_fault> at(const char* where, std::string what) const {
    return text_fault{static_cast<std::size_t>(where - text_.data()), std::move(what)};
  }
  [[nodiscard]] std::optional<text_fault> unclosed() const {
    const char* open = open_.back();
    const int line = line_index{text_}.line_of(static_cast<std::size_t>(open - text_.data()));
    return at(end_,
              std::string{"the text ends, and the `"} + *open + "` of line " + std::to_string(line) + " is not closed");
  }

  std::string_view text_;
  json_validator check_;
  const char* p_;
  const char* end_;
  std::vector<const char*> open_;
  bool first_ = false;  // after an opening bracket, where a closing one may follow
  std::optional<text_fault> fault_;
};

}  // namespace

line_index::line_index(std::string_view text) : text_(text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    begins_.push_back(at + 1);
}

int line_index::line_of(std::size_t offset) const noexcept {
  return static_cast<int>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin());
}

text_position line_index::position_of(std::size_t offset) const noexcept {
  const int line = line_of(offset);
  const std::size_t begin = begins_[static_cast<std::size_t>(line) - 1];
  const std::string_view before = text_.substr(begin, offset - begin);
  const auto characters = std::count_if(before.begin(), before.end(),
                                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return {.line = line, .column = static_cast<int>(characters) + 1};
}

std::optional<text_fault> blank_comments(std::string& text) {
  std::size_t comma =
      std::string::npos;  // position of a comma that follows a value, if nothing but blanks and comments came since
  char before = '[';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    if (c == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*')) {
      const std::size_t end = behind_comment(text, at);
      if (end == std::string::npos) return text_fault{at, "a comment begins here and never ends"};
      blank(text, at, end);
      at = end;
      continue;
    }
    if ((c == '}' || c == ']') && comma != std::string::npos) text[comma] = ' ';
    const bool follows_value = before != '[' && before != '{' && before != ',' && before != ':';
    comma = c == ',' && follows_value ? at : std::string::npos;
    before = c;
    at = c == '"' ? behind_string(text, at) : at + 1;
  }
  return std::nullopt;
}

std::string_view other_format(std::string_view text) noexcept {
  constexpr std::string_view space = " \t\r\n";
  std::string_view line;
  do {  // find the first non-comment line
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == text.npos) return {};
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    line = text.substr(begin, end - begin);
    text.remove_prefix(end);
  } while (line.front() == '#');
  line = line.substr(0, line.find_last_not_of(space) + 1);
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  const auto behind_word = [&](std::size_t at) {
    return static_cast<std::size_t>(
        std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), in_word) - line.begin());
  };
  if (line.front() == '[') {
    const std::size_t name = line.find_first_not_of('[');
    const bool header = name != line.npos && in_word(line[name]) && !is_digit(line[name]) && line.back() == ']' &&
                        line.find(',') == line.npos;
    return header ? std::string_view{"TOML"} : std::string_view{};
  }
  if (line.starts_with("---") || line.starts_with("%YAML") || line.starts_with("- ")) return "YAML";
  const std::size_t end = behind_word(0);
  if (end == 0) return {};
  const std::size_t next = line.find_first_not_of(" \t", end);
  if (next == line.npos) return {};
  if (line[next] == '=') return "TOML";
  const bool key = line[next] == ':' && (next + 1 == line.size() || line[next + 1] == ' ');
  return key ? std::string_view{"YAML"} : std::string_view{};
}

std::optional<text_fault> find_fault(std::string_view text) {
  if (auto fault = fault_finder{text}.find()) return fault;
  // The validator decides: later code relies on it alone.
  if (auto valid = validate_json(text, limits); !valid) return text_fault{0, valid.error().what};
  return std::nullopt;
}

}  // namespace hawser::detail
