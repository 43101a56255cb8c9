// SPDX-License-Identifier: MIT
// Posts work from other threads to the loop thread of a host. Shared by the host and the held tables, which may outlive
// it. Work for a host that is not running is dropped, and the promises inside it report that.
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "../../runtime/async/future.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/loop/loop_proxy.hpp"
#include "../hub.hpp"

namespace hawser::detail {

class host_queue {
 public:
  /// The hub is used on the loop thread only, while the host exists.
  host_queue(loop& event_loop, hub& servers) : servers_(servers), proxy_(event_loop) {}

  /// Between start() and the end of stop().
  [[nodiscard]] bool running() const noexcept { return running_; }
  void set_running(bool running) noexcept { running_ = running; }

  /// Whether this process was forked from the host's process, and so has no loop thread.
  [[nodiscard]] bool is_forked() const noexcept { return getpid() != process_; }
  /// The thread that runs the work, for callers that wait for it.
  [[nodiscard]] const std::shared_ptr<loop_thread>& thread() const noexcept { return thread_; }

  /// Any thread: spawns the task of `begin` on the loop thread, or drops `begin`.
  void submit(std::function<task<void>(hub&)> begin) {
    if (!running_ || is_forked()) return;
    proxy_.post([this, begin = std::move(begin)] { work_->spawn(begin(servers_)); });
  }
  /// Any thread.
  [[nodiscard]] loop_proxy& proxy() noexcept { return proxy_; }

  /// Loop thread only: the scope of submitted tasks; null while the loop does not run.
  void spawn_in(scope* work) noexcept { work_ = work; }

 private:
  hub& servers_;
  loop_proxy proxy_;
  scope* work_ = nullptr;
  std::atomic<bool> running_ = false;
  const pid_t process_ = getpid();
  const std::shared_ptr<loop_thread> thread_ = std::make_shared<loop_thread>();
};

}  // namespace hawser::detail
