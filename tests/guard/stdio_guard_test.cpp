// SPDX-License-Identifier: MIT
// A hub against hostile servers that are child processes: what they write to stdout and stderr.
#include <cstring>

#include "../../transports/json/json_text.hpp"
#include "../support/ut.hpp"
#include "hostile_case.hpp"
#include "victims.hpp"

namespace stdio_guard_test {

using namespace hawser;
using namespace hawser::testing;

std::size_t whole(std::size_t size) { return size; }

// Answers the handshake, then says all this before the answer to the first call.
void says_before_answer(hostile_side& h, const std::string& bytes) {
  stdio_wire wire = h.stdio();
  const std::string call = wire.until_call(one_tool);
  wire.say(bytes);
  wire.answer(call, plain_result);
  wire.drain();
}
void answers_with(hostile_side& h, const std::string& result, std::string_view tools = one_tool) {
  stdio_wire wire = h.stdio();
  const std::string call = wire.until_call(tools);
  wire.answer(call, result);
  wire.drain();
}
std::string notification(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","method":")" + std::string{method} + R"(","params":)" + std::string{params} + "}\n";
}
std::string items(std::size_t count, std::string_view each) {
  return joined(count, [&](std::size_t) { return std::string{each}; });
}
std::string numbered(std::size_t count, std::string_view before, std::string_view after) {
  return joined(count, [&](std::size_t i) { return std::string{before} + std::to_string(i) + std::string{after}; });
}

task<std::string> list_resources(hub& of, victim_side& /*v*/) {
  auto listed = co_await of.list("s", list_kind::resources);
  co_return std::string{};
}
task<std::string> lists_resources(victim_side& v) { return in_hub(v, hostile_child(v), list_resources); }
// A list of resources whose pages are all the same.
void answers_with_pages(hostile_side& h, const std::string& page, std::size_t pages) {
  stdio_wire wire = h.stdio();
  std::size_t count = 0;
  for (std::string request = wire.line(); !request.empty(); request = wire.line()) {
    if (id_text(request).empty()) continue;
    if (request.find(R"("method":"initialize")") != std::string::npos) {
      wire.answer(
          request,
          R"({"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"h","version":"1"}})");
    } else if (request.find(R"("method":"resources/list")") != std::string::npos) {
      ++count;
      wire.answer(request, R"({"resources":[)" + page + ']' +
                               (count < pages ? R"(,"nextCursor":")" + std::to_string(count) + '"' : std::string{}) +
                               '}');
    } else {
      wire.answer(request, "{}");
    }
  }
}

