// SPDX-License-Identifier: MIT
// Finds secrets in a text: the tables behind `redaction`. It keeps hashes, and no copy of a secret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "flat_table.hpp"

namespace hawser::detail {

/// Servers choose their texts, and often their tokens: the cost of a search must depend only on the length of the text,
/// not on how many secrets there are, share a prefix or are long. So
///
/// - all forms of all secrets are searched in one pass, ignoring case and the difference between the base64 alphabets.
///   A bitmap of the first six bytes of all forms excludes most positions;
/// - at the others, forms are compared by rolling hashes (Rabin–Karp): a form is identified by its length and the
///   hashes of its first and last 2^k bytes, the largest power of two that fits;
/// - a form that begins with a run of one byte is indexed from the last five of the run, because a text could have such
///   a beginning at every byte;
/// - a text gets a lookup for every four bytes. If it needs more, the rest of it is searched for the first six bytes of
///   secrets only, and redacted from there over the length of the longest of them.
///
/// The last rule, like a hash collision, redacts too much, never too little.
class secret_index {
 public:
  struct range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  static constexpr std::size_t shortest = 6;

  secret_index();

  /// Indexes all forms of a secret. Precondition: at least `shortest` bytes.
  void add(std::string_view hidden);
  [[nodiscard]] bool has(std::string_view hidden) const;
  void clear();

  /// Decodes nothing; the secrets are also indexed as they are in a decoded_text. The ranges may overlap.
  [[nodiscard]] std::vector<range> find(std::string_view text) const;

 private:
  enum class match { exact, any_case, base64 };
  struct beginning {            // by the first six bytes
    std::uint32_t powers = 0;   // a bit for each k of the forms
    std::uint32_t longest = 0;  // form
    std::uint32_t longest_run = 0;
  };
  struct whole_form {
    std::uint32_t shortest_run = 0xFFFFFFFF;  // bytes of its beginning that are not indexed
    std::uint32_t longest_run = 0;
    match how = match::exact;
  };
  class search;

  void add_form(std::string_view form, match how);
  void add_encodings(std::string_view form, match how);
  void index(std::string_view form, match how);
  void mark(std::uint64_t key) noexcept;
  [[nodiscard]] std::uint64_t mixed(std::uint64_t sum, std::uint64_t with) const noexcept;
  [[nodiscard]] std::uint64_t exact_key(std::string_view bytes) const noexcept;

  // Random, so that nobody outside can choose texts or tokens that collide in the tables.
  std::uint64_t seed_;
  std::uint64_t multiplier_;
  std::size_t longest_ = 0;
  unsigned filter_bits_;
  std::vector<std::uint64_t> filter_;
  flat_table<beginning> beginnings_;
  flat_table<std::uint32_t> groups_;                 // by k and the first 2^k bytes: an index into lengths_
  std::vector<std::vector<std::uint32_t>> lengths_;  // of the forms of a group
  flat_table<whole_form> forms_;                     // by the group, the length and the last 2^k bytes
  flat_table<bool> exact_;                           // forms whose case matters, as they are
  flat_table<bool> secrets_;
};

}  // namespace hawser::detail
