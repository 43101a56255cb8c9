// SPDX-License-Identifier: MIT
// Responses that a server allows to be cached: lists, capabilities, resources. One cache per server and credential, so
// private responses are never shared. Has no clock and fetches nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../../runtime/loop/clock.hpp"
#include "../../transports/jsonrpc/message.hpp"

namespace hawser {

/// Who may receive the response. The default is private.
enum class cache_scope : std::uint8_t { own, shared };

/// The caching members of a result: `ttlMs` and `cacheScope`.
struct cache_hints {
  duration ttl{};  ///< zero: not cacheable; a day at most
  cache_scope scope = cache_scope::own;

  /// Precondition: `result` is valid JSON.
  static cache_hints of(std::string_view result);
};

struct cached_response {
  std::shared_ptr<const raw_json> result{};
  cache_hints hints{};
  time_point arrived{};

  [[nodiscard]] bool fresh(time_point now) const noexcept { return now < arrived + hints.ttl; }
};

class response_cache {
 public:
  struct limits {
    std::size_t max_entries = 1'000;
    std::size_t max_bytes = std::size_t{16} << 20;
  };

  response_cache() : response_cache(limits{}) {}
  explicit response_cache(limits bounds) noexcept : limits_(bounds) {}
  response_cache(response_cache&&) noexcept = default;
  response_cache& operator=(response_cache&&) noexcept = default;
  response_cache(const response_cache&) = delete;  // the index points into the entries
  response_cache& operator=(const response_cache&) = delete;
  ~response_cache() = default;

  /// `key` is what the response depends on besides the method: the cursor of a page, the URI of a resource. Null if
  /// there is no fresh entry; valid until the next change.
  [[nodiscard]] const cached_response* find(std::string_view method, std::string_view key, time_point now) const;
  /// The same, at any age: for when the server is unreachable.
  [[nodiscard]] const cached_response* find_stale(std::string_view method, std::string_view key) const;

  /// Replaces an older entry. A response that is not cacheable or too large is not stored. When the cache is full, the
  /// oldest entry is removed.
  void put(std::string_view method, std::string_view key, cached_response response);

  /// After a change notification: removes all pages of a method, or one resource.
  void invalidate(std::string_view method);
  void invalidate(std::string_view method, std::string_view key);
  void invalidate_all() noexcept;

  [[nodiscard]] std::size_t entries() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct entry {
    std::string method;
    std::string key;
    cached_response response;
    std::size_t bytes;
  };
  using position = std::list<entry>::iterator;
  using name = std::pair<std::string_view, std::string_view>;  // views into the entry

  void erase(std::map<name, position>::iterator at);

  limits limits_;
  std::list<entry> entries_;  // in order of arrival
  std::map<name, position> index_;
  std::size_t bytes_ = 0;
};

}  // namespace hawser
