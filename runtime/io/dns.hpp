// SPDX-License-Identifier: MIT
// Resolves host names to addresses. `resolver` is an interface, so that tests and embedding programs can supply their
// own.
#pragma once

#include <string>
#include <vector>

#include "../async/task.hpp"
#include "../error.hpp"
#include "../loop/clock.hpp"
#include "address.hpp"

namespace hawser {

class resolver {
 public:
  virtual ~resolver() = default;
  /// At least one address, in the order to try them. errc::io names the host and the failure of the name servers.
  virtual task<result<std::vector<ip_address>>> resolve(std::string host) = 0;
};

struct resolver_options {
  /// `127.0.0.1:5353,[::1]:53`; empty: the system's configuration, read again for every query.
  std::string servers{};
  /// The timeout of the first try per server; it doubles with every round. A server that answers SERVFAIL counts as
  /// unreachable.
  duration try_timeout = std::chrono::seconds{2};
  int tries = 2;
};

/// Queries name servers with c-ares on the loop: a query can be cancelled, and an unresponsive name server delays no
/// other query. IPv6 addresses come first, and the answer for one family waits only briefly for the other. Address
/// literals and `localhost`, which is 127.0.0.1 first, are resolved without a query.
class ares_resolver final : public resolver {
 public:
  explicit ares_resolver(resolver_options options = {});
  task<result<std::vector<ip_address>>> resolve(std::string host) override;

 private:
  resolver_options options_;
};

}  // namespace hawser
