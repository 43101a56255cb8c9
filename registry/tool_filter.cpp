// SPDX-License-Identifier: MIT
#include "tool_filter.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hawser {

namespace {

constexpr std::array<std::pair<tool_access, std::string_view>, 3> access_words{{
    {tool_access::any, "any"},
    {tool_access::not_declared_write, "not-declared-write"},
    {tool_access::declared_read_only, "declared-read-only"},
}};

// The characters of exposed names; see exposed_name.hpp.
bool can_be_in_a_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

std::optional<std::string> complaint_about(std::string_view glob) {
  if (glob.empty()) return "is empty";
  if (glob.find("**") != std::string_view::npos) return "has two `*` in a row: one matches everything already";
  const auto bad = std::find_if(glob.begin(), glob.end(), [](char c) { return c != '*' && !can_be_in_a_name(c); });
  if (bad == glob.end()) return std::nullopt;
  if (*bad == '!') return "has a `!` that is not at its front";
  if (*bad == '?') return "has a `?`: only `*` is a wildcard";
  return "has a character that no exposed name has";
}

}  // namespace

result<tool_access> parse_tool_access(std::string_view word) {
  for (const auto& [which, text] : access_words)
    if (text == word) return which;
  return error{
      .code = errc::config,
      .what = "access \"" + std::string{word} + R"(" is none of "any", "not-declared-write", "declared-read-only")"};
}

std::string_view to_string(tool_access which) noexcept { return access_words[static_cast<std::size_t>(which)].second; }

bool admits(tool_access which, const tool_hints& hints) noexcept {
  switch (which) {
    case tool_access::any: return true;
    case tool_access::not_declared_write: return hints.read_only != hint_value::no;
    case tool_access::declared_read_only: return hints.read_only == hint_value::yes;
  }
  return false;
}

result<tool_filter> tool_filter::parse(std::span<const std::string> patterns) {
  tool_filter filter;
  filter.patterns_.reserve(patterns.size());
  for (const std::string& text : patterns) {
    const bool denies = text.starts_with('!');
    const std::string_view glob = std::string_view{text}.substr(denies ? 1 : 0);
    if (const auto complaint = complaint_about(glob))
      return error{.code = errc::config, .what = "tool pattern \"" + text + "\" " + *complaint};
    filter.patterns_.push_back({std::string{glob}, denies});
  }
  return filter;
}

bool tool_filter::admits(const tool_row& row) const noexcept {
  return (!only_available || row.available()) && hawser::admits(access, row.definition->hints) && admits_name(row.name);
}

bool tool_filter::admits_name(std::string_view exposed) const noexcept {
  const auto last = std::find_if(patterns_.rbegin(), patterns_.rend(),
                                 [&](const pattern& p) { return detail::glob_matches(p.glob, exposed); });
  return last == patterns_.rend() ? patterns_.empty() : !last->denies;
}

bool detail::glob_matches(std::string_view glob, std::string_view text) noexcept {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t in_glob = 0;
  std::size_t in_text = 0;
  std::size_t star = none;
  std::size_t retry = 0;  // where in the text the next attempt of the last star begins
  while (in_text < text.size()) {
    if (in_glob < glob.size() && glob[in_glob] == '*') {
      star = in_glob++;
      retry = in_text;
    } else if (in_glob < glob.size() && glob[in_glob] == text[in_text]) {
      ++in_glob;
      ++in_text;
    } else if (star != none) {
      in_glob = star + 1;
      in_text = ++retry;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == none;
}

}  // namespace hawser
