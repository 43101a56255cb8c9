// SPDX-License-Identifier: MIT
// A program that is meant to outlive this one, such as a browser: it is started and looked after, but never ended. What
// has to end with this program is a `child`, which the keeper starts.
#pragma once

#include <memory>

#include "child.hpp"

namespace hawser {

namespace detail {
struct launched_core;
}

class launched {
 public:
  /// In a session of its own, with /dev/null for its stdio, whatever the command says of that, and no other descriptor.
  /// errc::spawn says what is wrong with it; a program without a slash is looked for in the PATH of its environment.
  static result<launched> start(loop& home, const command& what);

  launched(launched&&) noexcept;
  launched& operator=(launched&&) noexcept;
  /// The program goes on. As long as this object lives, its end is taken note of and leaves no zombie behind.
  ~launched();

  /// Until it has ended, which may be never. errc::closed where the embedding program has waited for it first, so that
  /// nobody knows how it ended. Unbounded.
  task<result<exit_status>> exited();
  [[nodiscard]] bool running() const noexcept;
  [[nodiscard]] int pid() const noexcept;

 private:
  explicit launched(std::unique_ptr<detail::launched_core> core) noexcept;
  std::unique_ptr<detail::launched_core> core_;
};

}  // namespace hawser
