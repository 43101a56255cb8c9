// SPDX-License-Identifier: MIT
// Adding servers, and calling tools by name. Other requests are in hub_requests.cpp.
#include "hub.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "../runtime/async/call_handler.hpp"
#include "../runtime/async/timeout.hpp"
#include "../runtime/async/when.hpp"
#include "../runtime/redaction.hpp"
#include "config/detail/config_checks.hpp"
#include "detail/argument_check.hpp"
#include "detail/guarded_options.hpp"
#include "detail/hub_core.hpp"
#include "detail/native_tool_check.hpp"

namespace hawser {

namespace {

error gone(std::string what) { return error{.code = errc::server_gone, .what = std::move(what)}; }

error is_closed() { return error{.code = errc::closed, .what = "the host is stopped"}; }

}  // namespace

namespace detail {

hub_core::hub_core(loop& l, host_settings s, hub_options o)
    : home(l),
      settings(std::move(s)),
      options(with_guards(std::move(o), l)),
      proxy(std::make_shared<loop_proxy>(l)),
      client(options.identity, options.input),
      dispatcher(proxy, options.callbacks, options.input),
      cache(options.cache_folder),
      starter(l),
      starts(std::max<std::size_t>(1, settings.limits.starting_at_once)),
      given_names(options.names != nullptr ? std::make_unique<guarded_resolver>(*options.names) : nullptr),
      channels(l, given_names.get()),
      own_logins(l, options.login_file),
      given_logins(options.logins != nullptr ? std::make_unique<guarded_credential_store>(l, *options.logins)
                                             : nullptr),
      logins{.home = l,
             .store = given_logins ? static_cast<credential_store&>(*given_logins) : own_logins,
             .names = channels.names(),
             .opens_browser = options.allow_spawn},
      table(settings.names),
      shared_context{.session = {.home = home, .client = client, .dispatcher = dispatcher, .limits = settings.limits},
                     .settings = settings,
                     .starter = starter,
                     .starts = starts,
                     .tools = table,
                     .cache = cache,
                     .channels = channels,
                     .logins = logins,
                     .allow_spawn = options.allow_spawn,
                     .allow_network = options.allow_network,
                     .on_change = [this](const host_change& one) { emit_change(one); },
                     .trace = redacted(options.trace, home.redactions())},
      entries(1),
      generations(1, native_id.generation) {}

std::shared_ptr<server> hub_core::find(std::string_view name) const {
  for (const entry& one : entries) {
    if (one.instance && !one.removing && one.instance->name() == name) return one.instance;
  }
  return nullptr;
}

std::shared_ptr<server> hub_core::find(server_id id) const {
  if (id.slot >= entries.size()) return nullptr;
  const entry& one = entries[id.slot];
  return one.instance && !one.removing && one.instance->id() == id ? one.instance : nullptr;
}

result<std::shared_ptr<server>> hub_core::find_named(std::string_view name) const {
  if (closing.is_set()) return is_closed();
  if (auto found = find(name)) return found;
  return error{
      .code = errc::config, .what = "no server is named \"" + std::string{name} + '"', .server = std::string{name}};
}

void hub_core::launch(entry& one) {
  one.work = std::make_unique<scope>(context{&home, nullptr});
  one.work->spawn(one.instance->run());
}

// Uses a free slot or a new one; the generation distinguishes successive servers in one slot.
result<server_id> hub_core::add(server_settings added, channel_maker connect) {
  if (closing.is_set()) return is_closed();
  if (const char* fault = server_name_fault(added.name)) return error{.code = errc::config, .what = fault};
  if (find(added.name))
    return error{
        .code = errc::config, .what = "there is a server named \"" + added.name + "\" already", .server = added.name};
  if (auto filter = tool_filter::parse(added.tools); !filter)
    return prefixed("server \"" + added.name + '"', filter.error());
  if (options.all_lazy) added.lazy = true;
  std::size_t slot = 1;
  while (slot < entries.size() && entries[slot].instance) ++slot;
  if (slot == entries.size()) {
    entries.emplace_back();
    generations.push_back(0);
  }
  const server_id id{static_cast<std::uint32_t>(slot), ++generations[slot]};
  entries[slot] = {.instance = std::make_shared<server>(shared_context, std::move(added), id, std::move(connect))};
  if (open) launch(entries[slot]);
  return id;
}

registry::outcome hub_core::publish_natives() {
  auto list = std::make_shared<tool_list>();
  for (const auto& [name, native] : native_tools) {
    list->keep(native);
    list->add({.name = native->name,
               .description = native->description,
               .input_schema = native->input_schema,
               .output_schema = native->output_schema,
               .hints = native->hints});
  }
  const auto outcome = table.replace(native_id, "", list);
  if (outcome.changed) emit_change({.what = host_change::kind::tools, .version = outcome.version});
  return outcome;
}

void hub_core::emit_change(const host_change& one) {
  changed.set();
  if (options.on_change) options.on_change(one);
}

error hub_core::too_many_calls() const {
  return error{.code = errc::too_large,
               .what = "more than " + std::to_string(settings.limits.max_total_pending) + " calls are pending"};
}

namespace {

task<result<handler_outcome<envelope>>> outcome_on_closing(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return is_closed();
}

}  // namespace

task<result<envelope>> hub_core::call_native(std::string tool, std::string arguments) {
  const auto found = native_tools.find(tool);
  if (found == native_tools.end()) co_return gone("the tool \"" + tool + "\" of the program was removed");
  const std::shared_ptr<const native_tool> native = found->second;
  boost::json::object object;
  if (!arguments.empty()) {
    auto parsed = raw_json{arguments}.parse();
    if (!parsed) co_return parsed.error();
    object = std::move(parsed->get_object());
  }
  executor where = options.tool_executor ? options.tool_executor : options.callbacks;
  auto calling = call_handler(proxy, std::move(where), native->function, "the tool \"" + tool + '"', std::move(object));
  auto first = co_await when_any(std::move(calling), outcome_on_closing(closing));
  // Only the handler's own result tells whether the function was called, whichever task finished first.
  const auto& called = std::get<0>(first.values);
  const execution executed = called.has_error() ? called.error().executed : execution::unknown;
  auto answer = first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
  if (!answer) {
    error why = answer.error();
    why.executed = executed;
    co_return why;
  }
  if (answer->thrown) co_return envelope::failure(answer->thrown->what);
  if (!answer->answer) co_return envelope::failure("the tool \"" + tool + "\" gave no answer");
  co_return *std::move(answer->answer);
}

task<result<envelope>> hub_core::call_native_in_time(std::string tool, std::string arguments, duration bound) {
  const std::string name = tool;
  auto answer = co_await with_timeout(bound, call_native(std::move(tool), std::move(arguments)));
  if (answer || answer.error().code != errc::timed_out) co_return answer;
  error why = answer.error();
  why.what = "the tool \"" + name + "\" gave no answer within " + format_duration(bound);
  co_return why;
}

task<result<envelope>> hub_core::dispatch(server_id id, tool_reference target, std::string arguments,
                                          request_options caller_options, time_point began) {
  // Checked first: a lazy server is not started for a call that is already cancelled.
  const context here = co_await this_context();
  if (caller_options.stop.stop_requested() || here.stop_requested_anywhere()) co_return cancelled_error();
  if (id == native_id) {
    duration bound = caller_options.timeout.value_or(settings.limits.hard_timeout);
    bound = std::max(duration::zero(), bound - std::max(duration::zero(), home.coarse_now() - began));
    if (caller_options.silence) bound = std::min(bound, *caller_options.silence);
    auto calling = call_native_in_time(std::move(target.tool), std::move(arguments), bound);
    co_return co_await with_stop(caller_options.stop, std::move(calling));
  }
  const std::shared_ptr<server> owner = find(id);
  if (!owner) co_return gone("the server of the tool \"" + target.tool + "\" was removed");
  if (calls.count() > settings.limits.max_total_pending) co_return too_many_calls();
  if (arguments.empty()) arguments = "{}";  // some servers require the member
  call_options rpc_options = owner->options_for(caller_options);
  auto calling = owner->call_tool(target, std::move(arguments), std::move(rpc_options), began);
  auto answer = co_await with_stop(caller_options.stop, std::move(calling));
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

hub::hub(loop& home, host_settings settings, hub_options options)
    : core_(std::make_unique<detail::hub_core>(home, std::move(settings), std::move(options))) {
  // Iterates over the settings' own list, which `add` does not modify. One bad server does not affect the others.
  for (const server_settings& one : core_->settings.servers) {
    auto added = core_->add(one, {});
    if (!added) home.log().write(log_level::error, "host", added.error().what);
  }
}

hub::~hub() { core_->proxy->close(); }

task<result<void>> hub::open() {
  if (core_->open || core_->closing.is_set()) co_return error{.code = errc::closed, .what = "a hub is opened once"};
  core_->open = true;
  core_->home.add_open_object();
  for (auto& one : core_->entries) {
    if (one.instance) core_->launch(one);
  }
  co_return result<void>{};
}

task<result<void>> hub::close() {
  if (core_->closing.is_set()) {  // by somebody else, who may not be done
    const wait_group::guard waiting{core_->closers};
    co_await core_->closing_down.wait();
    co_return *core_->closed;
  }
  std::optional<wait_group::guard> at_work{std::in_place, core_->closing_down};
  core_->closing.set();
  core_->changed.set();
  for (auto& one : core_->entries) {
    if (one.instance && !one.work) one.instance->end_unstarted();
  }
  for (auto& one : core_->entries) {
    if (one.work) one.work->request_stop();
  }
  for (std::size_t slot = 1; slot < core_->entries.size(); ++slot) {
    if (!core_->entries[slot].work || core_->entries[slot].removing) continue;
    scope& work = *core_->entries[slot].work;
    co_await work.join();
  }
  co_await core_->calls.wait();
  core_->closed.emplace(co_await core_->starter.close());
  if (std::exchange(core_->open, false)) core_->home.remove_open_object();
  core_->proxy->close();  // a late answer of a tool finds nobody, and perhaps no loop
  at_work.reset();
  co_await core_->closers.wait();
  co_return *core_->closed;
}

task<result<void>> hub::settled() {
  const wait_group::guard inside{core_->calls};
  std::vector<std::shared_ptr<server>> all;
  for (const auto& one : core_->entries) {
    if (one.instance) all.push_back(one.instance);
  }
  for (const auto& one : all) {
    while (!one->settled()) {
      one->changed().reset();
      auto waited = co_await one->changed().wait();
      if (!waited) co_return waited;
    }
  }
  co_return result<void>{};
}

const registry& hub::table() const noexcept { return core_->table; }

task<result<envelope>> hub::call(std::string name, std::string arguments, request_options settings) {
  const wait_group::guard inside{core_->calls};
  if (core_->closing.is_set()) co_return is_closed();
  if (auto sound = detail::check_arguments(arguments); !sound)
    co_return prefixed("tool \"" + name + '"', sound.error());
  // The limits cover the whole call, including the wait for the tool to be listed.
  const time_point began = core_->home.coarse_now();
  table_ref held = core_->table.table();
  const tool_row* row = held->find(name);
  if (row == nullptr) {
    const context here = co_await this_context();
    if (settings.stop.stop_requested() || here.stop_requested_anywhere()) co_return cancelled_error();
    auto listed = co_await core_->until_listed(name, settings);
    if (!listed) co_return listed.error();
    held = core_->table.table();
    row = held->find(name);
    if (row == nullptr) co_return core_->unknown_tool(name);
  }
  tool_reference target{*row, held};
  co_return co_await core_->dispatch(row->server, std::move(target), std::move(arguments), std::move(settings), began);
}

task<result<envelope>> hub::call(server_id server, std::string tool, std::string arguments, request_options settings) {
  const wait_group::guard inside{core_->calls};
  if (core_->closing.is_set()) co_return is_closed();
  if (auto sound = detail::check_arguments(arguments); !sound)
    co_return prefixed("tool \"" + tool + '"', sound.error());
  const time_point began = core_->home.coarse_now();
  co_return co_await core_->dispatch(server, tool_reference{std::move(tool)}, std::move(arguments), std::move(settings),
                                     began);
}

result<void> hub::add_tool(native_tool added) {
  if (core_->closing.is_set()) return is_closed();
  if (auto sound = detail::check_native_tool(added, core_->settings.names); !sound) return sound;
  if (core_->native_tools.contains(added.name))
    return error{.code = errc::config, .what = "there is a native tool named \"" + added.name + "\" already"};
  const std::string name = added.name;
  core_->native_tools.emplace(name, std::make_shared<const native_tool>(std::move(added)));
  const auto outcome = core_->publish_natives();
  if (outcome.refused == 0) return {};
  const std::string why = outcome.refusals.front().what;
  remove_tool(name);
  return error{.code = errc::config, .what = why};
}

bool hub::remove_tool(std::string_view name) {
  const auto found = core_->native_tools.find(name);
  if (found == core_->native_tools.end()) return false;
  core_->native_tools.erase(found);
  core_->publish_natives();
  return true;
}

}  // namespace hawser
