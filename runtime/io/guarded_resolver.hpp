// SPDX-License-Identifier: MIT
// Wraps a resolver supplied by the embedding program: an exception becomes an error of the lookup.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../guarded.hpp"
#include "dns.hpp"

namespace hawser {

class guarded_resolver final : public resolver {
 public:
  /// `inner` must outlive this object.
  explicit guarded_resolver(resolver& inner) noexcept : inner_(inner) {}

  task<result<std::vector<ip_address>>> resolve(std::string host) override {
    return guarded_task("the resolver",
                        [&inner = inner_, host = std::move(host)]() mutable { return inner.resolve(std::move(host)); });
  }

 private:
  resolver& inner_;
};

}  // namespace hawser
