// SPDX-License-Identifier: MIT
#include "loop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "../crypto.hpp"
#include "../io/detail/unique_fd.hpp"
#include "../redaction.hpp"
#include "detail/loop_core.hpp"
#include "detail/write_signal_blocker.hpp"

namespace hawser {

namespace {

void require_of_the_system(bool made, int number, const char* what) {
  if (!made) throw std::system_error{number, std::generic_category(), what};
}

// If descriptors run out during its initialization, libuv aborts the process or leaks a descriptor. So check that this
// many are free.
void require_room_for_libuv() {
  std::array<detail::unique_fd, 8> opened;
  for (detail::unique_fd& one : opened) {
    one.reset(::open("/", O_PATH | O_CLOEXEC));
    require_of_the_system(static_cast<bool>(one), errno, "make libuv's event loop");
  }
}

// The number of ready items to run before polling the descriptors again.
constexpr int items_per_iteration = 512;

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

time_point steady_clock::coarse_now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

loop::loop() : loop(options{}) {}

loop::loop(options o) : loop(std::move(o), nullptr) {}

// NOLINTNEXTLINE(performance-unnecessary-value-param): callers move their options in
loop::loop(options o, uv_loop_t* program)
    : clock_(o.clock != nullptr ? o.clock : &steady_),
      core_(std::make_unique<detail::loop_core>()),
      redactions_(std::make_shared<redaction>()),
      log_(redacted(o.log, redactions_)) {
  disable_openssl_exit_cleanup();
  real_time_ = clock_->is_real_time();
  attached_ = needs_wakeup_ = program != nullptr;
  detail::loop_core& core = *core_;
  if (program != nullptr) {
    core.uv = program;
  } else {
    require_room_for_libuv();
    const int made = uv_loop_init(&core.owned);
    require_of_the_system(made == 0, -made, "make libuv's event loop");
  }
  // libuv opens the descriptor of its async handles with the first such handle; only this step can fail.
  const int woken =
      uv_async_init(core.uv, &core.wake, [](uv_async_t* h) { static_cast<loop*>(h->data)->drain_mailbox(); });
  if (woken != 0 && program == nullptr) uv_loop_close(&core.owned);
  require_of_the_system(woken == 0, -woken, "make the mailbox of an event loop");
  open_handles();
}

void loop::open_handles() noexcept {
  detail::loop_core& core = *core_;
  uv_prepare_init(core.uv, &core.before_poll);
  uv_check_init(core.uv, &core.after_poll);
  uv_idle_init(core.uv, &core.busy);
  uv_timer_init(core.uv, &core.timer);
  core.wake.data = core.before_poll.data = core.after_poll.data = core.busy.data = core.timer.data = this;
  core.own_handles = 5;
  uv_prepare_start(&core.before_poll, [](uv_prepare_t* h) { static_cast<loop*>(h->data)->before_poll(); });
  uv_check_start(&core.after_poll, [](uv_check_t* h) { static_cast<loop*>(h->data)->after_poll(); });
}

void loop::close_handles() noexcept {
  detail::loop_core& core = *core_;
  const auto close = [](auto& handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(&handle), [](uv_handle_t* closed) {
      detail::loop_core& of = *static_cast<loop*>(closed->data)->core_;
      if (--of.own_handles == 0) of.notify_idle();
    });
  };
  close(core.before_poll);
  close(core.after_poll);
  close(core.busy);
  close(core.timer);
  close(core.wake);
}

void loop::close_mailbox() noexcept {
  {
    const std::lock_guard lock{core_->mailbox_mutex};
    core_->open = false;
    ready_.append(core_->mailbox);
  }
  // The last thread that posted may still be about to call uv_async_send; no other thread can start to.
  while (core_->senders.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

loop::~loop() {
  if (core_->uv != &core_->owned) return;  // attached_loop has already closed everything
  close_mailbox();
  ready_.drop_all();
  close_handles();
  // uv_run returns when the last handle has closed. A leaked handle would make it wait forever, so check first.
  uv_walk(
      core_->uv,
      [](uv_handle_t* handle, void*) {
        if (uv_is_closing(handle) != 0) return;
        std::fprintf(stderr, "hawser: a %s handle was left open\n", uv_handle_type_name(uv_handle_get_type(handle)));
        detail::check_failed("a loop died before the handles on it were closed");
      },
      nullptr);
  while (uv_run(core_->uv, UV_RUN_DEFAULT) != 0) {  // uv_run may return early because of an earlier uv_stop()
  }
  detail::require(ready_.empty(), "closing a loop made a coroutine ready that nobody will run");
  detail::require(timers_.empty(), "a loop died with a timer running on it");
  detail::require(uv_loop_close(core_->uv) == 0, "a loop died while libuv was still at work on it");
}

void loop::request_stop() noexcept {
  detail::require(on_loop_thread(), "request_stop() was called on another thread; post it");
  if (stop_ != nullptr) stop_->request_stop();
}

bool loop::post_item(work& item) noexcept {
  {
    const std::lock_guard lock{core_->mailbox_mutex};
    if (!core_->open) return false;
    const bool first = core_->mailbox.empty();
    core_->mailbox.push(item);
    if (!first) return true;  // one wake-up drains the whole mailbox
    core_->senders.fetch_add(1, std::memory_order_relaxed);
  }
  // Not under the mutex: the loop thread would wake up only to wait for it.
  uv_async_send(&core_->wake);
  core_->senders.fetch_sub(1, std::memory_order_release);
  return true;
}

void loop::drain_mailbox() noexcept {
  begin_event();
  const std::lock_guard lock{core_->mailbox_mutex};
  ready_.append(core_->mailbox);
}

void loop::begin_event() noexcept {
  needs_wakeup_ = false;  // until after_poll(), or end_event_after_poll() where that comes later
  core_->event_ended();
  now_is_known_ = false;  // the previous event may have taken a long time
}

context loop::begin(stop_source& stop) noexcept {
  detail::require(core_->uv == &core_->owned || stop_ == nullptr, "an attached loop is run by the embedding program");
  detail::require(thread_.load() == std::thread::id{}, "loop::run() was called inside loop::run()");
  thread_ = std::this_thread::get_id();
  stop_ = &stop;
  now_is_known_ = false;
  return context{this, stop_};
}

void loop::end() noexcept {
  thread_ = std::thread::id{};
  stop_ = nullptr;
}

void loop::stop_run() noexcept { uv_stop(core_->uv); }

void loop::drive(std::coroutine_handle<> first, const main_completion& completion) {
  const detail::write_signal_blocker quiet;
  first.resume();
  while (!completion.done) uv_run(core_->uv, UV_RUN_DEFAULT);
  end();
}

void loop::run_ready() noexcept {
  const detail::loop_core& core = *core_;
  for (int budget = items_per_iteration; budget > 0 && !ready_.empty(); --budget) {
    core.event_ended();
    if (observed_) [[unlikely]]
      observer_();
    now_is_known_ = false;  // otherwise a deadline set late in a long iteration would count from its start
    ready_.run_first();
  }
}

// Coroutines run before and after each poll. Events only make them ready, except that stream listeners run during the
// poll.
void loop::before_poll() noexcept {
  needs_wakeup_ = false;
  core_->event_ended();
  if (!ready_.empty()) poll_found_nothing_ = false;
  run_ready();
  if (!core_->open) return;  // an item that has just run detached the loop; its handles are closing
  ++iteration_;
  if (real_time_) [[likely]] {
    arm_timer();
  } else {
    advance_virtual_clock();
  }
  poll_without_sleep(!ready_.empty() || poll_found_nothing_);
  now_is_known_ = false;  // the poll may sleep, and what it finds starts timers
  needs_wakeup_ = attached_;
}

// Run ready work here, and not only before the next poll: a program that calls uv_run(UV_RUN_NOWAIT) from another event
// loop sleeps outside libuv in between.
void loop::after_poll() noexcept {
  core_->event_ended();
  if (!ready_.empty()) {
    needs_wakeup_ = false;
    poll_found_nothing_ = false;
    run_ready();
    if (!core_->open) return;
    ++iteration_;
    poll_without_sleep(!ready_.empty());
  }
  if (real_time_) arm_timer();
  now_is_known_ = false;
  needs_wakeup_ = attached_;
}

void loop::poll_without_sleep(bool wanted) noexcept {
  if (wanted == busy_) [[likely]]
    return;
  busy_ = wanted;
  if (wanted) {
    uv_idle_start(&core_->busy, [](uv_idle_t*) {});
  } else {
    uv_idle_stop(&core_->busy);
  }
}

void loop::timer_expired() noexcept {
  begin_event();
  armed_ = time_point::min();
  timers_.expire(now());
  end_event_after_poll();
}

void loop::end_event_after_poll() noexcept {
  if (!core_->open) return;
  if (!ready_.empty()) poll_without_sleep(true);
  if (real_time_) arm_timer();
  needs_wakeup_ = attached_;
}

// Something became ready, or a timer was started, outside of our callbacks: by the program itself.
void loop::wake() noexcept {
  needs_wakeup_ = false;  // once is enough
  if (core_->open) uv_async_send(&core_->wake);
}

// Restarts the libuv timer only if the nearest deadline has changed; many deadlines of equal length change it once.
// libuv counts milliseconds of the same clock; the value is rounded up, so the timer never expires early.
void loop::arm_timer() noexcept {
  if (timers_.next() == armed_) return;
  armed_ = timers_.next();
  if (armed_ == time_point::max()) {
    uv_timer_stop(&core_->timer);
    return;
  }
  const auto due = std::chrono::ceil<std::chrono::milliseconds>(armed_.time_since_epoch()).count();
  const std::uint64_t now = uv_now(core_->uv);
  const std::uint64_t left = static_cast<std::uint64_t>(std::max<std::int64_t>(due, 0));
  uv_timer_start(
      &core_->timer, [](uv_timer_t* h) { static_cast<loop*>(h->data)->timer_expired(); }, left > now ? left - now : 0,
      0);
}

// Descriptors come first: the virtual clock advances only after a non-blocking poll has found nothing. The loop sleeps
// only if the clock refuses to jump.
void loop::advance_virtual_clock() noexcept {
  now_is_known_ = false;
  timers_.expire(now());
  const bool quiet = ready_.empty() && timers_.next() != time_point::max();
  if (!quiet || !poll_found_nothing_) {
    poll_found_nothing_ = quiet;
    return;
  }
  const bool jumped = clock_->try_advance_to(timers_.next());
  now_is_known_ = false;
  if (jumped) timers_.expire(now());
  poll_found_nothing_ = jumped && ready_.empty();  // the deadline may have been cancelled; there may be another one
}

}  // namespace hawser
