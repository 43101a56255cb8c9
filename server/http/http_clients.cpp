// SPDX-License-Identifier: MIT
#include "http_clients.hpp"

namespace hawser {

http_clients::client::client(http_clients& all, const text_digest& name)
    : all_(all),
      name_(name),
      backlog_(std::make_shared<send_backlog>(all.limits_.max_unread_per_client, all.backlog_)),
      held_(std::make_shared<byte_budget>(all.limits_.max_held_per_client, all.held_)) {}

std::optional<http_clients::call> http_clients::begin_call(const text_digest& name) {
  const auto found = known_.find(name);
  client_ref whose = found != known_.end() ? found->second.lock() : nullptr;
  if (whose == nullptr) {
    whose = std::make_shared<client>(*this, name);
    known_.insert_or_assign(name, whose);
  }
  if (whose->calls_ >= limits_.max_calls) return std::nullopt;
  return call{std::move(whose)};
}

}  // namespace hawser
