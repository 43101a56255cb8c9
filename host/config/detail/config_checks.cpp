// SPDX-License-Identifier: MIT
#include "config_checks.hpp"

#include <algorithm>
#include <array>

namespace hawser::detail {

namespace {

constexpr std::size_t longest_server_name = 128;

constexpr std::array<std::string_view, 13> reserved{"accept",
                                                    "connection",
                                                    "content-length",
                                                    "content-type",
                                                    "expect",
                                                    "host",
                                                    "keep-alive",
                                                    "last-event-id",
                                                    "te",
                                                    "trailer",
                                                    "transfer-encoding",
                                                    "upgrade",
                                                    "proxy-connection"};

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// RFC 9110, tchar.
bool in_token(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

bool same(std::string_view text, std::string_view lower_case) noexcept {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}
bool begins(std::string_view text, std::string_view lower_case) noexcept {
  return same(text.substr(0, lower_case.size()), lower_case);
}

// The C1 control characters, U+0080 to U+009F, and the Unicode line and paragraph separators.
bool has_wide_control(std::string_view text) noexcept {
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) return true;
    if (first == 0xE2 && second == 0x80 && at + 2 < text.size()) {
      const auto third = static_cast<unsigned char>(text[at + 2]);
      if (third == 0xA8 || third == 0xA9) return true;
    }
  }
  return false;
}

}  // namespace

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

const char* server_name_fault(std::string_view name) noexcept {
  if (name.empty()) return "the name of a server is empty";
  if (name.size() > longest_server_name) return "the name of a server has more than 128 bytes";
  if (std::any_of(name.begin(), name.end(), is_control) || has_wide_control(name))
    return "the name of a server has control characters";
  return nullptr;
}

const char* url_fault(std::string_view url) noexcept {
  const std::size_t scheme = begins(url, "https://") ? 8 : begins(url, "http://") ? 7 : 0;
  if (scheme == 0) return "must begin with http:// or https://";
  if (url.size() == scheme || std::string_view{"/?#:"}.find(url[scheme]) != std::string_view::npos)
    return "has no host";
  if (std::any_of(url.begin(), url.end(), [](char c) { return is_control(c) || c == ' '; }))
    return "has a space or a control character";
  return nullptr;
}

const char* header_name_fault(std::string_view name) noexcept {
  if (name.empty()) return "the name of a header is empty";
  if (!std::all_of(name.begin(), name.end(), in_token)) return "has a character that no header's name has";
  if (begins(name, "mcp-")) return "is a header of the protocol itself and cannot be set";
  if (std::any_of(reserved.begin(), reserved.end(), [&](std::string_view word) { return same(name, word); }))
    return "is a header that the transport writes itself and cannot be set";
  return nullptr;
}

const char* header_value_fault(std::string_view value) noexcept {
  for (const char c : value) {
    if (c == '\r' || c == '\n') return "has a line break, which no header may have";
    if (is_control(c)) return "has a control character, which no header may have";
    if (static_cast<unsigned char>(c) >= 0x80) return "has a character beyond ASCII, which no header may have";
  }
  return nullptr;
}

const char* variable_name_fault(std::string_view name) noexcept {
  if (name.empty()) return "the name of a variable is empty";
  if (name.find('=') != std::string_view::npos || name.find('\0') != std::string_view::npos)
    return "the name of a variable has a `=` or a NUL character";
  return nullptr;
}

}  // namespace hawser::detail
