// SPDX-License-Identifier: MIT
// Parses response heads of the most common form in one pass, without llhttp. It accepts nothing that llhttp or
// http_parser would refuse or read differently, and leaves every other form to them. The parser's tests and its fuzz
// target check this: they feed the same bytes whole, which takes this path, and in pieces, which does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../http_parser.hpp"

namespace hawser::detail {

class fast_head_parser {
 public:
  /// The size of the head that `bytes` start with, which is stored in `into`; 0: llhttp has to parse it.
  static std::size_t read(std::string_view bytes, std::size_t max_fields, http_head& into) {
    fast_head_parser reading{bytes, into};
    into.length.reset();
    return reading.first_line() && reading.fields(max_fields) && into.length ? reading.at_ : 0;
  }

 private:
  fast_head_parser(std::string_view bytes, http_head& into) noexcept : bytes_(bytes), into_(into) {}

  // RFC 9110: characters of tokens, and of values as far as they are ASCII.
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

  // Consumes characters of this kind.
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
  // Non-empty text without white space at its ends, and the line end after it; otherwise empty.
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
    // Interim responses, and those without a body whatever their fields say, are left to llhttp.
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
    into_.keep_alive = true;  // no field says otherwise
    return true;
  }

  // Accepts the fields that determine the end of the message and the reuse of the connection only in their usual form.
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
