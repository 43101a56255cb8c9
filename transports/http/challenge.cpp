// SPDX-License-Identifier: MIT
#include "challenge.hpp"

#include <optional>

namespace hawser {

namespace {

bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool in_token(char c) noexcept {
  return is_letter_or_digit(c) || (c != '\0' && std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos);
}
bool in_token68(char c) noexcept {
  return is_letter_or_digit(c) || (c != '\0' && std::string_view{"-._~+/"}.find(c) != std::string_view::npos);
}
// RFC 9110, "Quoted Strings": visible characters, white space, or bytes above ASCII.
bool in_text(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
}

std::string lower(std::string_view text) {
  std::string made{text};
  for (char& c : made) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return made;
}

// Parses one line from left to right. Commas separate both challenges and parameters; what follows a token decides
// which of the two it starts.
class line_reader {
 public:
  line_reader(std::string_view line, std::vector<challenge>& to) noexcept : rest_(line), to_(to) {}

  void read() {
    while (true) {
      skip_separators();
      if (rest_.empty() || !element()) return;
      skip_space();
      if (!rest_.empty() && rest_.front() != ',') return;
    }
  }

 private:
  template <class Belongs>
  std::string_view take(Belongs belongs) noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && belongs(rest_[size])) ++size;
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  void skip_space() noexcept {
    take([](char c) { return c == ' ' || c == '\t'; });
  }
  // Empty list elements are ignored.
  void skip_separators() noexcept {
    take([](char c) { return c == ' ' || c == '\t' || c == ','; });
  }
  [[nodiscard]] bool at_separator() noexcept {
    const std::string_view here = rest_;
    skip_space();
    const bool found = rest_.empty() || rest_.front() == ',';
    rest_ = here;
    return found;
  }

  // Parses a scheme with what follows it up to the next comma, or one more parameter of the last scheme; false on a
  // syntax error.
  bool element() {
    const std::string_view here = rest_;
    const std::string_view word = take(in_token);
    if (word.empty()) return false;
    skip_space();
    const bool is_parameter = !rest_.empty() && rest_.front() == '=';
    rest_ = here;
    if (is_parameter) return open_ && parameter();
    take(in_token);
    const bool spaced = rest_.starts_with(' ');
    if (!spaced && !at_separator()) return false;
    to_.push_back({.scheme = std::string{word}});
    open_ = true;
    if (at_separator()) return true;
    take([](char c) { return c == ' '; });
    return token68() || parameter();
  }

  bool token68() {
    const std::string_view here = rest_;
    const std::size_t size = take(in_token68).size();
    const std::size_t padding = take([](char c) { return c == '='; }).size();
    if (size == 0 || !at_separator()) {
      rest_ = here;
      return false;
    }
    to_.back().token68 = here.substr(0, size + padding);
    open_ = false;  // a token68 excludes parameters
    return true;
  }

  bool parameter() {
    const std::string_view name = take(in_token);
    skip_space();
    if (name.empty() || rest_.empty() || rest_.front() != '=') return false;
    rest_.remove_prefix(1);
    skip_space();
    auto value = rest_.starts_with('"') ? quoted() : unquoted();
    // A value that continues in another way, such as an unquoted URL, would be cut to a wrong value.
    if (!value || !at_separator()) return false;
    to_.back().parameters.emplace_back(lower(name), *std::move(value));
    return true;
  }

  std::optional<std::string> unquoted() {
    const std::string_view value = take(in_token);
    if (value.empty()) return std::nullopt;
    return std::string{value};
  }

  std::optional<std::string> quoted() {
    std::string value;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return value;
      }
      if (rest_[i] == '\\' && ++i == rest_.size()) break;
      if (!in_text(rest_[i])) break;
      value += rest_[i];
    }
    return std::nullopt;
  }

  std::string_view rest_;
  std::vector<challenge>& to_;
  bool open_ = false;  // the last challenge is from this line and may have more parameters
};

}  // namespace

const std::string* challenge::find(std::string_view name) const noexcept {
  for (const auto& [own, value] : parameters) {
    if (own == name) return &value;
  }
  return nullptr;
}

std::vector<challenge> read_challenges(const std::vector<std::string>& fields) {
  std::vector<challenge> all;
  for (const std::string& line : fields) line_reader{line, all}.read();
  return all;
}

const challenge* bearer_challenge(const std::vector<challenge>& all) noexcept {
  for (const challenge& one : all) {
    if (equal_ignoring_case(one.scheme, "bearer")) return &one;
  }
  return nullptr;
}

bool asks_for_bearer_token(const http_fields& fields) {
  std::vector<std::string> lines;
  for (const http_field& one : fields.all()) {
    if (equal_ignoring_case(one.name, "WWW-Authenticate")) lines.push_back(one.value);
  }
  return bearer_challenge(read_challenges(lines)) != nullptr;
}

}  // namespace hawser
