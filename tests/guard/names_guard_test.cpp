// SPDX-License-Identifier: MIT
// Objects whose names collide in the hash tables of Boost.JSON, wherever foreign text becomes a tree; and as many
// members whose names do not.
#include <bit>
#include <boost/json.hpp>
#include <thread>

#include "../support/colliding_names.hpp"
#include "../support/streamable_http_fixture.hpp"
#include "../support/ut.hpp"
#include "hostile_case.hpp"
#include "victims.hpp"

namespace names_guard_test {

using namespace hawser;
using namespace hawser::testing;
using words = server_session_fixture;

// The size of a case is the number of names: a power of two.
std::string hostile_object(std::size_t names, std::optional<known_salt> salt = any_salt) {
  return colliding_object(static_cast<unsigned>(std::bit_width(names) - 1), salt);
}
std::size_t hostile_bytes(std::size_t names) { return hostile_object(names).size(); }

void answers_call(hostile_side& h, const std::string& result, std::string_view tools = one_tool) {
  stdio_wire wire = h.stdio();
  const std::string call = wire.until_call(tools);
  wire.answer(call, result);
  wire.drain();
}

// All that a program may ask of a result, each in an event of its own, and a copy in which every name is looked up.
task<std::string> uses_result(hub& of, victim_side& /*v*/) {
  auto answer = co_await of.call("s__echo", "{}", {.timeout = std::chrono::seconds{15}});
  if (!answer) co_return answer.error().code == errc::timed_out ? answer.error().what : std::string{};
  const auto got = answer->structured();
  if (!got) co_return got.error().code == errc::too_large ? std::string{} : got.error().what;
  const std::optional<boost::json::value>& structured = *got;
  co_await next_event();
  const boost::json::value data = answer->data().value();
  co_await next_event();
  const boost::json::object meta = answer->meta().value();
  co_await next_event();
  const auto broken = answer->violation();
  co_await next_event();
  std::size_t found = 0;
  if (structured && structured->is_object()) {
    const boost::json::object copy = structured->get_object();
    co_await next_event();
    for (const auto& member : structured->get_object()) found += copy.contains(member.key()) ? 1 : 0;
    if (found != copy.size()) co_return "a copy lacks a member";
  }
  co_await next_event();
  co_return std::string{};
}
task<std::string> uses_child(victim_side& v) { return in_hub(v, hostile_child(v), uses_result); }

const suite<"guard: names"> tests = [] {
  "FRZ-12 a structured result whose names collide"_test = [] {
    check_cost({.victim = uses_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_call(h, R"({"content":[],"structuredContent":)" + hostile_object(h.size) + '}');
                    },
                .size = 16'384,
                .message = hostile_bytes,
                .cap = 64 * mebibyte});
  };
  "FRZ-12 a structured result whose names collide in the largest tables only"_test = [] {
    check_cost({.victim = uses_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_call(
                          h, R"({"content":[],"structuredContent":)" + hostile_object(h.size, mapped_table) + '}');
                    },
                .size = 16'384,
                .message = [](std::size_t size) { return size * 14; },
                .cap = 64 * mebibyte});
  };
  "FRZ-12 a result of very many small objects whose names collide"_test = [] {
    check_cost({.victim = uses_child,
                .hostile =
                    [](hostile_side& h) {
                      const std::string one = hostile_object(64, mapped_table);
                      answers_call(h, R"({"content":[],"structuredContent":[)" +
                                          joined(h.size, [&](std::size_t) { return one; }) + "]}");
                    },
                .size = 1'000,
                .message = [](std::size_t size) { return size * 64 * 9; },
                .cap = 64 * mebibyte});
  };
  "FRZ-12 a structured result of very many members"_test = [] {
    check_cost({.victim = uses_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_call(h, R"({"content":[],"structuredContent":{)" + joined(h.size, [](std::size_t i) {
                                        return "\"" + std::to_string(i) + "\":1";
                                      }) + "}}");
                    },
                .size = 65'536,
                .message = [](std::size_t size) { return size * 10; },
                .cap = 64 * mebibyte});
  };
  "FRZ-17 a structured result of as many values as become a tree"_test = [] {
    check_cost({.victim = uses_child,
                .hostile =
                    [](hostile_side& h) {
                      answers_call(h, R"({"content":[],"structuredContent":[)" +
                                          joined(h.size, [](std::size_t) { return R"({"":0})"; }) + "]}");
                    },
                .size = 240'000,
                .message = [](std::size_t size) { return size * 7; },
                .cap = 64 * mebibyte});
  };
  "FRZ-12 metadata of a result whose names collide"_test = [] {
    check_cost(
        {.victim = uses_child,
         .hostile =
             [](hostile_side& h) { answers_call(h, R"({"content":[],"_meta":)" + hostile_object(h.size) + '}'); },
         .size = 16'384,
         .message = hostile_bytes,
         .cap = 64 * mebibyte});
  };
  "FRZ-12 an output schema whose names collide, in it or in what it fills in"_test = [] {
    check_cost(
        {.victim = uses_child,
         .hostile =
             [](hostile_side& h) {
               const auto names = colliding_names(static_cast<unsigned>(std::bit_width(h.size) - 1), any_salt);
               answers_call(
                   h, R"({"content":[],"structuredContent":{"a":1}})",
                   R"({"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":)" +
                       object_of(names, R"({"default":1})") + "}}]}");
             },
         .size = 16'384,
         .message = [](std::size_t size) { return hostile_bytes(size) + size * 12; },
         .cap = 64 * mebibyte});
  };
  "FRZ-12 a form whose names collide"_test = [] {
    check_cost({.victim = tries_child,
                .hostile =
                    [](hostile_side& h) {
                      stdio_wire wire = h.stdio();
                      const std::string call = wire.until_call(one_tool);
                      std::thread reads{[&wire] { wire.drain(); }};
                      wire.say(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)" +
                               hostile_object(h.size) + "}\n");
                      wire.answer(call, plain_result);
                      reads.join();
                    },
                .size = 16'384,
                .message = hostile_bytes,
                .cap = 48 * mebibyte});
  };
  "FRZ-12 a list of resources whose names collide"_test = [] {
    check_cost(
        {.victim =
             [](victim_side& v) {
               return in_hub(v, hostile_child(v), [](hub& of, victim_side&) -> task<std::string> {
                 auto listed = co_await of.list("s", list_kind::resources);
                 co_return std::string{};
               });
             },
         .hostile =
             [](hostile_side& h) {
               const std::string object = hostile_object(h.size);
               stdio_wire wire = h.stdio();
               for (std::string request = wire.line(); !request.empty(); request = wire.line()) {
                 if (id_text(request).empty()) continue;
                 if (request.find(R"("method":"initialize")") != std::string::npos) {
                   wire.answer(
                       request,
                       R"({"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"h","version":"1"}})");
                 } else {
                   wire.answer(request, R"({"resources":[)" + object + "]}");
                 }
               }
             },
         .size = 16'384,
         .message = hostile_bytes,
         .cap = 64 * mebibyte});
  };
  "FRZ-12 arguments of a client whose names collide"_test = [] {
    check_cost(
        {.victim = serves_http,
         .hostile =
             [](hostile_side& h) {
               const int fd = hostile_side::connect_to(h.victim_port());
               const std::string meta =
                   R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";
               const std::string body = words::request(
                   1, "tools/call", R"("name":"ask","arguments":)" + hostile_object(h.size, mapped_table) + ',' + meta);
               stdio_wire::write_all(fd, http_request_text("POST", modern_fields("tools/call", "ask"), body));
               hostile_side::answer_from(fd);
             },
         .size = 2'048,
         .message = [](std::size_t size) { return size * 12; },
         .cap = 32 * mebibyte});
  };
};

}  // namespace names_guard_test
