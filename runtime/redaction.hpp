// SPDX-License-Identifier: MIT
// Removes secrets from texts before they reach logs and traces, in every encoding in which texts carry bytes. This is
// the last line of defence; the first is never to put a `secret` into a text.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crypto.hpp"
#include "log.hpp"

namespace hawser {

/// Finds secrets in plain form, in hexadecimal, and in base64 and base64url, also as part of a longer encoded text.
/// Each form is also found percent-encoded or JSON-escaped, in any way, up to two levels deep.
class redaction {
 public:
  /// Shorter secrets occur by chance, and redacting them would reveal more than it hides.
  static constexpr std::size_t min_secret_bytes = 6;
  /// Longer ones are found in whole texts, but not at the end of a text that was cut.
  static constexpr std::size_t max_secret_bytes = std::size_t{32} << 10;
  /// Tokens are renewed for as long as a program runs; of those that were added first, the older half is dropped then.
  static constexpr std::size_t max_secrets = 4096;
  static constexpr std::string_view placeholder = "[redacted]";

  /// Adding a known secret makes it the newest.
  void add(std::string_view hidden);
  /// The same for secrets that are never dropped, such as those from the configuration.
  void add_permanent(std::string_view hidden);
  void add(const secret& hidden) { add(hidden.reveal()); }

  [[nodiscard]] std::string apply(std::string_view text) const;
  /// At most the first `most_bytes` of apply(text), cut at a UTF-8 character boundary. Cutting before redacting could
  /// leave the beginning of a secret at the end, which a later search would not find. Only as much of a long text is
  /// searched as this requires for secrets of up to 32 KiB.
  [[nodiscard]] std::string apply_truncated(std::string_view text, std::size_t most_bytes) const;
  /// Whether apply() would change anything.
  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] std::size_t size() const noexcept { return permanent_.size() + held_.size() + recent_.size(); }

 private:
  // The position of a secret in the text.
  struct range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct view;  // a text with one level of encoding removed
  // The secrets in one form. Servers choose their texts, and often their tokens: the cost of a search must depend only
  // on the length of the text, not on how many secrets share a prefix or how long they are. So secrets are compared by
  // rolling hashes (Rabin–Karp): a secret is identified by its length and the hashes of its first and last 2^k bytes,
  // the largest power of two that fits. A hash collision redacts too much, never too little.
  class secret_index {
   public:
    void add(std::string_view one);
    [[nodiscard]] bool has(std::string_view one) const;
    template <class Fold, class Found>
    void find(std::string_view in, Fold fold, Found found) const;
    void clear();

   private:
    struct hash_keys;  // the keys of a secret in the tables below
    static std::uint32_t key_of(const unsigned char* first_four) noexcept;
    static std::uint64_t mix(std::uint64_t sum, std::uint64_t with) noexcept;
    std::size_t longest_ = 0;
    std::bitset<65536> present_;  // filter: most texts contain no such four bytes and need no table lookup
    std::unordered_map<std::uint32_t, std::uint64_t> powers_;  // by the first four bytes: one bit per power of two
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> lengths_;  // by the hash of the first 2^k bytes
    std::unordered_set<std::uint64_t> whole_;  // hashes of the first bytes, the length and the last bytes
  };

  friend class scoped_redaction;
  void hold(const secret& hidden);
  void release(const secret& hidden);
  void drop_oldest();
  static std::vector<secret>::iterator find_in(std::vector<secret>& list, std::string_view hidden);
  void index(std::string_view hidden);
  void search(std::string_view text, const view* of, int levels, std::vector<range>& found) const;
  [[nodiscard]] std::vector<range> ranges_in(std::string_view text) const;

  std::vector<secret> permanent_;
  std::vector<secret> held_;    // one entry per holder
  std::vector<secret> recent_;  // newest last
  secret_index plain_;
  secret_index hex_;     // lower case
  secret_index base64_;  // base64 alphabet, without the characters that depend on the neighbouring bytes
};

/// Wraps a logger's sink; an empty sink stays empty. The redaction is used on the thread that logs, and secrets may be
/// added to it on that thread.
log_sink redacted(log_sink sink, std::shared_ptr<const redaction> by);

logger redacted(const logger& by_whom, std::shared_ptr<const redaction> by);

/// The same for any other text sink, such as the trace of a hub.
using text_sink = std::function<void(std::string_view subject, std::string_view text)>;
text_sink redacted(text_sink sink, std::shared_ptr<const redaction> by);

}  // namespace hawser
