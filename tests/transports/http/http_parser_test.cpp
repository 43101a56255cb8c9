// SPDX-License-Identifier: MIT
#include "../../../transports/http/http_parser.hpp"

#include <random>
#include <string>
#include <vector>

#include "../../support/http_parser_events.hpp"
#include "../../support/ut.hpp"

namespace http_parser_test {

using namespace hawser;
using namespace hawser::testing::http_reading;

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
    parser_events to;
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
    parser_events to;
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
      parser_events to;
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
    parser_events to;
    expect(parser.feed(usual + "aa", to).value() == usual.size() + 2);
    parser.next();
    parser.expect_no_body();
    expect(parser.feed("HTTP/1.1 200 Fine\r\nX-Other: 1\r\n\r\n", to).has_value() && parser.complete());
    expect(to.text.ends_with(".200|X-Other=1|keep>.")) << "nothing of the one before" << to.text;
    parser.next();
    parser.trim();
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

  "an error stays, and so does the end"_test = [] {
    http_parser parser{side::response};
    parser_events to;
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
      parser_events to;
      const auto fed = parser.feed(head + "\r\n", to);
      expect(fed.has_value() && parser.complete() && to.heads.size() == 1);
      if (to.heads.size() == 1) expect(to.heads.front().fields == fields);
    }
    expect(written > 1000_i);
  };
};

}  // namespace http_parser_test
