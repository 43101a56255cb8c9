// SPDX-License-Identifier: MIT
// A function on its way to the loop's thread; it frees itself when its turn is over, or when there will be none.
#pragma once

#include <memory>
#include <utility>

#include "../work.hpp"

namespace hawser::detail {

template <class F>
class posted final : public work {
 public:
  explicit posted(F f) : f_(std::move(f)) {}

 private:
  void run() noexcept override {
    std::unique_ptr<posted> self{this};
    f_();
  }
  void drop() noexcept override { delete this; }
  F f_;
};

}  // namespace hawser::detail
