// SPDX-License-Identifier: MIT
#include "../../transports/http_parser.hpp"

#include <random>
#include <string>
#include <vector>

#include "../support/ut.hpp"

namespace {

using namespace hawser;
using side = http_parser::side;

// Writes down what it hears.
struct notes final : http_listener {
  void on_head(const http_head& head) noexcept override {
    heads.push_back(head);
    text += head.status != 0 ? std::to_string(head.status) : head.method + ' ' + head.target;
    if (head.reason.find('\x1B') != std::string::npos) text += "a reason that spoils a terminal";
    for (const http_field& f : head.fields.all()) text += '|' + f.name + '=' + f.value;
    text += head.keep_alive ? "|keep>" : "|close>";
  }
  void on_body(std::string_view piece) noexcept override { text += piece; }
  void on_complete() noexcept override { text += '.'; }
  std::vector<http_head> heads;
  std::string text;
};

struct outcome {
  std::string text;  // what was heard; then, if so, the kind of error
  std::string why;
  std::size_t used = 0;
};

struct settings {
  http_limits limits{};
  std::vector<std::size_t> ends{};
  bool no_body = false;
  bool finish = true;
};

// One message in pieces that end at the given places.
outcome read(side from, std::string_view bytes, const settings& how = {}) {
  http_parser parser{from, how.limits};
  if (how.no_body) parser.expect_no_body();
  notes to;
  outcome made;
  std::vector<std::size_t> ends = how.ends;
  ends.push_back(bytes.size());
  const auto fail = [&](const error& e) {
    made.why = e.what;
    made.text = to.text + '!' + std::string{to_string(e.code)};
    return made;
  };
  for (const std::size_t end : ends) {
    while (made.used < end && !parser.complete()) {
      const auto fed = parser.feed(bytes.substr(made.used, end - made.used), to);
      if (!fed.has_value()) return fail(fed.error());
      made.used += *fed;
    }
  }
  if (how.finish) {
    const auto finished = parser.finish(to);
    if (!finished.has_value()) return fail(finished.error());
  }
  made.text = to.text;
  return made;
}

outcome answer(std::string_view bytes, const settings& how = {}) { return read(side::response, bytes, how); }
outcome request(std::string_view bytes, const settings& how = {}) { return read(side::request, bytes, how); }
bool refused(const outcome& o) { return o.text.ends_with("!protocol") && o.why.starts_with("http: the "); }
bool over(const outcome& o) { return o.text.ends_with("!too_large") && o.why.starts_with("http: the "); }

// The same outcome, bodies joined, wherever the bytes are split.
void expect_same_split_anywhere(side from, std::string_view bytes, settings how = {}) {
  const outcome whole = read(from, bytes, how);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    how.ends = {first};
    const outcome split = read(from, bytes, how);
    expect(split.text == whole.text && split.why == whole.why) << first << split.text << whole.text << split.why;
    if (whole.why.empty()) expect(split.used == whole.used) << first;
  }
  how.ends.clear();
  for (std::size_t i = 1; i <= bytes.size(); ++i) how.ends.push_back(i);
  expect(read(from, bytes, how).text == whole.text) << "byte by byte";
}

