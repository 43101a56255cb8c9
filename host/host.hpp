// SPDX-License-Identifier: MIT
// Hawser for programs that do not run its loop themselves: a hub on its own thread, callable from any thread. Calls
// return a handle to wait on, or take a callback. Coroutine programs use `hub`.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../registry/reader.hpp"
#include "../runtime/async/future.hpp"
#include "../runtime/async/timeout.hpp"
#include "../runtime/guarded.hpp"
#include "hub.hpp"
#include "result/model_text.hpp"

namespace hawser {

class host;

namespace detail {
class host_queue;
}

/// One immutable version of the tool table. Calls go to the tools of this version, whatever tool has the name now. May
/// outlive the host. Any thread.
class tool_snapshot {
 public:
  [[nodiscard]] const tool_table& table() const& noexcept { return *table_; }
  /// Deleted because it would dangle: `for (… : host.tools().table())` destroys the table before the first row.
  const tool_table& table() const&& = delete;
  const tool_table* operator->() const noexcept { return &*table_; }
  /// errc::tool_unknown if this version has no such tool; errc::server_gone if its server has been removed;
  /// errc::closed if the host is not running or has been destroyed.
  future<envelope> call(std::string_view name, const boost::json::object& arguments = {},
                        request_options request = {}) const;

 private:
  friend class host;
  tool_snapshot(std::shared_ptr<detail::host_queue> queue, const table_ref& table) noexcept
      : queue_(std::move(queue)), table_(table) {}
  std::shared_ptr<detail::host_queue> queue_;
  table_ref table_;
};

class host {
 public:
  using completion = std::function<void(result<envelope>)>;

  /// Throws std::system_error if the process has no descriptors left for the loop.
  explicit host(host_settings settings, hub_options options = {}, logger log = {});
  host(const host&) = delete;
  host& operator=(const host&) = delete;
  /// Calls stop(), so it must not run on the loop thread or in a native tool: if a callback holds the last reference to
  /// a host, or calls exit() with a static host, the process terminates with a message. In a forked child it does
  /// nothing, because the host's thread and servers exist only in the parent.
  ~host();

  /// Starts the thread; servers start in the background. A host is started once: errc::config if it is running,
  /// errc::closed if it was stopped or belongs to the parent of a forked process. errc::io if the thread cannot be
  /// created; then start() may be called again.
  result<void> start();
  /// Ends all calls, servers and the thread; waits for running native tools. Idempotent. Must not be called on the loop
  /// thread or in a native tool.
  void stop();

  /// May outlive the host.
  [[nodiscard]] tool_snapshot tools();
  /// For threads that look up names themselves: `reader mine{host.table()}`.
  [[nodiscard]] const registry& table() const noexcept { return inside().table(); }

  /// While a server that could expose the name is starting, waits for it within the timeout. See hub::call.
  future<envelope> call(std::string_view name, const boost::json::object& arguments = {}, request_options request = {});
  /// `done` runs on the loop thread and must not block. If the host is not running, `done` runs inside call() with
  /// errc::closed, so a `done` that retries on every error would recurse forever. Exceptions from it are logged.
  void call(std::string_view name, const boost::json::object& arguments, request_options request, completion done);

  /// See hub::add_tool. The function runs on one of up to 256 threads of the host, unless hub_options has an executor;
  /// so it may block, and may wait for other calls of the host.
  result<void> add_tool(native_tool added);
  /// For a function that returns its result: `envelope::of_text(…)`, `of_value(…)`, `failure(…)`.
  result<void> add_tool(std::string name, std::string description, std::string input_schema,
                        std::function<envelope(const boost::json::object&)> function);
  bool remove_tool(std::string_view name);

  result<server_id> add_server(server_settings added);
  result<server_id> add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect);
  future<void> remove_server(std::string name);
  result<void> restart(std::string_view name);
  /// See hub::authenticate.
  future<login_summary> authenticate(std::string server, login_callbacks callbacks = {});
  future<logout_report> log_out(std::string server);
  [[nodiscard]] std::vector<server_status> status();
  /// Waits until the server is ready for calls; an error says why it failed. Starts a lazy server. errc::config if no
  /// server has the name.
  future<void> ready(std::string server);
  /// Waits until no server is starting.
  future<void> settled();

  /// Any other hub function: `host.ask<T>([](hub& h) { return h.list("files", list_kind::prompts); })`. The function
  /// runs on the loop thread; the task it returns must own what it needs. An exception from either becomes an error. A
  /// task that is still waiting when the host has stopped its servers is stopped.
  template <class T>
  future<T> ask(std::function<task<result<T>>(hub&)> begin);

 private:
  struct core;
  friend class tool_snapshot;
  /// Who made the task. For a task of the hub, the error says whether the call was executed; for a task of the program,
  /// that is unknown after a stop.
  enum class task_origin : std::uint8_t { hub, program };
  [[nodiscard]] std::shared_ptr<const detail::loop_thread> thread() const noexcept;
  [[nodiscard]] hub& inside() const noexcept;
  [[nodiscard]] detail::host_queue& queue() const noexcept;
  /// Posts `begin` to the loop, which spawns its task. If `begin` is dropped instead, its destructor must report that.
  static void submit(detail::host_queue& queue, std::function<task<void>(hub&)> begin);
  /// Runs on the loop thread, or on this thread while there is no loop thread.
  void run_on_loop(const std::function<void(hub&)>& function);

  template <class T>
  static task<void> fulfil(hub& h, std::function<task<result<T>>(hub&)> begin,
                           std::shared_ptr<detail::promise<T>> promise, task_origin origin) {
    const context here = co_await this_context();
    auto running = guarded_task("the function of ask", [&] { return begin(h); });
    auto outcome = co_await with_stop(promise->token(), std::move(running));
    const bool cancelled = outcome.has_error() && outcome.error().code == errc::cancelled;
    if (cancelled && here.stop_requested() && !promise->token().stop_requested())
      outcome = error{.code = errc::closed,
                      .what = "the host is stopped",
                      .executed = origin == task_origin::hub ? outcome.error().executed : execution::unknown};
    promise->finish(std::move(outcome));
  }
  template <class T>
  static void submit(detail::host_queue& queue, std::function<task<result<T>>(hub&)> begin,
                     std::shared_ptr<detail::future_state<T>> state, task_origin origin = task_origin::hub) {
    auto promise = std::make_shared<detail::promise<T>>(std::move(state));
    submit(queue, [begin = std::move(begin), promise = std::move(promise), origin](hub& h) {
      return fulfil<T>(h, begin, promise, origin);
    });
  }
  template <class T>
  future<T> make_future(std::function<task<result<T>>(hub&)> begin, task_origin origin = task_origin::hub);

  core* core_;  // owned; not destroyed in a forked child
};

template <class T>
future<T> host::make_future(std::function<task<result<T>>(hub&)> begin, task_origin origin) {
  auto state = std::make_shared<detail::future_state<T>>(thread());
  submit<T>(queue(), std::move(begin), state, origin);
  return future<T>{std::move(state)};
}

template <class T>
future<T> host::ask(std::function<task<result<T>>(hub&)> begin) {
  return make_future<T>(std::move(begin), task_origin::program);
}

}  // namespace hawser
