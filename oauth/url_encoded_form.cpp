// SPDX-License-Identifier: MIT
#include "url_encoded_form.hpp"

#include <algorithm>

namespace hawser {

namespace {

constexpr std::size_t most_pairs = 64;

bool unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

int digit_of(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      plain += ' ';
    } else if (text[i] != '%') {
      plain += text[i];
    } else {
      const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return plain;
}

}  // namespace

std::string form_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size() * 3);  // never reallocated: that would leave a copy of a secret behind
  for (const char c : text) {
    if (unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += digits[byte / 16];
    encoded += digits[byte % 16];
  }
  return encoded;
}

// Grows by hand, because std::string would leave a copy of the old text behind.
void url_encoded_form::make_room(std::size_t more) {
  const std::size_t needed = text_.size() + more;
  if (needed <= text_.capacity()) return;
  std::string larger;
  larger.reserve(2 * needed);
  larger += text_;
  cleanse(text_.data(), text_.size());
  text_.swap(larger);
}

url_encoded_form& url_encoded_form::add(std::string_view name, std::string_view value) {
  std::string encoded = form_encode(value);
  make_room(name.size() * 3 + encoded.size() + 2);
  if (!text_.empty()) text_ += '&';
  text_.append(form_encode(name)).append(1, '=').append(encoded);
  cleanse(encoded.data(), encoded.size());
  return *this;
}

url_encoded_form& url_encoded_form::add_all(const url_encoded_form& other) {
  make_room(other.text_.size() + 1);
  if (!text_.empty() && !other.text_.empty()) text_ += '&';
  text_ += other.text_;
  return *this;
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_form(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const std::size_t equals = std::min(one.find('='), one.size());
    auto name = decoded(one.substr(0, equals));
    auto value = decoded(equals < one.size() ? one.substr(equals + 1) : std::string_view{});
    if (!name || !value || pairs.size() == most_pairs) return std::nullopt;
    pairs.emplace_back(*std::move(name), *std::move(value));
  }
  return pairs;
}

}  // namespace hawser
