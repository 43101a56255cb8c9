// SPDX-License-Identifier: MIT
#include "loop.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "detail/loop_core.hpp"

namespace hawser {

namespace {

// A write to a dead child raises SIGPIPE on the writing thread. A library may not change the process's disposition,
// but it may hold the signal back on its own loop thread; one that is held back must not strike when the mask is
// restored, so it is taken away first.
class sigpipe_blocked {
 public:
  sigpipe_blocked() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  sigpipe_blocked(const sigpipe_blocked&) = delete;
  sigpipe_blocked& operator=(const sigpipe_blocked&) = delete;
  ~sigpipe_blocked() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

// So that a coroutine that always has something ready cannot starve the descriptors.
constexpr int items_per_turn = 4096;

}  // namespace

namespace detail {

error from_uv(int status, std::string_view subject) {
  const errc code = status == UV_ECANCELED                                              ? errc::cancelled
                    : status == UV_EOF || status == UV_EPIPE || status == UV_ECONNRESET ? errc::closed
                    : status == UV_ETIMEDOUT                                            ? errc::timed_out
                                                                                        : errc::io;
  error e{.code = code, .what = uv_strerror(status), .native = status};
  return subject.empty() ? e : prefixed(subject, std::move(e));
}

error from_errno(int number, std::string_view subject) { return from_uv(uv_translate_sys_error(number), subject); }

}  // namespace detail

loop::loop() : loop(options{}) {}

loop::loop(options o)
    : clock_(o.clock != nullptr ? o.clock : &steady_),
      core_(std::make_unique<detail::loop_core>()),
      log_(std::move(o.log)) {
  real_time_ = clock_->real();
  open_handles();
}

void loop::open_handles() {
  detail::loop_core& core = *core_;
  detail::require(uv_loop_init(&core.uv) == 0, "libuv could not make an event loop (out of descriptors?)");
  const int made = uv_async_init(&core.uv, &core.wake, [](uv_async_t* handle) {
    loop& self = *static_cast<loop*>(handle->data);
    const std::lock_guard lock{self.core_->mailbox_mutex};
    self.ready_.append(self.core_->mailbox);
  });
  detail::require(made == 0, "libuv could not make a wake-up handle (out of descriptors?)");
  uv_prepare_init(&core.uv, &core.before_poll);
  uv_idle_init(&core.uv, &core.poll_without_waiting);
  core.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  detail::require(core.timer_fd >= 0, "the system could not make a timer (out of descriptors?)");
  uv_poll_init(&core.uv, &core.timer, core.timer_fd);
  core.wake.data = core.before_poll.data = core.timer.data = this;
  uv_prepare_start(&core.before_poll, [](uv_prepare_t* handle) { static_cast<loop*>(handle->data)->before_poll(); });
  uv_poll_start(&core.timer, UV_READABLE, [](uv_poll_t* handle, int, int) {
    loop& self = *static_cast<loop*>(handle->data);
    std::uint64_t times = 0;
    if (::read(self.core_->timer_fd, &times, sizeof times) != sizeof times) return;
    self.rang_ = true;
    self.armed_ = time_point::min();
  });
}

loop::~loop() {
  {
    const std::lock_guard lock{core_->mailbox_mutex};
    core_->open = false;
    ready_.append(core_->mailbox);
  }
  ready_.drop_all();
  for (void* own :
       std::initializer_list<void*>{&core_->wake, &core_->before_poll, &core_->poll_without_waiting, &core_->timer}) {
    uv_close(static_cast<uv_handle_t*>(own), nullptr);
  }
  // Ends when the last handle has closed; a handle that nobody closed would keep it waiting, so look at them first.
  uv_walk(
      &core_->uv,
      [](uv_handle_t* handle, void*) {
        if (uv_is_closing(handle) != 0) return;
        std::fprintf(stderr, "hawser: a %s handle was left open\n", uv_handle_type_name(uv_handle_get_type(handle)));
        detail::broken("a loop died before the handles on it were closed");
      },
      nullptr);
  uv_run(&core_->uv, UV_RUN_DEFAULT);
  detail::require(ready_.empty(), "closing a loop made a coroutine ready that nobody will run");
  detail::require(timers_.empty(), "a loop died with a timer running on it");
  ::close(core_->timer_fd);
  detail::require(uv_loop_close(&core_->uv) == 0, "a loop died while libuv was still at work on it");
}

void loop::request_stop() noexcept {
  detail::require(on_loop_thread(), "request_stop() was called on another thread; post it");
  if (root_ != nullptr) root_->stop.request_stop();
}

bool loop::post_item(work& item) noexcept {
  const std::lock_guard lock{core_->mailbox_mutex};
  if (!core_->open) return false;
  const bool first = core_->mailbox.empty();
  core_->mailbox.push(item);
  if (first) uv_async_send(&core_->wake);  // one wake-up empties the whole mailbox
  return true;
}

context loop::begin() noexcept {
  detail::require(thread_.load() == std::thread::id{}, "loop::run() was called inside loop::run()");
  thread_ = std::this_thread::get_id();
  now_is_known_ = false;
  return context{this, &root_->stop};
}

void loop::drive(std::coroutine_handle<> first, const root& ending) {
  const sigpipe_blocked quiet;
  first.resume();
  if (!ending.done) {
    core_->running = true;
    uv_run(&core_->uv, UV_RUN_DEFAULT);  // until root_completed()
    core_->running = false;
  }
  detail::require(ending.done, "the loop ended before its task");
  thread_ = std::thread::id{};
}

void loop::root_completed() noexcept {
  if (core_->running) uv_stop(&core_->uv);  // else it would stop the next run
}

void loop::run_ready() noexcept {
  for (int budget = items_per_turn; budget > 0 && !ready_.empty(); --budget) {
    if (observed_) [[unlikely]]
      observer_();
    ready_.run_first();
  }
}

// Callbacks and closed handles only mark what is ready; it runs here, once a turn, and then the loop sleeps only if
// there is nothing left to do.
void loop::before_poll() noexcept {
  if (std::exchange(rang_, false)) timers_.expire(now());
  if (!ready_.empty()) polled_in_vain_ = false;
  run_ready();
  ++turn_;
  if (real_time_) [[likely]] {
    arm_timer();
  } else {
    pass_time_of_test();
  }
  const bool busy = !ready_.empty() || polled_in_vain_;
  if (busy != busy_) [[unlikely]] {
    busy_ = busy;
    if (busy) {
      uv_idle_start(&core_->poll_without_waiting, [](uv_idle_t*) {});
    } else {
      uv_idle_stop(&core_->poll_without_waiting);
    }
  }
  now_is_known_ = false;  // the poll may sleep, and its callbacks start timers
}

// Set only when the nearest deadline has changed: many deadlines of one length change it once.
void loop::arm_timer() noexcept {
  if (timers_.next() == armed_) return;
  armed_ = timers_.next();
  itimerspec at{};  // all zero: switched off
  if (armed_ != time_point::max()) {
    const auto since_boot = armed_.time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    at.it_value.tv_sec = seconds.count();
    at.it_value.tv_nsec = std::max<long>((since_boot - seconds).count(), 1);
  }
  timerfd_settime(core_->timer_fd, TFD_TIMER_ABSTIME, &at, nullptr);
}

// Descriptors come first: time jumps only when a poll without waiting has found nothing to do, and only if the clock
// will not jump does the loop really sleep.
void loop::pass_time_of_test() noexcept {
  now_is_known_ = false;
  timers_.expire(now());
  const bool quiet = ready_.empty() && timers_.next() != time_point::max();
  if (!quiet || !polled_in_vain_) {
    polled_in_vain_ = quiet;
    return;
  }
  const bool jumped = clock_->jump(timers_.next());
  now_is_known_ = false;
  if (jumped) timers_.expire(now());
  polled_in_vain_ = jumped && ready_.empty();  // the deadline may have been cancelled: there may be another one
}

}  // namespace hawser
