// SPDX-License-Identifier: MIT
#include "json_tree.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>
// The hash function whose collisions matter; the same from Boost 1.83 to 1.88.
#include <boost/json/detail/digest.hpp>

#include "../../runtime/crypto.hpp"
#include "json_text.hpp"

namespace hawser {

namespace {

constexpr std::size_t small_object = json_validator::large_object;

// Tests names with the salts that a table can have. An address is a multiple of 16, and the bits above its last byte
// are added to the hashes of all names of one length alike, so there are sixteen kinds of salts, whatever the names.
// Large tables are one more kind: they start at the beginning of a page, or of a huge page, after 16 bytes of malloc's,
// so all of their lower bits are known.
//
// With each salt, a random sample of four times the square root of all names is tested. By chance about 8 pairs of them
// share a bucket, however many names there are. In general the number of pairs is 16 times the number of comparisons
// per name that Boost.JSON makes when it parses the object, so a limit on pairs limits the cost of parsing.
//
// Names that were not chosen to collide can still collide more often than by chance, because the multiplier of the hash
// is 2^40 + 435: addresses in steps of 16, as the names of exactly 435 members, reach 280 pairs on average and 800 with
// some salts. The effect shrinks with more members; 4,000 and more names of any usual kind stay below 100. The limits
// are above these values and must be exceeded with several salts of one kind, which makes no difference for names that
// were chosen to collide.
constexpr std::size_t pairs_in_small_objects = 640;
constexpr std::size_t pairs_in_large_objects = 256;
constexpr std::size_t pairs_by_members = std::size_t{1} << 20;  // divided by the number of members, between the two
constexpr int salts_that_must_agree = 4;
constexpr std::size_t kinds_of_salts = 17;
constexpr std::size_t names_per_salt = 64;  // so that a name is tested twice at most

class collision_search {
 public:
  collision_search() {
    const std::string seed = random_bytes(sizeof state_);
    std::memcpy(&state_, seed.data(), sizeof state_);
  }

  /// `digest_of(name, salt)`
  template <class Digest>
  bool found_in(std::span<std::string_view> names, std::size_t capacity, Digest digest_of) {
    const std::size_t most_pairs =
        std::clamp(pairs_by_members / names.size(), pairs_in_large_objects, pairs_in_small_objects);
    if (in_bucket_.size() < capacity) in_bucket_.resize(capacity);
    const std::size_t first_kind = below(kinds_of_salts - 1);
    const std::size_t kinds = std::min(kinds_of_salts, 1 + names.size() / names_per_salt);
    for (std::size_t i = 0; i < kinds; ++i) {
      int agree = 0;
      while (agree < salts_that_must_agree) {
        const std::uint64_t salt = i == 0 ? next() << 21U | 0x10U : next() << 8U | ((first_kind + i) % 16) << 4U;
        if (pairs_with(salt, names, capacity, most_pairs, digest_of) <= most_pairs) break;
        ++agree;
      }
      if (agree == salts_that_must_agree) return true;
    }
    return false;
  }

 private:
  template <class Digest>
  std::size_t pairs_with(std::uint64_t salt, std::span<std::string_view> names, std::size_t capacity,
                         std::size_t most_pairs, Digest digest_of) {
    const auto wanted = static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(names.size())));
    const std::size_t sampled = std::min(names.size(), wanted);
    std::size_t pairs = 0;
    used_.clear();
    for (std::size_t i = 0; i < sampled && pairs <= most_pairs; ++i) {
      std::swap(names[i], names[i + below(names.size() - i)]);
      const auto bucket = static_cast<std::size_t>(digest_of(names[i], salt) % capacity);
      pairs += in_bucket_[bucket]++;
      used_.push_back(bucket);
    }
    for (const std::size_t bucket : used_) in_bucket_[bucket] = 0;
    return pairs;
  }

  // splitmix64
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  }
  std::size_t below(std::size_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<wide>(next()) * bound >> 64U);
  }

  std::uint64_t state_ = 0;
  std::vector<std::uint8_t> in_bucket_;  // 8 bits suffice: a bucket with 37 names exceeds every limit
  std::vector<std::size_t> used_;
};

std::uint64_t digest_of_name(std::string_view name, std::uint64_t salt) {
  return boost::json::detail::digest(name.begin(), name.end(), salt);
}
// The same for a name as written in a text.
std::uint64_t digest_of_raw_name(std::string_view name, std::uint64_t salt) {
  if (std::memchr(name.data(), '\\', name.size()) == nullptr) return digest_of_name(name, salt);
  return digest_of_name(unescaped(name), salt);
}

boost::json::value parsed_tree(std::string_view text, boost::system::error_code& failure,
                               boost::json::storage_ptr memory) {
  boost::json::parse_options options;
  options.max_depth = json_validator::deepest;  // smaller limits have been checked before
  return boost::json::parse(boost::json::string_view{text.data(), text.size()}, failure, std::move(memory), options);
}

// Walks a valid text and checks the objects that are not small.
class object_walk {
 public:
  explicit object_walk(const char* end) : end_(end) {}

  /// The position after the value that starts at `p`, or null if names collide.
  const char* value(const char* p) {
    if (*p == '[') return walk_array(p, [this](const char* element) { return value(element); });
    if (*p != '{') return detail::skip_value(p, end_);
    const std::size_t outer = names_.size();
    p = walk_object(p, end_, [this](std::string_view name, const char* member) {
      names_.push_back(name);
      return value(member);
    });
    const std::span<std::string_view> own = std::span{names_}.subspan(outer);
    if (p != nullptr && own.size() > small_object && search_.found_in(own, own.size(), digest_of_raw_name)) p = nullptr;
    names_.resize(outer);
    return p;
  }

 private:
  const char* end_;
  std::vector<std::string_view> names_;  // of all enclosing objects
  collision_search search_;
};

}  // namespace

result<std::size_t> check_json_tree(std::string_view text, json_limits limits) {
  const char* end = text.data() + text.size();
  json_validator check{end, limits};
  const char* first = check.space(text.data());
  const char* p = check.value(first, 0);
  if (p != nullptr && check.space(p) != end) p = check.refuse("something stands behind the value");
  if (p != nullptr && check.has_large_object() && object_walk{end}.value(first) == nullptr)
    p = check.refuse("an object has too many members whose names are equal or collide in a hash table",
                     errc::too_large);
  if (p != nullptr) return check.values();
  return error{.code = check.fault_code(), .what = check.fault()};
}

result<boost::json::value> json_tree(std::string_view text, json_limits limits, boost::json::storage_ptr memory) {
  if (auto valid = check_json_tree(text, limits); !valid) return valid.error();
  boost::system::error_code failure;
  boost::json::value tree = parsed_tree(text, failure, std::move(memory));
  if (failure) return error{.code = errc::parse, .what = failure.message()};
  return tree;
}

boost::json::value checked_json_tree(std::string_view text, boost::json::storage_ptr memory) {
  boost::system::error_code failure;
  return parsed_tree(text, failure, std::move(memory));
}

// On average, names in one bucket exceed the limit if they are 9 times the square root of all, in large objects 6
// times.
std::size_t longest_lookup(std::size_t members) noexcept {
  return std::min(members, static_cast<std::size_t>(12 * std::sqrt(static_cast<double>(members))));
}

bool names_collide(std::span<std::string_view> names, std::size_t capacity) {
  return names.size() > small_object && collision_search{}.found_in(names, capacity, digest_of_name);
}

}  // namespace hawser
