// SPDX-License-Identifier: MIT
#include "hub.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "../oauth/store/file_credential_store.hpp"
#include "../oauth/store/guarded_credential_store.hpp"
#include "../runtime/async/timeout.hpp"
#include "../runtime/async/wait_group.hpp"
#include "../runtime/async/when.hpp"
#include "../runtime/io/guarded_resolver.hpp"
#include "../runtime/redaction.hpp"
#include "../transports/http/http_fields.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/json/json_validator.hpp"
#include "../transports/jsonrpc/protocol.hpp"
#include "detail/argument_check.hpp"
#include "detail/guarded_options.hpp"
#include "detail/host_closed.hpp"
#include "detail/native_tools.hpp"
#include "detail/server_slots.hpp"
#include "detail/tool_lookup.hpp"

namespace hawser {

namespace detail {

// What the servers of a hub share, in the order of construction.
struct hub_core {
  hub_core(loop& loop_of_hub, host_settings configured, hub_options given);

  loop& event_loop;
  host_settings settings;
  hub_options options;
  loop_proxy_ptr proxy;
  client_profile client;
  input_dispatcher dispatcher;
  server_cache cache;
  keeper starter;
  semaphore starts;
  std::unique_ptr<guarded_resolver> given_names;  // wraps options.names, if set
  http_channel_factory channels;
  file_credential_store own_logins;
  std::unique_ptr<guarded_credential_store> given_logins;  // wraps options.logins, if set
  login_context logins;
  registry table;
  server_context shared_context;
  wait_group calls;
  event closing;
  event changed;  // a server's state or the table has changed
  bool open = false;
  wait_group closing_down;             // the one close() that does the work
  wait_group closers;                  // those that wait for it
  std::optional<result<void>> closed;  // what it returned
  server_slots servers;
  native_tools natives;
  tool_lookup lookup;

