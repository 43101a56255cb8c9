// SPDX-License-Identifier: MIT
// What the HTTP parser refuses: what could be read in two ways, and what is too much of anything.
#include <string>
#include <vector>

#include "../../support/http_parser_events.hpp"
#include "../../support/ut.hpp"

namespace http_refusals_test {

using namespace hawser;
using namespace hawser::testing::http_reading;

const suite<"http_parser"> tests = [] {
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
    expect(why(answer("SSH-2.0-OpenSSH_9.2\r\n")) == start + ", but with \"SSH-2.0-\"");
    expect(why(answer("<html>\x1B[31m\xFF")) == start + ", but with \"<html>.[\"");
    expect(why(request("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).ends_with("speaks HTTP/2 here"));
    expect(why(request("\x16\x03\x01\x02\0\x01\0\x01\xFC"s)).ends_with("speaks TLS here"));
    expect(why(request("{\"jsonrpc\":\"2.0\"}")).find("{\"jsonrp") != std::string::npos);
  };
};

}  // namespace http_refusals_test
