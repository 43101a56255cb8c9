// SPDX-License-Identifier: MIT
#include "attached_loop.hpp"

#include "detail/loop_core.hpp"
#include "detail/write_signal_blocker.hpp"

namespace hawser {

struct attached_loop::blocked_signals {
  detail::write_signal_blocker blocked;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): callers move their options in
attached_loop::attached_loop(uv_loop_t* program, loop::options o)
    : loop_(std::move(o), program), signals_(std::make_unique<blocked_signals>()), tasks_(loop_.begin(stop_)) {}

attached_loop::~attached_loop() {
  detail::require(state_ == state::detached, "an attached loop died before it was detached");
}

void attached_loop::begin(task<void> main) {
  detail::require(loop_.on_loop_thread(), "a task was started on another thread than the program's loop");
  detail::require(state_ == state::attached, "a task was started on a loop that is being detached");
  tasks_.spawn(std::move(main));
  uv_async_send(&loop_.core().wake);  // the program may be sleeping outside libuv
}

void attached_loop::detach(std::function<void()> detached) {
  detail::require(loop_.on_loop_thread(), "a loop was detached on another thread than the program's");
  detail::require(state_ == state::attached, "a loop was detached twice");
  state_ = state::stopping;
  detached_ = std::move(detached);
  stop_.request_stop();
  joining_ = std::make_unique<task<void>>(join_all());
  joining_->start(context{&loop_, nullptr}, join_completion_).resume();
  uv_async_send(&loop_.core().wake);
}

task<void> attached_loop::join_all() { co_await tasks_.join(); }

std::coroutine_handle<> attached_loop::join_completion::on_completed() noexcept {
  of_.loop_.ready(*this);
  return std::noop_coroutine();
}

void attached_loop::drain() noexcept {
  joining_.reset();
  detail::require(loop_.open_objects_ == 0, "a loop was detached before the hub on it was closed");
  state_ = state::draining;
  loop_.core().on_idle = [this] { advance(); };
  advance();
}

// Called when a handle has closed or a pool job has ended. The loop's own handles close last, because the handles that
// close earlier make coroutines ready.
void attached_loop::advance() noexcept {
  detail::loop_core& core = loop_.core();
  if (state_ == state::draining && core.in_use == 0) {
    state_ = state::closing;
    loop_.close_mailbox();
    loop_.ready_.drop_all();
    detail::require(loop_.timers_.empty(), "a loop was detached with a timer running on it");
    loop_.close_handles();
  } else if (state_ == state::closing && core.own_handles == 0) {
    detail::require(loop_.ready_.empty(), "detaching a loop made a coroutine ready that nobody will run");
    state_ = state::detached;
    loop_.end();
    signals_.reset();
    const std::function<void()> detached = std::move(detached_);
    const logger log = loop_.log();
    if (detached) call_guarded(log, "attached_loop::detach", detached);
  }
}

}  // namespace hawser
