// SPDX-License-Identifier: MIT
// TCP: connecting to whichever address answers, and listening on loopback. Names are dns.hpp's business.
#pragma once

#include <memory>
#include <vector>

#include "address.hpp"
#include "stream.hpp"

namespace hawser {

struct connect_options {
  /// How long one address may keep the next one waiting (RFC 8305). A refusal lets the next one start at once.
  duration stagger = std::chrono::milliseconds{250};
  stream_limits limits{};
};

/// Tries the addresses, the families taking turns, and keeps the first connection that is made. The error names every
/// address and what it said. Bound it with with_timeout: the system's own limit is minutes.
task<result<stream>> tcp_connect(std::vector<endpoint> candidates, connect_options options = {});

namespace detail {
struct listener_core;
struct listener_deleter {
  void operator()(listener_core* core) const noexcept;
};
}  // namespace detail

class tcp_listener {
 public:
  enum class loopback : std::uint8_t { v4, v6 };
  /// Port 0 lets the system choose; local() says which it was.
  static result<tcp_listener> listen(loop& home, loopback where, std::uint16_t port);

  class accept_operation final : public slot_operation {
   public:
    explicit accept_operation(detail::listener_core& core) noexcept;
    [[nodiscard]] bool await_ready() const noexcept;
    result<stream> await_resume();

   private:
    detail::listener_core& core_;
  };

  /// One waiter at a time. Unbounded.
  [[nodiscard]] accept_operation accept() { return accept_operation{*core_}; }
  [[nodiscard]] endpoint local() const noexcept;

 private:
  explicit tcp_listener(detail::listener_core* core) noexcept : core_(core) {}
  std::unique_ptr<detail::listener_core, detail::listener_deleter> core_;
};

}  // namespace hawser
