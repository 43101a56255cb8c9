// SPDX-License-Identifier: MIT
// A hub against hostile servers on the network: heads, bodies, streams of events, logins.
#include <bit>

#include "../../transports/json/json_text.hpp"
#include "../support/colliding_names.hpp"
#include "../support/ut.hpp"
#include "hostile_case.hpp"
#include "victims.hpp"

namespace http_guard_test {

using namespace hawser;
using namespace hawser::testing;

std::size_t as_large(std::size_t size) { return size; }

std::string result_for(const received_request& asked, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + asked.id() + R"(,"result":)" + std::string{result} + '}';
}
std::string event_of(std::string_view data) { return "data: " + std::string{data} + "\n\n"; }

// A legacy server; what it does with a call is the case's.
[[noreturn]] void serve_calls(const hostile_side& h,
                              const std::function<void(scripted_connection&, const received_request&)>& on_call,
                              const std::string& fields = {}, const std::string& tools = std::string{one_tool}) {
  h.serve_web([&](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (asked->is("GET")) {
        with.reply("405 Method Not Allowed", "text/plain", "");
      } else if (asked->is("DELETE")) {
        with.reply("200 OK", "text/plain", "");
      } else if (asked->asks("initialize")) {
        with.json(result_for(*asked, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                                     R"("serverInfo":{"name":"h","version":"1"}})"),
                  fields);
      } else if (asked->asks("tools/list")) {
        with.json(result_for(*asked, tools));
      } else if (asked->asks("tools/call")) {
        on_call(with, *asked);
      } else if (asked->body.find(R"("id":)") == std::string::npos) {
        with.reply("202 Accepted", "text/plain", "");
      } else {
        with.json(result_for(*asked, "{}"));
      }
    }
  });
}

// The answer to a call is a stream of events, with these bytes before the answer itself.
void stream_before_answer(scripted_connection& with, const received_request& asked, std::string_view bytes) {
  with.events();
  with.say(bytes);
  with.say(event_of(result_for(asked, plain_result)));
  with.end();
  with.hang();
}

