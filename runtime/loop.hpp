// SPDX-License-Identifier: MIT
// The event loop: a ready queue and a timer queue on one uv_loop_t. `run` is the bridge from ordinary code into
// coroutines, `post` the way in for other threads. attached_loop.hpp is for programs that run a uv_loop_t of their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "clock.hpp"
#include "detail/posted.hpp"
#include "log.hpp"
#include "task.hpp"
#include "timer.hpp"
#include "work.hpp"

struct uv_loop_s;  // libuv's uv_loop_t

namespace hawser {

class redaction;

namespace detail {
struct loop_core;  // the libuv side, in detail/loop_core.hpp
}

class loop {
 public:
  struct options {
    hawser::clock* clock = nullptr;  ///< null = the steady clock; must outlive the loop
    logger log{};
  };
  /// Sees every step before it is taken; for tests.
  using step_observer = std::function<void()>;

  /// std::system_error where the program has no descriptors left for it.
  loop();
  explicit loop(options o);
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  /// Nothing may be left on it: a handle that leaked ends the process with its type's name. Waits for functions that
  /// `offload` has running.
  ~loop();

  /// Drives the loop on this thread until `main` has ended, and returns its value. SIGPIPE and SIGXFSZ are blocked on
  /// this thread meanwhile. Not reentrant, and not for an attached loop, which the program drives.
  template <class T>
  T run(task<T> main) {
    root ending{*this};
    drive(main.start(begin(ending.stop), ending), ending);
    return main.take();
  }

  /// Stops the task that run() drives, or those of an attached loop. Loop thread only; others post a call of it.
  void request_stop() noexcept;

  /// From any thread: `f()` runs on the loop thread, after everything posted before. What it throws is logged. False,
  /// and `f` is dropped, once the loop is closing. A function still waiting when the loop dies is dropped, too.
  template <class F>
  bool post(F f) {
    auto item = std::make_unique<detail::posted<F>>(std::move(f), log_);
    if (!post_item(*item)) return false;
    item.release();  // NOLINT(bugprone-unused-return-value): the mailbox owns it now
    return true;
  }
  /// The same without an allocation; the item must stay alive until its turn or drop().
  bool post_item(work& item) noexcept;

  void ready(work& item) noexcept {
    ready_.push(item);
    if (unattended_) [[unlikely]]
      wake();
  }
  /// Whether anything waits for its turn.
  [[nodiscard]] bool has_ready() const noexcept { return !ready_.empty(); }

  /// The time, read at most once for each piece of work.
  [[nodiscard]] time_point now() noexcept {
    if (!now_is_known_) {
      now_ = clock_->now();
      now_is_known_ = true;
    }
    return now_;
  }
  void start(timer& t, duration after) {
    timers_.start(t, after, now());
    if (unattended_) [[unlikely]]
      wake();
  }

  /// The time as the last tick of the system's clock left it, some milliseconds ago, which is cheaper to know.
  [[nodiscard]] time_point rough_now() noexcept {
    return now_is_known_ || !real_time_ ? now() : steady_clock::last_tick();
  }
  /// For deadlines that are meant in seconds: it may run out those milliseconds early.
  void start_roughly(timer& t, duration after) {
    timers_.start(t, after, rough_now());
    if (unattended_) [[unlikely]]
      wake();
  }

  /// Counts the turns of the loop: what happens in one turn belongs together.
  [[nodiscard]] std::uint64_t turn() const noexcept { return turn_; }

  [[nodiscard]] const logger& log() const noexcept { return log_; }
  /// What is added to it is taken out of every text of log().
  [[nodiscard]] const std::shared_ptr<redaction>& hidden() const noexcept { return hidden_; }
  [[nodiscard]] bool on_loop_thread() const noexcept { return std::this_thread::get_id() == thread_; }

  /// A callback of libuv begins: what it finds is an event of its own.
  void begin_event() noexcept;
  /// One ends that libuv runs behind its poll, a timer's or a handle's that has closed. What it has made ready, or a
  /// timer that it has started, must not wait for an event: whoever drives libuv from another event loop asks it now
  /// for how long to sleep.
  void stay_awake() noexcept;

  void observe_steps(step_observer observer) {
    observer_ = std::move(observer);
    observed_ = static_cast<bool>(observer_);
  }

  /// Counts the objects that are closed by a coroutine, while they are open: a hub. An attached loop cannot be detached
  /// before, and says so.
  void opened_on_it() noexcept { ++open_objects_; }
  void closed_on_it() noexcept { --open_objects_; }

  [[nodiscard]] detail::loop_core& core() noexcept { return *core_; }

 private:
  friend class attached_loop;

  class root final : public completion {
   public:
    explicit root(loop& owner) : owner_(owner) {}
    std::coroutine_handle<> completed() noexcept override {
      done = true;
      owner_.leave();
      return std::noop_coroutine();
    }
    stop_source stop;
    bool done = false;

   private:
    loop& owner_;
  };

  /// Without a loop of the program it has one of its own.
  loop(options o, uv_loop_s* program);
  void open_handles() noexcept;
  void close_handles() noexcept;
  void close_mailbox() noexcept;
  context begin(stop_source& stop) noexcept;
  void end() noexcept;
  void leave() noexcept;
  void drive(std::coroutine_handle<> first, const root& ending);
  void run_ready() noexcept;
  void before_poll() noexcept;
  void after_poll() noexcept;
  void poll_without_sleep(bool wanted) noexcept;
  void wake() noexcept;
  void empty_mailbox() noexcept;
  void timer_expired() noexcept;
  void arm_timer() noexcept;
  void pass_time_of_test() noexcept;

  // What every turn touches, within one cache line.
  work_queue ready_;
  std::uint64_t turn_ = 0;
  time_point armed_ = time_point::max();  // what the libuv timer is set to
  bool busy_ = false;                     // the next poll does not sleep
  bool observed_ = false;
  bool real_time_ = true;
  bool attached_ = false;
  bool unattended_ = false;  // attached, and none of our callbacks is running: libuv must be told of work
  bool now_is_known_ = false;
  bool polled_in_vain_ = false;  // since something was last ready
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
  std::shared_ptr<redaction> hidden_;
  logger log_;
};

}  // namespace hawser
