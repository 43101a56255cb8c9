// SPDX-License-Identifier: MIT
// A server_session over a memory channel with the test as its client, and a service that has one of everything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../server/server_session.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/object_writer.hpp"
#include "counted.hpp"
#include "manual_clock.hpp"
#include "raw_end.hpp"
#include "ut.hpp"

namespace hawser::testing {

class example_service final : public service {
 public:
  example_service() {
    own.info = R"({"name":"example","version":"1","title":"Example","icons":[]})";
    own.instructions = "Be \"kind\"";
    own.resources = own.resource_updates = own.prompts = own.completions = own.logging = own.lists_change = true;
    tools = {R"({"name":"echo","inputSchema":{"type":"object"},"x":[1.0e0],"icons":[]})",
             R"({"name":"one","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}})",
             R"({"name":"two","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}})"};
  }

  server_info own;
  std::vector<std::string> tools;
  std::vector<std::string> calls;     // "name arguments", as received
  std::vector<input_request> asking;  // the input requests of `ask`
  bool forgetful = false;             // … repeated each time
  event stuck;                        // a call of `wait` is in progress
  std::size_t large = 0;              // size of the text that `large` returns, and `later` returns …
  event due;                          // … when this is set
  bool heard_stop = false;
  using service::notify_list_changed;
  using service::notify_resource_updated;

  [[nodiscard]] const server_info& info() const override { return own; }

  task<result<item_list>> list(list_kind what) override {
    std::vector<std::string> items = tools;
    if (what == list_kind::resources) items = {R"({"uri":"a:1","name":"one","icons":[]})"};
    if (what == list_kind::resource_templates) items = {R"({"uriTemplate":"a:{n}","name":"n"})"};
    if (what == list_kind::prompts) items = {R"({"name":"greet"})"};
    co_return std::make_shared<const std::vector<std::string>>(std::move(items));
  }

  task<result<service_result>> call_tool(request_context& request) override {
    calls.push_back(request.name() + ' ' + std::string{request.arguments()});
    if (request.name() == "echo")
      co_return service_result::complete(R"({"content":[],"y":)" + std::string{request.arguments()} + '}');
    if (request.name() == "rich") co_return service_result::complete(rich);
    if (request.name() == "bad") co_return service_result::complete("{");
    if (request.name() == "fail") co_return error{.code = errc::io, .what = "the disk is full"};
    if (request.name() == "refuse") co_return error{.code = errc::remote, .what = "no", .native = -7, .data = "[1]"};
    if (request.name() == "wait") co_return co_await wait_for_stop();
    if (request.name() == "large") co_return service_result::complete(text_result(std::string(large, 'x')));
    if (request.name() == "later") {
      auto now = co_await due.wait();
      if (!now) co_return now.error();
      co_return service_result::complete(text_result(std::string(large, 'x')));
    }
    if (request.name() == "tell") co_return tell(request);
    if (request.name() == "ask") co_return ask(request);
    co_return error{.code = errc::tool_unknown, .what = "no tool " + json_string(request.name())};
  }

  task<result<service_result>> read_resource(request_context& request) override {
    if (request.name() == "ask:1") co_return ask(request);
    if (request.name() != "a:1") co_return no_such_resource(request.name());
    co_return service_result::complete(R"({"contents":[{"uri":"a:1","text":"1"}],"ttlMs":5,"cacheScope":"public"})");
  }
  task<result<service_result>> get_prompt(request_context& request) override {
    if (request.name() != "greet") co_return invalid_params("no prompt " + json_string(request.name()));
    co_return service_result::complete(
        R"({"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:1","name":"one"}}]})");
  }
  task<result<service_result>> complete(request_context& request) override {
    const std::string_view given = find_member(find_member(request.params(), "argument"), "value");
    co_return service_result::complete(R"({"completion":{"values":[)" + std::string{given} + "]}}");
  }

  std::string rich = R"({"resultType":"complete","content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"},)"
                     R"({"type":"resource_link","uri":"a:1","name":"one"}],"structuredContent":{"a":1},"z":true})";

 private:
  task<result<service_result>> wait_for_stop() {
    const counted alive;
    stuck.set();
    auto slept = co_await sleep_for(std::chrono::hours{1});
    heard_stop = !slept.has_value();
    if (!slept) co_return slept.error();
    co_return service_result::complete("{}");
  }
  static service_result tell(request_context& request) {
    request.progress(1, 4, "first");
    request.progress(1, 4, "not more");
    request.progress(2.5);
    request.log(severity::debug, "example", R"("quiet")");
    request.log(severity::error, "example", R"({"loud":true})");
    return service_result::complete(text_result("told"));
  }
  service_result ask(const request_context& request) const {
    bool all = true;
    std::string got = request.state() + ':';
    for (const input_request& question : asking) {
      all = all && !request.answer(question.key).empty();
      got += request.answer(question.key);
    }
    if (all && !forgetful) return service_result::complete(text_result(got));
    return {.input_requests = asking, .state = request.state() + "s"};
  }
};

inline constexpr std::string_view modern_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

struct server_session_fixture {
  explicit server_session_fixture(loop& l, server_session_options options = {})
      : channels(memory_channel::make(l, {.max_batch = max_batch})),  // as for stdio
        session(l, what, *channels.first, std::move(options)),
        far(*channels.second) {}

  example_service what;
  memory_channel::pair channels;
  server_session session;
  raw_end far;
  std::optional<result<void>> ended;

  /// Sends one message and returns the next one received.
  task<std::string> ask(std::string message) {
    far.say(message);
    co_return co_await far.next();
  }
  /// A request, with params given without their braces.
  static std::string request(int id, std::string_view method, std::string_view members = {}) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + std::string{method} +
           R"(","params":{)" + std::string{members} + "}}";
  }
  /// The same with the `_meta` that 2026-07-28 requires.
  static std::string modern(int id, std::string_view method, std::string_view members = {}) {
    return request(id, method, std::string{members} + (members.empty() ? "" : ",") + std::string{modern_meta});
  }
  task<void> initialize(std::string revision, std::string capabilities = "{}") {
    const std::string asked =
        request(1000, "initialize", R"("protocolVersion":")" + revision + R"(","capabilities":)" + capabilities);
    const std::string answer = co_await ask(asked);
    expect(text_of(find_member(find_member(answer, "result"), "protocolVersion")) == revision) << answer;
    far.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  static task<void> serve(server_session_fixture& h) { h.ended = co_await h.session.run(); }
};

inline std::string_view result_of(std::string_view message) { return find_member(message, "result"); }
inline std::string_view code_of(std::string_view message) { return find_member(find_member(message, "error"), "code"); }
inline std::string_view method_of(std::string_view message) { return find_member(message, "method"); }

using server_session_body = task<void> (*)(server_session_fixture&);

inline task<void> run_in_server_session_fixture(loop& l, server_session_body inside, server_session_options options) {
  server_session_fixture h{l, std::move(options)};
  scope sessions{co_await this_context()};
  sessions.spawn(server_session_fixture::serve(h));
  auto opened = co_await h.far.open();
  expect(opened.has_value());
  co_await inside(h);
  auto closed = co_await h.channels.second->close();
  ignore(closed, "a stop may come first");
  co_await sessions.join();
  expect(h.ended.has_value() && h.ended->has_value());
}

inline void serving(server_session_body inside, server_session_options options = {}) {
  manual_clock clock;
  loop l{loop::options{.clock = &clock}};
  l.run(run_in_server_session_fixture(l, inside, std::move(options)));
}

}  // namespace hawser::testing
