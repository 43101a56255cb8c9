// SPDX-License-Identifier: MIT
// A byte limit: caps how many bytes are held at once for one client and, through a second budget, for all clients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace hawser {

class byte_budget {
 public:
  /// Bytes taken here are also taken from `overall`, if it is set.
  explicit byte_budget(std::size_t limit, std::shared_ptr<byte_budget> overall = nullptr) noexcept
      : limit_(limit), overall_(std::move(overall)) {}
  byte_budget(const byte_budget&) = delete;
  byte_budget& operator=(const byte_budget&) = delete;

  /// Returns its bytes to the budget on destruction. The budget must outlive it.
  class share {
   public:
    share(share&& other) noexcept : of_(std::exchange(other.of_, nullptr)), bytes_(other.bytes_) {}
    share& operator=(share&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~share() {
      if (of_ != nullptr) of_->give_back(bytes_);
    }
    /// Takes `more` bytes in addition; false, and no change, if they would exceed a limit.
    [[nodiscard]] bool extend(std::size_t more) noexcept {
      if (of_ == nullptr || !of_->has_room(more)) return false;
      of_->add(more);
      bytes_ += more;
      return true;
    }

   private:
    friend class byte_budget;
    share(byte_budget& of, std::size_t bytes) noexcept : of_(&of), bytes_(bytes) {}
    byte_budget* of_;
    std::size_t bytes_;
  };

  /// Returns nullopt if `bytes` more would exceed the limit of this budget or of the overall one.
  [[nodiscard]] std::optional<share> take(std::size_t bytes) noexcept {
    if (!has_room(bytes)) return std::nullopt;
    add(bytes);
    return share{*this, bytes};
  }
  [[nodiscard]] std::size_t used() const noexcept { return used_; }

 private:
  [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
    return bytes <= limit_ - std::min(used_, limit_) && (overall_ == nullptr || overall_->has_room(bytes));
  }
  void add(std::size_t bytes) noexcept {
    for (byte_budget* one = this; one != nullptr; one = one->overall_.get()) one->used_ += bytes;
  }
  void give_back(std::size_t bytes) noexcept {
    for (byte_budget* one = this; one != nullptr; one = one->overall_.get()) one->used_ -= bytes;
  }

  std::size_t limit_;
  std::size_t used_ = 0;
  std::shared_ptr<byte_budget> overall_;
};

}  // namespace hawser
