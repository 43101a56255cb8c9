// SPDX-License-Identifier: MIT
// The event loop: a ready queue and a timer queue on one uv_loop_t. Ordinary code enters coroutines through `run`;
// other threads submit work through `post`. For programs that run a uv_loop_t of their own see attached_loop.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "../async/task.hpp"
#include "../log.hpp"
#include "clock.hpp"
#include "detail/posted_function.hpp"
#include "timer.hpp"
#include "work.hpp"

struct uv_loop_s;  // libuv's uv_loop_t

namespace hawser {

class redaction;

namespace detail {
struct loop_core;  // the libuv part, in detail/loop_core.hpp
}

class loop {
 public:
  struct options {
    hawser::clock* clock = nullptr;  ///< null = the steady clock; must outlive the loop
    logger log{};
  };
  /// Called before every step; for tests.
  using step_observer = std::function<void()>;

  /// Throws std::system_error if the process has too few free descriptors.
  loop();
  explicit loop(options o);
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  /// Nothing may be left on the loop: a leaked handle terminates the process with the name of its type. Waits for
  /// functions that `offload` is still running.
  ~loop();

  /// Runs the loop on this thread until `main` has ended, and returns its value. SIGPIPE and SIGXFSZ are blocked on
  /// this thread meanwhile. Not reentrant. Not for an attached loop, which the embedding program runs.
  template <class T>
  T run(task<T> main) {
    main_completion completion{*this};
    drive(main.start(begin(completion.stop), completion), completion);
    return main.take();
  }

  /// Stops the task that run() drives, or the tasks of an attached loop. Loop thread only; other threads post a call to
  /// it.
  void request_stop() noexcept;

  /// Any thread: `f()` runs on the loop thread after everything posted earlier. Returns false, and drops `f`, once the
  /// loop is closing. A function that has not run when the loop is destroyed is dropped as well.
  template <class F>
  bool post(F f) {
    auto item = std::make_unique<detail::posted_function<F>>(std::move(f), log_);
    if (!post_item(*item)) return false;
    item.release();  // NOLINT(bugprone-unused-return-value): the mailbox owns it now
    return true;
  }
  /// The same without an allocation. The item must stay alive until run() or drop() is called.
  bool post_item(work& item) noexcept;

  void ready(work& item) noexcept {
    ready_.push(item);
    if (needs_wakeup_) [[unlikely]]
      wake();
  }
  /// Whether anything waits for its turn.
  [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }

  /// The current time, read at most once per work item.
  [[nodiscard]] time_point now() noexcept {
    if (!now_is_known_) {
      now_ = clock_->now();
      now_is_known_ = true;
    }
    return now_;
  }
  void start(timer& t, duration after) {
    timers_.start(t, after, now());
    if (needs_wakeup_) [[unlikely]]
      wake();
  }

  /// The time at the last tick of the system clock, a few milliseconds ago; cheaper to read.
  [[nodiscard]] time_point coarse_now() noexcept {
    return now_is_known_ || !real_time_ ? now() : steady_clock::coarse_now();
  }
  /// For deadlines that are meant in seconds: it may run out those milliseconds early.
  void start_coarse(timer& t, duration after) {
    timers_.start(t, after, coarse_now());
    if (needs_wakeup_) [[unlikely]]
      wake();
  }

  /// The number of loop iterations so far. Writes to a stream within one iteration are sent together.
  [[nodiscard]] std::uint64_t iteration() const noexcept { return iteration_; }

  [[nodiscard]] const logger& log() const noexcept { return log_; }
  /// Secrets added to it are removed from every text written to log().
  [[nodiscard]] const std::shared_ptr<redaction>& redactions() const noexcept { return redactions_; }
  [[nodiscard]] bool on_loop_thread() const noexcept { return std::this_thread::get_id() == thread_; }

  /// Call at the start of a libuv callback; each callback counts as a separate event.
  void begin_event() noexcept;
  /// Call at the end of a libuv callback that runs after the poll (a timer or a close callback). If it has made work
  /// ready, the next poll must not sleep. This matters to a program that drives libuv from another event loop and asks
  /// libuv for the poll timeout now.
  void end_event_after_poll() noexcept;

  void observe_steps(step_observer observer) {
    observer_ = std::move(observer);
    observed_ = static_cast<bool>(observer_);
  }

  /// Counts the objects that are closed by a coroutine, while they are open: a hub. An attached loop cannot be detached
  /// before, and says so.
  void add_open_object() noexcept { ++open_objects_; }
  void remove_open_object() noexcept { --open_objects_; }

  [[nodiscard]] detail::loop_core& core() noexcept { return *core_; }

 private:
  friend class attached_loop;

  class main_completion final : public completion_handler {
   public:
    explicit main_completion(loop& owner) : owner_(owner) {}
    std::coroutine_handle<> on_completed() noexcept override {
      done = true;
      owner_.stop_run();
      return std::noop_coroutine();
    }
    stop_source stop;
    bool done = false;

   private:
    loop& owner_;
  };

  /// `program` is the embedding program's loop; null: the loop creates its own.
  loop(options o, uv_loop_s* program);
  void open_handles() noexcept;
  void close_handles() noexcept;
  void close_mailbox() noexcept;
  context begin(stop_source& stop) noexcept;
  void end() noexcept;
  void stop_run() noexcept;
  void drive(std::coroutine_handle<> first, const main_completion& completion);
  void run_ready() noexcept;
  void before_poll() noexcept;
  void after_poll() noexcept;
  void poll_without_sleep(bool wanted) noexcept;
  void wake() noexcept;
  void drain_mailbox() noexcept;
  void timer_expired() noexcept;
  void arm_timer() noexcept;
  void advance_virtual_clock() noexcept;

  // The members that every iteration touches, within one cache line.
  work_queue ready_;
  std::uint64_t iteration_ = 0;
  time_point armed_ = time_point::max();  // the time the libuv timer is set to
  bool busy_ = false;                     // the next poll does not sleep
  bool observed_ = false;
  bool real_time_ = true;
  bool attached_ = false;
  bool needs_wakeup_ = false;  // attached, and none of our callbacks is running: libuv must be told of work
  bool now_is_known_ = false;
  bool poll_found_nothing_ = false;  // a poll has found nothing since work was last ready
  timer_queue timers_;

  time_point now_;
  steady_clock steady_;
  clock* clock_;
  std::unique_ptr<detail::loop_core> core_;
  stop_source* stop_ = nullptr;  // of everything that runs on the loop
  std::size_t open_objects_ = 0;
  // Read by on_loop_thread() from any thread, written when run() begins and ends.
  std::atomic<std::thread::id> thread_;
  step_observer observer_;
  std::shared_ptr<redaction> redactions_;
  logger log_;
};

}  // namespace hawser
