// SPDX-License-Identifier: MIT
#include "../../../transports/json/json_validator.hpp"

#include <chrono>
#include <string>

#include "../../support/json_corpus.hpp"
#include "../../support/json_reference.hpp"
#include "../../support/many.hpp"
#include "../../support/random_json.hpp"
#include "../../support/ut.hpp"

namespace json_validator_test {

using namespace hawser;
using namespace hawser::testing;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string nested_arrays(std::size_t depth) { return repeated("[", depth) + repeated("]", depth); }
std::string nested_objects(std::size_t depth) { return repeated("{\"a\":", depth) + "1" + repeated("}", depth); }

// Says what differs, once for each text.
void expect_agreement(const std::string& text) {
  const std::string why = json_difference(text);
  if (!why.empty()) expect(false) << why << ":" << text;
}

// Far more than a linear pass takes on a busy machine, far less than a quadratic one.
void expect_soon(const std::string& text, bool accepted, json_limits limits = {}) {
  const auto begin = std::chrono::steady_clock::now();
  expect(validate_json(text, limits).has_value() == accepted);
  expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds{5});
}

const suite<"json_validator"> tests = [] {
  "T-35 every valid text of the corpus is accepted, and Boost.JSON reads the same in it"_test = [] {
    for (const std::string& text : corpus("valid")) {
      expect(validate_json(text).has_value()) << text;
      expect_agreement(text);
    }
  };

  "T-35 every invalid text of the corpus is refused as a parse error, as by Boost.JSON"_test = [] {
    for (const std::string& text : corpus("invalid")) {
      const auto checked = validate_json(text);
      expect(!checked.has_value() && checked.error().code == errc::parse && !checked.error().what.empty()) << text;
      expect(!boost_parse(text).accepted) << text;
    }
  };

  "T-35 Boost.JSON agrees about every truncation of every text"_test = [] {
    for (const char* name : {"valid", "invalid"}) {
      for (const std::string& text : corpus(name)) for_each_truncation(text, expect_agreement);
    }
  };

  "T-35 Boost.JSON agrees about every text with any byte made a bad one"_test = [] {
    for (const char* name : {"valid", "invalid"}) {
      for (const std::string& text : corpus(name)) {
        if (text.size() < 200) for_each_bad_byte(text, expect_agreement);
      }
    }
  };

  "T-35 Boost.JSON agrees about random texts, whole and damaged"_test = [] {
    for (unsigned seed = 1; seed <= 1500; ++seed) {
      random_json random{seed};
      std::string text = random.value();
      expect(validate_json(text).has_value()) << text;
      expect_agreement(text);
      for (int i = 0; i < 5; ++i) {
        std::string damaged = text;
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
        expect_agreement(damaged);
        damaged.erase(random.below(damaged.size()), 1 + random.below(3));
        expect_agreement(damaged);
      }
    }
  };

  "B14 numbers beyond every double are valid"_test = [] {
    for (const std::string text : {"1e400", "1e2147483648", "-1e99999999999", "1e-99999999999", "[0e99999999999]"}) {
      expect(validate_json(text).has_value()) << text;
      expect_agreement(text);
    }
  };

  "B15 every pair of bytes inside a string is judged as by Boost.JSON"_test = [] {
    for (int first = 0; first < 256; ++first) {
      for (int second = 0; second < 256; ++second)
        expect_agreement({'"', static_cast<char>(first), static_cast<char>(second), '"'});
    }
  };

  "B15 every sequence of three or four bytes at the edges of UTF-8 is judged as by Boost.JSON"_test = [] {
    constexpr std::string_view leads{"\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xF8"};
    constexpr std::string_view others{"\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xFF\""};
    for (const char lead : leads) {
      for (const char second : others) {
        for (const char third : others) {
          expect_agreement({'"', lead, second, third, '"'});
          for (const char fourth : others) expect_agreement({'"', lead, second, third, fourth, '"'});
        }
      }
    }
  };

  "B15 every escape of one letter and every half of a surrogate pair is judged as by Boost.JSON"_test = [] {
    for (int letter = 0; letter < 256; ++letter) expect_agreement({'"', '\\', static_cast<char>(letter), '"'});
    for (const std::string first : {"d7ff", "d800", "DBFF", "dc00", "DFFF", "e000", "0000"}) {
      for (const std::string second : {"d7ff", "d800", "dbff", "DC00", "dfff", "E000", "0041"})
        expect_agreement("\"\\u" + first + "\\u" + second + "\"");
    }
  };

  "B12 depth 128 is accepted and 129 refused, as by Boost.JSON"_test = [] {
    for (const auto& nested : {nested_arrays, nested_objects}) {
      for (const std::size_t depth : {1, 2, 63, 64, 65, 127, 128}) {
        expect(validate_json(nested(depth)).has_value()) << depth;
        expect_agreement(nested(depth));
        expect_agreement(nested(depth) + "]");
      }
      for (const std::size_t depth : {129, 130, 10'000, 1'000'000}) {
        const auto checked = validate_json(nested(depth));
        expect(checked.has_error() && checked.error().code == errc::too_large) << depth;
        expect(!boost_parse(nested(depth)).accepted);
      }
    }
    expect(validate_json("[" + nested_arrays(127) + "," + nested_objects(127) + "]").has_value())
        << "depth counts what is open, not what was";
  };

  "B12 the limit can be moved, but not beyond 1024"_test = [] {
    expect(validate_json(nested_arrays(4), {.max_depth = 4}).has_value());
    expect(!validate_json(nested_arrays(5), {.max_depth = 4}).has_value());
    expect(validate_json(nested_objects(1024), {.max_depth = 1'000'000}).has_value());
    expect(!validate_json(nested_objects(1025), {.max_depth = 1'000'000}).has_value());
    expect(validate_json("1", {.max_depth = 0}).has_value());
    expect(!validate_json("[]", {.max_depth = 0}).has_value());
  };

  "B12 no brackets of a million need stack"_test = [] {
    // Opened only, closed only, alternating: refused at the cap or at once, in any order.
    expect_soon(repeated("[", 1'000'000), false);
    expect_soon(repeated("{\"a\":", 1'000'000), false);
    expect_soon(repeated("[{\"a\":", 1'000'000), false);
    expect_soon(repeated("]", 1'000'000), false);
  };

  "B13 a million elements, a million members and fifty megabytes of text take linear time"_test = [] {
    expect_soon("[0" + repeated(",0", many(999'999)) + "]", true);
    expect_soon("[[]" + repeated(",[]", many(999'999)) + "]", true);
    expect_soon("{\"k\":0" + repeated(",\"key\":0", many(999'999)) + "}", true);
    expect_soon('"' + std::string(many(50'000'000), 'x') + '"', true);
    expect_soon('"' + repeated("\\\"", many(5'000'000)) + '"', true);
    expect_soon('"' + repeated("\xC3\xA9", many(5'000'000)) + '"', true);
    expect_soon('"' + std::string(many(10'000'000), 'x'), false);
    expect_soon(std::string(many(10'000'000), '1'), true);
    expect_soon(std::string(many(10'000'000), ' '), false);
  };

  "B13 more values than the cap are too large"_test = [] {
    const json_limits three{.max_depth = 128, .max_values = 3};
    expect(validate_json("[1,2]", three).has_value()) << "the array is one of them";
    expect(validate_json("{\"a\":1,\"b\":2}", three).has_value()) << "names are none";
    const auto checked = validate_json("[1,2,3]", three);
    expect(checked.has_error() && checked.error().code == errc::too_large);
    expect(validate_json("[0" + repeated(",0", 2'000'000) + "]").error().code == errc::too_large);
  };
};

}  // namespace json_validator_test