  result<server_id> add(server_settings added, channel_maker connect);
  result<std::shared_ptr<server>> find_named(std::string_view name) const;
  void report(const host_change& change);
  [[nodiscard]] bool has_room_for_call() const { return calls.count() <= settings.limits.max_total_pending; }
  [[nodiscard]] error too_many_calls() const;
  /// `began`: when the caller began to wait; the limits count from there.
  task<result<envelope>> dispatch(server_id id, tool_reference target, std::string arguments, request_options request,
                                  time_point began);
};

hub_core::hub_core(loop& loop_of_hub, host_settings configured, hub_options given)
    : event_loop(loop_of_hub),
      settings(std::move(configured)),
      options(with_guards(std::move(given), event_loop)),
      proxy(std::make_shared<loop_proxy>(event_loop)),
      client(options.identity, options.input),
      dispatcher(proxy, options.callbacks, options.input),
      cache(options.cache_folder),
      starter(event_loop),
      starts(std::max<std::size_t>(1, settings.limits.starting_at_once)),
      given_names(options.names != nullptr ? std::make_unique<guarded_resolver>(*options.names) : nullptr),
      channels(event_loop, given_names.get()),
      own_logins(event_loop, options.login_file),
      given_logins(options.logins != nullptr ? std::make_unique<guarded_credential_store>(event_loop, *options.logins)
                                             : nullptr),
      logins{.event_loop = event_loop,
             .store = given_logins ? static_cast<credential_store&>(*given_logins) : own_logins,
             .names = channels.names(),
             .opens_browser = options.allow_spawn},
      table(settings.names),
      shared_context{
          .session = {.home = event_loop, .client = client, .dispatcher = dispatcher, .limits = settings.limits},
          .settings = settings,
          .starter = starter,
          .starts = starts,
          .tools = table,
          .cache = cache,
          .channels = channels,
          .logins = logins,
          .allow_spawn = options.allow_spawn,
          .allow_network = options.allow_network,
          .on_change = [this](const host_change& change) { report(change); },
          .trace = redacted(options.trace, event_loop.redactions())},
      servers(shared_context),
      natives(table, settings.names, proxy, options.tool_executor ? options.tool_executor : options.callbacks, closing,
              shared_context.on_change),
      lookup(table, servers, settings.names, changed) {}

result<server_id> hub_core::add(server_settings added, channel_maker connect) {
  if (closing.is_set()) return host_closed_error();
  if (options.all_lazy) added.lazy = true;
  return servers.add(std::move(added), std::move(connect));
}

result<std::shared_ptr<server>> hub_core::find_named(std::string_view name) const {
  if (closing.is_set()) return host_closed_error();
  if (auto found = servers.find(name)) return found;
  return error{
      .code = errc::config, .what = "no server is named \"" + std::string{name} + '"', .server = std::string{name}};
}

void hub_core::report(const host_change& change) {
  changed.set();
  if (options.on_change) options.on_change(change);
}

error hub_core::too_many_calls() const {
  return error{.code = errc::too_large,
               .what = "more than " + std::to_string(settings.limits.max_total_pending) + " calls are pending"};
}

task<result<envelope>> hub_core::dispatch(server_id id, tool_reference target, std::string arguments,
                                          request_options request, time_point began) {
  // Checked first: a lazy server is not started for a call that is already cancelled.
  const context here = co_await this_context();
  if (request.stop.stop_requested() || here.stop_requested_anywhere()) co_return cancelled_error();
  if (id == server_slots::native_id) {
    duration longest = request.timeout.value_or(settings.limits.hard_timeout);
    longest = std::max(duration::zero(), longest - std::max(duration::zero(), event_loop.coarse_now() - began));
    if (request.silence) longest = std::min(longest, *request.silence);
    auto calling = natives.call(std::move(target.tool), std::move(arguments), longest);
    co_return co_await with_stop(request.stop, std::move(calling));
  }
  const std::shared_ptr<server> owner = servers.find(id);
  if (!owner)
    co_return error{.code = errc::server_gone, .what = "the server of the tool \"" + target.tool + "\" was removed"};
  if (!has_room_for_call()) co_return too_many_calls();
  if (arguments.empty()) arguments = "{}";  // some servers require the member
  call_options call = owner->options_for(request);
  auto calling = owner->call_tool(target, std::move(arguments), std::move(call), began);
  auto answer = co_await with_stop(request.stop, std::move(calling));
  if (!answer) co_return answer.error();
  envelope_options reading{.schema = std::move(target.schema),
                           .max_text = settings.limits.max_result,
                           .max_values = settings.limits.max_result_values,
                           .resources = settings.resources};
  auto read = envelope::read(*std::move(answer), std::move(reading));
  if (!read) co_return owner->annotated(read.error(), "call");
  co_return read;
}

}  // namespace detail

hub::hub(loop& event_loop, host_settings settings, hub_options options)
    : core_(std::make_unique<detail::hub_core>(event_loop, std::move(settings), std::move(options))) {
  // Iterates over the settings' own list, which `add` does not modify. One bad server does not affect the others.
  for (const server_settings& configured : core_->settings.servers) {
    auto added = core_->add(configured, {});
    if (!added) event_loop.log().write(log_level::error, "host", added.error().what);
  }
}

hub::~hub() { core_->proxy->close(); }

task<result<void>> hub::open() {
  if (core_->open || core_->closing.is_set()) co_return error{.code = errc::closed, .what = "a hub is opened once"};
  core_->open = true;
  core_->event_loop.add_open_object();
  core_->servers.open();
  co_return result<void>{};
}

task<result<void>> hub::close() {
  if (core_->closing.is_set()) {  // by another caller, who may not be done
    const wait_group::guard waiting{core_->closers};
    co_await core_->closing_down.wait();
    co_return *core_->closed;
  }
  std::optional<wait_group::guard> at_work{std::in_place, core_->closing_down};
  core_->closing.set();
  core_->changed.set();
  core_->servers.request_stop();
  co_await core_->servers.join();
  co_await core_->calls.wait();
  core_->closed.emplace(co_await core_->starter.close());
  if (std::exchange(core_->open, false)) core_->event_loop.remove_open_object();
  core_->proxy->close();  // a late answer of a tool is dropped; the loop may be gone
  at_work.reset();
  co_await core_->closers.wait();
  co_return *core_->closed;
}

task<result<void>> hub::settled() {
  const wait_group::guard inside{core_->calls};
  const auto servers = core_->servers.all();
  for (const auto& server : servers) {
    while (!server->settled()) {
      server->changed().reset();
      auto waited = co_await server->changed().wait();
      if (!waited) co_return waited;
    }
  }
  co_return result<void>{};
}

const registry& hub::table() const noexcept { return core_->table; }

task<result<envelope>> hub::call(std::string name, std::string arguments, request_options request) {
  const wait_group::guard inside{core_->calls};
  if (core_->closing.is_set()) co_return detail::host_closed_error();
  if (auto checked = detail::check_arguments(arguments); !checked)
    co_return prefixed("tool \"" + name + '"', checked.error());
  // The limits cover the whole call, including the wait for the tool to be listed.
  const time_point began = core_->event_loop.coarse_now();
  table_ref held = core_->table.table();
  const tool_row* row = held->find(name);
  if (row == nullptr) {
    const context here = co_await this_context();
    if (request.stop.stop_requested() || here.stop_requested_anywhere()) co_return cancelled_error();
    auto owners = core_->lookup.starting_owners(name);
    if (!owners.empty()) {
      if (!core_->has_room_for_call()) co_return core_->too_many_calls();
      auto listed = co_await core_->lookup.wait_until_listed(name, std::move(owners), request);
      if (core_->closing.is_set()) co_return detail::host_closed_error();
      if (!listed) co_return listed.error();
    }
    held = core_->table.table();
    row = held->find(name);
    if (row == nullptr) co_return core_->lookup.unknown_tool_error(name);
  }
  tool_reference target{*row, held};
  co_return co_await core_->dispatch(row->server, std::move(target), std::move(arguments), std::move(request), began);
}

task<result<envelope>> hub::call(server_id server, std::string tool, std::string arguments, request_options request) {
  const wait_group::guard inside{core_->calls};
  if (core_->closing.is_set()) co_return detail::host_closed_error();
  if (auto checked = detail::check_arguments(arguments); !checked)
    co_return prefixed("tool \"" + tool + '"', checked.error());
  const time_point began = core_->event_loop.coarse_now();
  co_return co_await core_->dispatch(server, tool_reference{std::move(tool)}, std::move(arguments), std::move(request),
                                     began);
}

result<void> hub::add_tool(native_tool added) {
  if (core_->closing.is_set()) return detail::host_closed_error();
  return core_->natives.add(std::move(added));
}

bool hub::remove_tool(std::string_view name) { return core_->natives.remove(name); }

result<server_id> hub::add_server(server_settings added) { return core_->add(std::move(added), {}); }

result<server_id> hub::add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect) {
  return core_->add(std::move(added), std::move(connect));
}

