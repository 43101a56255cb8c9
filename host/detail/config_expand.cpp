// SPDX-License-Identifier: MIT
#include "config_expand.hpp"

#include <algorithm>
#include <utility>

#include "../secrets.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t max_variable_name = 128;
constexpr std::size_t longest_text = std::size_t{1}
                                     << 20;  // more than any argument may have; a file could ask for gigabytes

bool is_name(std::string_view text) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= max_variable_name && !digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

error bad(std::string what) { return {.code = errc::config, .what = std::move(what)}; }

// What a `${…}` becomes, and whether that may be a secret.
struct expansion {
  std::string value{};
  bool hidden = true;
};

// A default stands in the file for everybody to read.
expansion of_default(std::string_view text) {
  return {.value = std::string{text}, .hidden = !token_parts(text).empty()};
}

// What stands between `${` and `}`.
result<expansion> value_of(std::string_view inside, const variables& env) {
  if (inside.starts_with("env:")) inside.remove_prefix(4);
  const std::size_t mark = inside.find(":-");
  const std::string_view name = inside.substr(0, mark);
  if (!is_name(name)) return bad("has a `${…}` that is not `${NAME}` or `${NAME:-default}`");
  if (inside.find("${") != std::string_view::npos)
    return bad("has a variable in the default of " + std::string{name} + ", which is not supported");
  auto value = env(name);
  if (mark != std::string_view::npos) {
    if (!value || value->empty()) return of_default(inside.substr(mark + 2));
  } else if (!value) {
    return bad("needs the variable " + std::string{name} + ", which is not set");
  }
  return expansion{.value = *std::move(value), .hidden = !is_known_setting(name)};
}

}  // namespace

result<std::string> expand(std::string_view text, const variables& env, std::vector<std::string>& hidden) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("${");
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return bad("has a `${` without its `}`");
    auto value = value_of(text.substr(open + 2, close - open - 2), env);
    if (!value) return std::move(value).error();
    out += value->value;
    if (value->hidden && value->value.size() >= redaction::shortest) hidden.push_back(std::move(value->value));
    if (out.size() > longest_text) return bad("is longer than 1 MiB with its variables put in");
    text.remove_prefix(close + 1);
  }
}

}  // namespace hawser::detail
