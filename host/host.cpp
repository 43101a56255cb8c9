// SPDX-License-Identifier: MIT
#include "host.hpp"

#include <boost/json/serialize.hpp>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "../runtime/async/scope.hpp"
#include "../runtime/loop/worker_pool.hpp"
#include "detail/callback_log.hpp"
#include "detail/host_queue.hpp"

namespace hawser {

namespace {

error is_started() { return error{.code = errc::config, .what = "the host is started already"}; }

error is_stopped() { return error{.code = errc::closed, .what = "the host is stopped"}; }

// How many native tools may block at once before the next one waits. Not fewer: a tool that calls another native tool
// and waits for it keeps its own thread occupied.
constexpr std::size_t max_tool_threads = 256;

hub_options with_pool(hub_options options, worker_pool& pool) {
  if (!options.callbacks && !options.tool_executor)
    options.tool_executor = [&pool](std::function<void()> job) { pool.run(std::move(job)); };
  return options;
}

}  // namespace

struct host::core {
  core(host_settings settings, hub_options options, logger log)
      : event_loop(loop::options{.log = std::move(log)}),
        inside(event_loop, std::move(settings), with_pool(std::move(options), tools)),
        queue(std::make_shared<detail::host_queue>(event_loop, inside)),
        thrown(std::make_shared<detail::callback_log>(event_loop.log(), queue)) {}

  // The thread's main task: opens the hub, and closes it on stop().
  task<void> main() {
    scope calls{co_await this_context()};
    queue->spawn_in(&calls);
    auto opened = co_await inside.open();
    ignore(opened, "it is opened once");
    auto waited = co_await stopping.wait();
    ignore(waited, "only stop() ends it");
    auto closed = co_await inside.close();
    if (!closed) event_loop.log().write(log_level::error, "host", closed.error().what);
    calls.request_stop();  // tasks of ask() may wait for something other than a server
    co_await calls.join();
    queue->spawn_in(nullptr);
  }

  void run() {
    queue->thread()->id = std::this_thread::get_id();
    event_loop.run(main());
    queue->thread()->id = std::thread::id{};
    thrown->loop_ended();
  }

