// SPDX-License-Identifier: MIT
#include "loop.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "detail/loop_core.hpp"
#include "detail/stream_core.hpp"
#include "redaction.hpp"

namespace hawser {

namespace {

// A write to a dead child raises SIGPIPE on the writing thread, and one beyond the limit for files, which holds for
// files in memory as well, SIGXFSZ. A library may not change the process's dispositions, but it may hold signals back
// on its own loop thread; one that is held back must not strike when the mask is restored, so it is taken away first.
class signals_of_writing_blocked {
 public:
  signals_of_writing_blocked() noexcept {
    sigset_t current{};
    pthread_sigmask(SIG_SETMASK, nullptr, &current);
    sigemptyset(&ours_);
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&current, number) == 0) sigaddset(&ours_, number);
    }
    pthread_sigmask(SIG_BLOCK, &ours_, nullptr);
  }
  signals_of_writing_blocked(const signals_of_writing_blocked&) = delete;
  signals_of_writing_blocked& operator=(const signals_of_writing_blocked&) = delete;
  ~signals_of_writing_blocked() {
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &ours_, nullptr);
  }

 private:
  sigset_t ours_{};
};

void require_of_the_system(bool made, int number, const char* what) {
  if (!made) throw std::system_error{number, std::generic_category(), what};
}

// libuv ends the program, or leaves a descriptor behind, when it runs out of them half-way: so many have to be free.
void require_room_for_libuv(const detail::unique_fd& any) {
  std::array<detail::unique_fd, 8> copies;
  for (detail::unique_fd& copy : copies) {
    copy.reset(fcntl(any.get(), F_DUPFD_CLOEXEC, 0));
    require_of_the_system(static_cast<bool>(copy), errno, "make libuv's event loop");
  }
}

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

time_point steady_clock::last_tick() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

loop::loop() : loop(options{}) {}

