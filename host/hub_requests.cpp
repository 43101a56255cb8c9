// SPDX-License-Identifier: MIT
// A hub's servers by name: adding, removing, status, and requests other than tool calls.
#include "../runtime/async/timeout.hpp"
#include "../transports/http/http_fields.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/json/json_validator.hpp"
#include "../transports/jsonrpc/protocol.hpp"
#include "detail/argument_check.hpp"
#include "detail/hub_core.hpp"

namespace hawser {

result<server_id> hub::add_server(server_settings added) { return core_->add(std::move(added), {}); }

result<server_id> hub::add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect) {
  return core_->add(std::move(added), std::move(connect));
}

task<result<void>> hub::remove_server(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  const std::size_t slot = (*found)->id().slot;
  core_->entries[slot].removing = true;
  // Look up the entry again after the await: `entries` may have been reallocated.
  if (core_->entries[slot].work) {
    scope& work = *core_->entries[slot].work;
    work.request_stop();
    co_await work.join();
  } else {
    (*found)->end_unstarted();
  }
  core_->entries[slot] = {};
  co_return result<void>{};
}

result<void> hub::restart(std::string_view name) {
  auto found = core_->find_named(name);
  if (!found) return found.error();
  return (*found)->restart();
}

std::vector<server_status> hub::status() const {
  std::vector<server_status> all;
  for (const auto& one : core_->entries) {
    if (one.instance) all.push_back(one.instance->status());
  }
  return all;
}

std::optional<server_status> hub::status(std::string_view name) const {
  const auto found = core_->find(name);
  if (!found) return std::nullopt;
  return found->status();
}

std::string hub::stderr_tail(std::string_view name) const {
  const auto found = core_->find(name);
  return found ? found->stderr_tail() : std::string{};
}

task<result<void>> hub::ready(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  auto at = co_await (*found)->wait_for_session();
  if (!at) co_return at.error();
  co_return result<void>{};
}

task<result<void>> hub::listed(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  co_return co_await (*found)->wait_for_tools();
}

task<result<boost::json::array>> hub::list(std::string server, list_kind what) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  auto at = co_await (*found)->wait_for_session();
  if (!at) co_return at.error();
  // A server without the capability may not implement the method.
  const server_capabilities& can = (*at)->negotiated().can;
  const bool has = what == list_kind::tools ? can.tools : what == list_kind::prompts ? can.prompts : can.resources;
  if (!has) co_return boost::json::array{};
  auto listed = co_await (*at)->list(what);
  if (!listed) co_return (*found)->annotated(listed.error(), "list");
  co_return listed;
}

namespace {

// For a tools/call that is sent as a plain request.
class named_tool_check final : public send_check {
 public:
  named_tool_check(const server& of, std::string tool) : of_(of), tool_(std::move(tool)) {}
  [[nodiscard]] result<void> may_send() const override { return of_.admits_call(tool_); }

 private:
  const server& of_;
  std::string tool_;
};

// Waits for the server's session and calls `begin` with it. `tool` is the tool's name if the request is a tools/call.
template <class F>
task<result<raw_json>> asked_when_connected(loop& home, server& of, const request_options& settings,
                                            const std::optional<std::string>& tool, const F& begin) {
  const time_point began = home.now();
  call_options options = of.options_for(settings);
  auto connecting = tool ? of.wait_for_session_with_tools() : of.wait_for_session();
  auto at = co_await with_timeout(options.hard_timeout, std::move(connecting));
  if (!at) co_return at.error();
  if (tool) {
    if (auto admitted = of.admits_call(*tool); !admitted) co_return admitted.error();
    options.check = std::make_shared<const named_tool_check>(of, *tool);
  }
  options.elapsed_before = home.now() - began;
  auto asking = begin(**at, std::move(options));
  co_return co_await std::move(asking);
}

// Finds the server; the caller's stop token applies from here on, also while the server starts.
template <class F>
task<result<raw_json>> asked(detail::hub_core& core, std::string server, std::string phase, request_options settings,
                             F begin, std::optional<std::string> tool = std::nullopt) {
  const wait_group::guard inside{core.calls};
  auto found = core.find_named(server);
  if (!found) co_return found.error();
  const context here = co_await this_context();
  if (settings.stop.stop_requested() || here.stop_requested_anywhere())
    co_return (*found)->annotated(cancelled_error(), phase);
  auto asking = asked_when_connected(core.home, **found, settings, tool, begin);
  auto answer = co_await with_stop(settings.stop, std::move(asking));
  if (!answer) co_return (*found)->annotated(answer.error(), phase);
  co_return answer;
}

// Returns an empty name, which is never admitted, if the params name no tool or more than one: with two `name` members,
// some servers read the first.
std::string tool_in(const std::string& params) {
  if (!validate_json(params)) return {};
  const std::size_t first = params.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || params[first] != '{') return {};
  std::vector<std::string> names;
  for_each_member(std::string_view{params}.substr(first), [&](std::string_view member, std::string_view value) {
    if (equal_ignoring_case(unescaped(member), "name")) names.push_back(text_of(value).value_or(std::string{}));
    return names.size() < 2;
  });
  return names.size() == 1 ? std::move(names.front()) : std::string{};
}

}  // namespace

task<result<raw_json>> hub::read_resource(std::string server, std::string uri, request_options settings) {
  return asked(
      *core_, std::move(server), "read", std::move(settings),
      [uri = std::move(uri)](session& s, call_options options) { return s.read_resource(uri, std::move(options)); });
}

task<result<raw_json>> hub::get_prompt(std::string server, std::string name, std::string arguments,
                                       request_options settings) {
  if (auto sound = detail::check_arguments(arguments); !sound) {
    error why = prefixed("prompt \"" + name + '"', sound.error());
    why.server = std::move(server);
    co_return why;
  }
  auto asking = asked(*core_, std::move(server), "prompt", std::move(settings),
                      [name = std::move(name), arguments = std::move(arguments)](session& s, call_options options) {
                        return s.get_prompt(name, arguments, std::move(options));
                      });
  co_return co_await std::move(asking);
}

task<result<raw_json>> hub::complete(std::string server, std::string params) {
  std::string method{protocol::method::complete};
  co_return co_await request(std::move(server), std::move(method), std::move(params), request_options{});
}

task<result<void>> hub::subscribe(std::string server, std::string uri) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->subscribe(std::move(uri));
}

task<result<void>> hub::unsubscribe(std::string server, std::string uri) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->unsubscribe(std::move(uri));
}

task<result<void>> hub::set_log_level(std::string server, std::string level) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->set_log_level(std::move(level));
}

task<result<raw_json>> hub::request(std::string server, std::string method, std::string params,
                                    request_options settings) {
  if (auto sound = detail::check_method(method); !sound) {
    error why = prefixed("server \"" + server + '"', sound.error());
    why.server = std::move(server);
    co_return why;
  }
  std::string phase = method;
  std::optional<std::string> tool;
  // Some servers ignore the case of method names.
  if (equal_ignoring_case(method, protocol::method::tools_call)) tool = tool_in(params);
  auto asking = asked(
      *core_, std::move(server), std::move(phase), std::move(settings),
      [method = std::move(method), params = std::move(params)](session& s, call_options options) {
        return s.request(method, params, std::move(options));
      },
      std::move(tool));
  co_return co_await std::move(asking);
}

result<void> hub::notify(std::string_view server, std::string_view method, std::string_view params) {
  auto found = core_->find_named(server);
  if (!found) return found.error();
  return (*found)->notify(method, params);
}

}  // namespace hawser