  worker_pool tools{max_tool_threads};
  loop event_loop;
  hub inside;
  std::shared_ptr<detail::host_queue> queue;     // shared with held tables
  std::shared_ptr<detail::callback_log> thrown;  // shared with completions
  event stopping;
  std::thread thread;
  std::mutex ending;     // serialises start() and stop()
  bool stopped = false;  // guarded by ending
  // Guards the hub while there is no thread. Recursive, because on_change may call the host.
  std::recursive_mutex without_thread;
  bool working_without_thread = false;  // guarded by without_thread
};

host::host(host_settings settings, hub_options options, logger log)
    : core_(new core{std::move(settings), std::move(options), std::move(log)}) {}

host::~host() {
  if (core_->queue->is_forked()) return;
  stop();
  core_->thrown->host_ends();
  delete core_;
}

std::shared_ptr<const detail::loop_thread> host::thread() const noexcept { return core_->queue->thread(); }

hub& host::inside() const noexcept { return core_->inside; }

detail::host_queue& host::queue() const noexcept { return *core_->queue; }

result<void> host::start() {
  core& c = *core_;
  if (c.queue->is_forked()) return error{.code = errc::closed, .what = "the host is that of another process"};
  // On these threads waiting for the mutex could deadlock with a stop() that joins them.
  if (c.event_loop.on_loop_thread() || c.tools.is_current()) return is_started();
  const std::lock_guard one_at_a_time{c.ending};
  if (c.stopped) return error{.code = errc::closed, .what = "the host is stopped, and cannot be started again"};
  if (c.thread.joinable()) return is_started();
  // From here on the hub belongs to the loop thread. The lock waits for run_on_loop() on other threads; on this thread,
  // only its on_change callback can still be inside.
  const std::lock_guard alone{c.without_thread};
  if (c.working_without_thread)
    return error{.code = errc::config, .what = "a host is not started by a function that it calls"};
  c.tools.use_signal_mask_of_this_thread();
  c.queue->set_running(true);
  c.thrown->loop_begins();
  try {
    c.thread = std::thread{[&c] { c.run(); }};
  } catch (const std::system_error& e) {
    c.thrown->loop_ended();
    c.queue->set_running(false);
    return error{.code = errc::io,
                 .what = std::string{"the thread of the host cannot be started: "} + e.what(),
                 .native = e.code().value()};
  }
  return {};
}

void host::stop() {
  core& c = *core_;
  if (c.queue->is_forked()) return;
  detail::require(!c.event_loop.on_loop_thread(), "a host is not stopped by its own loop thread");
  detail::require(!c.tools.is_current(), "a host is not stopped by one of its native tools");
  const std::lock_guard one_at_a_time{c.ending};
  c.stopped = true;
  c.queue->proxy().post_and_close([&c] { c.stopping.set(); });
  if (c.thread.joinable()) c.thread.join();
  c.tools.stop();
  const std::lock_guard alone{c.without_thread};
  c.queue->set_running(false);
}

void host::submit(detail::host_queue& queue, std::function<task<void>(hub&)> begin) { queue.submit(std::move(begin)); }

void host::run_on_loop(const std::function<void(hub&)>& function) {
  core& c = *core_;
  if (c.queue->is_forked()) return;
  if (c.event_loop.on_loop_thread()) return function(c.inside);
  {
    // While there is no loop thread, the mutex takes its place.
    const std::lock_guard alone{c.without_thread};
    if (!c.queue->running()) {
      const bool outer = std::exchange(c.working_without_thread, true);
      function(c.inside);
      c.working_without_thread = outer;
      return;
    }
  }
  std::promise<void> done;
  const bool posted = c.queue->proxy().post([&] {
    function(c.inside);
    done.set_value();
  });
  if (posted) done.get_future().wait();
}

tool_snapshot host::tools() { return {core_->queue, inside().tools()}; }

// Uses only the queue: the host may have been destroyed.
future<envelope> tool_snapshot::call(std::string_view name, const boost::json::object& arguments,
                                     request_options request) const {
  auto state = std::make_shared<detail::future_state<envelope>>(queue_->thread());
  const tool_row* row = table_->find(name);
  if (row == nullptr) {
    state->finish(error{.code = errc::tool_unknown, .what = "no tool is named \"" + std::string{name} + '"'});
    return future<envelope>{std::move(state)};
  }
  host::submit<envelope>(
      *queue_,
      [server = row->server, tool = std::string{row->definition->name}, text = boost::json::serialize(arguments),
       request = std::move(request)](hub& h) { return h.call(server, tool, text, request); },
      state);
  return future<envelope>{std::move(state)};
}

future<envelope> host::call(std::string_view name, const boost::json::object& arguments, request_options request) {
  return make_future<envelope>([name = std::string{name}, text = boost::json::serialize(arguments),
                                request = std::move(request)](hub& h) { return h.call(name, text, request); });
}

void host::call(std::string_view name, const boost::json::object& arguments, request_options request, completion done) {
  completion guarded_done = [log = core_->thrown, done = std::move(done)](result<envelope> outcome) {
    auto called = guarded("the completion of a call", [&] { done(std::move(outcome)); });
    if (!called) log->write(called.error().what);
  };
  submit<envelope>(
      queue(),
      [name = std::string{name}, text = boost::json::serialize(arguments), request = std::move(request)](hub& h) {
        return h.call(name, text, request);
      },
      std::make_shared<detail::future_state<envelope>>(std::move(guarded_done)));
}

result<void> host::add_tool(native_tool added) {
  result<void> outcome{is_stopped()};
  run_on_loop([&](hub& h) { outcome = h.add_tool(std::move(added)); });
  return outcome;
}

result<void> host::add_tool(std::string name, std::string description, std::string input_schema,
                            std::function<envelope(const boost::json::object&)> function) {
  if (!function) return add_tool(native_tool{.name = std::move(name)});  // add_tool refuses a tool without a function
  return add_tool(
      {.name = std::move(name),
       .description = std::move(description),
       .input_schema = std::move(input_schema),
       .function = [function = std::move(function)](const boost::json::object& arguments, reply<envelope> answer) {
         answer(function(arguments));
       }});
}

bool host::remove_tool(std::string_view name) {
  bool removed = false;
  run_on_loop([&](hub& h) { removed = h.remove_tool(name); });
  return removed;
}

result<server_id> host::add_server(server_settings added) { return add_server(std::move(added), {}); }

result<server_id> host::add_server(server_settings added, std::function<std::unique_ptr<channel>()> connect) {
  result<server_id> outcome{is_stopped()};
  run_on_loop([&](hub& h) { outcome = h.add_server(std::move(added), std::move(connect)); });
  return outcome;
}

future<void> host::remove_server(std::string name) {
  return make_future<void>([name = std::move(name)](hub& h) { return h.remove_server(name); });
}

result<void> host::restart(std::string_view name) {
  result<void> outcome{is_stopped()};
  run_on_loop([&](hub& h) { outcome = h.restart(name); });
  return outcome;
}

std::vector<server_status> host::status() {
  std::vector<server_status> all;
  run_on_loop([&](hub& h) { all = h.status(); });
  return all;
}

future<void> host::ready(std::string server) {
  return make_future<void>([server = std::move(server)](hub& h) { return h.ready(server); });
}

future<void> host::settled() {
  return make_future<void>([](hub& h) { return h.settled(); });
}

future<login_summary> host::authenticate(std::string server, login_callbacks callbacks) {
  return make_future<login_summary>([server = std::move(server), callbacks = std::move(callbacks)](hub& h) {
    return h.authenticate(server, callbacks);
  });
}

future<logout_report> host::log_out(std::string server) {
  return make_future<logout_report>([server = std::move(server)](hub& h) { return h.log_out(server); });
}

}  // namespace hawser
