// SPDX-License-Identifier: MIT
#include "secret_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "../crypto.hpp"
#include "decoded_text.hpp"

namespace hawser::detail {

namespace {

// Forms are compared in lower case and in the usual base64 alphabet.
constexpr auto folded_bytes = [] {
  std::array<unsigned char, 256> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<unsigned char>(i >= 'A' && i <= 'Z' ? i + 32 : i == '-' ? '+' : i == '_' ? '/' : i);
  return all;
}();

unsigned char folded(char c) noexcept { return folded_bytes[static_cast<unsigned char>(c)]; }

bool is_hex_digit(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_base64_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
         c == '-' || c == '_';
}

// The first six bytes of a text, the first of them lowest.
constexpr unsigned highest_byte = 40;

std::uint64_t first_six(std::string_view text) noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < secret_index::shortest; ++i)
    all = (all >> 8U) | (std::uint64_t{folded(text[i])} << highest_byte);
  return all;
}

// The hash of a text is a polynomial in this base, modulo 2^64.
constexpr std::uint64_t sum_base = 0x9E3779B97F4A7C15;

// sum_base to the power of 2^i.
constexpr auto sum_powers = [] {
  std::array<std::uint64_t, 64> all{};
  all[0] = sum_base;
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] * all[i - 1];
  return all;
}();

constexpr std::uint64_t next_sum(std::uint64_t sum, unsigned char byte) noexcept { return sum * sum_base + byte + 1; }

std::uint64_t sum_of(std::string_view bytes) noexcept {
  std::uint64_t sum = 0;
  for (const char c : bytes) sum = next_sum(sum, folded(c));
  return sum;
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte / 16U];
    out += digits[byte % 16U];
  }
  return out;
}

// The base64 characters of `bytes` that are the same whatever stands before and after, if `before` bytes (modulo 3)
// precede them.
std::string base64_core(std::string_view bytes, std::size_t before) {
  std::string padded(before, '\0');
  padded.reserve(before + bytes.size());
  padded += bytes;
  std::string all = base64(padded);
  cleanse(padded.data(), padded.size());
  const std::size_t first = (before * 8 + 5) / 6;
  const std::size_t last = (before + bytes.size()) * 8 / 6;
  std::string core = all.substr(first, last - first);
  cleanse(all.data(), all.size());
  return core;
}

std::string decoded(std::string_view text) { return std::move(decoded_text{text}).bytes(); }

// What a text that is decoded makes of a form whose beginning completes an escape sequence before it, or whose end
// begins one.
std::string behind_percent(std::string_view form) {
  if (!is_hex_digit(form[0]) || !is_hex_digit(form[1])) return {};
  return decoded('%' + std::string{form});
}
std::string behind_backslash(std::string_view form) {
  if (form[0] != 'u' || !std::all_of(form.begin() + 1, form.begin() + 5, is_hex_digit)) return {};
  return decoded('\\' + std::string{form});
}
std::string before_digits(std::string_view form) {
  std::size_t size = form.size();
  if (is_hex_digit(form[size - 1])) --size;
  return form[size - 1] == '%' ? decoded(form.substr(0, size - 1)) : std::string{};
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

constexpr unsigned least_filter_bits = 16;
constexpr unsigned most_filter_bits = 23;  // a MiB
constexpr std::size_t slots_by_beginning = 32;
constexpr std::size_t kept_of_run = 5;
constexpr std::uint32_t longest_kept = std::numeric_limits<std::uint32_t>::max() - 1;
// The hashes of this many bytes are kept while a text is searched, or of twice the longest form.
constexpr std::size_t least_window = std::size_t{64} * 1024;
// A lookup takes about 15 ns.
constexpr std::size_t bytes_by_lookup = 4;
constexpr std::size_t spare_lookups = 4096;

}  // namespace

secret_index::secret_index() {
  std::random_device random;
  const auto number = [&random] { return (std::uint64_t{random()} << 32U) | random(); };
  seed_ = number();
  multiplier_ = number() | 1U;
  clear();
}

void secret_index::clear() {
  longest_ = 0;
  filter_bits_ = least_filter_bits;
  filter_.assign((std::size_t{1} << filter_bits_) / 64, 0);
  beginnings_.clear();
  groups_.clear();
  lengths_.clear();
  forms_.clear();
  exact_.clear();
  secrets_.clear();
}

std::uint64_t secret_index::mixed(std::uint64_t sum, std::uint64_t with) const noexcept {
  std::uint64_t all = sum ^ seed_ ^ (with * 0x9FB21C651E98DF25);
  all = (all ^ (all >> 32U)) * multiplier_;
  all = (all ^ (all >> 29U)) * 0xFF51AFD7ED558CCD;
  return all ^ (all >> 32U);
}

