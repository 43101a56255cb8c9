// SPDX-License-Identifier: MIT
// Victims that many cases share: a hub with one hostile server, over pipes or HTTP, and services for hostile clients.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "../../host/hub.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../server/http/streamable_http_handler.hpp"
#include "../../server/request_context.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/stdio/stdio_server_channel.hpp"
#include "../support/fixture.hpp"
#include "../support/server_session_fixture.hpp"
#include "hostile_case.hpp"

namespace hawser::testing {

using hub_visit = task<std::string> (*)(hub&, victim_side&);

inline server_settings hostile_settings() {
  server_settings s{.name = "s"};
  s.protocol.era = protocol_choice::kind::legacy;
  s.restart = restart_policy::never;
  s.ladder = {.after_stdin = {}, .after_sigterm = {}, .after_sigkill = std::chrono::seconds{10}};
  return s;
}
/// The server that the hostile side plays over pipes.
inline server_settings hostile_child(const victim_side& v) {
  server_settings s = hostile_settings();
  s.transport = stdio_settings{.command = program("fixture_handover"), .args = {v.handover}};
  return s;
}
/// … over HTTP.
inline server_settings hostile_site(const victim_side& v) {
  server_settings s = hostile_settings();
  s.transport = http_settings{.url = "http://127.0.0.1:" + std::to_string(v.hostile_port()) + "/mcp"};
  return s;
}

inline task<std::string> in_hub(victim_side& v, server_settings server, hub_visit visit, hub_options options = {}) {
  hub of{v.home, host_settings{}, std::move(options)};
  auto opened = co_await of.open();
  if (!opened) co_return opened.error().what;
  auto added = of.add_server(std::move(server));
  std::string complaint;
  if (added) {
    complaint = co_await visit(of, v);
  } else {
    complaint = added.error().what;
  }
  auto closed = co_await of.close();
  if (!closed && complaint.empty()) complaint = closed.error().what;
  co_return complaint;
}

/// What follows is an event of its own.
inline task<void> next_event() {
  auto turn = co_await sleep_for(duration::zero());
  ignore(turn, "nobody stops a victim");
}

/// A call that has to succeed in spite of everything, and everything that its result is looked at for.
inline task<std::string> calls(hub& of, victim_side& /*v*/) {
  request_options settings{.timeout = std::chrono::seconds{15}, .on_progress = [](const progress_update&) {}};
  auto answer = co_await of.call("s__echo", "{}", std::move(settings));
  if (!answer) co_return answer.error().what;
  // Each in an event of its own, as a program that lives on the loop would look at them.
  const std::string text = answer->text();
  co_await next_event();
  const auto blocks = answer->content();
  co_await next_event();
  const auto broken = answer->violation();
  co_await next_event();
  co_return text.empty() ? "a result without text" : "";
}
/// One that may fail, as long as nothing else happens.
inline task<std::string> calls_with_retry_check(hub& of, victim_side& v) {
  const std::string complaint = co_await calls(of, v);
  if (complaint.find("timed out") != std::string::npos) co_return complaint;
  co_return std::string{};
}

inline task<std::string> calls_child(victim_side& v) { return in_hub(v, hostile_child(v), calls); }
inline task<std::string> tries_child(victim_side& v) { return in_hub(v, hostile_child(v), calls_with_retry_check); }
inline task<std::string> calls_site(victim_side& v) { return in_hub(v, hostile_site(v), calls); }
inline task<std::string> tries_site(victim_side& v) { return in_hub(v, hostile_site(v), calls_with_retry_check); }

/// Echoes what it gets; `ask` has a question first, `large` comes back with a text of `n` bytes, and `chatter` tells of
/// its progress in messages of as many bytes together. Keeps nothing of what it is asked: what is measured is the
/// serving side's own.
class stateless_question_service final : public service {
 public:
  stateless_question_service() {
    card_.info = R"({"name":"forgetful","version":"1"})";
    card_.resources = card_.resource_updates = card_.lists_change = true;
  }
  [[nodiscard]] const server_info& info() const override { return card_; }
  task<result<item_list>> list(list_kind /*what*/) override {
    co_return std::make_shared<const std::vector<std::string>>(1, R"({"name":"echo","inputSchema":{"type":"object"}})");
  }
  task<result<service_result>> call_tool(request_context& request) override {
    if (request.name() == "ask" && request.answer("who").empty()) {
      service_result question;
      question.input_requests = {
          {"who", "elicitation/create", R"({"message":"Who?","requestedSchema":{"type":"object"}})"}};
      co_return question;
    }
    const auto n = static_cast<std::size_t>(integer_of(find_member(request.arguments(), "n")).value_or(0));
    if (request.name() == "large") co_return service_result::complete(text_result(std::string(n, 'x')));
    if (request.name() == "chatter") {
      const std::string message(std::size_t{64} << 10, 'x');
      for (std::size_t said = 0; said < n; said += message.size()) request.progress(double(said + 1), {}, message);
      co_return service_result::complete(text_result("that is all"));
    }
    co_return service_result::complete(R"({"content":[],"y":)" + std::string{request.arguments()} + '}');
  }

 private:
  server_info card_;
};

inline task<void> serve_until_stopped(streamable_http_handler& serving, http_server& at) { co_await serving.run(at); }

/// Serves over HTTP until the hostile client has ended.
inline task<std::string> serves_http(victim_side& v) {
  auto server = http_server::listen(v.home, {});
  if (!server) co_return server.error().what;
  stateless_question_service what;
  streamable_http_handler serving{v.home, what};
  scope running{co_await this_context()};
  running.spawn(serve_until_stopped(serving, *server));
  v.serves_at(server->local().port);
  co_await v.hostile_ended();
  running.request_stop();
  co_await running.join();
  co_return std::string{};
}

}  // namespace hawser::testing
