// SPDX-License-Identifier: MIT
// The serving side against hostile clients, over HTTP and over pipes.
#include <sys/socket.h>

#include <array>
#include <thread>

#include "../../transports/json/json_text.hpp"
#include "../support/streamable_http_fixture.hpp"
#include "../support/ut.hpp"
#include "hostile_case.hpp"
#include "victims.hpp"

namespace serving_guard_test {

using namespace hawser;
using namespace hawser::testing;
using words = server_session_fixture;

std::size_t in_one_body(std::size_t size) { return size; }

void write_to(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t taken = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (taken <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
}
std::string asked(int fd, std::string_view request) {
  write_to(fd, request);
  return hostile_side::answer_from(fd);
}
// A session, and the fields that name it.
std::string session_at(int fd, const std::string& revision = "2025-03-26", const std::string& capabilities = "{}") {
  const std::string answer = asked(fd, http_request_text("POST", plain_fields,
                                                         words::request(1000, "initialize",
                                                                        R"("protocolVersion":")" + revision +
                                                                            R"(","capabilities":)" + capabilities)));
  const std::size_t at = answer.find("Mcp-Session-Id: ");
  if (at == std::string::npos) return {};
  const std::string fields =
      answer.substr(at, answer.find("\r\n", at) + 2 - at) + "MCP-Protocol-Version: " + revision + "\r\n";
  asked(fd, http_request_text("POST", std::string{plain_fields} + fields,
                              R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  return std::string{plain_fields} + fields;
}

std::string call_with(int id, const std::string& tool, std::size_t n) {
  return words::request(id, "tools/call", R"("name":")" + tool + R"(","arguments":{"n":)" + std::to_string(n) + R"(})");
}
std::string modern_call_with(const std::string& tool, std::size_t n) {
  return words::request(1, "tools/call",
                        R"("name":")" + tool + R"(","arguments":{"n":)" + std::to_string(n) +
                            R"(},"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                            R"("io.modelcontextprotocol/clientCapabilities":{}})");
}
// Reads a stream of events to its end and keeps nothing.
void read_events_from(int fd) {
  constexpr std::string_view last = "0\r\n\r\n";
  std::array<char, 65536> piece{};
  std::string end;
  while (!end.ends_with(last)) {
    const ssize_t count = ::recv(fd, piece.data(), piece.size(), 0);
    if (count <= 0) return;
    end.append(piece.data(), static_cast<std::size_t>(count));
    if (end.size() > last.size()) end.erase(0, end.size() - last.size());
  }
}
// Asks the same on as many connections and reads no answer, for so long.
void ask_and_never_read(const hostile_side& h, const std::string& request, std::chrono::milliseconds patience) {
  const std::uint16_t port = h.victim_port();
  for (std::size_t i = 0; i < h.size; ++i) write_to(hostile_side::connect_to(port), request);
  std::this_thread::sleep_for(patience);
}

// Serves over pipes until the client has ended its output.
task<std::string> serves_pipes(victim_side& v) {
  stateless_question_service what;
  stdio_server_channel wire{stdio_server_options{.input = v.input, .output = v.output}};
  server_session session{v.home, what, wire};
  auto served = co_await session.run();
  co_return std::string{};
}
void begin_session(stdio_wire& over, const std::string& revision = "2025-03-26") {
  over.say(words::request(1000, "initialize", R"("protocolVersion":")" + revision + R"(","capabilities":{})") + '\n');
  over.line();
  over.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
}
// Says all this and reads what comes back.
void says_to_session(hostile_side& h, const std::string& bytes) {
  begin_session(h.pipes);
  std::thread reads{[&h] { h.pipes.drain(); }};
  h.pipes.say(bytes);
  h.pipes.end();
  reads.join();
}

const suite<"guard: serving"> tests = [] {
  "FRZ-3 a batch of very many notifications"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd);
                      const std::string one = R"({"jsonrpc":"2.0","method":"x"})";
                      asked(fd, http_request_text("POST", fields, '[' + repeated(one + ',', h.size - 1) + one + ']'));
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 31; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of very many requests"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd);
                      asked(fd, http_request_text("POST", fields, '[' + joined(h.size, [](std::size_t i) {
                                                                    return R"({"jsonrpc":"2.0","id":)" +
                                                                           std::to_string(i) + R"(,"method":"ping"})";
                                                                  }) + ']'));
                    },
                .size = 20'000,
                .message = [](std::size_t size) { return size * 45; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of very many things that are no messages"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd);
                      asked(fd, http_request_text("POST", fields, '[' + repeated("1,", h.size - 1) + "1]"));
                    },
                .size = 1'000'000,
                .message = [](std::size_t size) { return size * 2; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of very many responses"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd);
                      asked(fd, http_request_text("POST", fields, '[' + joined(h.size, [](std::size_t i) {
                                                                    return R"({"jsonrpc":"2.0","id":)" +
                                                                           std::to_string(i) + R"(,"result":{}})";
                                                                  }) + ']'));
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 40; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of calls with large results, of which the first is read late"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd);
                      write_to(fd, http_request_text("POST", fields, '[' + joined(h.size, [](std::size_t i) {
                                                                       return call_with(int(i), "large", 4 * mebibyte);
                                                                     }) + ']'));
                      std::this_thread::sleep_for(std::chrono::milliseconds{300});
                      read_events_from(fd);
                    },
                .size = 25,
                .message = [](std::size_t) { return 4 * mebibyte; },
                .cap = 32 * mebibyte});
  };
  "FRZ-8 large answers on very many connections of one session, and none is read"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const std::uint16_t port = h.victim_port();
                      const std::string fields = session_at(hostile_side::connect_to(port), "2025-11-25");
                      for (std::size_t i = 0; i < h.size; ++i)
                        write_to(hostile_side::connect_to(port),
                                 http_request_text("POST", fields, call_with(int(i), "large", 9 * mebibyte)));
                      std::this_thread::sleep_for(std::chrono::milliseconds{1'000});
                    },
                .size = 20,
                .message = [](std::size_t) { return 9 * mebibyte; },
                .cap = 32 * mebibyte});
  };
  "FRZ-8 large answers to very many requests of one client, and none is read"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      ask_and_never_read(h,
                                         http_request_text("POST", modern_fields("tools/call", "large"),
                                                           modern_call_with("large", 12 * mebibyte)),
                                         std::chrono::milliseconds{3'000});
                    },
                .size = 10,
                .message = [](std::size_t) { return 12 * mebibyte; },
                .cap = 64 * mebibyte});
  };
  "FRZ-8 progress of very many requests of one client, and none of it is read"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      ask_and_never_read(h,
                                         http_request_text("POST", modern_fields("tools/call", "chatter"),
                                                           modern_call_with("chatter", 16 * mebibyte)),
                                         std::chrono::milliseconds{3'000});
                    },
                .size = 10,
                .message = [](std::size_t) { return 16 * mebibyte; },
                .cap = 64 * mebibyte});
  };
  "FRZ-8 large answers over a pipe, and none is read"_test = [] {
    check_cost({.victim = serves_pipes,
                .hostile =
                    [](hostile_side& h) {
                      begin_session(h.pipes, "2025-11-25");
                      for (std::size_t i = 0; i < h.size; ++i)
                        h.pipes.say(call_with(int(i), "large", 12 * mebibyte) + '\n');
                      std::this_thread::sleep_for(std::chrono::milliseconds{1'000});
                      _exit(0);
                    },
                .size = 10,
                .message = [](std::size_t) { return 12 * mebibyte; },
                .cap = 32 * mebibyte});
  };
  "FRZ-8 a client with very many capabilities"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      session_at(fd, "2025-11-25", R"({"experimental":{)" + joined(h.size, [](std::size_t i) {
                                                     return "\"k" + std::to_string(i) + "\":{}";
                                                   }) + "}}");
                    },
                .size = 100'000,
                .message = [](std::size_t size) { return size * 12; },
                .cap = 48 * mebibyte});
  };
  "FRZ-8 very many modern requests with large capabilities"_test = [] {
    check_cost(
        {.victim = serves_http,
         .hostile =
             [](hostile_side& h) {
               const int fd = hostile_side::connect_to(h.victim_port());
               const std::string meta =
                   R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{)" +
                   joined(10'000, [](std::size_t i) { return "\"k" + std::to_string(i) + "\":{}"; }) + "}}";
               for (std::size_t i = 0; i < h.size; ++i)
                 asked(fd,
                       http_request_text("POST", modern_fields("tools/call", "echo"),
                                         words::request(1, "tools/call", R"("name":"echo","arguments":{},)" + meta)));
             },
         .size = 25,
         .message = [](std::size_t) { return std::size_t{110'000}; },
         .cap = 48 * mebibyte});
  };
  "FRZ-8 very many subscriptions with long names"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd, "2025-11-25");
                      const std::string name(2'000, 'u');
                      for (std::size_t i = 0; i < h.size; ++i)
                        asked(fd, http_request_text("POST", fields,
                                                    words::request(int(i), "resources/subscribe",
                                                                   R"("uri":"a:)" + name + std::to_string(i) + '"')));
                    },
                .size = 2'000,
                .message = [](std::size_t) { return std::size_t{2'000}; },
                .cap = 32 * mebibyte});
  };
  "FRZ-8 one listen for very many resources"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string uris =
                          joined(h.size, [](std::size_t i) { return "\"a:" + std::to_string(i) + '"'; });
                      asked(fd, http_request_text(
                                    "POST", modern_fields("subscriptions/listen"),
                                    words::modern(1, "subscriptions/listen",
                                                  R"("notifications":{"resourceSubscriptions":[)" + uris + "]}")));
                    },
                .size = 200'000,
                .message = [](std::size_t size) { return size * 11; },
                .cap = 48 * mebibyte});
  };
  "FRZ-8 very many calls that wait for input, with large arguments"_test = [] {
    check_cost(
        {.victim = serves_http,
         .hostile =
             [](hostile_side& h) {
               const int fd = hostile_side::connect_to(h.victim_port());
               const std::string meta =
                   R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";
               const std::string body =
                   words::request(1, "tools/call",
                                  R"("name":"ask","arguments":{"a":")" + std::string(mebibyte, 'x') + R"("},)" + meta);
               for (std::size_t i = 0; i < h.size; ++i)
                 asked(fd, http_request_text("POST", modern_fields("tools/call", "ask"), body));
             },
         .size = 100,
         .message = [](std::size_t) { return mebibyte; },
         .cap = 48 * mebibyte});
  };
  "FRZ-9 large bodies for a foreign host, all at once"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const std::uint16_t port = h.victim_port();
                      const std::string body(8 * mebibyte, ' ');
                      std::vector<int> open;
                      std::vector<std::thread> all;
                      const std::string request = http_request_text("POST", plain_fields, body, "/mcp", "evil.example");
                      for (std::size_t i = 0; i < h.size; ++i) open.push_back(hostile_side::connect_to(port));
                      for (const int fd : open)
                        all.emplace_back(
                            [fd, &request] { asked(fd, std::string_view{request}.substr(0, request.size() - 1)); });
                      for (std::thread& one : all) one.join();
                    },
                .size = 16,
                .message = [](std::size_t) { return 8 * mebibyte; },
                .cap = 32 * mebibyte});
  };
  "FRZ-10 very many idle connections"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const std::uint16_t port = h.victim_port();
                      std::vector<int> open;
                      for (std::size_t i = 0; i < h.size; ++i) {
                        open.push_back(hostile_side::connect_to(port));
                        write_to(open.back(), "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
                      }
                      const int last = hostile_side::connect_to(port);
                      asked(last, http_request_text("GET", ""));
                    },
                .size = 400,
                .cap = 32 * mebibyte});
  };
  "FRZ-10 connections that come and go"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const std::uint16_t port = h.victim_port();
                      for (std::size_t i = 0; i < h.size; ++i) {
                        const int fd = hostile_side::connect_to(port);
                        write_to(fd, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
                        ::close(fd);
                      }
                    },
                .size = 1'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-10 very many sessions"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      for (std::size_t i = 0; i < h.size; ++i) session_at(fd, "2025-11-25");
                    },
                .size = 500,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 very many requests on one connection at once"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd, "2025-11-25");
                      const std::string request = http_request_text("POST", fields, words::request(1, "ping"));
                      std::thread writes{[&] {
                        write_to(fd, repeated(request, h.size));
                        ::shutdown(fd, SHUT_WR);
                      }};
                      std::array<char, 65536> piece{};
                      while (::recv(fd, piece.data(), piece.size(), 0) > 0) {
                      }
                      writes.join();
                    },
                .size = 2'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a request with very many header fields"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      asked(fd, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
                                    repeated("Accept: a/b;q=0.1, c/d\r\n", h.size) + "\r\n");
                    },
                .size = 100'000});
  };
  "FRZ-11 a request body of one-byte chunks"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd, "2025-11-25");
                      const std::string message =
                          words::request(1, "tools/call",
                                         R"("name":"echo","arguments":{"a":")" + std::string(h.size, 'x') + '"' + '}');
                      std::string body;
                      for (const char c : message) (body += "1\r\n") += std::string{c} + "\r\n";
                      asked(fd, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields +
                                    "Transfer-Encoding: chunked\r\n\r\n" + body + "0\r\n\r\n");
                    },
                .size = 400'000,
                .message = [](std::size_t size) { return size * 6; }});
  };
  "FRZ-11 a request with very deep arguments"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd, "2025-11-25");
                      asked(fd, http_request_text(
                                    "POST", fields,
                                    words::request(1, "tools/call",
                                                   R"("name":"echo","arguments":{"a":)" + repeated("[", h.size / 2) +
                                                       repeated("]", h.size / 2) + '}')));
                    },
                .size = 2 * mebibyte,
                .message = in_one_body});
  };
  "FRZ-11 very many cancellations of nothing"_test = [] {
    check_cost({.victim = serves_http,
                .hostile =
                    [](hostile_side& h) {
                      const int fd = hostile_side::connect_to(h.victim_port());
                      const std::string fields = session_at(fd, "2025-03-26");
                      const std::string one =
                          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})";
                      asked(fd, http_request_text("POST", fields, '[' + repeated(one + ',', h.size - 1) + one + ']'));
                    },
                .size = 20'000,
                .message = [](std::size_t size) { return size * 84; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of very many requests over a pipe"_test = [] {
    check_cost({.victim = serves_pipes,
                .hostile =
                    [](hostile_side& h) {
                      says_to_session(h, '[' + joined(h.size, [](std::size_t i) {
                                           return R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                                                  R"(,"method":"ping"})";
                                         }) + "]\n");
                    },
                .size = 20'000,
                .message = [](std::size_t size) { return size * 45; },
                .cap = 48 * mebibyte});
  };
  "FRZ-3 a batch of very many things that are no messages, over a pipe"_test = [] {
    check_cost({.victim = serves_pipes,
                .hostile = [](hostile_side& h) { says_to_session(h, '[' + repeated("1,", h.size) + "1]\n"); },
                .size = 1'000'000,
                .message = [](std::size_t size) { return size * 2; },
                .cap = 48 * mebibyte});
  };
  "FRZ-11 very many requests over a pipe"_test = [] {
    check_cost(
        {.victim = serves_pipes,
         .hostile = [](hostile_side& h) { says_to_session(h, repeated(words::request(1, "ping") + '\n', h.size)); },
         .size = 20'000,
         .cap = 32 * mebibyte});
  };
  "FRZ-11 very many requests over a pipe, and no answer is read"_test = [] {
    check_cost({.victim = serves_pipes,
                .hostile =
                    [](hostile_side& h) {
                      begin_session(h.pipes);
                      // Whoever does not read gets no more answers, so that in the end not all of this is taken.
                      std::thread writes{
                          [&h] { h.pipes.say(repeated(words::request(1, "tools/list") + '\n', h.size)); }};
                      std::this_thread::sleep_for(std::chrono::milliseconds{500});
                      _exit(0);
                    },
                .size = 50'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 very many notifications over a pipe"_test = [] {
    check_cost(
        {.victim = serves_pipes,
         .hostile =
             [](hostile_side& h) {
               says_to_session(
                   h, repeated(
                          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n",
                          h.size));
             },
         .size = 50'000});
  };
  "FRZ-11 a long request over a pipe in small pieces"_test = [] {
    check_cost({.victim = serves_pipes,
                .hostile =
                    [](hostile_side& h) {
                      begin_session(h.pipes, "2025-11-25");
                      std::thread reads{[&h] { h.pipes.drain(); }};
                      h.pipes.say_in_pieces(
                          words::request(1, "tools/call",
                                         R"("name":"echo","arguments":{"a":")" + std::string(h.size, 'x') + "\"}") +
                              '\n',
                          256);
                      h.pipes.end();
                      reads.join();
                    },
                .size = 2 * mebibyte,
                .message = in_one_body,
                .cap = 32 * mebibyte});
  };
};

}  // namespace serving_guard_test
