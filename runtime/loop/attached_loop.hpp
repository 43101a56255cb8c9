// SPDX-License-Identifier: MIT
// Runs Hawser inside a libuv program: a `loop` on the uv_loop_t that the program runs. This is the only public header
// that exposes a libuv type. Programs without a libuv loop use `host` or `loop::run`.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "../async/scope.hpp"
#include "../guarded.hpp"
#include "loop.hpp"

using uv_loop_t = uv_loop_s;  // as in <uv.h>, which this header does not include

namespace hawser {

/// Constructed, used and destroyed on the thread that runs the program's loop. While it is attached:
///
/// - `event_loop()` is an ordinary loop: `hub`, channels, streams and timers work on it;
/// - Hawser has handles on the program's loop, which keep uv_run() from returning until detach() has completed. Hawser
///   does not use uv_loop_t::data, the program's handles or its signal handlers;
/// - SIGPIPE and SIGXFSZ are blocked on this thread, because a write to a closed pipe raises SIGPIPE;
/// - coroutines run in batches before and after each poll of the program's loop. The program may stop its loop at any
///   time; pending operations continue when it runs the loop again.
class attached_loop {
 public:
  explicit attached_loop(uv_loop_t* program, loop::options o = {});
  attached_loop(const attached_loop&) = delete;
  attached_loop& operator=(const attached_loop&) = delete;
  /// Precondition: detached. Otherwise the process is terminated with a message.
  ~attached_loop();

  [[nodiscard]] loop& event_loop() noexcept { return loop_; }

  /// Starts `main` at the next iteration of the program's loop and passes its value to `done`. An exception from `main`
  /// terminates the process; an exception from `done` is logged.
  template <class T, class F>
  void start(task<T> main, F done) {
    begin(run_then<T, F>(loop_, std::move(main), std::move(done)));
  }
  void start(task<void> main) { begin(std::move(main)); }

  /// Stops the tasks started by start(). Waits for them, for functions that `offload` is running, and for every handle
  /// to close; then calls `detached`, which may destroy this object. The program keeps running its loop until then.
  /// Close a hub first, as before the end of loop::run(). Call it once.
  void detach(std::function<void()> detached);
  [[nodiscard]] bool is_attached() const noexcept { return state_ != state::detached; }

 private:
  enum class state : std::uint8_t { attached, stopping, draining, closing, detached };

  template <class T, class F>
  static task<void> run_then(loop& event_loop, task<T> main, F done) {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(main);
      call_guarded(event_loop.log(), "attached_loop::start", done);
    } else {
      T value = co_await std::move(main);
      call_guarded(event_loop.log(), "attached_loop::start", [&] { done(std::move(value)); });
    }
  }

  // Notified when the tasks have been joined. drain() runs as a separate work item, outside the frame that has just
  // ended.
  class join_completion final : public completion_handler, public work {
   public:
    explicit join_completion(attached_loop& of) : of_(of) {}
    std::coroutine_handle<> on_completed() noexcept override;

   private:
    void run() noexcept override { of_.drain(); }
    attached_loop& of_;
  };

  void begin(task<void> main);
  task<void> join_all();
  void drain() noexcept;
  void advance() noexcept;

  struct blocked_signals;

  loop loop_;
  std::unique_ptr<blocked_signals> signals_;
  stop_source stop_;
  scope tasks_;
  join_completion join_completion_{*this};
  std::unique_ptr<task<void>> joining_;
  std::function<void()> detached_;
  state state_ = state::attached;
};

}  // namespace hawser