// The server of the era without a handshake, with these tools.
[[noreturn]] void serve_modern(const hostile_side& h, const std::string& tools) {
  h.serve_web([&](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (asked->asks("server/discover")) {
        with.json(result_for(
            *asked, R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
      } else if (asked->asks("tools/list")) {
        with.json(result_for(*asked, R"({"resultType":"complete","tools":[)" + tools + "]}"));
      } else {
        with.json(result_for(*asked, R"({"resultType":"complete","content":[{"type":"text","text":"ok"}]})"));
      }
    }
  });
}
task<std::string> calls_modern_site(victim_side& v) {
  server_settings s = hostile_site(v);
  s.protocol.era = protocol_choice::kind::modern;
  return in_hub(v, std::move(s), calls);
}

// Waits until the server wants a login, and then has a person who never comes.
task<std::string> logs_in(hub& of, victim_side& /*v*/) {
  auto ready = co_await of.ready("s");
  if (ready) co_return "it wants no login";
  login_callbacks nobody{.open_browser = false};
  nobody.wish.timeout = std::chrono::milliseconds{50};
  auto done = co_await of.authenticate("s", std::move(nobody));
  co_return done ? "somebody logged in" : "";
}
task<std::string> logs_in_at_site(victim_side& v) { return in_hub(v, hostile_site(v), logs_in); }

const suite<"guard: http"> tests = [] {
  "FRZ-1 a huge event id and very many events after it"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked,
                                             "id: " + std::string(mebibyte, 'i') + "\ndata:\n\n" +
                                                 repeated("data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n", h.size));
                      });
                    },
                .size = 10'000,
                .message = [](std::size_t) { return mebibyte; }});
  };
  "FRZ-1 a huge event id in very many events"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked,
                                             repeated("id: " + std::string(100'000, 'i') +
                                                          "\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n",
                                                      h.size));
                      });
                    },
                .size = 100,
                .message = [](std::size_t) { return std::size_t{100'000}; }});
  };
  "FRZ-1 very many empty lines"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked, repeated("\n", h.size));
                      });
                    },
                .size = 8 * mebibyte});
  };
  "FRZ-1 very many comments"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked, repeated(":\n", h.size / 2));
                      });
                    },
                .size = 8 * mebibyte});
  };
  "FRZ-1 very many empty data lines and events"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked, repeated("data:\n\n", h.size / 7));
                      });
                    },
                .size = 4 * mebibyte});
  };
  "FRZ-1 one event of very many data lines"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked, repeated("data:\n", h.size / 6) + '\n');
                      });
                    },
                .size = 4 * mebibyte,
                .message = as_large});
  };
  "FRZ-1 very many retry and id lines"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked, repeated("retry: 100\nid: 1\nevent: x\n", h.size) + '\n');
                      });
                    },
                .size = 100'000});
  };
  "FRZ-1 events in one-byte pieces"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        with.events();
                        const std::string event = event_of(R"({"jsonrpc":"2.0","method":"x","params":{"a":")" +
                                                           std::string(h.size, 'x') + "\"}}");
                        for (const char& c : event) with.say({&c, 1});
                        stream_before_answer(with, asked, "");
                      });
                    },
                .size = 30'000,
                .message = as_large});
  };
  "FRZ-11 very many small messages on a stream of events"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked,
                                             repeated(event_of(R"({"jsonrpc":"2.0","method":"x"})"), h.size));
                      });
                    },
                .size = 50'000});
  };
  "FRZ-5 pings without end on a stream of events"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        stream_before_answer(with, asked,
                                             repeated(event_of(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), h.size));
                      });
                    },
                .size = 2'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a head of very many fields"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request&) {
                        with.say("HTTP/1.1 200 OK\r\n" + repeated("X-A: b\r\n", h.size) + "Content-Length: 0\r\n\r\n");
                      });
                    },
                .size = 100'000});
  };
  "FRZ-11 a head of one long field in one-byte pieces"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        const std::string answer = result_for(asked, plain_result);
                        const std::string head =
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: " + std::string(h.size, 'a') +
                            "\r\nContent-Length: " + std::to_string(answer.size()) + "\r\n\r\n";
                        for (const char& c : head) with.say({&c, 1});
                        with.say(answer);
                      });
                    },
                .size = 30'000,
                .message = as_large});
  };
  "FRZ-11 very many interim answers"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        with.say(repeated("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", h.size));
                        with.json(result_for(asked, plain_result));
                      });
                    },
                .size = 100'000});
  };
  "FRZ-11 a body of one-byte chunks"_test = [] {
    check_cost(
        {.victim = calls_site,
         .hostile =
             [](hostile_side& h) {
               serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                 const std::string answer =
                     result_for(asked, R"({"content":[{"type":"text","text":")" + std::string(h.size, 'x') + "\"}]}");
                 std::string body;
                 for (const char c : answer) (body += "1\r\n") += std::string{c} + "\r\n";
                 with.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                          body + "0\r\n\r\n");
               });
             },
         .size = 400'000,
         .message = [](std::size_t size) { return size * 6; }});
  };
  "FRZ-11 chunks with long extensions, and very many trailers"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        const std::string answer = result_for(asked, plain_result);
                        std::string body;
                        for (const char c : answer)
                          (body += "1;x=" + std::string(h.size, 'y') + "\r\n") += std::string{c} + "\r\n";
                        with.say(
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                            body + "0\r\n" + repeated("X-A: b\r\n", h.size) + "\r\n");
                      });
                    },
                .size = 20'000,
                .message = as_large});
  };
  "FRZ-11 a large body with its length"_test = [] {
    check_cost({.victim = calls_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request& asked) {
                        with.json(result_for(
                            asked, R"({"content":[{"type":"text","text":")" + std::string(h.size, 'x') + "\"}]}"));
                      });
                    },
                .size = 5'000'000,
                .message = as_large,
                .cap = 48 * mebibyte});
  };
  "FRZ-11 a long session id"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(
                          h,
                          [&](scripted_connection& with, const received_request& asked) {
                            with.json(result_for(asked, plain_result));
                          },
                          "Mcp-Session-Id: " + std::string(h.size, 's') + "\r\n");
                    },
                .size = 30'000,
                .message = as_large});
  };
  "FRZ-11 a refusal with a huge body"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serve_calls(h, [&](scripted_connection& with, const received_request&) {
                        with.reply("500 Internal Server Error", "text/html", repeated("<p>\x1b[31m", h.size / 8));
                      });
                    },
                .size = 4 * mebibyte,
                .message = as_large});
  };
  "FRZ-11 a challenge with very many parameters"_test = [] {
    check_cost({.victim = logs_in_at_site,
                .hostile =
                    [](hostile_side& h) {
                      h.serve_web([&](scripted_connection& with) {
                        std::string parameters;
                        for (std::size_t i = 0; parameters.size() < h.size; ++i)
                          parameters += (i == 0 ? "p" : ",p") + std::to_string(i) + "=\"v\\\"\"";
                        while (with.request())
                          with.reply("401 Unauthorized", "text/plain", "",
                                     "WWW-Authenticate: Bearer " + parameters + "\r\n");
                      });
                    },
                .size = 30'000,
                .message = as_large});
  };
  "FRZ-11 very many challenges"_test = [] {
    check_cost({.victim = logs_in_at_site,
                .hostile =
                    [](hostile_side& h) {
                      h.serve_web([&](scripted_connection& with) {
                        std::string challenges;
                        for (std::size_t i = 0; challenges.size() < h.size; ++i)
                          challenges += (i == 0 ? "S" : ",S") + std::to_string(i) + " a=b";
                        while (with.request())
                          with.reply("401 Unauthorized", "text/plain", "", "WWW-Authenticate: " + challenges + "\r\n");
                      });
                    },
                .size = 30'000,
                .message = as_large});
  };
  "FRZ-11 huge metadata of a protected resource"_test = [] {
    check_cost({.victim = logs_in_at_site,
                .hostile =
                    [](hostile_side& h) {
                      h.serve_web([&](scripted_connection& with) {
                        while (auto asked = with.request()) {
                          if (!asked->is("GET") || asked->head.starts_with("GET /mcp")) {
                            with.reply("401 Unauthorized", "text/plain", "", "WWW-Authenticate: Bearer\r\n");
                            continue;
                          }
                          const std::string host = asked->field("Host");
                          with.json(R"({"resource":"http://)" + host + R"(/mcp","scopes_supported":[)" +
                                    joined(h.size, [](std::size_t i) { return "\"s" + std::to_string(i) + '"'; }) +
                                    R"(],"authorization_servers":[)" +
                                    joined(h.size,
                                           [&](std::size_t i) {
                                             return R"("http://)" + host + "/a" + std::to_string(i) + '"';
                                           }) +
                                    "]}");
                        }
                      });
                    },
                .size = 3'000,
                .message = [](std::size_t size) { return size * 40; }});
  };
  "FRZ-11 huge metadata of an authorization server"_test = [] {
    check_cost(
        {.victim = logs_in_at_site,
         .hostile =
             [](hostile_side& h) {
               h.serve_web([&](scripted_connection& with) {
                 while (auto asked = with.request()) {
                   const std::string at = "http://" + asked->field("Host");
                   if (asked->head.find("oauth-protected-resource") != std::string::npos) {
                     with.json(R"({"resource":")" + at + R"(/mcp","authorization_servers":[")" + at + "\"]}");
                   } else if (asked->head.find(".well-known") != std::string::npos) {
                     const std::string many =
                         joined(h.size, [](std::size_t i) { return "\"x" + std::to_string(i) + '"'; });
                     with.json(R"({"issuer":")" + at + R"(","authorization_endpoint":")" + at +
                               R"(/authorize","token_endpoint":")" + at + R"(/token","registration_endpoint":")" + at +
                               R"(/register","code_challenge_methods_supported":["S256",)" + many +
                               R"(],"scopes_supported":[)" + many + R"(],"grant_types_supported":[)" + many +
                               R"(],"token_endpoint_auth_methods_supported":["none",)" + many + "]}");
                   } else if (asked->head.starts_with("POST /register")) {
                     with.reply(
                         "201 Created", "application/json",
                         R"({"client_id":"me","token_endpoint_auth_method":"none","redirect_uris":[)" +
                             joined(h.size, [](std::size_t i) { return "\"http://a/" + std::to_string(i) + '"'; }) +
                             "]}");
                   } else {
                     with.reply("401 Unauthorized", "text/plain", "", "WWW-Authenticate: Bearer\r\n");
                   }
                 }
               });
             },
         .size = 3'000,
         .message = [](std::size_t size) { return size * 32; }});
  };
  "FRZ-12 metadata of an authorization server whose names collide"_test = [] {
    check_cost({.victim = logs_in_at_site,
                .hostile =
                    [](hostile_side& h) {
                      const std::string names =
                          colliding_object(static_cast<unsigned>(std::bit_width(h.size) - 1), mapped_table);
                      h.serve_web([&](scripted_connection& with) {
                        while (auto asked = with.request()) {
                          if (asked->head.find("oauth-protected-resource") != std::string::npos) {
                            with.json(names);
                          } else {
                            with.reply("401 Unauthorized", "text/plain", "", "WWW-Authenticate: Bearer\r\n");
                          }
                        }
                      });
                    },
                .size = 8'192,
                .message = [](std::size_t size) { return size * 13; }});
  };
  "FRZ-2 a tool with very many x-mcp-header marks"_test = [] {
    check_cost(
        {.victim = calls_modern_site,
         .hostile =
             [](hostile_side& h) {
               serve_modern(
                   h,
                   R"({"name":"echo","inputSchema":{"type":"object"}},{"name":"many","inputSchema":{"type":"object","properties":{)" +
                       joined(h.size,
                              [](std::size_t i) {
                                const std::string n = std::to_string(i);
                                return "\"k" + n + R"(":{"type":"string","x-mcp-header":"K)" + n + "\"}";
                              }) +
                       "}}}");
             },
         .size = 5'000,
         .message = [](std::size_t size) { return size * 47; },
         .cap = 48 * mebibyte});
  };
  "FRZ-2 very many tools with a mark each, and properties with long names"_test = [] {
    check_cost({.victim = calls_modern_site,
                .hostile =
                    [](hostile_side& h) {
                      const std::string name(500, 'n');
                      serve_modern(
                          h, R"({"name":"echo","inputSchema":{"type":"object"}},)" + joined(h.size, [&](std::size_t i) {
                               return R"({"name":"t)" + std::to_string(i) +
                                      R"(","inputSchema":{"type":"object","properties":{")" + name +
                                      R"(":{"type":"string","x-mcp-header":"A"}}}})";
                             }));
                    },
                .size = 4'000,
                .message = [](std::size_t size) { return size * 620; },
                .cap = 48 * mebibyte});
  };
  "FRZ-2 properties that are nested, each with a mark"_test = [] {
    check_cost(
        {.victim = calls_modern_site,
         .hostile =
             [](hostile_side& h) {
               std::string deep = R"({"type":"string","x-mcp-header":"Deep"})";
               for (int i = 0; i < 30; ++i) deep = R"({"type":"object","properties":{"p":)" + deep + "}}";
               serve_modern(
                   h,
                   R"({"name":"echo","inputSchema":{"type":"object"}},{"name":"deep","inputSchema":{"type":"object","properties":{)" +
                       joined(h.size, [&](std::size_t i) { return "\"k" + std::to_string(i) + "\":" + deep; }) + "}}}");
             },
         .size = 1'000,
         .message = [](std::size_t size) { return size * 1'100; },
         .cap = 48 * mebibyte});
  };
};

}  // namespace http_guard_test
