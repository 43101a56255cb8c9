// SPDX-License-Identifier: MIT
#include "scopes.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace hawser {

namespace {

// RFC 6749, appendix A.4.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (is_scope_token(text.substr(0, end))) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

bool is_scope_token(std::string_view word) noexcept {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

std::string scope_union(std::string_view a, std::string_view b) {
  std::set<std::string_view> seen;  // ordered: a server chooses the words
  std::string text;
  for (const std::string_view part : {a, b}) {
    for (const std::string_view word : words_of(part)) {
      if (!seen.insert(word).second) continue;
      if (!text.empty()) text += ' ';
      text += word;
    }
  }
  return text;
}

bool has_scopes(std::string_view all, std::string_view wanted) {
  const auto words = words_of(wanted);
  if (words.empty()) return true;
  const auto listed = words_of(all);
  const std::set<std::string_view> there{listed.begin(), listed.end()};
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) { return there.contains(word); });
}

}  // namespace hawser
