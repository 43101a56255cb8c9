// SPDX-License-Identifier: MIT
// From a host name to addresses. An interface, so that a test, or an embedder with rules of its own, can put another
// resolver in its place.
#pragma once

#include <string>
#include <vector>

#include "address.hpp"
#include "clock.hpp"
#include "error.hpp"
#include "task.hpp"

namespace hawser {

class resolver {
 public:
  virtual ~resolver() = default;
  /// At least one address, in the order to try them; errc::io names the host and what the name servers said.
  virtual task<result<std::vector<ip_address>>> resolve(std::string host) = 0;
};

struct resolver_options {
  /// `127.0.0.1:5353,[::1]:53`; empty = what the system is configured with, read anew for each question.
  std::string servers{};
  /// The first wait for one server; it doubles with every round. A server that answers SERVFAIL counts as one that
  /// could not be reached.
  duration try_timeout = std::chrono::seconds{2};
  int tries = 2;
};

/// Asks name servers through c-ares on the loop: a question can be stopped, and a dead name server keeps nobody else
/// waiting. Addresses of version 6 come first, and one family's answer waits only a moment for the other's. Literals
/// and `localhost`, which is 127.0.0.1 first, never leave the process.
class ares_resolver final : public resolver {
 public:
  explicit ares_resolver(resolver_options options = {});
  task<result<std::vector<ip_address>>> resolve(std::string host) override;

 private:
  resolver_options options_;
};

}  // namespace hawser