// NOLINTNEXTLINE(performance-unnecessary-value-param): whoever has options gives them away
loop::loop(options o)
    : clock_(o.clock != nullptr ? o.clock : &steady_),
      core_(std::make_unique<detail::loop_core>()),
      hidden_(std::make_shared<redaction>()),
      log_(redacted(o.log, hidden_)) {
  real_time_ = clock_->real();
  detail::loop_core& core = *core_;
  core.timer = detail::unique_fd{timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};
  require_of_the_system(static_cast<bool>(core.timer), errno, "make the timer of an event loop");
  core.wake = detail::unique_fd{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  require_of_the_system(static_cast<bool>(core.wake), errno, "make the mailbox of an event loop");
  using source = detail::poller::source;
  const bool watched =
      core.waiting.watch(core.timer.get(), source::timer) && core.waiting.watch(core.wake.get(), source::mailbox);
  require_of_the_system(watched, errno, "watch the timer and the mailbox of an event loop");
  require_room_for_libuv(core.wake);
  const int begun = uv_loop_init(&core.uv);
  require_of_the_system(begun == 0, -begun, "make libuv's event loop");
  if (!core.waiting.watch(uv_backend_fd(&core.uv), source::libuv)) {
    const int failed = errno;
    uv_loop_close(&core.uv);
    require_of_the_system(false, failed, "watch libuv's event loop");
  }
  core.uv.data = core_.get();
  // A libuv loop without an active handle does not even look at its descriptors, and the pool may leave one of them
  // readable behind its last job: ours would wake for it for ever.
  uv_prepare_init(&core.uv, &core.keeps_alive);
  uv_prepare_start(&core.keeps_alive, [](uv_prepare_t*) {});
}

loop::~loop() {
  {
    const std::lock_guard lock{core_->mailbox_mutex};
    core_->open = false;
    ready_.append(core_->mailbox);
  }
  // Who posted last may be about to write to the eventfd; nobody begins to any more.
  while (core_->wakers.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  ready_.drop_all();
  detail::require(core_->streams == 0, "a loop died before the streams on it were closed");
  uv_close(reinterpret_cast<uv_handle_t*>(&core_->keeps_alive), nullptr);
  // libuv's loop ends when the last handle has closed; one that nobody closed would keep it waiting, so look first.
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
  detail::require(uv_loop_close(&core_->uv) == 0, "a loop died while libuv was still at work on it");
}

void loop::request_stop() noexcept {
  detail::require(on_loop_thread(), "request_stop() was called on another thread; post it");
  if (root_ != nullptr) root_->stop.request_stop();
}

bool loop::post_item(work& item) noexcept {
  {
    const std::lock_guard lock{core_->mailbox_mutex};
    if (!core_->open) return false;
    const bool first = core_->mailbox.empty();
    core_->mailbox.push(item);
    if (!first) return true;  // one wake-up empties the whole mailbox
    core_->wakers.fetch_add(1, std::memory_order_relaxed);
  }
  // Not under the mutex: the loop's thread, once awake, would only wait for it again.
  const std::uint64_t once = 1;
  static_cast<void>(!::write(core_->wake.get(), &once, sizeof once));  // fails only where it is not needed
  core_->wakers.fetch_sub(1, std::memory_order_release);
  return true;
}

void loop::empty_mailbox() noexcept {
  const std::lock_guard lock{core_->mailbox_mutex};
  ready_.append(core_->mailbox);
}

void loop::timer_rang() noexcept {
  std::uint64_t times = 0;
  if (::read(core_->timer.get(), &times, sizeof times) != sizeof times) return;
  rang_ = true;
  armed_ = time_point::min();
}

context loop::begin() noexcept {
  detail::require(thread_.load() == std::thread::id{}, "loop::run() was called inside loop::run()");
  thread_ = std::this_thread::get_id();
  now_is_known_ = false;
  return context{this, &root_->stop};
}

void loop::drive(std::coroutine_handle<> first, const root& ending) {
  const signals_of_writing_blocked quiet;
  first.resume();
  while (!ending.done) {
    before_poll();
    if (!ending.done) poll();
  }
  thread_ = std::thread::id{};
}

void loop::run_ready() noexcept {
  const detail::loop_core& core = *core_;
  for (int budget = items_per_turn; budget > 0 && !ready_.empty(); --budget) {
    core.event_ended();
    if (observed_) [[unlikely]]
      observer_();
    now_is_known_ = false;  // or a deadline that is set late in a long turn would count from its beginning
    ready_.run_first();
  }
}

// Coroutines run here, once a turn; events only make them ready, but for listeners of streams, which run in poll().
void loop::before_poll() noexcept {
  core_->event_ended();
  if (std::exchange(rang_, false)) timers_.expire(now());
  if (!ready_.empty()) polled_in_vain_ = false;
  run_ready();
  ++turn_;
  if (core_->uv_touched) run_libuv();  // before the timer is set: its callbacks may start some
  if (real_time_) [[likely]] {
    arm_timer();
  } else {
    pass_time_of_test();
  }
  now_is_known_ = false;  // the poll may sleep, and what it finds starts timers
}

// Sleeps only if there is nothing left to do.
void loop::poll() noexcept {
  const bool busy = !ready_.empty() || polled_in_vain_ || core_->uv_touched;
  using detail::poller;
  core_->event_ended();
  for (const epoll_event& e : core_->waiting.poll(busy ? poller::patience::look : poller::patience::wait)) {
    core_->event_ended();
    now_is_known_ = false;  // the listener before may have taken its time
    switch (static_cast<poller::source>(e.data.u64)) {
      case poller::source::mailbox: empty_mailbox(); break;
      case poller::source::timer: timer_rang(); break;
      case poller::source::libuv:
        run_libuv();
        core_->uv_touched = true;  // its own callbacks may have started something that it has not looked at
        break;
      default: static_cast<detail::stream_core*>(e.data.ptr)->on_event(e.events);
    }
  }
}

void loop::run_libuv() noexcept {
  core_->event_ended();
  core_->uv_touched = false;
  now_is_known_ = false;
  uv_run(&core_->uv, UV_RUN_NOWAIT);
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
  timerfd_settime(core_->timer.get(), TFD_TIMER_ABSTIME, &at, nullptr);
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
