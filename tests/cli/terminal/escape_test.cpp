// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/escape.hpp"

#include <boost/json.hpp>
#include <concepts>
#include <random>
#include <string>
#include <vector>

#include "../../../cli/terminal/code_points.hpp"
#include "../../support/ut.hpp"

namespace escape_test {

using namespace hawser::cli;

std::string shown(std::string_view text, escape_limits limits = {}) {
  return std::string{escaped(text, limits).view()};
}

// What no output may have, whatever came in.
bool harmless(std::string_view text, bool many_lines) {
  bool after_variation = false;
  while (!text.empty()) {
    const code_point c = first_code_point(text);
    if (!c.valid) return false;
    const bool break_or_tab = c.value == '\n' || c.value == '\t';
    if (is_hidden(c.value) && !(many_lines && break_or_tab)) return false;
    if (is_variation_selector(c.value) && after_variation) return false;
    after_variation = is_variation_selector(c.value);
    text.remove_prefix(c.bytes);
  }
  return true;
}

// Bytes as an attacker would mix them: pieces of sequences, whole ones, plain text.
std::string hostile(std::mt19937& random) {
  static const std::vector<std::string> parts{"plain text",
                                              "\x1b[2J",
                                              "\x1b]0;title\x07",
                                              "\r",
                                              "\n",
                                              "\r\n",
                                              "\t",
                                              "\xe2\x80\xae",
                                              "\xe2\x80\x8b",
                                              "\xf3\xa0\x81\x81",
                                              "\xc2\x9b",
                                              "\x7f",
                                              "\xff",
                                              "\xe2\x80",
                                              "\xf0\x9f",
                                              "\xc0\x80",
                                              "\xed\xa0\x80",
                                              "\xef\xb8\x8f",
                                              "\xef\xbb\xbf",
                                              "é",
                                              "漢字",
                                              "\xf0\x9f\x98\x80",
                                              "\\u{1b}",
                                              "\"",
                                              "\\",
                                              "\xf4\x90\x80\x80"};
  std::string text;
  for (auto n = random() % 12; n > 0; --n) {
    if (random() % 4 == 0) {
      text += static_cast<char>(random());
    } else {
      text += parts[random() % parts.size()];
    }
  }
  return text;
}

const suite<"escape"> tests = [] {
  "T-11 what controls a terminal is shown by its number"_test = [] {
    expect(shown("a\x1b[31mred") == "a\\u{1b}[31mred");
    expect(shown("\x1b]0;title\x07") == "\\u{1b}]0;title\\u{7}");
    expect(shown("ok\rdenied") == "ok\\u{d}denied");
    expect(shown("\x7f\xc2\x9b") == "\\u{7f}\\u{9b}");
    expect(shown(std::string_view{"\0", 1}) == "\\u{0}");
  };

  "T-07 what hides or reorders is shown by its number"_test = [] {
    expect(shown("\xe2\x80\xae"
                 "cod.exe") == "\\u{202e}cod.exe");
    expect(shown("a\xe2\x80\x8b"
                 "b") == "a\\u{200b}b");
    expect(shown("\xf3\xa0\x81\x81") == "\\u{e0041}");
    expect(shown("\xef\xbb\xbfx") == "\\u{feff}x");
    expect(shown("\xe2\x81\xa6x\xe2\x81\xa9") == "\\u{2066}x\\u{2069}");
  };

  "T-11 bytes that are not UTF-8 are shown as bytes"_test = [] {
    expect(shown("\xff\xfe") == "\\xff\\xfe");
    expect(shown("\xc0\x80") == "\\xc0\\x80") << "overlong";
    expect(shown("\xed\xa0\x80") == "\\xed\\xa0\\x80") << "a surrogate";
    expect(shown("\xe2\x82") == "\\xe2\\x82") << "cut";
    expect(shown("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  };

  "text of people stays as it is"_test = [] {
    for (const char* text : {"plain", "Grüße", "漢字かな", "עברית", "C:\\new\\table", "\xe2\x9d\xa4\xef\xb8\x8f"}) {
      expect(shown(text) == std::string_view{text});
    }
    expect(shown("x\xef\xb8\x8f\xef\xb8\x8f\xef\xb8\x8f") == "x\xef\xb8\x8f\\u{fe0f}\\u{fe0f}")
        << "a message in selectors";
  };

  "lines are kept where they are wanted, and only there"_test = [] {
    expect(shown("a\nb\tc") == "a\\u{a}b\\u{9}c");
    expect(shown("a\nb\tc\r\nd", whole_text) == "a\nb\tc\nd");
    expect(shown("a\rb\n", whole_text) == "a\\u{d}b\n");
  };

  "G09 length is capped, and what is missing is said"_test = [] {
    expect(shown(std::string(3'000, 'x')) == std::string(2'000, 'x') + "... (1000 more bytes)");
    expect(shown("äöü", {.max_bytes = 3}) == "ä... (4 more bytes)") << "no half of a character";
    const escape_limits few{.max_bytes = 100, .max_lines = 2, .max_line_bytes = 5};
    expect(shown("1234567\nab\ncd\n", few) == "12345... (2 more bytes)\nab\n... (3 more bytes)");
    expect(shown("1234567\r\nab", few) == "12345... (2 more bytes)\nab");
    const safe_text question = escaped(std::string(1 << 20, '\n') + "x", some_lines);
    expect(question.lines() <= some_lines.max_lines + 1) << question.lines();
    expect(escaped(std::string(1 << 20, '\x1b'), some_lines).view().size() < 32'000_u);
  };

  "T-11 random input never yields a control character"_test = [] {
    std::mt19937 random{11};  // NOLINT: the same every time
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = hostile(random);
      const escape_limits limits{
          .max_bytes = random() % 60, .max_lines = 2 + random() % 5, .max_line_bytes = random() % 30};
      expect(harmless(escaped(text).view(), false)) << text;
      expect(harmless(escaped(text, whole_text).view(), true)) << text;
      expect(harmless(escaped(text, limits).view(), true)) << text;
    }
  };

  "T-11 JSON is the same value in harmless characters"_test = [] {
    std::mt19937 random{12};  // NOLINT: the same every time
    for (int round = 0; round < 5'000; ++round) {
      std::string text;
      for (auto n = random() % 8; n > 0; --n) {
        constexpr char32_t some[]{0x1b, 0x7f, 0x9b, 0x202e, 0xe0041, 0xfe0f, 'a', '"', '\\', '\n', 0xe9, 0x1f600};
        const char32_t c = some[random() % std::size(some)];
        if (c < 0x80) {
          text += static_cast<char>(c);
        } else if (c < 0x800) {
          text += {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
        } else if (c < 0x10000) {
          text += {static_cast<char>(0xe0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3f)),
                   static_cast<char>(0x80 | (c & 0x3f))};
        } else {
          text += {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3f)),
                   static_cast<char>(0x80 | ((c >> 6) & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
        }
      }
      const boost::json::value value{{"key " + text, text}};
      const safe_text safe = escaped_json(boost::json::serialize(value));
      expect(harmless(safe.view(), false));
      expect(boost::json::parse(safe.view()) == value) << safe.view();
    }
    expect(escaped_json("{\n  \"a\": 1\r\n}").view() == "{   \"a\": 1  }");
    expect(escaped_json("\"\xff\"").view() == "\"\\ufffd\"");
  };

  "T-11 only escaped text and literals make a safe text"_test = [] {
    static_assert(!std::constructible_from<safe_text, std::string>);
    static_assert(!std::constructible_from<safe_text, std::string_view>);
    static_assert(!std::convertible_to<std::string, text_piece>);
    static_assert(!std::convertible_to<std::string_view, text_piece>);
    static_assert(std::convertible_to<safe_text, text_piece>);
    const std::string name = "git\x1b";
    expect(safe_text{"server \"", escaped(name), "\": ", decimal(-3)}.view() == "server \"git\\u{1b}\": -3");
  };

  "columns are those of a terminal"_test = [] {
    expect(escaped("abc").columns() == 3_u);
    expect(escaped("漢字").columns() == 4_u);
    expect(escaped("e\xcc\x81").columns() == 1_u);
    expect(escaped("abcdef").fitted(6).view() == "abcdef");
    expect(escaped("abcdefg").fitted(6).view() == "abc...");
    expect(escaped("漢字漢字").fitted(6).view() == "漢...");
    expect(escaped("abcdefg").fitted(1).view() == ".");
    expect(escaped("abcdefg").fitted(0).view() == "");
  };
};

}  // namespace escape_test
