// SPDX-License-Identifier: MIT
// The framer finds the same lines however the bytes are split, and holds its cap. The first two bytes of an input
// choose the cap and the splits.
#include "../../transports/jsonrpc/line_framer.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "target.hpp"

namespace hawser::testing {

namespace {

using lines = std::vector<std::string>;
constexpr const char* too_large = "\n";  // no line has one, so it can stand for what was too large

// The definition, with everything at hand. Nothing is read behind a line that is too large.
lines expected_lines(std::string_view bytes, std::size_t max_line) {
  lines found;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    found.emplace_back(line.size() > max_line ? too_large : line);
    if (line.size() > max_line) break;
  }
  return found;
}

lines framed_lines(std::string_view bytes, std::size_t max_line, std::minstd_rand random, std::size_t longest_piece) {
  line_framer framer{max_line};
  lines found;
  std::size_t begin = 0;
  const auto take = [&](line_framer::frame frame) {
    begin += frame.used;
    if (frame.what == line_framer::found::line) found.emplace_back(frame.text);
    if (frame.what == line_framer::found::too_large) found.emplace_back(too_large);
    return frame.what;
  };
  for (std::size_t end = 0; end < bytes.size();) {
    end = std::min(bytes.size(), end + 1 + random() % longest_piece);
    while (true) {
      const auto what = take(framer.next(bytes.substr(begin, end - begin)));
      if (what == line_framer::found::too_large) return found;
      if (what == line_framer::found::nothing) break;
    }
    // A mark at the beginning and a carriage return may be more than the cap.
    if (end - begin > max_line + 4) must_be_empty("more than the cap is kept");
  }
  while (true) {
    const auto what = take(framer.last(bytes.substr(begin)));
    if (what != line_framer::found::line) return found;
  }
}

}  // namespace

void fuzz_one(std::string_view input) {
  if (input.size() < 2) return;
  const std::size_t max_line = 2 + static_cast<unsigned char>(input[0]) % 64;
  const std::minstd_rand random{static_cast<unsigned char>(input[1]) + 1U};
  const std::string_view bytes = input.substr(2);
  const lines expected = expected_lines(bytes, max_line);
  for (const std::size_t longest_piece : {std::size_t{1}, std::size_t{7}, bytes.size() + 1}) {
    if (framed_lines(bytes, max_line, random, longest_piece) != expected)
      must_be_empty("other lines in pieces of up to " + std::to_string(longest_piece));
  }
}

}  // namespace hawser::testing
