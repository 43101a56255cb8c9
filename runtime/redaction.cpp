// SPDX-License-Identifier: MIT
#include "redaction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "detail/check.hpp"

namespace hawser {

namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::uint32_t> hex_number(std::string_view digits) noexcept {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
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

bool in_base64(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
         c == '-' || c == '_';
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

unsigned char as_it_is(unsigned char c) noexcept { return c; }
unsigned char lower(unsigned char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<unsigned char>(c + 32) : c; }
unsigned char one_base64(unsigned char c) noexcept { return c == '-' ? '+' : c == '_' ? '/' : c; }

}  // namespace

// A text with one level of some encoding removed. `from` maps each byte to the offset in the original text where it
// began; the last entry is the end of the text.
struct redaction::view {
  std::string bytes{};
  std::vector<std::uint32_t> from{};

  // `decode` gets a text that begins with `sign`. It returns the length of the escape sequence and stores the decoded
  // bytes, or returns 0 if it is not one.
  template <class Decode>
  static view without(char sign, std::string_view text, const view* of, Decode decode) {
    view out;
    out.bytes.reserve(text.size());
    out.from.reserve(text.size() + 1);
    std::string piece;
    for (std::size_t i = 0; i < text.size();) {
      const auto origin = of == nullptr ? static_cast<std::uint32_t>(i) : of->from[i];
      const std::size_t length = text[i] == sign ? decode(text.substr(i), piece) : 0;
      if (length == 0) {
        out.bytes += text[i++];
        out.from.push_back(origin);
        continue;
      }
      out.bytes += piece;
      out.from.insert(out.from.end(), piece.size(), origin);
      i += length;
    }
    out.from.push_back(of == nullptr ? static_cast<std::uint32_t>(text.size()) : of->from.back());
    return out;
  }

  [[nodiscard]] range origin(range here) const {
    // An escape sequence may decode to several bytes, of which only the first may belong to the secret.
    while (here.end + 1 < from.size() && from[here.end] == from[here.end - 1]) ++here.end;
    return {from[here.begin], from[here.end]};
  }

  static std::size_t percent_code(std::string_view text, std::string& into) {
    const auto code = text.size() > 2 ? hex_number(text.substr(1, 2)) : std::nullopt;
    if (!code) return 0;
    into.assign(1, static_cast<char>(*code));
    return 3;
  }

  static std::size_t json_escape(std::string_view text, std::string& into) {
    constexpr std::string_view letters = "bfnrt\"\\/";
    constexpr std::string_view meanings = "\b\f\n\r\t\"\\/";
    if (text.size() < 2) return 0;
    if (const std::size_t at = letters.find(text[1]); at != std::string_view::npos) {
      into.assign(1, meanings[at]);
      return 2;
    }
    const auto unit = text[1] == 'u' && text.size() >= 6 ? hex_number(text.substr(2, 4)) : std::nullopt;
    if (!unit) return 0;
    std::uint32_t point = *unit;
    std::size_t length = 6;
    if (point >= 0xD800 && point < 0xDC00 && text.size() >= 12 && text.substr(6, 2) == "\\u") {
      const auto low = hex_number(text.substr(8, 4));
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10U) + (*low - 0xDC00);
        length = 12;
      }
    }
    into = utf8(point);
    return length;
  }

  static std::string utf8(std::uint32_t point) {
    const auto tail = [point](unsigned shift) { return static_cast<char>(0x80U | ((point >> shift) & 0x3FU)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0U | (point >> 6U)), tail(0)};
    if (point < 0x10000) return {static_cast<char>(0xE0U | (point >> 12U)), tail(6), tail(0)};
    return {static_cast<char>(0xF0U | (point >> 18U)), tail(12), tail(6), tail(0)};
  }
};

std::uint32_t redaction::secret_index::key_of(const unsigned char* four) noexcept {
  return four[0] | (std::uint32_t{four[1]} << 8U) | (std::uint32_t{four[2]} << 16U) | (std::uint32_t{four[3]} << 24U);
}

namespace {

std::size_t slot_of(std::uint32_t key) noexcept { return (key * 2654435761U) >> 16U; }

// The hash of a text is a polynomial in this base, modulo 2^64.
constexpr std::uint64_t sum_base = 0x9E3779B97F4A7C15;

// sum_base to the power of 2^i.
constexpr auto sum_powers = [] {
  std::array<std::uint64_t, 64> all{};
  all[0] = sum_base;
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] * all[i - 1];
  return all;
}();

std::uint64_t sum_of(std::string_view bytes) noexcept {
  std::uint64_t sum = 0;
  for (const char c : bytes) sum = sum * sum_base + static_cast<unsigned char>(c) + 1;
  return sum;
}

// A text is searched in windows of this many bytes, or of the length of the longest secret if that is larger.
constexpr std::size_t least_window = std::size_t{64} * 1024;

}  // namespace

