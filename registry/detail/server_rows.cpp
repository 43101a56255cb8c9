// SPDX-License-Identifier: MIT
#include "server_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "hash.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t suffix_room = 9;  // the maximum a name is longer than its parts; see exposed_name.cpp

std::size_t shared_prefix(std::span<const tool_row> rows) noexcept {
  std::string_view prefix = rows.front().name;
  for (const tool_row& row : rows) {
    const auto differ = std::mismatch(prefix.begin(), prefix.end(), row.name.begin(), row.name.end());
    prefix = prefix.substr(0, static_cast<std::size_t>(differ.first - prefix.begin()));
  }
  return prefix.size();
}

// The bytes after the prefix as a number that compares like them. Names contain no zero byte, so zero padding sorts a
// shorter name first.
std::uint64_t sort_key(std::string_view name, std::size_t prefix) noexcept {
  std::uint64_t key = 0;
  for (std::size_t i = prefix; i < prefix + sizeof key; ++i)
    key = key << 8U | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  return key;
}

struct keyed {
  std::uint64_t key;
  std::uint32_t row;
};

// A stable radix sort by the bytes of the keys, least significant first. A byte that all keys share costs only its
// count.
void sort_by_key(std::vector<keyed>& order) {
  constexpr std::size_t bytes = sizeof(keyed::key);
  const auto byte_of = [](const keyed& k, std::size_t byte) { return k.key >> (8 * byte) & 0xffU; };
  std::array<std::array<std::uint32_t, 256>, bytes> counts{};
  for (const keyed& k : order)
    for (std::size_t byte = 0; byte < bytes; ++byte) ++counts[byte][byte_of(k, byte)];
  std::vector<keyed> sorted(order.size());
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    auto& places = counts[byte];
    if (places[byte_of(order.front(), byte)] == order.size()) continue;
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint32_t{0});
    for (const keyed& k : order) sorted[places[byte_of(k, byte)]++] = k;
    order.swap(sorted);
  }
}

constexpr std::size_t radix_sort_from = 2048;  // rows; for fewer, its count tables cost more than it saves

}  // namespace

server_rows::server_rows(const naming_options& names, std::uint64_t seed, server_id id, std::string_view server_name,
                         std::shared_ptr<const tool_list> tools)
    : tools_(std::move(tools)), text_(std::make_shared<text>()) {
  text_->server_name = server_name;
  expose(names, seed, id);
  sort();
  drop_duplicates();
}

server_rows::server_rows(const server_rows& other, availability state)
    : tools_(other.tools_), text_(other.text_), rows_(other.rows_), duplicates_(other.duplicates_) {
  for (tool_row& row : rows_) row.state = state;
}

void server_rows::expose(const naming_options& names, std::uint64_t seed, server_id id) {
  const std::string& server = text_->server_name;
  std::size_t room = names.limit;  // a name is written before its length is known
  for (const tool& t : tools_->tools())
    room += std::min(names.limit, server.size() + names.separator.size() + t.name.size() + suffix_room);
  text_->exposed = std::make_unique_for_overwrite<char[]>(room);
  rows_.reserve(tools_->size());
  char* at = text_->exposed.get();
  for (const tool& t : tools_->tools()) {
    const std::string_view name{at, write_exposed_name(names, server, t.name, at)};
    at += name.size();
    rows_.push_back({.name = name,
                     .server_name = server,
                     .definition = &t,
                     .hash = hash_of(name, seed),
                     .server = id,
                     .state = availability::available});
  }
}

void server_rows::sort() {
  if (std::is_sorted(rows_.begin(), rows_.end(), [](const tool_row& a, const tool_row& b) { return a.name < b.name; }))
    return;
  // Rows are large and their names are stored elsewhere: sort small keys, which are almost always distinct, then move
  // each row once.
  const std::size_t prefix = shared_prefix(rows_);
  std::vector<keyed> order;
  order.reserve(rows_.size());
  for (const tool_row& row : rows_)
    order.push_back({sort_key(row.name, prefix), static_cast<std::uint32_t>(order.size())});
  const auto before = [this](const keyed& a, const keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const int names = rows_[a.row].name.compare(rows_[b.row].name);
    return names != 0 ? names < 0 : a.row < b.row;  // of equal names, the first in the list stays first
  };
  if (order.size() < radix_sort_from) {
    std::sort(order.begin(), order.end(), before);
  } else {
    sort_by_key(order);
    for (auto same = order.begin(); same != order.end();) {
      const auto other = std::find_if(same, order.end(), [key = same->key](const keyed& k) { return k.key != key; });
      if (other - same > 1) std::sort(same, other, before);
      same = other;
    }
  }
  std::vector<tool_row> sorted;
  sorted.reserve(rows_.size());
  for (const keyed& k : order) sorted.push_back(rows_[k.row]);
  rows_ = std::move(sorted);
}

void server_rows::drop_duplicates() {
  std::size_t kept = 0;
  for (const tool_row& row : rows_) {
    if (kept > 0 && rows_[kept - 1].name == row.name) {
      duplicates_.push_back({row.definition, static_cast<std::uint32_t>(kept - 1)});
    } else {
      rows_[kept++] = row;
    }
  }
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(kept), rows_.end());
}

}  // namespace hawser::detail
