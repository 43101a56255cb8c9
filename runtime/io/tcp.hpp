// SPDX-License-Identifier: MIT
// TCP: connecting to the first reachable address, and listening on loopback. dns.hpp resolves names.
#pragma once

#include <vector>

#include "address.hpp"
#include "detail/unique_fd.hpp"
#include "stream.hpp"

namespace hawser {

struct connect_options {
  /// The delay before the next address is tried (RFC 8305). If an attempt is refused, the next one starts at once.
  duration attempt_delay = std::chrono::milliseconds{250};
  stream_limits limits{};
};

/// Tries the addresses, alternating between the families, and returns the first connection that is established. The
/// error lists every address with its failure. Use with_timeout: the timeout of the system is minutes.
task<result<stream>> tcp_connect(std::vector<endpoint> candidates, connect_options options = {});

class tcp_listener {
 public:
  enum class loopback : std::uint8_t { v4, v6 };
  /// Port 0 lets the system choose; local() returns the chosen port.
  static result<tcp_listener> listen(loop& event_loop, loopback where, std::uint16_t port);

  /// Waits for the next connection. One waiter at a time. Unbounded. If no descriptors are left, every call fails
  /// immediately: wait before the next call.
  task<result<stream>> accept();
  [[nodiscard]] endpoint local() const noexcept { return local_; }

 private:
  tcp_listener(loop& event_loop, detail::unique_fd fd, endpoint at) noexcept;
  loop* event_loop_;
  detail::unique_fd fd_;
  endpoint local_;
};

}  // namespace hawser
