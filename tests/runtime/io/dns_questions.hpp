// SPDX-License-Identifier: MIT
// Questions to fake name servers on 127.0.0.1, and what came of them; no question leaves the machine. c-ares keeps
// real time whatever the loop's clock says, so waits for a silent server are real and short.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "../../../runtime/io/dns.hpp"
#include "../../support/contains.hpp"
#include "../../support/fake_dns_server.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace hawser::testing::questions {

using namespace std::chrono_literals;
using manner = fake_dns_server::manner;
using addresses = std::vector<ip_address>;

// Longer than any test may take: who waits for it has failed.
inline constexpr duration too_long = 60s;

inline ip_address v4(std::uint8_t last) { return ip_address::v4({127, 0, 0, last}); }

inline fake_dns_server::table sample_names() {
  return {{"both.test", {v4(7), ip_address::loopback_v6()}},
          {"four.test", {v4(8), v4(9)}},
          {"six.test", {ip_address::loopback_v6()}},
          {"neither.test", {}}};
}

inline resolver_options asking(const fake_dns_server& server, duration try_timeout = too_long, int tries = 1) {
  return {.servers = server.address(), .try_timeout = try_timeout, .tries = tries};
}

inline task<result<addresses>> resolved(resolver& by, std::string host) {
  co_return co_await by.resolve(std::move(host));
}

inline result<addresses> resolve_alone(const fake_dns_server& server, std::string host) {
  ares_resolver by{asking(server)};
  return run(resolved(by, std::move(host)));
}

// The order is a matter of the machine's routes (RFC 6724).
inline addresses sorted(addresses list) {
  std::sort(list.begin(), list.end());
  return list;
}

inline bool gave(const result<addresses>& outcome, const addresses& expected) {
  return outcome.has_value() && sorted(*outcome) == expected;
}

// On a busy machine more time may pass between two answers of one server than one family waits for the other: whoever
// got only one of them asks again.
inline result<addresses> both_families(const auto& ask) {
  for (int tries = 0; tries < 5; ++tries) {
    auto outcome = ask();
    if (!outcome || outcome->size() == 2) return outcome;
  }
  return ask();
}

inline duration time_of(const auto& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace hawser::testing::questions
