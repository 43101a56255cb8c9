// SPDX-License-Identifier: MIT
#include "../../../transports/http/sse_parser.hpp"

#include <limits>
#include <string>
#include <vector>

#include "../../support/cpu_time.hpp"
#include "../../support/many.hpp"
#include "../../support/ut.hpp"

namespace sse_parser_test {

using namespace hawser;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

// Writes down what it hears, one text each.
struct notes final : sse_listener {
  void on_event(const sse_event& e) noexcept override {
    heard.push_back((e.type.empty() ? "" : std::string{e.type} + "=") + std::string{e.data} +
                    (e.has_id ? "#" + std::string{e.id} : ""));
  }
  void on_retry(std::chrono::milliseconds pause) noexcept override {
    heard.push_back("retry " + std::to_string(pause.count()));
  }
  texts heard;
};

// In pieces that end at the given places; what is heard, then the last id, then an error if there was one.
texts heard_of(std::string_view bytes, const std::vector<std::size_t>& ends = {}, std::size_t max_event = 1000) {
  sse_parser parser{max_event};
  notes to;
  std::size_t begin = 0;
  result<void> fed{};
  const auto feed = [&](std::size_t end) {
    if (!fed.has_value()) return;
    fed = parser.feed(bytes.substr(begin, end - begin), to);
    begin = end;
  };
  for (const std::size_t end : ends) feed(end);
  feed(bytes.size());
  if (!parser.last_id().empty()) to.heard.push_back("last " + std::string{parser.last_id()});
  if (!fed.has_value()) to.heard.push_back(fed.error().code == errc::too_large ? "too large" : "another error");
  return to.heard;
}

const suite<"sse_parser"> tests = [] {
  "an event is its data lines, its type and its id"_test = [] {
    expect(heard_of("data: a\n\n") == texts{"a"});
    expect(heard_of("data:a\ndata:  b\ndata\n\n") == texts{"a\n b\n"});
    expect(heard_of("event: endpoint\ndata: /x\n\ndata: y\n\n") == texts{"endpoint=/x", "y"});
    expect(heard_of("id: 7\ndata: a\n\ndata: b\n\n") == texts{"a#7", "b", "last 7"});
    expect(heard_of("unknown: x\nDATA: x\n data: x\ndata: a\n\n") == texts{"a"});
    expect(heard_of("data: a:b: c\n\n") == texts{"a:b: c"});
  };

  "an event without data lines is none, but its id counts; one empty data line is an empty event"_test = [] {
    expect(heard_of("event: x\n\ndata: a\n\n") == texts{"a"});
    expect(heard_of("id: 7\n\n") == texts{"last 7"});
    expect(heard_of("id: 7\n\nid\n\n").empty());
    expect(heard_of("data\n\n") == texts{""});
    expect(heard_of("data:\nid: 3\n\n") == texts{"#3", "last 3"});
  };

  "an event that did not end is none, and its id does not count"_test = [] {
    expect(heard_of("id: 1\ndata: a\n\nid: 2\ndata: b\n") == texts{"a#1", "last 1"});
    expect(heard_of("data: a").empty());
  };

  "C23 line ends of all kinds, mixed, end a line"_test = [] {
    expect(heard_of("data: a\r\rdata: b\n\ndata: c\r\n\r\n") == texts{"a", "b", "c"});
    expect(heard_of("data: a\rdata: b\ndata: c\r\n\r") == texts{"a\nb\nc"});
    expect(heard_of("data: a\n\r") == texts{"a"});
    expect(heard_of("data: a\r\n\ndata: b\r\r\n") == texts{"a", "b"});
    expect(heard_of("\r\n\r\n\n\rdata: a\n\r\n") == texts{"a"});
  };

  "C23 a byte order mark is dropped at the very beginning and nowhere else"_test = [] {
    expect(heard_of("\xEF\xBB\xBF"
                    "data: a\n\n") == texts{"a"});
    expect(heard_of("\xEF\xBB\xBF\n"
                    "data: a\n\n") == texts{"a"});
    expect(heard_of("\n\xEF\xBB\xBF"
                    "data: a\n\n")
               .empty());
    expect(heard_of("\xEF\xBB\xBF\xEF\xBB\xBF"
                    "data: a\n\n")
               .empty());
    expect(heard_of("\xEF\xBB"
                    "data: a\n\n")
               .empty());
  };

  "C23 comments say nothing"_test = [] {
    expect(heard_of(": \n:\n: ping\n\n:data: x\n\n").empty());
    expect(heard_of("data: a\n: ping\ndata: b\n\n") == texts{"a\nb"});
  };

  "C23 the same events come wherever the bytes are split"_test = [] {
    const std::string bytes =
        "\xEF\xBB\xBF: hello\r\nid: 1\r\ndata: {\"a\":\"\xE2\x82\xAC\"}\r\ndata: b\r\n\r\nretry: 10\revent: x\r"
        "data\r\rid: 2\n\ndata:c\n\r\n";
    const texts whole = heard_of(bytes);
    expect(whole == texts{"{\"a\":\"\xE2\x82\xAC\"}\nb#1", "retry 10", "x=", "c", "last 2"});
    for (std::size_t first = 0; first <= bytes.size(); ++first)
      for (std::size_t second = first; second <= bytes.size(); ++second)
        expect(heard_of(bytes, {first, second}) == whole) << first << second;
    std::vector<std::size_t> each;
    for (std::size_t i = 1; i <= bytes.size(); ++i) each.push_back(i);
    expect(heard_of(bytes, each) == whole);
  };

  "C23 a line, and an event, of more than the limit is refused wherever it is split"_test = [] {
    const std::string fits = "data: " + std::string(14, 'x') + "\n\n";
    const std::string over = "data: " + std::string(15, 'x') + "\n\n";
    const std::string lines = "data: xx\ndata: xx\ndata: xx\ndata: xx\ndata: xx\ndata: xx\ndata: xx\n\n";
    for (std::size_t i = 0; i <= fits.size(); ++i) expect(heard_of(fits, {i}, 20) == texts{std::string(14, 'x')}) << i;
    for (std::size_t i = 0; i <= over.size(); ++i) expect(heard_of(over, {i}, 20) == texts{"too large"}) << i;
    for (std::size_t i = 0; i <= lines.size(); ++i) expect(heard_of(lines, {i}, 20) == texts{"too large"}) << i;
    expect(heard_of(":" + std::string(30, ' '), {}, 20) == texts{"too large"});
  };

  "C23 an error stays"_test = [] {
    sse_parser parser{4};
    notes to;
    expect(!parser.feed("12345", to).has_value());
    expect(!parser.feed("\n\n", to).has_value());
  };

  "C23 a million data lines are one event, with ends of one kind only, in no more than linear time"_test = [] {
    for (const char end : {'\n', '\r'}) {
      std::string bytes;
      const std::size_t lines = testing::many(1'000'000);
      for (std::size_t i = 0; i < lines; ++i) bytes.append("data:x").append(1, end);
      bytes.append(1, end);
      sse_parser parser;
      notes to;
      expect(parser.feed(bytes, to).has_value());
      expect(to.heard.size() == 1_ul);
      expect(to.heard.front().size() == 2 * lines - 1);
    }
  };

  "C22 a retry is a number of digits, as large as it likes, or nothing"_test = [] {
    expect(heard_of("retry: 0\n") == texts{"retry 0"});
    expect(heard_of("retry: 1000000000000\n") == texts{"retry 1000000000000"});
    const std::string most = std::to_string(std::numeric_limits<std::chrono::milliseconds::rep>::max());
    expect(heard_of("retry: " + most + "\n") == texts{"retry " + most});
    expect(heard_of("retry: 9223372036854775808\n") == texts{"retry " + most});
    expect(heard_of("retry: " + std::string(300, '9') + "\n") == texts{"retry " + most});
    for (const char* none : {"-1", "+1", "1s", "1.5", "", " 1", "0x10", "\xD9\xA1"})
      expect(heard_of("retry: " + std::string{none} + "\n").empty()) << none;
  };

  "FRZ-1 an event id above 1 KiB is ignored, and the one before it stays"_test = [] {
    const std::string longest(1024, 'i');
    expect(heard_of("id: " + longest + "\ndata: a\n\n", {}, 5000) == texts{"a#" + longest, "last " + longest});
    expect(heard_of("id: 1\ndata: a\n\nid: " + longest + "i\ndata: b\n\n", {}, 5000) == texts{"a#1", "b", "last 1"});
    expect(heard_of("id: 1\nid: " + longest + "i\ndata: a\n\n", {}, 5000) == texts{"a#1", "last 1"});
  };

  "FRZ-1 empty lines behind a long id cost no more than their bytes"_test = [] {
    const std::string id = "id: " + std::string(std::size_t{1} << 20, 'i') + "\n";
    const std::string lines(20'000, '\n');
    sse_parser parser;
    notes to;
    const auto before = testing::thread_cpu_time();
    expect(parser.feed(id, to).has_value());
    expect(parser.feed(lines, to).has_value());
    const auto spent = testing::thread_cpu_time() - before;
    expect(spent < 500ms) << spent / 1ms << "ms";
  };

  "C24 an id with a NUL is ignored, and none has a line end"_test = [] {
    using namespace std::string_literals;
    expect(heard_of("id: 1\n\nid: a\0b\ndata: x\n\n"s) == texts{"x", "last 1"});
    expect(heard_of("id: a\rX-Evil: 1\r\n\r\n") == texts{"last a"});
  };
};

}  // namespace sse_parser_test
