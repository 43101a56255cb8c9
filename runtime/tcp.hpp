// SPDX-License-Identifier: MIT
// TCP: connecting to whichever address answers, and listening on loopback. Names are dns.hpp's business.
#pragma once

#include <vector>

#include "address.hpp"
#include "detail/unique_fd.hpp"
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

class tcp_listener {
 public:
  enum class loopback : std::uint8_t { v4, v6 };
  /// Port 0 lets the system choose; local() says which it was.
  static result<tcp_listener> listen(loop& home, loopback where, std::uint16_t port);

  /// The next connection. One waiter at a time. Unbounded. Without descriptors left it is an error that comes at once,
  /// each time: wait a little before asking again.
  task<result<stream>> accept();
  [[nodiscard]] endpoint local() const noexcept { return local_; }

 private:
  tcp_listener(loop& home, detail::unique_fd fd, endpoint at) noexcept;
  loop* home_;
  detail::unique_fd fd_;
  endpoint local_;
};

}  // namespace hawser
