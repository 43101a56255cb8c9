// SPDX-License-Identifier: MIT
// A function on its way to the loop's thread; it frees itself when its turn is over, or when there will be none.
#pragma once

#include <memory>
#include <utility>

#include "../guarded.hpp"
#include "../work.hpp"

namespace hawser::detail {

template <class F>
class posted final : public work {
 public:
  /// The log outlives it.
  posted(F f, const logger& log) : f_(std::move(f)), log_(log) {}

 private:
  void run() noexcept override {
    std::unique_ptr<posted> self{this};
    call_guarded(log_, "loop::post", f_);
  }
  void drop() noexcept override { delete this; }
  F f_;
  const logger& log_;
};

}  // namespace hawser::detail