const suite<"http_parser"> tests = [] {
  "an answer has its status, fields without their white space, and its body"_test = [] {
    expect(answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:\t b \t\r\nx-a:\r\n\r\nhello").text ==
           "200|Content-Length=5|X-A=b|x-a=|keep>hello.");
    expect(answer("HTTP/1.1 202\r\nContent-Length: 0\r\n\r\n").text == "202|Content-Length=0|keep>.");
    expect(answer("HTTP/1.1 204 No Content\r\n\r\n").text == "204|keep>.");
    expect(answer("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n").text == "304|Content-Length=7|keep>.");
    expect(answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\n"
                  "Trailer: x\r\n\r\n")
               .text == "200|Transfer-Encoding=Chunked|keep>abc0123456789.");
    notes to;
    http_parser parser{side::response};
    expect(parser.feed("HTTP/1.1 200 Very Good\r\nContent-Length: 12\r\n\r\n", to).has_value());
    expect(to.heads.size() == 1_ul);
    expect(to.heads.front().reason == "Very Good");
    expect(answer("HTTP/1.1 204 \x1B[2J\r\n\r\n").text == "204|keep>.");
    expect(to.heads.front().length == std::optional<std::uint64_t>{12});
  };

  "a request has its method and target"_test = [] {
    expect(request("GET /mcp?a=b HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /mcp?a=b|Host=x|keep>.");
    expect(request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}").text ==
           "POST /|Host=x|Content-Length=2|keep>{}.");
    expect(request("DELETE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").text ==
           "DELETE /|Host=x|Connection=close|close>.");
    expect(request("GET / HTTP/1.0\r\n\r\n").text == "GET /|close>.");
    expect(request("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /|Host=x|keep>.") << "an empty line before it";
    expect(request("POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}")
               .text == "POST /|Host=x|Connection=Upgrade|Upgrade=h2c|Content-Length=2|keep>{}.")
        << "an upgrade is not taken";
  };

  "an answer without a length ends with the connection, which is not used again"_test = [] {
    expect(answer("HTTP/1.1 200 OK\r\n\r\nall of it").text == "200|close>all of it.");
    expect(answer("HTTP/1.0 200 OK\r\n\r\n").text == "200|close>.");
  };

  "an answer to HEAD or CONNECT has no body whatever it says"_test = [] {
    const settings none{.no_body = true};
    const outcome head = answer("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", none);
    expect(head.text == "200|Content-Length=99999999999|keep>.") << head.text << head.why;
    const outcome tunnel = answer("HTTP/1.1 200 Connection established\r\n\r\n\x16\x03\x01", none);
    expect(tunnel.text == "200|keep>.") << tunnel.text << tunnel.why;
    expect(tunnel.used == 39_ul);
    expect(answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", none).text ==
           "200|Transfer-Encoding=chunked|keep>.");
  };

  "every message reads the same wherever it is split"_test = [] {
    for (const char* bytes :
         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:\t b \t\r\nx-a:\r\n\r\nhello",
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: "
          "x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n"})
      expect_same_split_anywhere(side::response, bytes);
    expect_same_split_anywhere(side::request, "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET / HTTP");
  };

  // Plain heads that come whole are read without llhttp; split, they are not.
  "a plain answer, and one that is nearly plain, reads the same wherever it is split"_test = [] {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    for (const char* rest : {"Content-Length: 2\r\n\r\n{}",
                             "content-length: 2\r\nconnection: keep-alive\r\n\r\n{}HTTP/1.1 200 OK\r\n",
                             "Content-Length: 0\r\n\r\n",
                             "Content-Length: 002\r\n\r\n{}",
                             "Content-Length: 9\r\n\r\ncut off",
                             "Content-Length: 2\r\nConnection: close\r\n\r\n{}",
                             "Content-Length: 2\r\nConnection: Keep-Alive, close\r\n\r\n{}",
                             "Content-Length: 2\r\nProxy-Connection: close\r\n\r\n{}",
                             "Content-Length: 2\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n{}",
                             "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                             "Content-Length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
                             "Content-Length : 2\r\n\r\n{}",
                             "Content-Length: 2 \r\n\r\n{}",
                             "Content-Length:2\r\n\r\n{}",
                             "Content-Length: 2,2\r\n\r\n{}",
                             "Content-Length: +2\r\n\r\n{}",
                             "Content-Length: 0x2\r\n\r\n{}",
                             "Content-Length: 99999999999999999999\r\n\r\n{}",
                             "Content-Length: 2\r\nA: b\r\n c\r\n\r\n{}",
                             "Content-Length: 2\r\nA: b\rc\r\n\r\n{}",
                             "Content-Length: 2\r\nA: b\n\r\n{}",
                             "Content-Length: 2\r\nA: \x7f\r\n\r\n{}",
                             "Content-Length: 2\r\nA: \xc3\xa9\r\n\r\n{}",
                             "Content-Length: 2\r\nA\xe9: b\r\n\r\n{}",
                             "Content-Length: 2\r\n: b\r\n\r\n{}",
                             "Content-Length: 2\r\n\r{}"})
      expect_same_split_anywhere(side::response, head + rest);
    for (const char* first : {"HTTP/1.1 200  OK ", "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 204 No",
                              "HTTP/1.1 304 No", "HTTP/1.1 199 X", "HTTP/1.1 200\tOK", "HTTP/1.1  200 OK",
                              "HTTP/1.0 200 OK", "HTTP/1.1 999 OK", "HTTP/1.1 200 \xc3\xa9", "HTTP/1.1 200 O\rK"})
      expect_same_split_anywhere(side::response, std::string{first} + "\r\nContent-Length: 2\r\n\r\n{}");
    const std::string plain = head + "Content-Length: 2\r\n\r\n{}";
    for (const http_limits& tight :
         {http_limits{.max_head = plain.size() - 2}, http_limits{.max_head = plain.size() - 3},
          http_limits{.max_fields = 2}, http_limits{.max_fields = 1}, http_limits{.max_body = 2},
          http_limits{.max_body = 1}, http_limits{.max_body = 0}})
      expect_same_split_anywhere(side::response, plain, {.limits = tight});
  };

  "C08 what follows a message is left, byte for byte"_test = [] {
    for (const std::string message :
         {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
          "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n",
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"}) {
      for (const std::string extra : {"x", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"})
        expect(answer(message + extra).used == message.size()) << message << extra;
      expect_same_split_anywhere(side::response, message + "HTTP/1.1 200 OK\r\n");
    }
    const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    expect(request(get + get).used == get.size());
  };

  "C08 one connection carries one message after the other, and nothing is between them"_test = [] {
    http_parser parser{side::response};
    notes to;
    const std::string first = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
    const std::string both = first + "HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nb";
    expect(parser.between_messages());
    expect(parser.feed(both, to).value() == first.size());
    expect(parser.complete() && !parser.between_messages());
    expect(parser.feed(std::string_view{both}.substr(first.size()), to).value() == 0_ul) << "not before next()";
    parser.next();
    expect(parser.between_messages());
    expect(parser.feed(std::string_view{both}.substr(first.size()), to).value() == both.size() - first.size());
    expect(to.text == "200|Content-Length=1|keep>a.404|Content-Length=1|keep>b.");
    parser.next();
    expect(parser.feed("H", to).value() == 1_ul);
    expect(!parser.between_messages());
  };

  "a head that comes again is known by its bytes, and nothing else is taken for it"_test = [] {
    const std::string usual = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";
    const std::string with_more = usual.substr(0, usual.size() - 2) + "X-More: 1\r\n\r\n";
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nee\r\n0\r\n\r\n";
    const std::string long_one =
        "HTTP/1.1 200 OK\r\nX-Long: " + std::string(2000, 'l') + "\r\nContent-Length: 1\r\n\r\n";
    const std::vector<std::string> answers{usual + "aa",
                                           usual + "bb",
                                           with_more + "cc",
                                           with_more + "dd",
                                           usual + "ee",
                                           usual + "ll",
                                           chunked,
                                           usual + "ff",
                                           "HTTP/1.1 404 OK" + usual.substr(15) + "gg",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                                           long_one + "h",
                                           long_one + "i",
                                           usual + "jj",
                                           usual + "kk"};
    // Head and body may come in two pieces; a head that does is llhttp's.
    for (const std::size_t cut : {std::size_t{0}, std::size_t{20}, usual.size(), usual.size() + 1}) {
      http_parser parser{side::response};
      notes to;
      std::string each;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::string_view bytes = answers[i];
        const std::size_t first = i % 3 == 2 ? std::min(cut, bytes.size()) : 0;
        if (first > 0) expect(parser.feed(bytes.substr(0, first), to).value() == first);
        expect(parser.feed(bytes.substr(first), to).value() == bytes.size() - first && parser.complete()) << i;
        each += answer(bytes).text;
        if (i == 4) expect(parser.take_head().fields.count("Content-Type") == 1_ul) << "and is not known after that";
        parser.next();
      }
      expect(to.text == each) << cut;
    }
    http_parser parser{side::response};
    notes to;
    expect(parser.feed(usual + "aa", to).value() == usual.size() + 2);
    parser.next();
    parser.expect_no_body();
    expect(parser.feed("HTTP/1.1 200 Fine\r\nX-Other: 1\r\n\r\n", to).has_value() && parser.complete());
    expect(to.text.ends_with(".200|X-Other=1|keep>.")) << "nothing of the one before" << to.text;
    parser.next();
    parser.rest();
    expect(parser.feed(usual + "bb", to).value() == usual.size() + 2 && to.text.ends_with("keep>bb."));
  };

  "C06 a message that is cut off anywhere is truncated, never complete"_test = [] {
    for (const std::string message : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n"}) {
      for (std::size_t size = 0; size < message.size(); ++size) {
        const outcome cut = answer(std::string_view{message}.substr(0, size));
        expect(cut.text.ends_with("!closed")) << size << cut.text;
        expect(size == 0 || cut.why.find("truncated") != std::string::npos) << size << cut.why;
      }
      expect(answer(message).text.ends_with("."));
    }
    expect(answer("HTTP/1.1 100 Continue\r\n\r\n").text == "!closed") << "an interim answer is none";
    expect(answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe").why ==
           "http: the answer is truncated: the connection ended after 2 bytes of its body");
  };

  "C07 T-19 lengths that can be read in two ways are refused, of answers and of requests"_test = [] {
    for (const std::string fields : {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                                     "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                                     "Content-Length: 5\r\nContent-Length: 5\r\n",
                                     "Content-Length: 5\r\nContent-Length: 6\r\n",
                                     "Content-Length: 5\r\ncontent-length: 5\r\n",
                                     "Content-Length: +5\r\n",
                                     "Content-Length: -5\r\n",
                                     "Content-Length: 5, 5\r\n",
                                     "Content-Length: 0x5\r\n",
                                     "Content-Length: 5 5\r\n",
                                     "Content-Length: 5a\r\n",
                                     "Content-Length: 99999999999999999999999\r\n",
                                     "Content-Length: 18446744073709551616\r\n",
                                     "Content-Length:\r\n",
                                     "Content-Length: \r\n",
                                     "Content-Length: \"5\"\r\n",
                                     "Transfer-Encoding: chunked, chunked\r\n",
                                     "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                     "Transfer-Encoding: gzip, chunked\r\n",
                                     "Transfer-Encoding: identity\r\n",
                                     "Transfer-Encoding: xchunked\r\n",
                                     "Transfer-Encoding: chunked, identity\r\n",
                                     "Transfer-Encoding: \"chunked\"\r\n",
                                     "Transfer-Encoding:\r\n",
                                     "Transfer-Encoding: chunked;q=1\r\n",
                                     "Transfer-Encoding: identity\r\nContent-Length: 5\r\n"}) {
      const outcome of_answer = answer("HTTP/1.1 200 OK\r\n" + fields + "\r\nhello");
      expect(refused(of_answer)) << fields << of_answer.text << of_answer.why;
      const outcome of_request = request("POST / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\nhello");
      expect(refused(of_request)) << fields << of_request.text << of_request.why;
      expect(of_answer.text == "!protocol") << "before anything of it is believed" << fields;
    }
    expect(refused(answer("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")));
  };

  "C07 T-19 bad chunks are refused"_test = [] {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string body : {"10000000000000000\r\n",
                                   "FFFFFFFFFFFFFFFFF\r\n",
                                   "+1\r\na\r\n0\r\n\r\n",
                                   "-1\r\na\r\n",
                                   "0x1\r\na\r\n",
                                   "1\na\r\n0\r\n\r\n",
                                   "1\r\na\n0\r\n\r\n",
                                   "1\r\nab\r\n0\r\n\r\n",
                                   "1\r\na0\r\n\r\n",
                                   "\r\n",
                                   " 1\r\na\r\n",
                                   "1 \r\na\r\n0\r\n\r\n",
                                   "g\r\n",
                                   "1;\na\r\n0\r\n\r\n",
                                   "1;a=b\na\r\n0\r\n\r\n",
                                   "1;a=\"b\"\na\r\n0\r\n\r\n",
                                   "1;a\na\r\n0\r\n\r\n",
                                   "1\r\na\r\n0\n\r\n",
                                   "1\r\na\r\n0\r\n\n",
                                   "1\r\na\r\n0\r\nA: b\n\r\n",
                                   "1\r\na\r\n0\r\nA b\r\n\r\n",
                                   "1\ra\r\n0\r\n\r\n",
                                   "1\r\na\r0\r\n\r\n",
                                   "1;a\rb\r\na\r\n0\r\n\r\n"}) {
      const outcome o = answer(head + body);
      expect(refused(o)) << body << o.text << o.why;
    }
    for (const char* body : {"FFFFFFFFFFFFFFFF\r\nabc", "7FFFFFFFFFFFFFFF\r\nabc"}) {
      const outcome o = answer(head + body);
      expect(o.text.ends_with("abc!closed") || over(o)) << "a size that nobody can send is not wrapped" << o.text;
    }
  };

  "C07 T-19 bare line feeds, folded lines and strange names are refused"_test = [] {
    for (const std::string fields :
         {"A: b\nC: d\r\n", "A: b\r\n folded\r\n", "A: b\r\n\tfolded\r\n", " A: b\r\n", "A : b\r\n", ": b\r\n", "A\r\n",
          "A b: c\r\n", "A: b\rC: d\r\n", "A: b\r\r\n", "A: b\x01\r\n", "A: b\x7F\r\n", "A\x80: b\r\n", "A(: b\r\n",
          "A:\r\n b\r\n", "A: b\n", "Content-Length\t: 5\r\n"}) {
      const outcome o = answer("HTTP/1.1 200 OK\r\n" + fields + "\r\n");
      expect(refused(o)) << fields << o.text << o.why;
      expect(refused(request("GET / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"))) << fields;
    }
    using namespace std::string_literals;
    expect(refused(answer("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"s)));
    expect(refused(answer("HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n"s)));
    for (const char* line :
         {"HTTP/1.1 200 OK\n\r\n",           "HTTP/1.1  200 OK\r\n\r\n",    "HTTP/1.1 20 OK\r\n\r\n",
          "HTTP/1.1 2000 OK\r\n\r\n",        "HTTP/1.1 099 OK\r\n\r\n",     "HTTP/1.1 +20 OK\r\n\r\n",
          "HTTP/1.2 200 OK\r\n\r\n",         "HTTP/2.0 200 OK\r\n\r\n",     "HTTP/0.9 200 OK\r\n\r\n",
          "HTTP/1.1 200\tOK\r\n\r\n",        "http/1.1 200 OK\r\n\r\n",     "HTTP/1.1 200 OK\r\r\n\r\n",
          "HTTP/11 200 OK\r\n\r\n",          "HTTP/1.1 204 No\r\r\r\n",     "HTTP/1.1 204\r\r\r\n",
          "HTTP/1.1 204 No\r\rA: b\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n", "\nHTTP/1.1 200 OK\r\n\r\n",
          "HTTP/1.10 200 OK\r\n\r\n",        "\x01HTTP/1.1 200 OK\r\n\r\n"})
      expect(refused(answer(line))) << line << answer(line).text;
    for (const char* line :
         {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
          "get / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
          "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n",
          "GET / HTTP/2.0\r\nHost: x\r\n\r\n", "GET / RTSP/1.0\r\n\r\n", " GET / HTTP/1.1\r\n\r\n"})
      expect(refused(request(line))) << line << request(line).text;
  };

  "C09 the head, its fields and the interim answers have limits to the byte"_test = [] {
    const std::string plain = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: " + std::string(100, 'a') + "\r\n\r\n";
    const settings exact{.limits = {.max_head = plain.size()}};
    expect(answer(plain, exact).text.ends_with("."));
    expect_same_split_anywhere(side::response, plain, exact);
    const settings less{.limits = {.max_head = plain.size() - 1}};
    expect(over(answer(plain, less)));
    expect_same_split_anywhere(side::response, plain, less);
    expect(over(answer("HTTP/1.1 200 OK\r\nA: " + std::string(std::size_t{1} << 20, 'a'))));
    expect(over(answer("HTTP/1.1 200 " + std::string(std::size_t{1} << 20, 'a'))));
    expect(over(answer("HTTP/1.1 200 OK\r\nA:" + std::string(std::size_t{1} << 20, ' '))));
    expect(over(request("GET /" + std::string(std::size_t{1} << 20, 'a'))));
    expect(over(request([] {
      std::string s;
      for (int i = 0; i < 100'000; ++i) s += "\r\n";
      return s;
    }())));
    std::string fields;
    for (int i = 0; i < 200; ++i) fields += "a: b\r\n";
    expect(answer("HTTP/1.1 204 OK\r\n" + fields + "\r\n").text.ends_with("."));
    expect(over(answer("HTTP/1.1 204 OK\r\n" + fields + "a: b\r\n\r\n")));
    for (int i = 200; i < 10'000; ++i) fields += "a: b\r\n";
    expect(over(answer("HTTP/1.1 204 OK\r\n" + fields + "\r\n")));
  };

  "C09 T-19 a flood of interim answers, and a switch of protocols, is refused"_test = [] {
    std::string flood;
    for (int i = 0; i < 16; ++i) flood += "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n";
    expect(answer(flood + "HTTP/1.1 204 OK\r\n\r\n").text == "204|keep>.") << "they leave nothing behind";
    flood += "HTTP/1.1 102 Processing\r\n\r\n";
    expect(refused(answer(flood + "HTTP/1.1 204 OK\r\n\r\n")));
    for (const std::string body :
         {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: x\r\n"}) {
      expect(refused(answer("HTTP/1.1 103 Hints\r\n" + body + "\r\nhello"))) << body;
      const std::string none = "HTTP/1.1 204 No\r\n" + body + "\r\n";
      if (body.find(": x") == std::string::npos) expect(answer(none + "hello").used == none.size()) << body;
    }
    expect(refused(answer("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")));
    expect(refused(answer("HTTP/1.1 101 Switching Protocols\r\n\r\n")));
  };

  "C09 a body, chunk extensions and trailers have limits"_test = [] {
    const settings ten{.limits = {.max_body = 10}};
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", ten).text.ends_with("."));
    const outcome announced = answer("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", ten);
    expect(announced.text == "200|Content-Length=11|keep>!too_large") << "the head is told, nothing is waited for";
    expect(over(answer("HTTP/1.1 200 OK\r\n\r\n01234567890", ten)));
    expect(answer(chunked + "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n", ten).text.ends_with("."));
    expect(over(answer(chunked + "5\r\n01234\r\n6\r\n567890\r\n0\r\n\r\n", ten)));
    const std::string large(70'000, 'x');
    expect(over(answer(chunked + "1;" + large + "\r\na\r\n0\r\n\r\n")));
    expect(over(answer(chunked + "1;a=" + large + "\r\na\r\n0\r\n\r\n")));
    expect(over(answer(chunked + "0\r\nA: " + large + "\r\n\r\n")));
    expect(answer(chunked + "1;a=b\r\na\r\n0\r\nHost: evil\r\n\r\n").text == "200|Transfer-Encoding=chunked|keep>a.")
        << "trailers are dropped";
    expect(refused(answer(chunked + "0\r\nContent-Length: 5\r\n\r\n")));
    expect_same_split_anywhere(side::response, chunked + "5\r\n01234\r\n6\r\n567890\r\n0\r\n\r\n", ten);
    const settings unlimited{.limits = {.max_body = 0}};
    expect(answer("HTTP/1.1 200 OK\r\n\r\n" + large, unlimited).text.ends_with("x."));
  };

  "C31 what is not HTTP/1 is named"_test = [] {
    using namespace std::string_literals;
    const auto why = [](const outcome& o) { return refused(o) ? o.why : "not refused: " + o.text; };
    const std::string start = "http: the answer does not begin as one of HTTP/1.1 does";
    expect(why(answer("\x15\x03\x01\0\x02\x02\x46"s)) == start + ": the other side speaks TLS here");
    expect(why(answer("\x16\x03\x01\0\xA5"s)) == start + ": the other side speaks TLS here");
    expect(why(answer("\0\0\x12\x04\0\0\0\0\0"s)) == start + ": the other side speaks HTTP/2 here");
    expect(why(answer("SSH-2.0-OpenSSH_9.2\r\n")) == start + ", but with \"SSH-2.0-OpenSSH_9.2..\"");
    expect(why(answer("<html>\x1B[31m\xFF")) == start + ", but with \"<html>.[31m.\"");
    expect(why(request("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).ends_with("speaks HTTP/2 here"));
    expect(why(request("\x16\x03\x01\x02\0\x01\0\x01\xFC"s)).ends_with("speaks TLS here"));
    expect(why(request("{\"jsonrpc\":\"2.0\"}")).find("{\"jsonrpc") != std::string::npos);
  };

  "an error stays, and so does the end"_test = [] {
    http_parser parser{side::response};
    notes to;
    expect(!parser.feed("garbage", to).has_value());
    expect(!parser.feed("HTTP/1.1 200 OK\r\n\r\n", to).has_value());
    expect(!parser.finish(to).has_value());
    expect(to.text.empty());
  };

  "T-18 header fields that were written are read back as the same list"_test = [] {
    std::minstd_rand random{7};
    const std::string names = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int written = 0;
    for (int round = 0; round < 2000; ++round) {
      http_fields fields;
      std::string head = "HTTP/1.1 204 OK\r\n";
      for (std::size_t i = 0; i < random() % 6; ++i) {
        std::string name{"x"};  // no field that means something to the parser begins so
        std::string value;
        for (std::size_t n = random() % 8; n > 0; --n) name += names[random() % names.size()];
        for (std::size_t n = random() % 8; n > 0; --n) value += static_cast<char>(random() % 256);
        expect(valid_field_name(name)) << name;
        if (!valid_field_value(value)) continue;
        append_field(head, name, value);
        fields.add(name, value);
        ++written;
      }
      http_parser parser{side::response};
      notes to;
      const auto fed = parser.feed(head + "\r\n", to);
      expect(fed.has_value() && parser.complete() && to.heads.size() == 1);
      if (to.heads.size() == 1) expect(to.heads.front().fields == fields);
    }
    expect(written > 1000_i);
  };
};

}  // namespace
