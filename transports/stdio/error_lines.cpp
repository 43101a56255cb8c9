// SPDX-License-Identifier: MIT
#include "error_lines.hpp"

#include <algorithm>
#include <array>

namespace hawser {

namespace {

// An error marker stands near the beginning of a line, after a timestamp and a name at most.
constexpr std::size_t searched_of_line = 160;
constexpr std::size_t most_lines = 3;

constexpr std::array<std::string_view, 8> in_any_case{
    "error:", "exception:", "fatal:", "panic:", "panicked", "npm error", "npm err!", "error["};
// Matched as whole words in capitals: in lower case they occur in ordinary sentences.
constexpr std::array<std::string_view, 3> in_capitals{"ERROR", "FATAL", "CRITICAL"};

constexpr char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr bool is_letter(char c) noexcept { return lower_case(c) >= 'a' && lower_case(c) <= 'z'; }

bool has(std::string_view line, std::string_view lower_word) noexcept {
  return std::search(line.begin(), line.end(), lower_word.begin(), lower_word.end(),
                     [](char a, char b) { return lower_case(a) == b; }) != line.end();
}

bool has_list_element(std::string_view line, std::string_view word) noexcept {
  const std::size_t at = line.find(word);
  if (at == line.npos) return false;
  const std::size_t end = at + word.size();
  return (at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]));
}

bool looks_like_error(std::string_view line) noexcept {
  line = line.substr(0, searched_of_line);
  return std::any_of(in_any_case.begin(), in_any_case.end(), [&](std::string_view one) { return has(line, one); }) ||
         std::any_of(in_capitals.begin(), in_capitals.end(),
                     [&](std::string_view one) { return has_list_element(line, one); });
}

// Whether the line is blank, starts a usage text, or is a frame of a stack trace.
bool ends_message(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return true;
  const std::string_view text = line.substr(first, searched_of_line);
  return has(text.substr(0, 6), "usage") || text.starts_with("at ") || text.starts_with("Traceback");
}

}  // namespace

std::string_view find_error_lines(std::string_view log, error_position which) noexcept {
  std::string_view found;
  std::size_t lines = 0;  // in the message that is being collected; 0: none is
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = log.substr(begin, end - begin);
    const bool goes_on = lines > 0 && lines < most_lines && !ends_message(line);
    if (goes_on) {
      found = log.substr(static_cast<std::size_t>(found.data() - log.data()), found.size() + 1 + line.size());
      ++lines;
    } else if ((found.empty() || which == error_position::last) && looks_like_error(line)) {
      found = line;
      lines = 1;
    } else {
      lines = 0;
      if (!found.empty() && which == error_position::first) break;
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace hawser
