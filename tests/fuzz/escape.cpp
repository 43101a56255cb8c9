// SPDX-License-Identifier: MIT
// Whatever goes into the escaping function, nothing that controls, hides or reorders comes out.
#include "../../cli/terminal/escape.hpp"

#include "../../cli/terminal/code_points.hpp"
#include "target.hpp"

namespace {

using namespace hawser::cli;

std::string harm_in(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    const code_point c = first_code_point(text);
    if (!c.valid) return "not UTF-8";
    if (is_hidden(c.value) && allowed.find(static_cast<char>(c.value)) == std::string_view::npos) {
      return "character " + std::to_string(c.value);
    }
    text.remove_prefix(c.bytes);
  }
  return {};
}

}  // namespace

void hawser::testing::fuzz_one(std::string_view input) {
  const std::size_t odd = input.size();
  must_be_empty(harm_in(escaped(input).view(), ""));
  must_be_empty(harm_in(escaped(input, whole_text).view(), "\n\t"));
  must_be_empty(harm_in(
      escaped(input, {.max_bytes = odd / 2, .max_lines = 1 + odd % 4, .max_line_bytes = odd % 9}).view(), "\n\t"));
  must_be_empty(harm_in(escaped_json(input).view(), ""));
}