std::uint64_t secret_index::exact_key(std::string_view bytes) const noexcept {
  std::uint64_t sum = 0;
  for (const char c : bytes) sum = next_sum(sum, static_cast<unsigned char>(c));
  return mixed(sum, bytes.size());
}

void secret_index::mark(std::uint64_t key) noexcept {
  const std::uint64_t slot = key >> (64 - filter_bits_);
  filter_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

bool secret_index::has(std::string_view hidden) const { return secrets_.contains(exact_key(hidden)); }

void secret_index::add(std::string_view hidden) {
  secrets_[exact_key(hidden)] = true;
  add_encodings(hidden, match::exact);
  if (hidden.find(' ') != std::string_view::npos) {  // as in application/x-www-form-urlencoded
    std::string plus{hidden};
    std::replace(plus.begin(), plus.end(), ' ', '+');
    add_encodings(plus, match::exact);
    cleanse(plus.data(), plus.size());
  }
  std::string digits = hex_of(hidden);
  add_encodings(digits, match::any_case);
  cleanse(digits.data(), digits.size());
  for (std::size_t before = 0; before < 3; ++before) {
    std::string core = base64_core(hidden, before);
    add_encodings(core, match::base64);
    cleanse(core.data(), core.size());
  }
}

// A form as it is and as it is in a decoded_text.
void secret_index::add_encodings(std::string_view form, match how) {
  add_form(form, how);
  std::array<std::string, 4> others{decoded(form), behind_percent(form), behind_backslash(form), before_digits(form)};
  const bool found_decoded = others[0].size() >= shortest;
  for (std::string& one : others) {
    if (one != form) add_form(one, how);
    cleanse(one.data(), one.size());
  }
  // A form of little but backslashes is found in the usual encodings only.
  if (found_decoded) return;
  std::string once = json_escaped(form);
  std::string twice = json_escaped(once);
  for (std::string* one : {&once, &twice}) {
    add_form(*one, how);
    cleanse(one->data(), one->size());
  }
}

void secret_index::add_form(std::string_view form, match how) {
  if (form.size() < shortest || form.size() > longest_kept) return;
  index(form, how);
}

void secret_index::index(std::string_view form, match how) {
  const auto other = std::find_if(form.begin(), form.end(), [&](char c) { return folded(c) != folded(form.front()); });
  auto run = static_cast<std::size_t>(other - form.begin());
  run = run < form.size() && run > kept_of_run ? run - kept_of_run : 0;
  form.remove_prefix(run);
  const auto power = static_cast<unsigned>(std::bit_width(form.size())) - 1;
  const std::size_t part = std::size_t{1} << power;
  const auto size = static_cast<std::uint32_t>(form.size());
  longest_ = std::max(longest_, form.size());

  const std::uint64_t key = first_six(form) * multiplier_;
  beginning& start = beginnings_[key];
  start.powers |= std::uint32_t{1} << power;
  start.longest = std::max(start.longest, size);
  start.longest_run = std::max(start.longest_run, static_cast<std::uint32_t>(run));
  if (beginnings_.size() * slots_by_beginning > (std::size_t{1} << filter_bits_) && filter_bits_ < most_filter_bits) {
    ++filter_bits_;
    filter_.assign((std::size_t{1} << filter_bits_) / 64, 0);
    beginnings_.for_each_key([this](std::uint64_t one) { mark(one); });
  } else {
    mark(key);
  }

  const std::uint64_t group_key = mixed(sum_of(form.substr(0, part)), power);
  std::uint32_t& group = groups_[group_key];
  if (group == 0) {
    lengths_.emplace_back();
    group = static_cast<std::uint32_t>(lengths_.size());
  }
  std::vector<std::uint32_t>& lengths = lengths_[group - 1];
  if (std::find(lengths.begin(), lengths.end(), size) == lengths.end()) lengths.push_back(size);

  whole_form& all = forms_[mixed(mixed(group_key, size), sum_of(form.substr(form.size() - part)))];
  all.shortest_run = std::min(all.shortest_run, static_cast<std::uint32_t>(run));
  all.longest_run = std::max(all.longest_run, static_cast<std::uint32_t>(run));
  all.how = std::max(all.how, how);
  if (how == match::exact) exact_[exact_key(form)] = true;
}

// One search of one text.
class secret_index::search {
 public:
  search(const secret_index& in, std::string_view text)
      : in_(in),
        text_(text),
        lookups_(text.size() / bytes_by_lookup + spare_lookups),
        window_(std::max(least_window, in.longest_)) {}

  void look(std::size_t at, std::uint64_t key) {
    position_ = at;
    const beginning* start = in_.beginnings_.find(key);
    if (start == nullptr) return;
    for (std::uint32_t powers = start->powers; powers != 0; powers &= powers - 1) {
      const auto power = static_cast<unsigned>(std::countr_zero(powers));
      if ((std::size_t{1} << power) > text_.size() - at) return;
      if (!spend(1)) {
        take_all(at, *start);
        return;
      }
      const std::uint64_t group_key = in_.mixed(sum(at, power), power);
      const std::uint32_t* group = in_.groups_.find(group_key);
      if (group == nullptr) continue;
      for (const std::uint32_t length : in_.lengths_[*group - 1]) {
        if (length > text_.size() - at) continue;
        if (!spend(1)) {
          take_all(at, *start);
          return;
        }
        const std::uint64_t end = sum(at + length - (std::size_t{1} << power), power);
        compare(at, length, in_.mixed(in_.mixed(group_key, length), end));
      }
    }
  }

  std::vector<range> found;

 private:
  bool spend(std::size_t lookups) noexcept {
    lookups_ -= std::min(lookups_, lookups);
    return lookups_ > 0;
  }

  // The hash of the 2^power bytes at `at`.
  std::uint64_t sum(std::size_t at, unsigned power) {
    const std::size_t size = std::size_t{1} << power;
    if (sums_.empty() || at < begin_ || at >= begin_ + sums_.size() || position_ > begin_ + window_) {
      // No hashes between the last place and this one were needed, or they are too many to be kept.
      begin_ = std::min(at, position_);
      sums_.assign(1, 0);
    }
    for (std::size_t i = begin_ + sums_.size() - 1; i < at + size; ++i)
      sums_.push_back(next_sum(sums_.back(), folded(text_[i])));
    return sums_[at - begin_ + size] - sums_[at - begin_] * sum_powers[power];
  }

  void compare(std::size_t at, std::size_t length, std::uint64_t key) {
    const whole_form* form = in_.forms_.find(key);
    if (form == nullptr) return;
    const std::size_t run = run_before(at, form->longest_run);
    if (run < form->shortest_run) return;
    // Comparing costs time by the length.
    if (form->how == match::exact && spend(1 + length / 8) &&
        !in_.exact_.contains(in_.exact_key(text_.substr(at, length))))
      return;
    std::size_t begin = at - run;
    std::size_t end = at + length;
    if (form->how == match::base64) {  // the characters next to the form also contain bits of the secret
      if (begin > 0 && is_base64_digit(text_[begin - 1])) --begin;
      if (end < text_.size() && is_base64_digit(text_[end])) ++end;
    }
    take(begin, end);
  }

  void take_all(std::size_t at, const beginning& start) {
    take(at - run_before(at, start.longest_run), at + std::min<std::size_t>(start.longest, text_.size() - at));
  }

  // How often the byte at `at` stands before it. No run is looked at twice: `at` is near its end.
  [[nodiscard]] std::size_t run_before(std::size_t at, std::size_t most) const noexcept {
    std::size_t run = 0;
    while (run < most && run < at && folded(text_[at - run - 1]) == folded(text_[at])) ++run;
    return run;
  }

  // A text that repeats one secret may have a match at every byte.
  void take(std::size_t begin, std::size_t end) {
    if (!found.empty() && begin >= found.back().begin && begin < found.back().end) {
      found.back().end = std::max(found.back().end, end);
    } else {
      found.push_back({begin, end});
    }
  }

  const secret_index& in_;
  std::string_view text_;
  std::size_t lookups_;
  std::size_t window_;
  std::vector<std::uint64_t> sums_;  // of the bytes from begin_: the first 0, 1, 2 …
  std::size_t begin_ = 0;
  std::size_t position_ = 0;  // of the search: nothing before it is asked for
};

std::vector<secret_index::range> secret_index::find(std::string_view text) const {
  search one{*this, text};
  if (text.size() < shortest || beginnings_.size() == 0) return {};
  const std::uint64_t* filter = filter_.data();
  const unsigned shift = 64 - filter_bits_;
  const std::uint64_t multiplier = multiplier_;
  std::uint64_t six = first_six(text) << 8U;
  for (std::size_t i = 0; i + shortest <= text.size(); ++i) {
    six = ((six >> 8U) & 0xFFFFFFFFFFU) | (std::uint64_t{folded(text[i + shortest - 1])} << highest_byte);
    const std::uint64_t key = six * multiplier;
    const std::uint64_t slot = key >> shift;
    if (((filter[slot / 64] >> (slot % 64)) & 1U) == 0) continue;
    one.look(i, key);
  }
  return std::move(one.found);
}

}  // namespace hawser::detail
