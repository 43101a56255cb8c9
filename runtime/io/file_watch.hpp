// SPDX-License-Identifier: MIT
// Reports when a file may have been changed, created, replaced or removed. Debounced: a burst of changes is reported
// once.
#pragma once

#include <memory>
#include <string>

#include "../async/wait_slot.hpp"

namespace hawser {

namespace detail {
struct watch_core;
struct watch_deleter {
  void operator()(watch_core* core) const noexcept;
};
}  // namespace detail

class file_watch {
 public:
  /// Watches the folder of `path`. The folder must exist now; later it may be removed and created again, like the file.
  /// A symbolic link itself is watched, not its target. Renaming a parent of the folder is not detected.
  static result<file_watch> start(loop& event_loop, const std::string& path,
                                  duration debounce = std::chrono::milliseconds{200});

  class change_operation final : public slot_operation {
   public:
    explicit change_operation(detail::watch_core& core) noexcept;
    [[nodiscard]] bool await_ready() const noexcept;
    result<void> await_resume();

   private:
    detail::watch_core& core_;
  };

  /// Completes when the file has not changed for the debounce time after a change, or when changes have continued for
  /// ten times as long. A change that occurs while no coroutine waits is kept. One waiter at a time. Unbounded.
  [[nodiscard]] change_operation changed() { return change_operation{*core_}; }

 private:
  explicit file_watch(detail::watch_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::watch_core, detail::watch_deleter> core_;
};

}  // namespace hawser
