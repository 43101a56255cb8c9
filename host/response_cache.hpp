// SPDX-License-Identifier: MIT
// Answers that a server allows to be used again for a while: its lists, what it can do, its resources. One cache a
// server and credential, so that what is private never meets another's. Knows no clock and fetches nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../runtime/clock.hpp"
#include "../transports/message.hpp"

namespace hawser {

/// Who else may be given the answer. A server that says nothing is taken to mean nobody.
enum class cache_scope : std::uint8_t { own, shared };

/// What a result says about its own keeping: `ttlMs` and `cacheScope`.
struct cache_hints {
  duration ttl{};  ///< zero: not to be used again; a day at most
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
  explicit response_cache(limits within) noexcept : limits_(within) {}
  response_cache(response_cache&&) noexcept = default;
  response_cache& operator=(response_cache&&) noexcept = default;
  response_cache(const response_cache&) = delete;  // the index points into the entries
  response_cache& operator=(const response_cache&) = delete;
  ~response_cache() = default;

  /// `key` is what else the answer depends on: the cursor of a page, the URI of a resource. Null if there is none, or
  /// none that is fresh; good until the next change.
  [[nodiscard]] const cached_response* find(std::string_view method, std::string_view key, time_point now) const;
  /// The same, however old: for when the server cannot be asked.
  [[nodiscard]] const cached_response* find_stale(std::string_view method, std::string_view key) const;

  /// Takes the place of an older one. What may not be used again, or is too large by itself, is not kept; what arrived
  /// first leaves first when there is no room.
  void put(std::string_view method, std::string_view key, cached_response response);

  /// The server said that something changed: every page of that method, or one resource.
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
  std::list<entry> entries_;  // in the order of their arrival
  std::map<name, position> index_;
  std::size_t bytes_ = 0;
};

}  // namespace hawser
