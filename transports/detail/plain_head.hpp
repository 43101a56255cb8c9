// SPDX-License-Identifier: MIT
// The head of an answer in its plainest form, which nearly every answer has: read in one pass, without llhttp. It takes
// nothing that llhttp or the parser around it would refuse or read differently, and whatever it does not know it leaves
// to them. That is checked where the parser's tests, and its fuzz target, feed the same bytes whole, which come here,
// and in pieces, which do not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../http_parser.hpp"

namespace hawser::detail {

class plain_head {
 public:
  /// The size of the head that `bytes` begin with, which `into` is then; 0: to be read by somebody else.
  static std::size_t read(std::string_view bytes, std::size_t max_fields, http_head& into) {
    plain_head reading{bytes, into};
    into.length.reset();
    return reading.first_line() && reading.fields(max_fields) && into.length ? reading.at_ : 0;
  }

 private:
  plain_head(std::string_view bytes, http_head& into) noexcept : bytes_(bytes), into_(into) {}

  // RFC 9110: of tokens, and of values as far as they are ASCII.
  enum kind : std::uint8_t { other = 0, visible = 1, token = 2 };
  static constexpr std::array<std::uint8_t, 256> kinds = [] {
    std::array<std::uint8_t, 256> made{};
    for (std::size_t c = 0x20; c < 0x7F; ++c) made[c] = visible;
    for (const char c : std::string_view{"!#$%&'*+-.^_`|~"}) made[static_cast<unsigned char>(c)] |= token;
    for (char c = '0'; c <= '9'; ++c) made[static_cast<unsigned char>(c)] |= token;
    for (char c = 'a'; c <= 'z'; ++c) made[static_cast<unsigned char>(c)] |= token;
    for (char c = 'A'; c <= 'Z'; ++c) made[static_cast<unsigned char>(c)] |= token;
    return made;
  }();

  // From here on as long as the characters are of this kind.
  std::string_view run(kind of) noexcept {
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && (kinds[static_cast<unsigned char>(bytes_[at_])] & of) != 0) ++at_;
    return bytes_.substr(begin, at_ - begin);
  }
  bool follows(std::string_view text) noexcept {
    if (!bytes_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  // Text with neither white space at its ends nor nothing in it, and the end of the line.
  std::string_view rest_of_line() noexcept {
    const std::string_view text = run(visible);
    const bool bare = text.empty() || text.front() == ' ' || text.back() == ' ';
    return !bare && follows("\r\n") ? text : std::string_view{};
  }

  bool first_line() {
    if (!follows("HTTP/1.1 ") || bytes_.size() < at_ + 4) return false;
    int status = 0;
    for (int i = 0; i < 3; ++i) {
      const char c = bytes_[at_++];
      if (c < '0' || c > '9') return false;
      status = status * 10 + (c - '0');
    }
    // Interim answers, and those that have no body whatever their fields say, are not plain.
    if (status < 200 || status == 204 || status == 304 || !follows(" ")) return false;
    into_.status = status;
    into_.reason = rest_of_line();
    return !into_.reason.empty();
  }

  bool fields(std::size_t most) {
    for (std::size_t count = 0; !follows("\r\n"); ++count) {
      const std::string_view name = run(token);
      if (count == most || name.empty() || !follows(": ")) return false;
      const std::string_view value = rest_of_line();
      if (value.empty() || !harmless(name, value)) return false;
      into_.fields.add(std::string{name}, std::string{value});
    }
    into_.keep_alive = true;  // nothing says otherwise
    return true;
  }

  // Fields that say where the message ends, and what becomes of the connection.
  bool harmless(std::string_view name, std::string_view value) noexcept {
    switch (name.size()) {
      case 7: return !equal_ignoring_case(name, "Upgrade");
      case 10: return !equal_ignoring_case(name, "Connection") || value == "keep-alive";
      case 14: return !equal_ignoring_case(name, "Content-Length") || has_length(value);
      case 16: return !equal_ignoring_case(name, "Proxy-Connection");
      case 17: return !equal_ignoring_case(name, "Transfer-Encoding");
      default: return true;
    }
  }

  bool has_length(std::string_view digits) noexcept {
    if (into_.length || digits.size() > 15) return false;
    std::uint64_t length = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return false;
      length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    into_.length = length;
    return true;
  }

  std::string_view bytes_;
  http_head& into_;
  std::size_t at_ = 0;
};

}  // namespace hawser::detail
