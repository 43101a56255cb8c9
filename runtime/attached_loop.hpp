// SPDX-License-Identifier: MIT
// Hawser inside a libuv program: a `loop` on the uv_loop_t that the program runs. The only public header that shows a
// type of libuv; programs without a libuv loop use `host`, or `loop::run`.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "guarded.hpp"
#include "loop.hpp"
#include "scope.hpp"

using uv_loop_t = uv_loop_s;  // as in <uv.h>, which this header does not need

namespace hawser {

/// Made, used and destroyed on the thread that runs the program's loop. While it is attached,
///
/// - `home()` is a loop like any other: `hub`, channels, streams and timers work on it;
/// - Hawser has handles on the program's loop, which keep uv_run() from returning until it is detached. It touches
///   nothing of the program's: not uv_loop_t::data, no handle, no signal handler;
/// - SIGPIPE and SIGXFSZ are blocked on this thread, because pipes have no other way to report a reader that is gone;
/// - coroutines run in batches around each poll of the program's loop. The program may stop its loop at any time: what
///   was under way goes on when it runs the loop again.
class attached_loop {
 public:
  explicit attached_loop(uv_loop_t* program, loop::options o = {});
  attached_loop(const attached_loop&) = delete;
  attached_loop& operator=(const attached_loop&) = delete;
  /// Only when it is detached; anything else ends the process with a sentence.
  ~attached_loop();

  [[nodiscard]] loop& home() noexcept { return loop_; }

  /// Begins `main` at the next iteration of the program's loop; `done` gets its value. An exception of `main` ends the
  /// process, one of `done` is logged.
  template <class T, class F>
  void start(task<T> main, F done) {
    begin(run_then<T, F>(loop_, std::move(main), std::move(done)));
  }
  void start(task<void> main) { begin(std::move(main)); }

  /// Stops what start() began, waits for it, for functions that `offload` has running and for every handle to be
  /// closed, then calls `detached`, from which this object may be destroyed. The program goes on running its loop until
  /// then. A hub is closed first, as before the end of loop::run(). Once.
  void detach(std::function<void()> detached);
  [[nodiscard]] bool is_attached() const noexcept { return state_ != state::detached; }

 private:
  enum class state : std::uint8_t { attached, stopping, draining, closing, detached };

  template <class T, class F>
  static task<void> run_then(loop& home, task<T> main, F done) {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(main);
      call_guarded(home.log(), "attached_loop::start", done);
    } else {
      T value = co_await std::move(main);
      call_guarded(home.log(), "attached_loop::start", [&] { done(std::move(value)); });
    }
  }

  // The end of the tasks; what follows happens in a turn of its own, outside the frame that has ended.
  class joined final : public completion, public work {
   public:
    explicit joined(attached_loop& of) : of_(of) {}
    std::coroutine_handle<> completed() noexcept override;

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
  joined joined_{*this};
  std::unique_ptr<task<void>> joining_;
  std::function<void()> detached_;
  state state_ = state::attached;
};

}  // namespace hawser
