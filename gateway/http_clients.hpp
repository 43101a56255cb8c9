// SPDX-License-Identifier: MIT
// The clients of an http_service, as far as their clientInfo tells them apart, and how much each of them has under way.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "text_digest.hpp"
#include "unread_bytes.hpp"

namespace hawser {

class http_clients {
 public:
  struct limits {
    std::size_t max_calls = 0;              ///< of one client, that are being answered
    std::size_t max_unread_per_client = 0;  ///< bytes
    std::size_t max_unread = 0;
  };
  explicit http_clients(const limits& l) : limits_(l), unread_(std::make_shared<unread_bytes>(l.max_unread)) {}
  http_clients(const http_clients&) = delete;
  http_clients& operator=(const http_clients&) = delete;

  class client {
   public:
    client(http_clients& all, const text_digest& name);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() { all_.known_.erase(name_); }

    /// Of its clientInfo.
    [[nodiscard]] const text_digest& name() const noexcept { return name_; }
    /// What it has not read, in all its sessions.
    [[nodiscard]] const std::shared_ptr<unread_bytes>& unread() const noexcept { return unread_; }

   private:
    friend class http_clients;
    http_clients& all_;
    text_digest name_;
    std::size_t calls_ = 0;
    std::shared_ptr<unread_bytes> unread_;
  };
  /// It is known as long as somebody has one of these. This object outlives them.
  using client_ref = std::shared_ptr<client>;

  /// A call that is being answered, as long as it lives.
  class call {
   public:
    explicit call(client_ref whose) noexcept : of_(std::move(whose)) { ++of_->calls_; }
    call(call&& other) noexcept = default;
    call& operator=(call&& other) = delete;
    ~call() {
      if (of_ != nullptr) --of_->calls_;
    }
    [[nodiscard]] const client_ref& of() const noexcept { return of_; }

   private:
    client_ref of_;
  };
  /// Nothing where it would be one too many of this client.
  [[nodiscard]] std::optional<call> begin_call(const text_digest& name);

 private:
  limits limits_;
  std::shared_ptr<unread_bytes> unread_;
  std::map<text_digest, std::weak_ptr<client>> known_;
};

}  // namespace hawser
