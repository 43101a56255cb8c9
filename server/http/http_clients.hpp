// SPDX-License-Identifier: MIT
// The clients of the streamable_http_handler, told apart by their clientInfo, and the load that each of them causes:
// calls in progress, the bytes that they hold, and unread bytes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "../../runtime/io/byte_budget.hpp"
#include "../text_digest.hpp"
#include "send_backlog.hpp"

namespace hawser {

class http_clients {
 public:
  struct limits {
    std::size_t max_calls = 0;              ///< calls of one client in progress
    std::size_t max_unread_per_client = 0;  ///< bytes
    std::size_t max_unread = 0;
    std::size_t max_held_per_client = 0;  ///< bytes
  };
  /// `held`: the limit for what the requests of all clients hold together.
  http_clients(const limits& l, std::shared_ptr<byte_budget> held)
      : limits_(l), backlog_(std::make_shared<send_backlog>(l.max_unread)), held_(std::move(held)) {}
  http_clients(const http_clients&) = delete;
  http_clients& operator=(const http_clients&) = delete;

  class client {
   public:
    client(http_clients& all, const text_digest& name);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client() { all_.known_.erase(name_); }

    /// The digest of its clientInfo.
    [[nodiscard]] const text_digest& name() const noexcept { return name_; }
    /// The bytes that it has not read, in all its sessions.
    [[nodiscard]] const std::shared_ptr<send_backlog>& backlog() const noexcept { return backlog_; }
    /// The limit for what its requests in progress hold, in all its sessions.
    [[nodiscard]] const std::shared_ptr<byte_budget>& held() const noexcept { return held_; }

   private:
    friend class http_clients;
    http_clients& all_;
    text_digest name_;
    std::size_t calls_ = 0;
    std::shared_ptr<send_backlog> backlog_;
    std::shared_ptr<byte_budget> held_;
  };
  /// A client is kept as long as a client_ref to it exists. http_clients must outlive them all.
  using client_ref = std::shared_ptr<client>;

  /// Counts a call as in progress for as long as this object lives.
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
  /// Returns nullopt if the client has reached its limit.
  [[nodiscard]] std::optional<call> begin_call(const text_digest& name);

 private:
  limits limits_;
  std::shared_ptr<send_backlog> backlog_;
  std::shared_ptr<byte_budget> held_;
  std::map<text_digest, std::weak_ptr<client>> known_;
};

}  // namespace hawser
