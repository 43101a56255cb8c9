// SPDX-License-Identifier: MIT
#include "retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <limits>

#include "../../runtime/crypto.hpp"

namespace hawser {

namespace {

using namespace std::chrono_literals;

std::optional<int> parse_number(std::string_view digits) {
  int value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"; the two obsolete date formats of HTTP are no longer sent.
std::optional<std::time_t> date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::find(months.begin(), months.end(), text.substr(8, 3));
  const auto day = parse_number(text.substr(5, 2));
  const auto year = parse_number(text.substr(12, 4));
  const auto hour = parse_number(text.substr(17, 2));
  const auto minute = parse_number(text.substr(20, 2));
  const auto second = parse_number(text.substr(23, 2));
  if (month == months.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  std::tm parts{};
  parts.tm_year = *year - 1900;
  parts.tm_mon = static_cast<int>(month - months.begin());
  parts.tm_mday = *day;
  parts.tm_hour = *hour;
  parts.tm_min = *minute;
  parts.tm_sec = *second;
  return timegm(&parts);
}

}  // namespace

std::optional<std::chrono::seconds> read_retry_after(std::string_view value) {
  constexpr std::time_t longest = std::numeric_limits<int>::max();  // used for any larger number
  const bool digits =
      !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return std::chrono::seconds{parse_number(value).value_or(std::numeric_limits<int>::max())};
  if (const auto when = date(value))
    return std::chrono::seconds{std::clamp<std::time_t>(*when - std::time(nullptr), 0, longest)};
  return std::nullopt;
}

duration retry_pause(std::string_view value) {
  return std::clamp<duration>(read_retry_after(value).value_or(1s), 100ms, 60s);
}

duration clamped_retry(std::chrono::milliseconds said) noexcept {
  return std::clamp<std::chrono::milliseconds>(said, 100ms, 5min);
}

duration reconnect_pause(int attempt) {
  const std::chrono::milliseconds pause =
      std::min<std::chrono::milliseconds>(1s * (1 << std::clamp(attempt - 1, 0, 6)), 60s);
  const int chance = static_cast<unsigned char>(random_bytes(1).front());
  return pause - pause * chance / 1024;
}

}  // namespace hawser