// The keys of a secret in the tables.
struct redaction::secret_index::hash_keys {
  explicit hash_keys(std::string_view one)
      : power(static_cast<unsigned>(std::bit_width(one.size())) - 1),
        first(mix(sum_of(one.substr(0, std::size_t{1} << power)), power)),
        all(mix(mix(first, one.size()), sum_of(one.substr(one.size() - (std::size_t{1} << power))))) {}
  unsigned power;
  std::uint64_t first;
  std::uint64_t all;
};

std::uint64_t redaction::secret_index::mix(std::uint64_t sum, std::uint64_t with) noexcept {
  sum = (sum ^ with) * 0xFF51AFD7ED558CCD;
  return sum ^ (sum >> 32U);
}

void redaction::secret_index::add(std::string_view one) {
  const std::uint32_t key = key_of(reinterpret_cast<const unsigned char*>(one.data()));
  const hash_keys at{one};
  if (!whole_.insert(at.all).second) return;
  longest_ = std::max(longest_, one.size());
  present_.set(slot_of(key));
  powers_[key] |= std::uint64_t{1} << at.power;
  std::vector<std::size_t>& lengths = lengths_[at.first];
  if (std::find(lengths.begin(), lengths.end(), one.size()) == lengths.end()) lengths.push_back(one.size());
}

bool redaction::secret_index::has(std::string_view one) const { return whole_.contains(hash_keys{one}.all); }

void redaction::secret_index::clear() {
  longest_ = 0;
  present_.reset();
  powers_.clear();
  lengths_.clear();
  whole_.clear();
}

template <class Fold, class Found>
void redaction::secret_index::find(std::string_view in, Fold fold, Found found) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(in.data());
  if (whole_.empty() || in.size() < 4) return;
  const std::size_t window = std::max(least_window, longest_);
  std::vector<std::uint64_t> sums;  // prefix hashes: of the first 0, 1, 2 … bytes from `begin`; computed on demand
  std::size_t begin = 0;
  const auto sum = [&](std::size_t at, unsigned power) {
    return sums[at - begin + (std::size_t{1} << power)] - sums[at - begin] * sum_powers[power];
  };
  const auto look = [&](std::size_t at, std::uint64_t powers) {
    for (; powers != 0; powers &= powers - 1) {
      const auto power = static_cast<unsigned>(std::countr_zero(powers));
      const std::size_t part = std::size_t{1} << power;
      if (part > in.size() - at) return;
      const std::uint64_t first = mix(sum(at, power), power);
      const auto lengths = lengths_.find(first);
      if (lengths == lengths_.end()) continue;
      for (const std::size_t length : lengths->second) {
        if (length > in.size() - at) continue;
        if (whole_.contains(mix(mix(first, length), sum(at + length - part, power)))) found(at, length);
      }
    }
  };
  std::array<unsigned char, 4> last{0, fold(bytes[0]), fold(bytes[1]), fold(bytes[2])};
  for (; begin + 4 <= in.size(); begin += window) {
    sums.clear();
    const std::size_t end = std::min(begin + window, in.size() - 3);
    for (std::size_t i = begin; i < end; ++i) {
      last = {last[1], last[2], last[3], fold(bytes[i + 3])};
      const std::uint32_t key = key_of(last.data());
      if (!present_.test(slot_of(key))) continue;
      const auto powers = powers_.find(key);
      if (powers == powers_.end()) continue;
      if (sums.empty()) {
        const std::size_t count = std::min(window + longest_, in.size() - begin);
        sums.resize(count + 1);
        for (std::size_t k = 0; k < count; ++k) sums[k + 1] = sums[k] * sum_base + fold(bytes[begin + k]) + 1;
      }
      look(i, powers->second);
    }
  }
}

std::vector<secret>::iterator redaction::find_in(std::vector<secret>& list, std::string_view hidden) {
  return std::find_if(list.begin(), list.end(), [&](const secret& one) { return one.reveal() == hidden; });
}

void redaction::add(std::string_view hidden) {
  if (hidden.size() < min_secret_bytes) return;
  if (!plain_.has(hidden)) {
    index(hidden);
  } else if (const auto before = find_in(recent_, hidden); before != recent_.end()) {
    std::rotate(before, before + 1, recent_.end());  // it is in use again, so it becomes the newest
    return;
  } else {
    return;  // permanent or held
  }
  recent_.emplace_back(hidden);
  drop_oldest();
}

void redaction::drop_oldest() {
  if (recent_.size() < max_secrets) return;
  recent_.erase(recent_.begin(), recent_.begin() + max_secrets / 2);
  for (secret_index* each : {&plain_, &hex_, &base64_}) each->clear();
  for (const auto* list : {&permanent_, &held_, &recent_}) {
    for (const secret& one : *list) index(one.reveal());
  }
}

void redaction::add_permanent(std::string_view hidden) {
  if (hidden.size() < min_secret_bytes) return;
  if (!plain_.has(hidden)) {
    index(hidden);
  } else if (find_in(permanent_, hidden) != permanent_.end()) {
    return;
  }
  permanent_.emplace_back(hidden);
}

