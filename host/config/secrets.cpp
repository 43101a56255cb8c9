// SPDX-License-Identifier: MIT
#include "secrets.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "../../transports/http/http_fields.hpp"

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

// Of parts of a value that are not passwords: shorter ones are words, numbers and modes.
constexpr std::size_t shortest_part = 8;

bool is_digit_char(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_upper_char(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_lower_char(char c) noexcept { return c >= 'a' && c <= 'z'; }
std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view blank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, text.find_last_not_of(blank) + 1);
}

int hex_digit_value(char c) noexcept {
  if (is_digit_char(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit_value(text[i + 2]) : -1;
    out += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
    if (low >= 0) i += 2;
  }
  return out;
}

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

// The password of each `scheme://user:password@host` in a text, such as a proxy or a DATABASE_URL, as it is written and
// without its percent codes.
void hide_passwords(std::string_view text, redaction& in) {
  for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at)) {
    at += 3;
    const std::string_view rest = text.substr(at);
    // A password may contain an @ that is not percent-encoded, and a / never.
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#\"' \t\r\n"));
    const std::size_t end = authority.rfind('@');
    const std::size_t colon = end == authority.npos ? end : authority.substr(0, end).find(':');
    if (colon == authority.npos) continue;
    const std::string_view password = authority.substr(colon + 1, end - colon - 1);
    in.add_permanent(password);
    in.add_permanent(percent_decoded(password));
  }
}

// `Basic dXNlcjpwYXNzd29yZA==` (RFC 7617), wherever it stands in a text: user and password, and the password.
void hide_basic(std::string_view text, redaction& in) {
  constexpr std::string_view scheme = "basic ";
  for (std::size_t at = 0; at + scheme.size() < text.size(); ++at) {
    if (!std::equal(scheme.begin(), scheme.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == (is_upper_char(b) ? static_cast<char>(b + 32) : b); }))
      continue;
    std::string_view token = text.substr(at + scheme.size());
    token = token.substr(0, token.find_first_of(" \"'\t\r\n,"));
    const auto decoded = from_base64(token);
    const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
    if (colon == std::string::npos) continue;
    in.add_permanent(token);
    in.add_permanent(*decoded);
    in.add_permanent(std::string_view{*decoded}.substr(colon + 1));
  }
}

// Logs show a key of several lines with something before each of them.
void hide_lines(std::string_view value, redaction& in) {
  if (value.find('\n') == value.npos) return;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find('\n'), value.size());
    const std::string_view line = without_blanks(value.substr(0, end));
    // The lines around a PEM key say only what it is.
    if (line.size() >= shortest_part && !line.starts_with("-----")) in.add_permanent(line);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

// A value that is a secret, and those of its parts and decoded forms that are secrets on their own.
void hide_value(std::string_view value, redaction& in) {
  in.add_permanent(value);
  in.add_permanent(without_blanks(value));  // programs trim what they read from variables and files
  hide_lines(value, in);
  hide_passwords(value, in);
  hide_basic(value, in);
  for (const std::string_view part : token_parts(value)) in.add_permanent(part);
}

// The values of `name=value; name=value`.
void hide_cookies(std::string_view cookies, redaction& in) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    const std::string_view cookie = cookies.substr(0, end);
    const std::size_t equals = cookie.find('=');
    if (equals != cookie.npos) {
      std::string_view value = without_blanks(cookie.substr(equals + 1));
      if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
      if (value.size() >= shortest_part) hide_value(value, in);
    }
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
}

// "Bearer" is not secret, but the token after it is, even on its own.
void hide_header(std::string_view name, std::string_view value, redaction& in) {
  hide_value(value, in);
  const std::size_t space = value.rfind(' ');
  if (space != value.npos) in.add_permanent(value.substr(space + 1));
  if (equal_ignoring_case(name, "Cookie")) hide_cookies(value, in);
}

void hide_query(std::string_view url, redaction& in) {
  const std::size_t query = url.find('?');
  if (query == url.npos) return;
  url.remove_prefix(query + 1);
  while (!url.empty()) {
    const std::size_t end = std::min(url.find('&'), url.size());
    const std::size_t equals = url.substr(0, end).find('=');
    if (equals != url.npos) {
      const std::string_view value = url.substr(equals + 1, end - equals - 1);
      in.add_permanent(value);
      in.add_permanent(percent_decoded(value));
    }
    url.remove_prefix(std::min(end + 1, url.size()));
  }
}

// `user:password@proxy`, which need not have a scheme.
void hide_proxy(std::string_view url, redaction& in) {
  hide_passwords(url, in);
  if (url.find("://") == url.npos) hide_passwords("http://" + std::string{url}, in);
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
  for (const std::string& value : of.expansions) hide_value(value, in);
  if (const auto* child = std::get_if<stdio_settings>(&of.transport)) {
    for (const std::string_view part : secret_parts(child->args)) hide_value(part, in);
    for (const std::string& argument : child->args) {
      hide_passwords(argument, in);
      hide_basic(argument, in);
    }
    for (const auto& [name, value] : child->env) {
      if (!is_known_setting(name)) hide_value(value, in);
    }
    return;
  }
  const auto& remote = std::get<http_settings>(of.transport);
  for (const auto& [name, value] : remote.headers) hide_header(name, value, in);
  for (const std::string_view part : token_parts(remote.url)) in.add_permanent(part);
  hide_query(remote.url, in);
  hide_passwords(remote.url, in);
  hide_proxy(remote.proxy, in);
  in.add_permanent(remote.oauth.client_secret);
  hide_value(remote.oauth.private_key, in);
}

}  // namespace hawser
