// SPDX-License-Identifier: MIT
#include "text_formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace hawser::cli {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
}
bool is_visible(char c) noexcept { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; }

// Removes exactly `count` digits from the front and returns their value.
std::optional<int> take_digits(std::string_view& text, std::size_t count) noexcept {
  if (text.size() < count || !std::ranges::all_of(text.substr(0, count), is_digit)) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, count)) number = number * 10 + (c - '0');
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, std::string_view any_of) noexcept {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) noexcept {
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return false;
  const auto month = take_digits(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, "-")) return false;
  const auto day = take_digits(text, 2);
  const bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  const int last = days.at(static_cast<std::size_t>(*month - 1)) + (*month == 2 && leap ? 1 : 0);
  return day && *day >= 1 && *day <= last;
}

bool take_clock(std::string_view& text, bool with_seconds) noexcept {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return false;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return false;
  if (!with_seconds) return true;
  if (!take(text, ":")) return false;
  const auto second = take_digits(text, 2);
  if (!second || *second > 60) return false;  // 60: a leap second
  if (!take(text, ".")) return true;
  const std::size_t fraction = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(fraction);
  return fraction > 0;
}

}  // namespace

bool is_email(std::string_view text) noexcept {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view domain = text.substr(at + 1);
  return std::ranges::all_of(text, is_visible) && !domain.empty() && !domain.starts_with('.') &&
         !domain.ends_with('.') && domain.find("..") == std::string_view::npos;
}

bool is_uri(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || !is_letter(text.front()))
    return false;
  const auto of_scheme = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  return std::ranges::all_of(text.substr(0, colon), of_scheme) && std::ranges::all_of(text, is_visible);
}

bool is_date(std::string_view text) noexcept { return take_date(text) && text.empty(); }

bool is_date_time(std::string_view text) noexcept {
  if (!take_date(text) || !take(text, "Tt ") || !take_clock(text, true)) return false;
  if (take(text, "Zz")) return text.empty();
  return take(text, "+-") && take_clock(text, false) && text.empty();
}

url_parts split_url(std::string_view url) noexcept {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {.before = url};
  const std::size_t begin = scheme + 3;
  // Browsers end the authority at a backslash, unlike RFC 3986.
  const std::size_t end = std::min(url.find_first_of("/?#\\", begin), url.size());
  const std::string_view authority = url.substr(begin, end - begin);
  const std::size_t at = authority.rfind('@');
  const std::size_t host = begin + (at == std::string_view::npos ? 0 : at + 1);
  url_parts parts{.before = url.substr(0, host), .host = url.substr(host, end - host), .behind = url.substr(end)};
  parts.has_user = at != std::string_view::npos;
  const auto foreign = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  std::string_view labels = parts.host;
  parts.is_foreign = std::ranges::any_of(labels, foreign);
  while (!labels.empty() && !parts.is_foreign) {
    parts.is_foreign =
        labels.size() >= 4 && (labels[0] | 0x20) == 'x' && (labels[1] | 0x20) == 'n' && labels.substr(2, 2) == "--";
    labels.remove_prefix(std::min(labels.find('.'), labels.size() - 1) + 1);
  }
  return parts;
}

}  // namespace hawser::cli