void redaction::hold(const secret& hidden) {
  if (!plain_.has(hidden.reveal())) index(hidden.reveal());
  if (const auto before = find_in(recent_, hidden.reveal()); before != recent_.end()) recent_.erase(before);
  held_.push_back(hidden);
}

void redaction::release(const secret& hidden) {
  const auto held = find_in(held_, hidden.reveal());
  detail::require(held != held_.end(), "a secret was released that nobody held");
  held_.erase(held);
  const bool kept =
      find_in(held_, hidden.reveal()) != held_.end() || find_in(permanent_, hidden.reveal()) != permanent_.end();
  if (kept) return;
  recent_.push_back(hidden);  // other parties may still send it for a while
  drop_oldest();
}

void redaction::index(std::string_view hidden) {
  plain_.add(hidden);
  if (hidden.find(' ') != std::string_view::npos) {  // as in application/x-www-form-urlencoded
    std::string plus{hidden};
    std::replace(plus.begin(), plus.end(), ' ', '+');
    plain_.add(plus);
    cleanse(plus.data(), plus.size());
  }
  std::string digits = hex_of(hidden);
  hex_.add(digits);
  cleanse(digits.data(), digits.size());
  for (std::size_t before = 0; before < 3; ++before) {
    std::string core = base64_core(hidden, before);
    base64_.add(core);
    cleanse(core.data(), core.size());
  }
}

void redaction::search(std::string_view text, const view* of, int levels, std::vector<range>& found) const {
  const auto here = [&](std::size_t begin, std::size_t count) {
    range one{begin, begin + count};
    if (of != nullptr) one = of->origin(one);
    // A text that repeats one secret has a match at every byte; merge them.
    if (!found.empty() && one.begin >= found.back().begin && one.begin < found.back().end) {
      found.back().end = std::max(found.back().end, one.end);
    } else {
      found.push_back(one);
    }
  };
  plain_.find(text, as_it_is, here);
  hex_.find(text, lower, here);
  base64_.find(text, one_base64, [&](std::size_t begin, std::size_t count) {
    // The characters next to the core also contain bits of the secret.
    const std::size_t before = begin > 0 && in_base64(text[begin - 1]) ? 1 : 0;
    const std::size_t behind = begin + count < text.size() && in_base64(text[begin + count]) ? 1 : 0;
    here(begin - before, before + count + behind);
  });
  if (levels == 0) return;
  const auto inside = [&](const view& decoded) {
    if (decoded.bytes.size() != text.size()) search(decoded.bytes, &decoded, levels - 1, found);
  };
  if (text.find('%') != std::string_view::npos) inside(view::without('%', text, of, view::percent_code));
  if (text.find('\\') != std::string_view::npos) inside(view::without('\\', text, of, view::json_escape));
}

std::vector<redaction::range> redaction::ranges_in(std::string_view text) const {
  std::vector<range> found;
  if (size() == 0 || text.size() < min_secret_bytes) return found;
  search(text, nullptr, 2, found);
  std::sort(found.begin(), found.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
  return found;
}

std::string redaction::apply_truncated(std::string_view text, std::size_t most_bytes) const {
  const std::string_view searched = text.substr(0, std::min(text.size(), most_bytes) + max_secret_bytes);
  std::string shown = apply(searched);
  // The searched part may end inside a secret, and redaction may have shortened what precedes it.
  if (searched.size() < text.size()) shown.resize(shown.size() - std::min(shown.size(), max_secret_bytes));
  if (shown.size() <= most_bytes) return shown;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
  shown.resize(end);
  return shown;
}

bool redaction::matches(std::string_view text) const { return !ranges_in(text).empty(); }

std::string redaction::apply(std::string_view text) const {
  std::string out;
  std::size_t done = 0;
  for (const range& one : ranges_in(text)) {
    // Overlapping secrets are replaced by one mark.
    if (one.begin >= done) {
      out += text.substr(done, one.begin - done);
      out += placeholder;
    }
    done = std::max(done, one.end);
  }
  out += text.substr(done);
  return out;
}

log_sink redacted(log_sink sink, std::shared_ptr<const redaction> by) {
  if (!sink) return {};
  return [sink = std::move(sink), by = std::move(by)](const log_record& record) {
    const std::string subject = by->apply(record.subject);
    const std::string text = by->apply(record.text);
    sink(log_record{record.level, subject, text});
  };
}

logger redacted(const logger& by_whom, std::shared_ptr<const redaction> by) {
  return logger{redacted(by_whom.sink(), std::move(by)), by_whom.threshold()};
}

text_sink redacted(text_sink sink, std::shared_ptr<const redaction> by) {
  if (!sink) return {};
  return [sink = std::move(sink), by = std::move(by)](std::string_view subject, std::string_view text) {
    sink(by->apply(subject), by->apply(text));
  };
}

}  // namespace hawser
