// SPDX-License-Identifier: MIT
#include "scope.hpp"

#include <cstdio>

namespace hawser {

// A spawned task and its ready-queue item: queued once to start the task and once to reap it. The scope, not the task,
// destroys the frame, and only after final suspension has completed.
class scope::spawned_task final : public work, public completion_handler {
 public:
  spawned_task(scope& owner, task<void> child) : owner_(owner), child_(std::move(child)) {}

  std::coroutine_handle<> on_completed() noexcept override {
    ended_ = true;
    owner_.loop_.ready(*this);
    return std::noop_coroutine();
  }

 private:
  void run() noexcept override {
    if (!ended_) {
      child_.start(owner_.child_context(), *this).resume();
      return;
    }
    try {
      child_.take();
    } catch (const std::exception& bug) {
      std::fprintf(stderr, "hawser: a task of a scope threw: %s\n", bug.what());
      detail::check_failed("a task of a scope ended by an exception");
    } catch (...) {
      detail::check_failed("a task of a scope ended by an exception");
    }
    scope& owner = owner_;
    delete this;
    owner.ended();
  }
  // The loop was destroyed before the task started. The destructor of the scope reports it.
  void drop() noexcept override { delete this; }

  scope& owner_;
  task<void> child_;
  bool ended_ = false;
};

void scope::spawn(task<void> child) {
  auto* added = new spawned_task{*this, std::move(child)};
  ++task_count_;
  loop_.ready(*added);
}

void scope::ended() noexcept {
  if (--task_count_ > 0 || joiner_ == nullptr) return;
  loop_.ready(*std::exchange(joiner_, nullptr));
}

}  // namespace hawser
