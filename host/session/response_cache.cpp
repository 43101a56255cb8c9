// SPDX-License-Identifier: MIT
#include "response_cache.hpp"

#include <algorithm>

#include "../../transports/json/json_text.hpp"

namespace hawser {

namespace {

// Upper bound on any ttl; the SDKs use the same.
constexpr duration longest = std::chrono::hours{24};
constexpr std::size_t overhead = 200;  // estimated memory of an entry

duration ttl_of(std::string_view json) {
  const auto milliseconds = number_of(json);
  if (!milliseconds || !(*milliseconds > 0)) return {};
  constexpr auto most = std::chrono::duration<double, std::milli>{longest};
  return std::chrono::duration_cast<duration>(std::min(std::chrono::duration<double, std::milli>{*milliseconds}, most));
}

}  // namespace

cache_hints cache_hints::of(std::string_view result) {
  // A result that requires input is valid only for the call that it answers.
  const std::string_view type = find_member(result, "resultType");
  if (!type.empty() && type != R"("complete")") return {};
  const bool shared = text_of(find_member(result, "cacheScope")) == "public";
  return {.ttl = ttl_of(find_member(result, "ttlMs")), .scope = shared ? cache_scope::shared : cache_scope::own};
}

const cached_response* response_cache::find(std::string_view method, std::string_view key, time_point now) const {
  const cached_response* found = find_stale(method, key);
  return found != nullptr && found->fresh(now) ? found : nullptr;
}

const cached_response* response_cache::find_stale(std::string_view method, std::string_view key) const {
  const auto found = index_.find(name{method, key});
  return found != index_.end() ? &found->second->response : nullptr;
}

void response_cache::put(std::string_view method, std::string_view key, cached_response response) {
  const std::size_t size = overhead + method.size() + key.size() + response.result->text().size();
  const bool worth_it = response.hints.ttl > duration::zero() && size <= limits_.max_bytes && limits_.max_entries > 0;
  // Copied first: `method` and `key` may refer to the old entry.
  entry made{.method = std::string{method}, .key = std::string{key}, .response = std::move(response), .bytes = size};
  invalidate(method, key);
  if (!worth_it) return;
  while (entries_.size() >= limits_.max_entries || bytes_ + size > limits_.max_bytes)
    erase(index_.find(name{entries_.front().method, entries_.front().key}));
  entries_.push_back(std::move(made));
  index_.emplace(name{entries_.back().method, entries_.back().key}, std::prev(entries_.end()));
  bytes_ += size;
}

void response_cache::erase(std::map<name, position>::iterator at) {
  const position which = at->second;
  bytes_ -= which->bytes;
  index_.erase(at);  // first: the key points into the entry
  entries_.erase(which);
}

void response_cache::invalidate(std::string_view method) {
  const std::string wanted{method};  // copied: it may point into an entry
  for (auto at = index_.lower_bound(name{wanted, {}}); at != index_.end() && at->first.first == wanted;) erase(at++);
}

void response_cache::invalidate(std::string_view method, std::string_view key) {
  if (const auto found = index_.find(name{method, key}); found != index_.end()) erase(found);
}

void response_cache::invalidate_all() noexcept {
  index_.clear();
  entries_.clear();
  bytes_ = 0;
}

}  // namespace hawser
