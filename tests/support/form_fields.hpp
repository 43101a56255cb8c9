// SPDX-License-Identifier: MIT
// Parses a query string or a form, for the servers of the tests.
#pragma once

#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace hawser::testing {

using form_fields = std::map<std::string, std::string>;

inline std::string form_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      unsigned code = 0;
      std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16);
      plain += static_cast<char>(code);
      i += 2;
    } else {
      plain += text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                          c == '.' || c == '_' || c == '~';
    if (is_plain) {
      made += c;
    } else {
      made += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return made;
}

/// For a duplicate field, the first value counts.
inline form_fields parse_form(std::string_view text) {
  form_fields all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(one.size() == text.size() ? one.size() : one.size() + 1);
    const std::size_t middle = one.find('=');
    if (middle == one.npos) continue;
    all.emplace(form_decoded(one.substr(0, middle)), form_decoded(one.substr(middle + 1)));
  }
  return all;
}

}  // namespace hawser::testing
