// SPDX-License-Identifier: MIT
// Tells when a file may have changed, created, replaced and removed included. Debounced: a burst of changes is one.
#pragma once

#include <memory>
#include <string>

#include "wait_slot.hpp"

namespace hawser {

namespace detail {
struct watch_core;
struct watch_deleter {
  void operator()(watch_core* core) const noexcept;
};
}  // namespace detail

class file_watch {
 public:
  /// Watches the folder of `path`, which must exist now; later it may come and go, as the file may. Of a symbolic link
  /// the link itself is watched, not what it points to. A folder above it that is renamed is not noticed.
  static result<file_watch> start(loop& home, const std::string& path,
                                  duration debounce = std::chrono::milliseconds{200});

  class change_operation final : public slot_operation {
   public:
    explicit change_operation(detail::watch_core& core) noexcept;
    [[nodiscard]] bool await_ready() const noexcept;
    result<void> await_resume();

   private:
    detail::watch_core& core_;
  };

  /// Completes once the file has been quiet for the debounce time after a change, or has not been for ten times as
  /// long. A change that came while nobody waited is not lost. One waiter at a time. Unbounded.
  [[nodiscard]] change_operation changed() { return change_operation{*core_}; }

 private:
  explicit file_watch(detail::watch_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::watch_core, detail::watch_deleter> core_;
};

}  // namespace hawser
