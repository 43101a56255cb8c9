// SPDX-License-Identifier: MIT
// Who wants to hear of which changes by subscriptions/listen (2026-07-28). Every notification carries the id of the
// listen that wanted it.
#pragma once

#include <list>
#include <set>
#include <string>
#include <string_view>

#include "../transports/peer.hpp"
#include "service.hpp"
#include "text_digest.hpp"

namespace hawser {

/// What one listen hears of: what it asked for, as far as the service tells it.
struct listen_filter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<text_digest> uris{};  ///< of resources; their texts are not kept
  std::string uri_list{};        ///< the same as a JSON array, until it is acknowledged

  /// From the params of the request; errors are invalid parameters.
  static result<listen_filter> read(std::string_view params, const service_card& card, std::size_t max_uris);
  [[nodiscard]] std::string json() const;
  [[nodiscard]] bool wants(list_kind what) const noexcept;
  [[nodiscard]] bool wants(const text_digest& uri) const noexcept { return uris.contains(uri); }
};

class subscriptions {
 public:
  explicit subscriptions(peer& side) noexcept : side_(side) {}

  struct listen {
    std::string id;  ///< of the request, as JSON
    listen_filter filter;
  };
  using place = std::list<listen>::iterator;
  /// Acknowledges it, which is the first that the client hears.
  place add(std::string id, listen_filter filter);
  void remove(place which) noexcept { all_.erase(which); }

  void changed(list_kind what);
  void updated(std::string_view uri);

 private:
  void tell(const listen& whom, std::string_view method, std::string_view params);

  peer& side_;
  std::list<listen> all_;
};

/// The notification that a list has changed.
std::string_view changed_word(list_kind what) noexcept;

}  // namespace hawser
