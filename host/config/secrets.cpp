// SPDX-License-Identifier: MIT
#include "secrets.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hawser {

namespace {

constexpr std::size_t shortest_token = 20;
constexpr std::size_t shortest_behind_prefix = 12;

// Token prefixes of well-known issuers.
constexpr std::array<std::string_view, 24> token_prefixes{
    "sk-",  "sk_live_",    "sk_test_", "rk_live_", "ghp_",  "gho_",    "ghu_", "ghs_",
    "ghr_", "github_pat_", "glpat-",   "xoxb-",    "xoxp-", "xapp-",   "AKIA", "ASIA",
    "AIza", "ya29.",       "npm_",     "pypi-",    "hf_",   "dop_v1_", "SG.",  "eyJ"};

// Names of options whose value is a secret.
constexpr std::array<std::string_view, 8> secret_options{"token",   "secret",  "password",   "passwd",
                                                         "api-key", "api_key", "access-key", "apikey"};

bool is_digit_char(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_upper_char(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_lower_char(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool in_token_text(char c) noexcept {
  return is_digit_char(c) || is_upper_char(c) || is_lower_char(c) || c == '_' || c == '-' || c == '.' || c == '+';
}

bool is_token_part(std::string_view part) noexcept {
  for (const std::string_view prefix : token_prefixes)
    if (part.starts_with(prefix) && part.size() >= prefix.size() + shortest_behind_prefix) return true;
  if (part.size() < shortest_token) return false;
  const auto digits = std::count_if(part.begin(), part.end(), is_digit_char);
  const bool upper = std::any_of(part.begin(), part.end(), is_upper_char);
  const bool lower = std::any_of(part.begin(), part.end(), is_lower_char);
  const bool hex = part.size() >= 32 && std::all_of(part.begin(), part.end(), [](char c) {
                     return is_digit_char(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
                   });
  // Names and versions consist of words and dots; tokens contain digits throughout and few separators.
  const auto separators = std::count_if(part.begin(), part.end(), [](char c) { return c == '-' || c == '.'; });
  return digits >= 2 && (hex || (upper && lower && separators <= 2));
}

// For "--api-key" or "--api-key=…": the value after "=". nullopt if it is not such an option.
std::optional<std::string_view> value_of_secret_option(std::string_view argument) noexcept {
  if (!argument.starts_with('-')) return std::nullopt;
  const std::size_t equals = argument.find('=');
  const std::string_view name = argument.substr(0, equals);
  const bool named = std::any_of(secret_options.begin(), secret_options.end(), [&](std::string_view word) {
    if (name.size() < word.size()) return false;
    const std::string_view end = name.substr(name.size() - word.size());
    return std::equal(end.begin(), end.end(), word.begin(),
                      [](char a, char b) { return (is_upper_char(a) ? static_cast<char>(a + 32) : a) == b; });
  });
  if (!named) return std::nullopt;
  return equals == argument.npos ? std::string_view{} : argument.substr(equals + 1);
}

// "Bearer" is not secret, but the token after it is, even on its own.
void hide_header(std::string_view value, redaction& in) {
  in.add_permanent(value);
  const std::size_t space = value.rfind(' ');
  if (space != value.npos) in.add_permanent(value.substr(space + 1));
}

void hide_query(std::string_view url, redaction& in) {
  const std::size_t query = url.find('?');
  if (query == url.npos) return;
  url.remove_prefix(query + 1);
  while (!url.empty()) {
    const std::size_t end = std::min(url.find('&'), url.size());
    const std::size_t equals = url.substr(0, end).find('=');
    if (equals != url.npos) in.add_permanent(url.substr(equals + 1, end - equals - 1));
    url.remove_prefix(std::min(end + 1, url.size()));
  }
}

// `http://user:password@proxy`
void hide_password(std::string_view url, redaction& in) {
  const std::size_t at = url.rfind('@');
  const std::size_t colon = at == url.npos ? at : url.substr(0, at).rfind(':');
  if (colon != url.npos) in.add_permanent(url.substr(colon + 1, at - colon - 1));
}

}  // namespace

bool is_known_setting(std::string_view variable) noexcept {
  for (const char* one : {"PATH", "HOME", "LOGNAME", "USER", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "PWD"})
    if (variable == one) return true;
  return variable.starts_with("LC_") || variable.starts_with("XDG_");
}

std::vector<std::string_view> token_parts(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const auto other = std::find_if_not(text.begin(), text.end(), in_token_text);
    const std::string_view part = text.substr(0, static_cast<std::size_t>(other - text.begin()));
    if (is_token_part(part)) found.push_back(part);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return found;
}

std::vector<std::string_view> secret_parts(std::span<const std::string> arguments) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto value = value_of_secret_option(arguments[i]);
    if (!value) {
      for (const std::string_view part : token_parts(arguments[i])) found.push_back(part);
    } else if (!value->empty()) {
      found.push_back(*value);
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with('-')) {
      found.emplace_back(arguments[++i]);
    }
  }
  // Shorter values cannot be redacted reliably, and are numbers or modes rather than secrets.
  std::erase_if(found, [](std::string_view one) { return one.size() < redaction::min_secret_bytes; });
  return found;
}

void hide_secrets(const server_settings& of, redaction& in) {
  for (const std::string& value : of.expansions) in.add_permanent(value);
  if (const auto* child = std::get_if<stdio_settings>(&of.transport)) {
    for (const std::string_view part : secret_parts(child->args)) in.add_permanent(part);
    for (const auto& [name, value] : child->env) {
      if (!is_known_setting(name)) in.add_permanent(value);
    }
    return;
  }
  const auto& remote = std::get<http_settings>(of.transport);
  for (const auto& [name, value] : remote.headers) hide_header(value, in);
  for (const std::string_view part : token_parts(remote.url)) in.add_permanent(part);
  hide_query(remote.url, in);
  hide_password(remote.proxy, in);
  in.add_permanent(remote.oauth.client_secret);
  in.add_permanent(remote.oauth.private_key);
}

}  // namespace hawser
