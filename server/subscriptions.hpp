// SPDX-License-Identifier: MIT
// The subscriptions of subscriptions/listen (2026-07-28): which changes each of them asked for. Every notification
// carries the id of its listen request.
#pragma once

#include <list>
#include <set>
#include <string>
#include <string_view>

#include "../transports/jsonrpc/peer.hpp"
#include "service.hpp"
#include "text_digest.hpp"

namespace hawser {

/// The changes that one listen request covers: those it asked for, as far as the service supports them.
struct listen_filter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<text_digest> uris{};  ///< digests of the resource URIs; the texts are not kept
  std::string uri_list{};        ///< the same as a JSON array, until it is acknowledged

  /// From the params of the request; errors are invalid params.
  static result<listen_filter> read(std::string_view params, const server_info& card, std::size_t max_uris);
  [[nodiscard]] std::string json() const;
  [[nodiscard]] bool wants(list_kind what) const noexcept;
  [[nodiscard]] bool wants(const text_digest& uri) const noexcept { return uris.contains(uri); }
};

class subscriptions {
 public:
  explicit subscriptions(peer& side) noexcept : peer_(side) {}

  struct listen {
    std::string id;  ///< of the request, as JSON
    listen_filter filter;
  };
  using place = std::list<listen>::iterator;
  /// Sends the acknowledgement, which is the first notification of the subscription.
  place add(std::string id, listen_filter filter);
  void remove(place which) noexcept { all_.erase(which); }

  void notify_list_changed(list_kind what);
  void notify_resource_updated(std::string_view uri);

 private:
  void tell(const listen& whom, std::string_view method, std::string_view params);

  peer& peer_;
  std::list<listen> all_;
};

/// The notification that a list has changed.
std::string_view list_changed_method(list_kind what) noexcept;

}  // namespace hawser
