// SPDX-License-Identifier: MIT
// Hawser for a program that has better things to do than to run our loop: a hub on a thread of its own, callable from
// any thread. Every call comes as a handle to wait on and with a callback; programs that live on a loop use `hub`.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../registry/reader.hpp"
#include "../runtime/guarded.hpp"
#include "../runtime/timeout.hpp"
#include "hub.hpp"
#include "model_text.hpp"
#include "pending.hpp"

namespace hawser {

class host;

namespace detail {
class host_queue;
}

/// One version of the table, held: it does not change, and its tools can be called whatever has their names now. It may
/// outlive its host. Any thread.
class held_tools {
 public:
  [[nodiscard]] const tool_table& table() const& noexcept { return *table_; }
  /// Of a temporary it would dangle: `for (… : host.tools().table())` destroys the table before the first row.
  const tool_table& table() const&& = delete;
  const tool_table* operator->() const noexcept { return &*table_; }
  /// errc::tool_unknown if this version has none of the name; errc::server_gone if its server was removed since;
  /// errc::closed if the host is not running or has been destroyed.
  pending<envelope> call(std::string_view name, const boost::json::object& arguments = {},
                         call_settings settings = {}) const;

 private:
  friend class host;
  held_tools(std::shared_ptr<detail::host_queue> queue, const table_ref& table) noexcept
      : queue_(std::move(queue)), table_(table) {}
  std::shared_ptr<detail::host_queue> queue_;
  table_ref table_;
};

class host {
 public:
  using completion = std::function<void(result<envelope>)>;

  /// std::system_error where the program has no descriptors left for its loop.
  explicit host(host_settings settings, hub_options options = {}, logger log = {});
  host(const host&) = delete;
  host& operator=(const host&) = delete;
  /// Stops, and so is neither for the loop thread nor for a native tool: where a callback holds the last reference to a
  /// host, or calls exit() with a static one, the process ends with a sentence. In a process that was forked from the
  /// one that made it, nothing: its thread and its servers are not there.
  ~host();

  /// Begins the thread; servers start in the background. A host is started once: errc::config if it is running,
  /// errc::closed if it was stopped, or belongs to the process that this one was forked from. errc::io if the program
  /// cannot have another thread; then it may be tried again.
  result<void> start();
  /// Ends every call and every server, and the thread; waits for native tools that are running. Idempotent. Neither on
  /// the loop thread nor in a native tool.
  void stop();

  /// May be kept longer than the host.
  [[nodiscard]] held_tools tools();
  /// For threads that look names up themselves: `reader mine{host.table()}`.
  [[nodiscard]] const registry& table() const noexcept { return inside().table(); }

  /// While a server that could have the name is starting, waits for it, within the timeout. See hub::call.
  pending<envelope> call(std::string_view name, const boost::json::object& arguments = {}, call_settings settings = {});
  /// `done` runs on the loop thread and must not block. While the host is not running it runs at once, inside of
  /// call(), with errc::closed: a `done` that calls again whatever the error is would never return. What it throws is
  /// logged.
  void call(std::string_view name, const boost::json::object& arguments, call_settings settings, completion done);

  /// See hub::add_tool. Its function runs on a thread of the host's own, up to 256 of them at once, unless hub_options
  /// has an executor: one that blocks holds up nobody. It may wait for other calls of the host.
  result<void> add_tool(native_tool added);
  /// For a function that returns its result: `envelope::of_text(…)`, `of_value(…)`, `failure(…)`.
  result<void> add_tool(std::string name, std::string description, std::string input_schema,
                        std::function<envelope(const boost::json::object&)> function);
  bool remove_tool(std::string_view name);

  result<server_id> add_server(server_settings added);
  result<server_id> add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect);
  pending<void> remove_server(std::string name);
  result<void> restart(std::string_view name);
  /// See hub::authenticate.
  pending<login_summary> authenticate(std::string server, login_dialogue with = {});
  pending<logout_report> log_out(std::string server);
  [[nodiscard]] std::vector<server_status> status();
  /// Waits until the server is ready for calls, or has failed: then the error says why. Starts a lazy one. errc::config
  /// if there is none of the name.
  pending<void> ready(std::string server);
  /// Waits until no server is starting any more.
  pending<void> settled();

  /// Anything else a hub can do: `host.ask<T>([](hub& h) { return h.list("files", list_kind::prompts); })`. The
  /// function runs on the loop thread; the task it returns owns what it needs. What either throws is an error. A task
  /// that still waits when the host has stopped its servers is stopped, too.
  template <class T>
  pending<T> ask(std::function<task<result<T>>(hub&)> what);

 private:
  struct core;
  friend class held_tools;
  /// Whose task it is: of one of the hub's own, the error tells whether the call was executed; of one of the program's,
  /// nobody knows what it had done when the host stopped it.
  enum class task_origin : std::uint8_t { hub, program };
  [[nodiscard]] std::shared_ptr<const detail::loop_thread> thread() const noexcept;
  [[nodiscard]] hub& inside() const noexcept;
  [[nodiscard]] detail::host_queue& queue() const noexcept;
  /// Has the loop spawn what `begin` makes; a `begin` that is dropped instead has to say so itself.
  static void submit(detail::host_queue& queue, std::function<task<void>(hub&)> begin);
  /// On the loop thread, or here while there is none.
  void run_there(const std::function<void(hub&)>& what);

  template <class T>
  static task<void> fulfil(hub& h, std::function<task<result<T>>(hub&)> what, std::shared_ptr<detail::promise<T>> to,
                           task_origin origin) {
    const context here = co_await this_context();
    auto begun = guarded_task("the function of ask", [&] { return what(h); });
    auto outcome = co_await with_stop(to->token(), std::move(begun));
    const bool cancelled = outcome.has_error() && outcome.error().code == errc::cancelled;
    if (cancelled && here.stop_requested() && !to->token().stop_requested())
      outcome = error{.code = errc::closed,
                      .what = "the host is stopped",
                      .executed = origin == task_origin::hub ? outcome.error().executed : execution::unknown};
    to->finish(std::move(outcome));
  }
  template <class T>
  static void submit(detail::host_queue& queue, std::function<task<result<T>>(hub&)> what,
                     std::shared_ptr<detail::promised<T>> to, task_origin origin = task_origin::hub) {
    auto promise = std::make_shared<detail::promise<T>>(std::move(to));
    submit(queue, [what = std::move(what), promise = std::move(promise), origin](hub& h) {
      return fulfil<T>(h, what, promise, origin);
    });
  }
  template <class T>
  pending<T> handle_of(std::function<task<result<T>>(hub&)> what, task_origin origin = task_origin::hub);

  core* core_;  // owned, and left alone in a forked process
};

template <class T>
pending<T> host::handle_of(std::function<task<result<T>>(hub&)> what, task_origin origin) {
  auto state = std::make_shared<detail::promised<T>>(thread());
  submit<T>(queue(), std::move(what), state, origin);
  return pending<T>{std::move(state)};
}

template <class T>
pending<T> host::ask(std::function<task<result<T>>(hub&)> what) {
  return handle_of<T>(std::move(what), task_origin::program);
}

}  // namespace hawser