task<result<void>> hub::remove_server(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  co_await core_->servers.remove((*found)->id());
  co_return result<void>{};
}

result<void> hub::restart(std::string_view name) {
  auto found = core_->find_named(name);
  if (!found) return found.error();
  return (*found)->restart();
}

std::vector<server_status> hub::status() const {
  std::vector<server_status> all;
  for (const auto& server : core_->servers.all()) all.push_back(server->status());
  return all;
}

std::optional<server_status> hub::status(std::string_view name) const {
  const auto found = core_->servers.find(name);
  if (!found) return std::nullopt;
  return found->status();
}

std::string hub::stderr_tail(std::string_view name) const {
  const auto found = core_->servers.find(name);
  return found ? found->stderr_tail() : std::string{};
}

task<result<void>> hub::ready(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  auto connected = co_await (*found)->wait_for_session();
  if (!connected) co_return connected.error();
  co_return result<void>{};
}

task<result<void>> hub::listed(std::string name) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(name);
  if (!found) co_return found.error();
  co_return co_await (*found)->wait_for_tools();
}

task<result<boost::json::array>> hub::list(std::string server, list_kind list) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  auto connected = co_await (*found)->wait_for_session();
  if (!connected) co_return connected.error();
  // A server without the capability may not implement the method.
  const server_capabilities& can = (*connected)->negotiated().can;
  const bool has = list == list_kind::tools ? can.tools : list == list_kind::prompts ? can.prompts : can.resources;
  if (!has) co_return boost::json::array{};
  auto listed = co_await (*connected)->list(list);
  if (!listed) co_return (*found)->annotated(listed.error(), "list");
  co_return listed;
}

namespace {

// For a tools/call that is sent as a plain request.
class named_tool_check final : public send_check {
 public:
  named_tool_check(const server& owner, std::string tool) : owner_(owner), tool_(std::move(tool)) {}
  [[nodiscard]] result<void> may_send() const override { return owner_.admits_call(tool_); }

