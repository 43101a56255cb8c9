// SPDX-License-Identifier: MIT
#include "../../../transports/json/json_text.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "../../../transports/json/json_validator.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/json_reference.hpp"
#include "../../support/random_json.hpp"
#include "../../support/ut.hpp"

namespace json_text_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::string_view_literals;

std::string boost_text(std::string_view json) {
  const reference_parse parsed = boost_parse(json);
  expect(parsed.accepted && parsed.tree.is_string()) << json;
  const auto* text = parsed.tree.if_string();
  return text == nullptr ? "" : std::string{text->data(), text->size()};
}

// Blanks for what must be escaped: between quotes the text is then valid if it is UTF-8.
std::string spaced(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }, ' ');
  return text;
}

const suite<"json_text"> tests = [] {
  "T-35 members, elements, texts and numbers of random trees are those of Boost.JSON"_test = [] {
    for (unsigned seed = 1; seed <= 4000; ++seed) {
      const std::string text = random_json{seed}.value(7);
      const reference_parse theirs = boost_parse(text);
      expect(theirs.accepted) << text;
      const std::string why = walk_difference(text, theirs.tree);
      expect(why.empty()) << why << text;
    }
  };

  "members and elements are given as they stand, in order, until told to stop"_test = [] {
    std::string seen;
    for_each_member(R"( { "a" : 1 , "\u0062":[ 2 ],"c":"}" } )"sv.substr(1),
                    [&](std::string_view name, std::string_view value) {
                      seen += std::string{name} + '=' + std::string{value} + ';';
                      return true;
                    });
    expect(seen == R"(a=1;\u0062=[ 2 ];c="}";)") << seen;
    seen.clear();
    for_each_element(R"([ 1 , "]" ,[ ],{ "a":[]},null ])", [&](std::string_view value) {
      seen += std::string{value} + ';';
      return value != "{ \"a\":[]}";
    });
    expect(seen == R"(1;"]";[ ];{ "a":[]};)") << seen;
    for_each_member("{ }", [](std::string_view, std::string_view) {
      expect(false) << "a member of nothing";
      return true;
    });
    for_each_element("[ ]", [](std::string_view) {
      expect(false) << "an element of nothing";
      return true;
    });
  };

  "B10 the last of several members counts, as with other parsers, and escapes in names are understood"_test = [] {
    expect(find_member(R"({"a":1,"b":2,"\u0061":3})", "a") == "3");
    expect(find_member(R"({"a":1})", "A").empty());
    expect(find_member(R"({"a":1})", "").empty());
    expect(find_member(R"({"":1})", "") == "1");
    expect(find_member("[]", "a").empty() && find_member("7", "a").empty() && find_member("", "a").empty());
  };

  "B11 names are compared exactly"_test = [] {
    expect(same_name("id", "id") && same_name(R"(\u0069d)", "id") && same_name(R"(\u0069\u0064)", "id"));
    expect(!same_name("Id", "id") && !same_name(R"(\u0049d)", "id") && !same_name("i", "id") &&
           !same_name("idd", "id"));
    expect(!same_name("param\xC5\xBF", "params") && !same_name(R"(param\u017f)", "params"));
    expect(!same_name(R"(\")", R"(\")") && same_name(R"(\\\")", R"(\")") && same_name(R"(\")", R"(")"));
    expect(find_member(R"({"\\n":1,"\n":2})", R"(\n)") == "1") << "the escape is not the name it looks like";
    expect(!same_name(R"(id\u0000)", "id")) << "B15 a NUL ends nothing";
  };

  "B15 random strings mean what they mean to Boost.JSON"_test = [] {
    for (unsigned seed = 1; seed <= 5000; ++seed) {
      const std::string json = random_json{seed}.string();
      expect(unescaped(std::string_view{json}.substr(1, json.size() - 2)) == boost_text(json)) << json;
      expect(text_of(json) == boost_text(json)) << json;
    }
  };

  "B15 every code unit that is one of its own is decoded as by Boost.JSON"_test = [] {
    for (unsigned unit = 0; unit < 0x10000; unit += unit < 0x900 ? 1 : 61) {
      if (unit >= 0xD800 && unit < 0xE000) continue;
      char digits[5];
      std::snprintf(digits, sizeof digits, "%04x", unit);
      const std::string raw = std::string{"\\u"} + digits;
      expect(unescaped(raw) == boost_text('"' + raw + '"')) << raw;
    }
  };

  "quoted bytes are valid JSON and come back as they were, what is no UTF-8 as U+FFFD"_test = [] {
    for (unsigned seed = 1; seed <= 5000; ++seed) {
      const std::string bytes = random_json{seed}.bytes();
      const std::string json = json_string(bytes);
      expect(validate_json(json).has_value());
      const std::string back = boost_text(json);
      if (validate_json('"' + spaced(bytes) + '"').has_value()) expect(back == bytes);
      std::string ascii_before;
      std::string ascii_behind;
      for (const char c : bytes) {
        if (static_cast<unsigned char>(c) < 0x80) ascii_before += c;
      }
      for (const char c : back) {
        if (static_cast<unsigned char>(c) < 0x80) ascii_behind += c;
      }
      expect(ascii_before == ascii_behind);
      expect(json_string(back) == json) << "quoting again changes nothing";
    }
  };

  "every byte and every kind of broken character can be quoted"_test = [] {
    for (int byte = 0; byte < 0x80; ++byte) {
      const std::string text{'a', static_cast<char>(byte), 'b'};
      expect(boost_text(json_string(text)) == text) << byte;
    }
    const std::vector<std::pair<std::string_view, std::string_view>> rows{
        {"", R"("")"},
        {"\"\\/\n\r\t"sv, R"("\"\\/\n\r\t")"},
        {"\0\x1F\x7F"sv, "\"\\u0000\\u001f\x7F\""},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"a\xC3", "\"a\xEF\xBF\xBD\""},
        {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xC3\"", "\"\xEF\xBF\xBD\\\"\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    for (const auto& [text, json] : rows) expect(json_string(text) == json) << json;
    std::string to = "x";
    append_quoted(to, "y");
    expect(to == "x\"y\"");
  };

  "B14 integers are those without fraction and exponent that fit"_test = [] {
    expect(integer_of("0") == 0 && integer_of("-1") == -1 && integer_of("9007199254740993") == 9007199254740993);
    expect(integer_of("9223372036854775807") == INT64_MAX && integer_of("-9223372036854775808") == INT64_MIN);
    for (const char* json :
         {"9223372036854775808", "-9223372036854775809", "7.0", "1e1", "1E1", "null", "\"7\"", "{}", ""})
      expect(!integer_of(json).has_value()) << json;
    expect(number_of("7.0") == 7.0 && number_of("1e1") == 10.0 && number_of("-2.5E+3") == -2500.0);
    for (const char* json : {"1e400", "-1e400", "null", "true", "\"7\"", "[7]", ""})
      expect(!number_of(json).has_value()) << json;
    expect(is_number("1e400") && is_number("-0") && !is_number("null") && !is_number("\"7\"") && !is_number(""));
    expect(!text_of("7").has_value() && !text_of("").has_value() && !text_of("null").has_value());
    expect(text_of("\"\"") == "");
  };

  "FRZ-15 of a name with escapes no more is read than tells it from another one"_test = [] {
    expect(same_name("na\\u006de", "name") && same_name("\\u006eame", "name") && !same_name("name\\n", "name"));
    expect(same_name("\\ud83d\\ude00", "\xF0\x9F\x98\x80") && !same_name("\\\\", "\\\\") && same_name("", ""));
    expect(!same_name("nam", "name") && !same_name("\\n", "") && same_name("a\\/b", "a/b"));
    std::string many = "{";
    for (int i = 0; i < 100'000; ++i) many += R"("\n\n\n\n\n\n\n\n":1,)";
    many += R"("name":2})";
    const auto cost = testing::cpu_time_of([&] { expect(find_member(many, "name") == "2"); });
    expect(cost < std::chrono::milliseconds{instrumented ? 2'000 : 100})
        << cost / std::chrono::milliseconds{1} << "ms for 2 MB";
    expect(members_within(many, 100'001) && !members_within(many, 100'000) && members_within("[]", 0));
  };
};

}  // namespace json_text_test
