// SPDX-License-Identifier: MIT
// Generates valid JSON texts of every shape from a seed: whitespace between any two tokens, unnecessary escapes,
// duplicate names.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace hawser::testing {

class random_json {
 public:
  explicit random_json(unsigned seed) : random_(seed) {}

  std::string value(int depth = 5) {
    std::string text;
    append_value(text, depth);
    return text;
  }
  /// A string with its quotes.
  std::string string() {
    std::string text;
    append_string(text);
    return text;
  }
  /// Any bytes; in half of the cases they are mostly UTF-8.
  std::string bytes() {
    std::string text;
    const bool sound = below(2) == 0;
    for (std::size_t n = below(40); n > 0; --n) {
      if (sound && below(20) != 0) {
        text += pick(plain);
      } else {
        text += static_cast<char>(below(256));
      }
    }
    return text;
  }
  std::size_t below(std::size_t bound) { return random_() % bound; }

 private:
  static constexpr std::string_view plain[] = {"a",
                                               "id",
                                               " ",
                                               "/",
                                               "\x7F",
                                               "[",
                                               "}",
                                               ",",
                                               "method",
                                               "\xC3\xA9",
                                               "\xE2\x82\xAC",
                                               "\xF0\x9F\x98\x80",
                                               "plain run of more than sixteen bytes"};
  static constexpr std::string_view escaped[] = {
      R"(\")",     R"(\\)",     R"(\/)",     R"(\b)",     R"(\f)",     R"(\n)",           R"(\r)",          R"(\t)",
      R"(\u0000)", R"(\u0061)", R"(\u00E9)", R"(\u20ac)", R"(\uFFFF)", R"(\ud83d\uDE00)", R"(\uDBFF\udfff)"};
  static constexpr std::string_view numbers[] = {"0",
                                                 "-0",
                                                 "7",
                                                 "-1",
                                                 "7.0",
                                                 "1e1",
                                                 "0.5",
                                                 "1e400",
                                                 "1e-400",
                                                 "-2.5E+3",
                                                 "123456789012345678901234567890",
                                                 "9007199254740993",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "9223372036854775808",
                                                 "18446744073709551615"};
  static constexpr std::string_view words[] = {"true", "false", "null"};

  template <std::size_t N>
  std::string_view pick(const std::string_view (&from)[N]) {
    return from[below(N)];
  }
  void append_space(std::string& to) {
    while (below(4) == 0) to += " \t\r\n"[below(4)];
  }
  void append_string(std::string& to) {
    to += '"';
    for (std::size_t n = below(5); n > 0; --n) to += below(3) == 0 ? pick(escaped) : pick(plain);
    to += '"';
  }
  void append_value(std::string& to, int depth) {
    switch (below(depth > 0 ? 6 : 3)) {
      case 0: to += pick(numbers); break;
      case 1: to += pick(words); break;
      case 2: append_string(to); break;
      case 3: append_container(to, depth, '[', ']'); break;
      default: append_container(to, depth, '{', '}');
    }
  }
  void append_container(std::string& to, int depth, char open, char close) {
    to += open;
    append_space(to);
    for (std::size_t n = below(5), i = 0; i < n; ++i) {
      if (i > 0) to += ',';
      append_space(to);
      if (open == '{') {
        append_string(to);
        append_space(to);
        to += ':';
        append_space(to);
      }
      append_value(to, depth - 1);
      append_space(to);
    }
    to += close;
  }

  std::minstd_rand random_;
};

}  // namespace hawser::testing