const suite<"guard: stdio"> tests = [] {
  "FRZ-11 a long line in small pieces"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      wire.say_in_pieces(R"({"jsonrpc":"2.0","id":)" + id_text(call) +
                                             R"(,"result":{"content":[{"type":"text","text":")" +
                                             std::string(h.size, 'x') + "\"}]}}\n",
                                         256);
                      wire.drain();
                    },
                .size = 2 * mebibyte,
                .message = whole});
  };
  "FRZ-11 a result that is nested deeply"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[],"x":)" + repeated("[", h.size / 2) + repeated("]", h.size / 2) + '}');
                    },
                .size = 4 * mebibyte,
                .message = whole});
  };
  "FRZ-11 objects nested as deeply as is accepted, side by side"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      const std::string deep = repeated(R"({"a":)", 30) + '1' + repeated("}", 30);
                      answers_with(h, R"({"content":[{"type":"text","text":"x"}],"structuredContent":[)" +
                                          items(h.size / deep.size(), deep) + "]}");
                    },
                .size = 2 * mebibyte,
                .message = whole,
                .cap = 64 * mebibyte});
  };
  "FRZ-11 very many small messages at once"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      says_before_answer(h, repeated("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n", h.size));
                    },
                .size = 100'000});
  };
  "FRZ-11 very many log messages"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      says_before_answer(
                          h, repeated(notification("notifications/message", R"({"level":"info","data":"x"})"), h.size));
                    },
                .size = 50'000});
  };
  "FRZ-11 very much progress"_test = [] {
    check_cost(
        {.victim = calls_child,
         .hostile =
             [](hostile_side& h) {
               stdio_wire wire = h.stdio();
               const std::string call = wire.until_call(one_tool);
               const std::string token{find_member(find_member(find_member(call, "params"), "_meta"), "progressToken")};
               std::string flood;
               for (std::size_t i = 0; i < h.size; ++i)
                 flood += notification("notifications/progress",
                                       R"({"progressToken":)" + token + R"(,"progress":)" + std::to_string(i) + '}');
               wire.say(flood);
               wire.answer(call, plain_result);
               wire.drain();
             },
         .size = 50'000});
  };
  "FRZ-11 very many changes of the list"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      std::string call = wire.until_call(one_tool);
                      wire.say(
                          repeated("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n", h.size));
                      wire.answer(call, plain_result);
                      while (!call.empty()) call = wire.until_call(one_tool);
                    },
                .size = 50'000});
  };
  "FRZ-11 very many answers to nothing"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      says_before_answer(h, repeated("{\"jsonrpc\":\"2.0\",\"id\":123456789,\"result\":{}}\n", h.size));
                    },
                .size = 50'000});
  };
  "FRZ-11 very many lines that are not JSON"_test = [] {
    check_cost({.victim = tries_child,
                .hostile = [](hostile_side& h) { says_before_answer(h, repeated("what is this\n", h.size)); },
                .size = 100'000});
  };
  "FRZ-11 very many blank lines"_test = [] {
    check_cost({.victim = calls_child,
                .hostile = [](hostile_side& h) { says_before_answer(h, repeated("\r\n", h.size)); },
                .size = 4 * mebibyte});
  };
  "FRZ-11 very many requests that nobody knows"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      // The answers are read at the same time, or neither side could go on.
                      std::thread reads{[&wire] { wire.drain(); }};
                      wire.say(repeated("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/y\"}\n", h.size));
                      wire.answer(call, plain_result);
                      reads.join();
                    },
                .size = 20'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 very many forms to fill in"_test = [] {
    check_cost(
        {.victim = tries_child,
         .hostile =
             [](hostile_side& h) {
               stdio_wire wire = h.stdio();
               const std::string call = wire.until_call(one_tool);
               std::thread reads{[&wire] { wire.drain(); }};
               std::string flood;
               for (std::size_t i = 0; i < h.size; ++i)
                 flood +=
                     R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                     R"(,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}})"
                     "\n";
               wire.say(flood);
               wire.answer(call, plain_result);
               reads.join();
             },
         .size = 10'000,
         .cap = 32 * mebibyte});
  };
  "FRZ-5 a server that pings without end and reads no answer"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      wire.say(repeated("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", h.size));
                      wire.answer(call, plain_result);
                      // Nothing is read: what the host answers stays with the host.
                      for (;;) pause();
                    },
                .size = 400'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-5 a server that pings without end and reads the answers"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      std::thread reads{[&wire] { wire.drain(); }};
                      wire.say(repeated("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", h.size));
                      wire.answer(call, plain_result);
                      reads.join();
                    },
                .size = 50'000,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a flood on stderr, without a line end"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      stdio_wire::write_all(wire.errors, std::string(h.size, 'e'));
                      wire.answer(call, plain_result);
                      wire.drain();
                    },
                .size = 16 * mebibyte});
  };
  "FRZ-11 stderr of a server with very many secrets"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      server_settings s = hostile_child(v);
                      auto& env = std::get<stdio_settings>(s.transport).env;
                      for (std::size_t i = 0; i < v.size; ++i)
                        env["SECRET_" + std::to_string(i)] = "sk-0123456789abcdef" + std::to_string(i);
                      return in_hub(v, std::move(s), [](hub& of, victim_side& on) -> task<std::string> {
                        const std::string complaint = co_await calls(of, on);
                        const std::string shown = of.stderr_tail("s");
                        co_return shown.find("sk-0123456789abcdef0 ") == std::string::npos ? complaint
                                                                                           : "a secret is shown";
                      });
                    },
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      stdio_wire::write_all(wire.errors, repeated("sk-0123456789abcdef0 sk-0123456789abcde", 4'000));
                      wire.answer(call, plain_result);
                      wire.drain();
                    },
                .size = 250});
  };
  "FRZ-11 a result of very many blocks"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(h, R"({"content":[)" + items(h.size, R"({"type":"text","text":"a"})") + "]}");
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 27; },
                .cap = 64 * mebibyte});
  };
  "FRZ-11 a result of blocks of many kinds"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[)" +
                                 items(h.size,
                                       R"({"type":"image","data":"AAAA","mimeType":"image/png"},)"
                                       R"({"type":"resource_link","uri":"a:1","name":"x"},{"type":"odd","z":[1]})") +
                                 "]}");
                    },
                .size = 10'000,
                .message = [](std::size_t size) { return size * 123; },
                .cap = 64 * mebibyte});
  };
  "FRZ-11 a result of one huge text"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(h, R"({"content":[{"type":"text","text":")" + std::string(h.size, 'x') + "\"}]}");
                    },
                .size = 5'000'000,
                .message = whole,
                .cap = 48 * mebibyte});
  };
  "FRZ-11 a result of one huge text of escapes"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[{"type":"text","text":")" + repeated(R"(\u00e9)", h.size / 6) + "\"}]}");
                    },
                .size = 5'000'000,
                .message = whole,
                .cap = 48 * mebibyte});
  };
  "FRZ-11 a huge structured result"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[],"structuredContent":{)" + numbered(h.size, R"("k)", R"(":1)") + "}}");
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 9; },
                .cap = 64 * mebibyte});
  };
  "FRZ-4 uniqueItems of a long list"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[],"structuredContent":{"a":[)" + numbered(h.size, "", "") + "]}}",
                          R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object",)"
                          R"("properties":{"a":{"type":"array","uniqueItems":true}}}}]})");
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 6; },
                .cap = 64 * mebibyte});
  };
  "FRZ-4 an enum against many long texts"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      const std::string text(100, 'x');
                      const std::string tools =
                          R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object",)"
                          R"("properties":{"a":{"type":"array","items":{"enum":[)" +
                          numbered(200, '"' + text, "\"") + "]}}}}}]}";
                      answers_with(
                          h,
                          R"({"content":[],"structuredContent":{"a":[)" + items(h.size, '"' + text + "199\"") + "]}}",
                          tools);
                    },
                .size = 10'000,
                .message = [](std::size_t size) { return size * 106; },
                .cap = 64 * mebibyte});
  };
  "FRZ-4 a pattern against a long text"_test = [] {
    check_cost(
        {.victim = calls_child,
         .hostile =
             [](hostile_side& h) {
               answers_with(
                   h, R"({"content":[],"structuredContent":{"a":")" + std::string(h.size, 'a') + "!\"}}",
                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object",)"
                   R"("properties":{"a":{"type":"string","pattern":"^(a+)+$","minLength":5,"maxLength":9}}}}]})");
             },
         .size = 4 * mebibyte,
         .message = whole,
         .cap = 64 * mebibyte});
  };
  "FRZ-4 propertyNames and dependencies of very many members"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(
                          h, R"({"content":[],"structuredContent":{)" + numbered(h.size, R"("k)", R"(":1)") + "}}",
                          R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object",)"
                          R"("propertyNames":{"maxLength":40,"not":{"const":"zz"}},"minProperties":1,)"
                          R"("additionalProperties":{"type":"integer"}}}]})");
                    },
                .size = 20'000,
                .message = [](std::size_t size) { return size * 9; },
                .cap = 64 * mebibyte});
  };
  "FRZ-4 references that fan out"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      std::string definitions = R"("d0":{"type":"integer"})";
                      for (int i = 1; i <= 20; ++i) {
                        const std::string before = std::to_string(i - 1);
                        definitions += R"(,"d)" + std::to_string(i) + R"(":{"allOf":[{"$ref":"#/$defs/d)" + before +
                                       R"("},{"$ref":"#/$defs/d)" + before + R"("}]})";
                      }
                      answers_with(
                          h, R"({"content":[],"structuredContent":{"a":[)" + numbered(h.size, "", "") + "]}}",
                          R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object",)"
                          R"("properties":{"a":{"type":"array","items":{"$ref":"#/$defs/d20"}}},"$defs":{)" +
                              definitions + "}}}]}");
                    },
                .size = 1'000,
                .cap = 64 * mebibyte});
  };
  "FRZ-4 a huge output schema"_test = [] {
    check_cost(
        {.victim = calls_child,
         .hostile =
             [](hostile_side& h) {
               answers_with(
                   h, R"({"content":[],"structuredContent":{"k1":1}})",
                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{)" +
                       numbered(h.size, R"("k)", R"(":{"type":"integer","minimum":0})") + "}}}]}");
             },
         .size = 10'000,
         .message = [](std::size_t size) { return size * 38; },
         .cap = 64 * mebibyte});
  };
  "FRZ-2 a tool with very many properties"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(h, std::string{plain_result},
                                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{)" +
                                       numbered(h.size, R"("k)", R"(":{"type":"string"})") + "}}}]}");
                    },
                .size = 50'000,
                .message = [](std::size_t size) { return size * 26; },
                .cap = 48 * mebibyte});
  };
  "FRZ-6 a page of very many tools"_test = [] {
    check_cost({.victim = calls_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_with(h, std::string{plain_result},
                                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}},)" +
                                       numbered(h.size, R"({"name":"t)",
                                                R"(","description":"does nothing","inputSchema":{"type":"object"}})") +
                                       "]}");
                    },
                .size = 4'000,
                .message = [](std::size_t size) { return size * 70; },
                .cap = 48 * mebibyte});
  };
  "FRZ-11 tools whose names collide"_test = [] {
    check_cost(
        {.victim = calls_child,
         .hostile =
             [](hostile_side& h) {
               answers_with(
                   h, std::string{plain_result},
                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}},)" + joined(h.size, [](std::size_t i) {
                     return R"({"name":")" + std::string(i % 900 + 1, '.') + std::string(i / 900, '!') +
                            R"(","inputSchema":{"type":"object"}},{"name":"same","inputSchema":{"type":"object"}})";
                   }) + "]}");
             },
         .size = 2'000,
         .message = [](std::size_t size) { return size * 560; },
         .cap = 48 * mebibyte});
  };
  "FRZ-6 very many pages with long cursors"_test = [] {
    check_cost(
        {.victim = tries_child,
         .hostile =
             [](hostile_side& h) {
               stdio_wire wire = h.stdio();
               const std::string start(64'000, 'c');
               std::size_t page = 0;
               for (std::string request = wire.line(); !request.empty(); request = wire.line()) {
                 if (request.find(R"("method":"tools/list")") == std::string::npos) {
                   if (request.find(R"("method":"initialize")") != std::string::npos) {
                     wire.answer(
                         request,
                         R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"h","version":"1"}})");
                   } else if (!id_text(request).empty()) {
                     wire.answer(request, plain_result);
                   }
                   continue;
                 }
                 ++page;
                 wire.answer(request, R"({"tools":[{"name":")" + (page == 1 ? "echo" : "t" + std::to_string(page)) +
                                          R"(","inputSchema":{"type":"object"}}])" +
                                          (page < h.size ? R"(,"nextCursor":")" + start + std::to_string(page) + '"'
                                                         : std::string{}) +
                                          '}');
               }
             },
         .size = 250,
         .message = [](std::size_t) { return std::size_t{64'000}; },
         .cap = 32 * mebibyte});
  };
  "FRZ-6 a long listing of resources"_test = [] {
    check_cost(
        {.victim = lists_resources,
         .hostile =
             [](hostile_side& h) { answers_with_pages(h, numbered(100, R"({"uri":"a:)", R"(","name":"x"})"), h.size); },
         .size = 400,
         .cap = 64 * mebibyte});
  };
  "FRZ-6 a listing of resources with very many values"_test = [] {
    for (const char* value : {"1", "[1]", R"({"a":1})"}) {
      static const char* each;
      each = value;
      check_cost({.victim = lists_resources,
                  .hostile =
                      [](hostile_side& h) {
                        answers_with_pages(
                            h, R"({"uri":"a:1","x":[)" + items(mebibyte / (std::strlen(each) + 1), each) + "]}",
                            h.size);
                      },
                  .size = 15,
                  .message = [](std::size_t) { return mebibyte; },
                  .cap = 48 * mebibyte});
    }
  };
  "FRZ-11 an answer to initialize that is huge"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string more = R"(,"instructions":")" + std::string(h.size / 2, 'i') +
                                               R"(","_meta":{)" + numbered(h.size / 40, R"("k)", R"(":[{}])") + '}';
                      const std::string call = wire.until_call(one_tool, more);
                      wire.answer(call, plain_result);
                      wire.drain();
                    },
                .size = 4 * mebibyte,
                .message = whole,
                .cap = 48 * mebibyte});
  };
};

}  // namespace stdio_guard_test
