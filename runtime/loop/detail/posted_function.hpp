// SPDX-License-Identifier: MIT
// A function posted to the loop thread. It deletes itself after it has run, or when it is dropped.
#pragma once

#include <memory>
#include <utility>

#include "../../guarded.hpp"
#include "../work.hpp"

namespace hawser::detail {

template <class F>
class posted_function final : public work {
 public:
  /// The log outlives it.
  posted_function(F f, const logger& log) : f_(std::move(f)), log_(log) {}

 private:
  void run() noexcept override {
    std::unique_ptr<posted_function> self{this};
    call_guarded(log_, "loop::post", f_);
  }
  void drop() noexcept override { delete this; }
  F f_;
  const logger& log_;
};

}  // namespace hawser::detail