 private:
  const server& owner_;
  std::string tool_;
};

// Waits for the server's session and calls `begin` with it. `tool` is the tool's name if the request is a tools/call.
template <class F>
task<result<raw_json>> request_when_connected(loop& event_loop, server& owner, const request_options& request,
                                              const std::optional<std::string>& tool, const F& begin) {
  const time_point began = event_loop.now();
  call_options options = owner.options_for(request);
  auto connecting = tool ? owner.wait_for_session_with_tools() : owner.wait_for_session();
  auto connected = co_await with_timeout(options.hard_timeout, std::move(connecting));
  if (!connected) co_return connected.error();
  if (tool) {
    if (auto admitted = owner.admits_call(*tool); !admitted) co_return admitted.error();
    options.check = std::make_shared<const named_tool_check>(owner, *tool);
  }
  options.elapsed_before = event_loop.now() - began;
  auto requesting = begin(**connected, std::move(options));
  co_return co_await std::move(requesting);
}

// Finds the server; the caller's stop token applies from here on, also while the server starts.
template <class F>
task<result<raw_json>> send_request(detail::hub_core& core, std::string server_name, std::string phase,
                                    request_options request, F begin, std::optional<std::string> tool = std::nullopt) {
  const wait_group::guard inside{core.calls};
  auto found = core.find_named(server_name);
  if (!found) co_return found.error();
  const context here = co_await this_context();
  if (request.stop.stop_requested() || here.stop_requested_anywhere())
    co_return (*found)->annotated(cancelled_error(), phase);
  auto requesting = request_when_connected(core.event_loop, **found, request, tool, begin);
  auto answer = co_await with_stop(request.stop, std::move(requesting));
  if (!answer) co_return (*found)->annotated(answer.error(), phase);
  co_return answer;
}

// Returns an empty name, which is never admitted, if the params name no tool or more than one: with two `name` members,
// some servers read the first.
std::string tool_name_in(const std::string& params) {
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

task<result<raw_json>> hub::read_resource(std::string server, std::string uri, request_options request) {
  return send_request(*core_, std::move(server), "read", std::move(request),
                      [uri = std::move(uri)](session& current, call_options options) {
                        return current.read_resource(uri, std::move(options));
                      });
}

task<result<raw_json>> hub::get_prompt(std::string server, std::string name, std::string arguments,
                                       request_options request) {
  if (auto checked = detail::check_arguments(arguments); !checked) {
    error why = prefixed("prompt \"" + name + '"', checked.error());
    why.server = std::move(server);
    co_return why;
  }
  auto sending =
      send_request(*core_, std::move(server), "prompt", std::move(request),
                   [name = std::move(name), arguments = std::move(arguments)](session& current, call_options options) {
                     return current.get_prompt(name, arguments, std::move(options));
                   });
  co_return co_await std::move(sending);
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
                                    request_options request) {
  if (auto checked = detail::check_method(method); !checked) {
    error why = prefixed("server \"" + server + '"', checked.error());
    why.server = std::move(server);
    co_return why;
  }
  std::string phase = method;
  std::optional<std::string> tool;
  // Some servers ignore the case of method names.
  if (equal_ignoring_case(method, protocol::method::tools_call)) tool = tool_name_in(params);
  auto sending = send_request(
      *core_, std::move(server), std::move(phase), std::move(request),
      [method = std::move(method), params = std::move(params)](session& current, call_options options) {
        return current.request(method, params, std::move(options));
      },
      std::move(tool));
  co_return co_await std::move(sending);
}

result<void> hub::notify(std::string_view server, std::string_view method, std::string_view params) {
  auto found = core_->find_named(server);
  if (!found) return found.error();
  return (*found)->notify(method, params);
}

task<result<login_summary>> hub::authenticate(std::string server, login_options options, login_ui& person) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  auto first = co_await when_any((*found)->authenticate(std::move(options), person),
                                 detail::fail_on_closing<login_summary>(core_->closing));
  co_return first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
}

task<result<login_summary>> hub::authenticate(std::string server, login_callbacks callbacks) {
  login_options options = callbacks.wish;
  login_callback_adapter person{std::move(callbacks), core_->proxy, core_->options.callbacks};
  co_return co_await authenticate(std::move(server), std::move(options), person);
}

task<result<logout_report>> hub::log_out(std::string server) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->log_out();
}

task<result<std::vector<login_summary>>> hub::logins() {
  const wait_group::guard inside{core_->calls};
  auto stored = co_await core_->logins.store.all();
  if (!stored) co_return stored.error();
  std::vector<login_summary> all;
  all.reserve(stored->size());
  for (const auto& [url, login] : *stored) all.push_back(summarize(url, login));
  co_return all;
}

}  // namespace hawser
