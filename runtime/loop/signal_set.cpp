// SPDX-License-Identifier: MIT
#include "signal_set.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "detail/handle.hpp"
#include "detail/loop_core.hpp"

namespace hawser {

namespace detail {

struct signal_core {
  std::vector<unique_handle<uv_signal_t>> handles;
  std::deque<int> arrived;
  wait_slot waiter;

  void on_signal(int number) noexcept {
    // As in POSIX, a signal that is already pending is not queued again; this also bounds the list.
    if (std::find(arrived.begin(), arrived.end(), number) == arrived.end()) arrived.push_back(number);
    waiter.wake();
  }
};

void signal_deleter::operator()(signal_core* core) const noexcept { delete core; }

}  // namespace detail

result<signal_set> signal_set::start(loop& event_loop, std::initializer_list<int> numbers) {
  auto* core = new detail::signal_core;
  signal_set made{core};
  for (const int number : numbers) {
    int made_handle = 0;
    core->handles.push_back(detail::make_handle<uv_signal_t>(event_loop, made_handle, uv_signal_init));
    if (made_handle != 0) return detail::from_uv(made_handle, "catch signal " + std::to_string(number));
    uv_signal_t* handle = core->handles.back().get();
    handle->data = core;
    const int status = uv_signal_start(
        handle,
        [](uv_signal_t* caught, int which) {
          if (caught->data != nullptr) static_cast<detail::signal_core*>(caught->data)->on_signal(which);
        },
        number);
    if (status != 0) return detail::from_uv(status, "catch signal " + std::to_string(number));
  }
  return made;
}

signal_set::next_operation::next_operation(detail::signal_core& core) noexcept
    : slot_operation(core.waiter), core_(core) {}

bool signal_set::next_operation::await_ready() const noexcept { return !core_.arrived.empty(); }

result<int> signal_set::next_operation::await_resume() {
  if (core_.arrived.empty()) return cancelled_error();
  const int number = core_.arrived.front();
  core_.arrived.pop_front();
  return number;
}

}  // namespace hawser
