// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/line_framer.hpp"

#include <string>
#include <vector>

#include "../../support/ut.hpp"

namespace line_framer_test {

using namespace hawser;
using found = line_framer::found;

// Feeds the bytes in pieces that end at the given places, the way a stream's buffer shows them.
std::vector<std::string> lines_of(std::string_view bytes, const std::vector<std::size_t>& ends,
                                  std::size_t max_line = 1000) {
  std::vector<std::string> lines;
  line_framer framer{max_line};
  std::size_t begin = 0;
  const auto take = [&](line_framer::frame f) {
    if (f.what == found::line) lines.emplace_back(f.text);
    if (f.what == found::too_large) lines.emplace_back("<too large>");
    begin += f.used;
    return f.what == found::line;
  };
  for (const std::size_t end : ends) {
    while (take(framer.next(bytes.substr(begin, end - begin)))) {
    }
  }
  while (take(framer.last(bytes.substr(begin)))) {
  }
  return lines;
}

const suite<"line_framer"> tests = [] {
  "A18 line ends of both kinds end a line, blank lines are none"_test = [] {
    const std::vector<std::string> expected{"a", "b", "c", "d"};
    expect(lines_of("a\nb\r\n\n\r\n\nc\nd\n", {}) == expected);
  };

  "A18 a byte order mark is dropped from the first line and from no other"_test = [] {
    const std::vector<std::string> expected{"a",
                                            "\xEF\xBB\xBF"
                                            "b"};
    expect(lines_of("\xEF\xBB\xBF"
                    "a\n\xEF\xBB\xBF"
                    "b\n",
                    {}) == expected);
  };

  "A19 the same lines are found wherever the bytes are split"_test = [] {
    const std::string bytes = "\xEF\xBB\xBF{\"a\":\"\xE2\x82\xAC\"}\r\n\n[\xF0\x9F\x98\x80]\n\r\nlast";
    const auto whole = lines_of(bytes, {});
    expect(whole.size() == 3_ul);
    for (std::size_t first = 0; first <= bytes.size(); ++first) {
      for (std::size_t second = first; second <= bytes.size(); ++second) {
        expect(lines_of(bytes, {first, second}) == whole) << first << second;
      }
    }
    std::vector<std::size_t> each;
    for (std::size_t i = 1; i <= bytes.size(); ++i) each.push_back(i);
    expect(lines_of(bytes, each) == whole);
  };

  "A16 a line of exactly the limit passes, one byte more does not"_test = [] {
    const std::string limit(10, 'x');
    using lines = std::vector<std::string>;
    expect(lines_of(limit + "\n", {}, 10) == lines{limit});
    expect(lines_of(limit + "\r\n", {10, 11}, 10) == lines{limit});
    expect(lines_of(limit + "y\n", {}, 10).front() == "<too large>");
    expect(lines_of(limit + "y", {11}, 10).front() == "<too large>");
    expect(lines_of(limit + "\r", {11}, 10) == lines{limit});
  };

  "A16 the byte order mark does not count, wherever the bytes are split"_test = [] {
    const std::string limit(10, 'x');
    for (const std::string end : {"\n", "\r\n", "\r", ""}) {
      const std::string bytes = "\xEF\xBB\xBF" + limit + end;
      for (std::size_t i = 0; i <= bytes.size(); ++i)
        expect(lines_of(bytes, {i}, 10) == std::vector<std::string>{limit}) << i << end.size();
    }
    expect(lines_of("\xEF\xBB\xBF" + limit + "y", {14}, 10).front() == "<too large>");
  };

  "A15 a line too large is noticed before it ends, after the lines before it"_test = [] {
    line_framer framer{10};
    const std::string bytes = "ok\n" + std::string(12, 'x');
    const auto first = framer.next(bytes);
    expect(first.what == found::line && first.text == "ok");
    expect(framer.next(std::string_view{bytes}.substr(first.used)).what == found::too_large);
  };

  "A22 what is left at the end is a line without a line feed"_test = [] {
    line_framer framer;
    expect(framer.next("{}").what == found::nothing);
    expect(framer.last("{}").text == "{}");
    expect(framer.last("").what == found::nothing);
  };

  "a long line in small pieces is searched once"_test = [] {
    line_framer framer{std::size_t{1} << 30};
    const std::string bytes(50'000'000, 'x');
    // Quadratic would be 2.5 * 10^13 steps.
    for (std::size_t end = 1000; end <= bytes.size(); end += 1000) {
      expect(framer.next(std::string_view{bytes}.substr(0, end)).what == found::nothing);
    }
  };
};

}  // namespace line_framer_test
