// SPDX-License-Identifier: MIT
// The last line of defence for logs and traces: whatever secret has found its way into a text is taken out of it, in
// each of the forms in which texts carry bytes. The first line is that nobody puts a `secret` into a text.
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

/// Found are secrets as they are, in hexadecimal, and in either base64, there also as a part of something longer; each
/// of it also percent-encoded or JSON-escaped, in whatever way and up to twice.
class redaction {
 public:
  /// What is shorter occurs by chance, and to take it out would say more than it hides.
  static constexpr std::size_t shortest = 6;
  /// Longer ones are found in whole texts, but not at the end of a text that was cut.
  static constexpr std::size_t longest = std::size_t{32} << 10;
  /// Tokens are renewed for as long as a program runs; of those that were added first, the older half is dropped then.
  static constexpr std::size_t most = 4096;
  static constexpr std::string_view mark = "[redacted]";

  /// One that is known already counts as new.
  void add(std::string_view hidden);
  /// The same for what is never dropped, as there is in settings.
  void add_for_good(std::string_view hidden);
  void add(const secret& hidden) { add(hidden.reveal()); }

  [[nodiscard]] std::string apply(std::string_view text) const;
  /// The first `most_bytes` of what apply() makes of a text, or a few less: whole characters of UTF-8. What is cut
  /// first may end with the beginning of a secret, which nobody finds afterwards. Of a long text no more is searched
  /// than that takes for secrets of up to 32 KiB.
  [[nodiscard]] std::string beginning(std::string_view text, std::size_t most_bytes) const;
  /// Whether apply() would change anything.
  [[nodiscard]] bool finds(std::string_view text) const;
  [[nodiscard]] std::size_t size() const noexcept { return lasting_.size() + held_.size() + known_.size(); }

 private:
  // Where in the text a secret was.
  struct range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct view;  // a text with one encoding taken off
  // What is looked for in one way of comparing bytes. A server chooses its texts, and often its tokens, too: what a
  // text costs depends on its length and not on how many secrets begin alike or how long they are. So they are compared
  // by sums (Rabin and Karp), of which the first and the last power of two of a secret's bytes make it known. A sum
  // that is right by chance takes out too much, never too little.
  class needles {
   public:
    void add(std::string_view one);
    [[nodiscard]] bool has(std::string_view one) const;
    template <class Fold, class Found>
    void find(std::string_view in, Fold fold, Found found) const;
    void clear();

   private:
    struct place;  // in the tables below
    static std::uint32_t key_of(const unsigned char* first_four) noexcept;
    static std::uint64_t mixed(std::uint64_t sum, std::uint64_t with) noexcept;
    std::size_t longest_ = 0;
    std::bitset<65536> present_;  // most texts have no such four bytes, and should not cost a look into a table
    std::unordered_map<std::uint32_t, std::uint64_t> powers_;  // of the first four bytes: a bit for each power of two
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> lengths_;  // of the first power of two of bytes
    std::unordered_set<std::uint64_t> whole_;                              // … the length, and the last ones
  };

  friend class held_secrets;
  void hold(const secret& hidden);
  void release(const secret& hidden);
  void drop_the_oldest();
  static std::vector<secret>::iterator found_in(std::vector<secret>& list, std::string_view hidden);
  void index(std::string_view hidden);
  void search(std::string_view text, const view* of, int levels, std::vector<range>& found) const;
  [[nodiscard]] std::vector<range> ranges_in(std::string_view text) const;

  std::vector<secret> lasting_;
  std::vector<secret> held_;   // one as often as somebody holds it
  std::vector<secret> known_;  // the youngest last
  needles plain_;
  needles hex_;     // lower case
  needles base64_;  // the alphabet of base64, without what depends on what stands before and behind
};

/// In front of a logger's sink; none is put in front of none. The redaction is used on the thread that logs, and may be
/// added to meanwhile there.
log_sink redacted(log_sink sink, std::shared_ptr<const redaction> by);

logger redacted(const logger& by_whom, std::shared_ptr<const redaction> by);

/// The same in front of anything else that takes texts, as the trace of a hub.
using text_sink = std::function<void(std::string_view subject, std::string_view text)>;
text_sink redacted(text_sink sink, std::shared_ptr<const redaction> by);

}  // namespace hawser
