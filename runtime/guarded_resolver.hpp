// SPDX-License-Identifier: MIT
// In front of a resolver of the embedding program: what it throws is an error of the name that it was asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dns.hpp"
#include "guarded.hpp"

namespace hawser {

class guarded_resolver final : public resolver {
 public:
  /// Outlives it.
  explicit guarded_resolver(resolver& inner) noexcept : inner_(inner) {}

  task<result<std::vector<ip_address>>> resolve(std::string host) override {
    return guarded_task("the resolver",
                        [&inner = inner_, host = std::move(host)]() mutable { return inner.resolve(std::move(host)); });
  }

 private:
  resolver& inner_;
};

}  // namespace hawser
