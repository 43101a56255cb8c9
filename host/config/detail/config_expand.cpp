// SPDX-License-Identifier: MIT
#include "config_expand.hpp"

#include <algorithm>
#include <utility>

#include "../secrets.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t max_variable_name = 128;
constexpr std::size_t max_path = 1024;
constexpr std::size_t longest_text =
    std::size_t{1} << 20;  // larger than any argument may be; otherwise a file could expand to gigabytes

bool begins_name(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) noexcept { return begins_name(c) || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_variable_name && begins_name(text.front()) &&
         std::all_of(text.begin(), text.end(), in_name);
}

// The variable name at the start of the text; empty if there is none.
std::string_view leading_name(std::string_view text) noexcept {
  if (text.empty() || !begins_name(text.front())) return {};
  const auto end = std::find_if_not(text.begin(), text.end(), in_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

error bad(std::string what) { return {.code = errc::config, .what = std::move(what)}; }

// The value of a `${…}`, and whether it may be secret.
struct expansion {
  std::string value{};
  bool hidden = true;
  bool unset = false;  // the variable is not set: the text stays unchanged
};

// A default is written in the file, so it is hidden only if it looks like a token.
expansion of_default(std::string_view text) {
  return {.value = std::string{text}, .hidden = !token_parts(text).empty()};
}

// Evaluates the text between `${` and `}`.
result<expansion> value_of(std::string_view inside, expansion_rules rules, const variable_lookup& env) {
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
    if (rules.unset == unset_variable::stays) return expansion{.unset = true};
    return bad("needs the variable " + std::string{name} + ", which is not set");
  }
  return expansion{.value = *std::move(value), .hidden = !is_known_setting(name)};
}

// A reference at the start of a text, and its length in bytes; size 0 means plain text.
struct reference {
  std::size_t size = 0;
  expansion becomes{};
};

result<reference> braced(std::string_view text, expansion_rules rules, const variable_lookup& env) {
  const std::size_t close = text.find('}');
  if (close == std::string_view::npos) return bad("has a `${` without its `}`");
  auto value = value_of(text.substr(2, close - 2), rules, env);
  if (!value) return std::move(value).error();
  return reference{.size = close + 1, .becomes = *std::move(value)};
}

// `$NAME`
result<reference> bare(std::string_view text, expansion_rules rules, bool inside_word, const variable_lookup& env) {
  const std::string_view name = leading_name(text.substr(1));
  if (name.empty()) return reference{};
  if (rules.dialect == config_dialect::gemini) {
    auto value = value_of(name, rules, env);
    if (!value) return std::move(value).error();
    return reference{.size = name.size() + 1, .becomes = *std::move(value)};
  }
  if (rules.place == text_place::command_line || inside_word) return reference{};
  // The message omits the name, which may be part of a secret.
  return bad(
      "has a `$NAME`, which is a variable in Gemini's files only and would be sent as it stands: write `${NAME}` for "
      "the variable; a text that has a `$` itself goes into a variable, too");
}

// opencode's `{env:NAME}` and `{file:PATH}`
result<reference> of_opencode(std::string_view text, expansion_rules rules, const variable_lookup& env) {
  const bool is_file = text.starts_with("{file:");
  if (!is_file && !text.starts_with("{env:")) return reference{};
  // The search is limited to the length of a name or path, so that repeated `{env:` costs linear time.
  const std::size_t close = text.substr(0, is_file ? max_path : max_variable_name + 6).find('}');
  if (close == std::string_view::npos) return reference{};
  if (is_file) {
    if (rules.dialect != config_dialect::opencode && rules.place == text_place::command_line) return reference{};
    return bad("has a `{file:…}`, which is not read here: put what the file holds into a variable and write `${NAME}`");
  }
  const std::string_view name = text.substr(5, close - 5);
  if (!is_name(name)) return reference{};
  if (rules.dialect != config_dialect::opencode)
    return bad("has `{env:" + std::string{name} +
               "}`, which is a variable in opencode's files only and would be sent as it stands: write `${" +
               std::string{name} + "}`");
  auto value = value_of(name, rules, env);
  if (!value) return std::move(value).error();
  return reference{.size = close + 1, .becomes = *std::move(value)};
}

}  // namespace

bool has_bare_variable(std::string_view text) noexcept {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if ((at == 0 || !in_name(text[at - 1])) && !leading_name(text.substr(at + 1)).empty()) return true;
  }
  return false;
}

result<expanded_text> expand(std::string_view text, expansion_rules rules, const variable_lookup& env,
                             std::vector<std::string>& hidden) {
  expanded_text made;
  std::string& out = made.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find_first_of("${", at), text.size());
    out += text.substr(at, next - at);
    if (next == text.size()) break;
    const std::string_view rest = text.substr(next);
    result<reference> found = reference{};
    if (rest.starts_with("${")) {
      found = braced(rest, rules, env);
    } else if (rest.front() == '$') {
      found = bare(rest, rules, next > 0 && in_name(text[next - 1]), env);
    } else {
      found = of_opencode(rest, rules, env);
    }
    if (!found) return std::move(found).error();
    if (found->size == 0) {
      out += rest.front();
      at = next + 1;
      continue;
    }
    std::string& value = found->becomes.value;
    if (found->becomes.unset) {
      value = rest.substr(0, found->size);
      found->becomes.hidden = made.complete = false;
    }
    out += value;
    if (found->becomes.hidden && value.size() >= redaction::min_secret_bytes) hidden.push_back(std::move(value));
    if (out.size() > longest_text) return bad("is longer than 1 MiB with its variables put in");
    at = next + found->size;
  }
  return made;
}

}  // namespace hawser::detail
