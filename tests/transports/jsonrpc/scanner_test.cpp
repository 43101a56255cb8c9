// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/scanner.hpp"

#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../../../transports/jsonrpc/line_framer.hpp"
#include "../../support/json_corpus.hpp"
#include "../../support/json_reference.hpp"
#include "../../support/many.hpp"
#include "../../support/random_json.hpp"
#include "../../support/ut.hpp"

namespace scanner_test {

using namespace hawser;
using namespace hawser::testing;

std::string name_of(message_kind kind) {
  switch (kind) {
    case message_kind::request: return "request";
    case message_kind::notification: return "notification";
    case message_kind::result: return "result";
    case message_kind::failure: return "failure";
    default: return "unusable";
  }
}

// Everything a message says, for comparing.
std::string summary(const message_view& m) {
  std::string text = name_of(m.kind);
  for (const std::string_view part : {m.id, m.method, m.params, m.result, m.error}) text += '|' + std::string{part};
  return text + '|' + (m.integer_id ? std::to_string(m.number) : "") + '|' + (m.fault != nullptr ? m.fault : "");
}

void expect_agreement(const std::string& message) {
  const std::string why = scan_difference(message);
  if (!why.empty()) expect(false) << why << ":" << message;
}

// The messages in a stream that arrives in pieces.
std::vector<std::string> messages_of(std::string_view bytes, const std::vector<std::size_t>& ends) {
  line_framer framer;
  scanner scan;
  std::vector<std::string> found;
  std::size_t begin = 0;
  const auto take = [&](line_framer::frame frame) {
    if (frame.what == line_framer::found::line) found.push_back(summary(scan.scan(frame.text)));
    begin += frame.used;
    return frame.what == line_framer::found::line;
  };
  for (const std::size_t end : ends) {
    while (take(framer.next(bytes.substr(begin, end - begin)))) {
    }
  }
  while (take(framer.last(bytes.substr(begin)))) {
  }
  return found;
}

const suite<"scanner"> tests = [] {
  "B05 B06 B08 B09 B10 B11 every envelope of the corpus is what the corpus says"_test = [] {
    scanner scan;
    for (const envelope_case& row : corpus_envelopes()) {
      const message_view message = scan.scan(row.message);
      expect(name_of(message.kind) == row.kind && message.id == row.id)
          << row.message << "is" << summary(message) << "and not" << row.kind << row.id;
      expect(message.bytes.data() == row.message.data() && message.bytes.size() == row.message.size());
    }
  };

  "T-35 Boost.JSON's tree of every envelope says the same"_test = [] {
    for (const envelope_case& row : corpus_envelopes()) expect_agreement(row.message);
    for (const char* name : {"valid", "invalid"}) {
      for (const std::string& text : corpus(name)) {
        expect_agreement(text);
        expect_agreement(R"({"jsonrpc":"2.0","id":7,"result":)" + text + "}");
        expect_agreement(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":)" + text + "}}");
        expect_agreement(R"({"error":)" + text + R"(,"id":7,"jsonrpc":"2.0"})");
        expect_agreement(R"({"jsonrpc":"2.0","method":"m","id":)" + text + "}");
      }
    }
  };

  "T-35 Boost.JSON agrees about every truncation of every envelope, and about any byte made a bad one"_test = [] {
    for (const envelope_case& row : corpus_envelopes()) {
      for_each_truncation(row.message, expect_agreement);
      if (row.message.size() < 60) for_each_bad_byte(row.message, expect_agreement);
    }
  };

  "T-35 Boost.JSON agrees about envelopes with random parts"_test = [] {
    for (unsigned seed = 1; seed <= 3000; ++seed) {
      random_json random{seed};
      std::string message = "{";
      for (std::size_t n = 1 + random.below(6); n > 0; --n) {
        constexpr std::string_view names[] = {R"("jsonrpc")", R"("id")",    R"("method")", R"("params")",
                                              R"("result")",  R"("error")", R"("\u0069d")"};
        const std::string_view name = names[random.below(std::size(names))];
        if (message.size() > 1) message += ',';
        message += std::string{name} + ':' + (name == names[0] ? "\"2.0\"" : random.value(3));
      }
      expect_agreement(message + '}');
    }
  };

  "A21 the beginning of a message has its id or none, and never another one"_test = [] {
    for (const std::string message :
         {R"({"jsonrpc":"2.0","id":1234,"result":{"id":5}})", R"({"jsonrpc":"2.0","result":{"id":5},"id":1234})",
          R"({"jsonrpc":"2.0","result":"\x","id":1234 })"}) {
      scanner scan;
      for_each_truncation(message, [&](const std::string& beginning) {
        const message_view cut = scan.scan(beginning);
        expect(cut.kind == message_kind::unusable && (cut.id.empty() || cut.number == 1234)) << beginning;
      });
    }
  };

  "A21 bytes that are not UTF-8 cost the message and not the id"_test = [] {
    scanner scan;
    for (const std::string& bad : corpus_bytes("invalid_bytes.hex")) {
      if (bad.size() < 3 || bad.front() != '"' || bad.back() != '"' || bad.find('\\') != std::string::npos) continue;
      for (const std::string& message : {R"({"jsonrpc":"2.0","id":7,"result":)" + bad + "}",
                                         R"({"jsonrpc":"2.0","result":{"x":)" + bad + R"(},"id":7})",
                                         R"({"jsonrpc":"2.0",)" + bad + R"(:1,"id":7,"result":1})"}) {
        const message_view unusable = scan.scan(message);
        expect(unusable.kind == message_kind::unusable && unusable.fault_code == errc::parse) << message;
        expect(unusable.integer_id && unusable.number == 7) << message;
      }
    }
  };

  "A21 a request that cannot be used is known as one, wherever its method stands and whatever is wrong"_test = [] {
    scanner scan;
    for (const std::string message :
         {R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":NaN}})",
          R"({"jsonrpc":"2.0","params":{"a":NaN},"id":7,"method":"m"})",
          R"({"jsonrpc":"2.0","id":7,"params":{"a":"\x"},"\u006dethod":"m"})",
          R"({"jsonrpc":"2.0","id":7,"method":"\x"})", R"({"jsonrpc":"2.0","id":7,"method":7})",
          R"({"jsonrpc":"2.0","id":7,"method":"","params":[]})", R"({"jsonrpc":"1.0","id":7,"method":"m"})"}) {
      const message_view unusable = scan.scan(message);
      expect(unusable.kind == message_kind::unusable && unusable.has_method && unusable.number == 7) << message;
    }
    for (const std::string message :
         {R"({"jsonrpc":"2.0","id":7,"result":{"method":"\n}})",
          R"({"jsonrpc":"2.0","id":7,"result":"method","error":"\x"})", R"({"jsonrpc":"2.0","id":7,"Method":"m"})"}) {
      const message_view unusable = scan.scan(message);
      expect(unusable.kind == message_kind::unusable && !unusable.has_method && unusable.number == 7) << message;
    }
  };

  "a method is decoded, whether its escapes make it longer or not"_test = [] {
    scanner scan;
    const std::map<std::string, std::string> rows{
        {R"(tools/call)", "tools/call"},           {R"(tools\/call)", "tools/call"},
        {R"(\u0074ools\u002Fcall)", "tools/call"}, {R"(a\u0000b)", std::string{"a\0b", 3}},
        {R"(\ud83d\ude00)", "\xF0\x9F\x98\x80"},   {"", ""}};
    for (const auto& [raw, method] : rows) {
      const std::string line = R"({"jsonrpc":"2.0","id":7,"method":")" + raw + "\"}";
      const message_view message = scan.scan(line);
      expect(message.kind == message_kind::request && message.method == method) << raw;
    }
  };

  "B14 the numbers of a message stay as they are written"_test = [] {
    scanner scan;
    const std::string numbers = "[1e400,-0,9007199254740993," + std::string(400, '7') + ",1e99999999999]";
    const std::string line = R"({"jsonrpc":"2.0","id":7,"result":)" + numbers + "}";
    const message_view message = scan.scan(line);
    expect(message.kind == message_kind::result && message.result == numbers);
  };

  "A19 A20 A22 the same messages come out wherever the stream is split"_test = [] {
    std::string stream = "\xEF\xBB\xBF";
    for (const std::string_view line :
         {R"({"jsonrpc":"2.0","id":1,"result":{"t":"é€😀"}})", R"(  {"jsonrpc":"2.0","method":"tools\/call"}  )", "",
          "INFO noise", R"({"jsonrpc":"2.0","id":"a","method":"m","params":{}})", "[1,2]",
          R"({"jsonrpc":"2.0","id":2,"result":{"bad":")"
          "\xC3"
          "\"}}"}) {
      stream += std::string{line} + "\r\n";
    }
    stream += R"({"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"last, without a line feed"}})";
    const auto whole = messages_of(stream, {});
    expect(whole.size() == 7_ul);
    expect(whole.front().starts_with("result|1|") && whole.back().starts_with("failure|3|"));
    for (std::size_t split = 0; split <= stream.size(); ++split) expect(messages_of(stream, {split}) == whole) << split;
    std::vector<std::size_t> each;
    for (std::size_t i = 1; i <= stream.size(); ++i) each.push_back(i);
    expect(messages_of(stream, each) == whole);
  };

  "B12 a message nested too deeply is refused with its id, wherever that stands"_test = [] {
    scanner scan;
    for (const std::size_t depth : {128, 10'000, 1'000'000}) {
      const std::string deep = std::string(depth, '[') + std::string(depth, ']');
      for (const std::string& line : {R"({"jsonrpc":"2.0","id":7,"result":)" + deep + "}",
                                      R"({"jsonrpc":"2.0","result":)" + deep + R"(,"id":7})"}) {
        const message_view message = scan.scan(line);
        expect(message.kind == message_kind::unusable && message.fault_code == errc::too_large) << depth;
        expect(message.number == 7) << depth;
      }
    }
    const std::string line =
        R"({"jsonrpc":"2.0","id":7,"result":)" + std::string(127, '[') + std::string(127, ']') + "}";
    expect(scan.scan(line).kind == message_kind::result) << "the message itself is the first level of 128";
  };

  "B13 a million elements, members or strange strings take linear time"_test = [] {
    const auto begin = std::chrono::steady_clock::now();
    scanner scan;
    const auto line_of = [](std::string_view piece, std::string_view last) {
      std::string line = R"({"jsonrpc":"2.0","id":7)";
      for (std::size_t i = 0; i < testing::many(1'000'000); ++i) line += piece;
      return line + std::string{last};
    };
    expect(scan.scan(line_of(R"(,"a":0)", R"(,"result":1})")).kind == message_kind::result);
    expect(scan.scan(line_of(R"(,"a":0)", R"(,"id":1})")).kind == message_kind::unusable);
    // The search for the id of what is not valid must not begin anew at every quote.
    for (const char* piece : {"\"", "\"id\" ", "\"id\":", "{\"id\":[", "\\", ",\"\\u0069d", ",\"a\":\"\xFF\""})
      expect(scan.scan(line_of(piece, "")).kind == message_kind::unusable) << piece;
    expect(
        scan.scan(R"({"jsonrpc":"2.0","id":7,"result":")" + std::string(testing::many(50'000'000), 'x') + "\"}").kind ==
        message_kind::result);
    expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds{testing::instrumented ? 60 : 20});
  };

  "a result whose grammar is wrong inside passes the envelope and fails where it is used"_test = [] {
    scanner scan;
    for (const std::string bad :
         {"[1,]", "{\"a\" 1}", "[\"\\x\"]", "[nul]", "[1 2]", "{1:2}", "[\"\\ud800\"]", "[{]]"}) {
      const std::string line = R"({"jsonrpc":"2.0","id":7,"result":)" + bad + "}";
      const message_view message = scan.scan(line);
      expect(message.kind == message_kind::result and message.number == 7 and message.result == bad) << line;
      const raw_json kept{message, message.result};
      const auto checked = kept.check();
      expect(!checked.has_value() and !kept.parse().has_value()) << line;
      if (!checked) expect(checked.error().code == errc::protocol) << line;
    }
  };

  "B13 more values than the cap are too large, and the id is told"_test = [] {
    scanner scan{json_limits{.max_depth = 128, .max_values = 5}};
    expect(scan.scan(R"({"jsonrpc":"2.0","id":7,"error":[1,2]})").kind == message_kind::failure);
    const message_view message = scan.scan(R"({"jsonrpc":"2.0","id":7,"error":[1,2,3]})");
    expect(raw_json{"[1,2]"}.check({.max_values = 3}).has_value());
    expect(raw_json{"[1,2,3]"}.check({.max_values = 3}).error().code == errc::too_large);
    expect(message.kind == message_kind::unusable && message.fault_code == errc::too_large && message.number == 7);
  };

  "nothing at all is no message"_test = [] {
    scanner scan;
    for (const std::string_view bytes : {std::string_view{}, std::string_view{""}, std::string_view{" "}})
      expect(scan.scan(bytes).kind == message_kind::unusable && scan.scan(bytes).id.empty());
  };
};

}  // namespace scanner_test
