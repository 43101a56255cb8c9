// SPDX-License-Identifier: MIT
#include "secrets.hpp"

#include <algorithm>

namespace hawser {

namespace {

// What errors have to show, since people look there first.
bool is_known_setting(std::string_view name) {
  for (const char* one : {"PATH", "HOME", "LOGNAME", "USER", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "PWD"})
    if (name == one) return true;
  return name.starts_with("LC_") || name.starts_with("XDG_");
}

// "Bearer" is no secret, but what stands behind it is one also where it stands alone.
void hide_header(std::string_view value, redaction& in) {
  in.add_for_good(value);
  const std::size_t space = value.rfind(' ');
  if (space != value.npos) in.add_for_good(value.substr(space + 1));
}

void hide_query(std::string_view url, redaction& in) {
  const std::size_t query = url.find('?');
  if (query == url.npos) return;
  url.remove_prefix(query + 1);
  while (!url.empty()) {
    const std::size_t end = std::min(url.find('&'), url.size());
    const std::size_t equals = url.substr(0, end).find('=');
    if (equals != url.npos) in.add_for_good(url.substr(equals + 1, end - equals - 1));
    url.remove_prefix(std::min(end + 1, url.size()));
  }
}

// `http://user:password@proxy`
void hide_password(std::string_view url, redaction& in) {
  const std::size_t at = url.rfind('@');
  const std::size_t colon = at == url.npos ? at : url.substr(0, at).rfind(':');
  if (colon != url.npos) in.add_for_good(url.substr(colon + 1, at - colon - 1));
}

}  // namespace

void hide_secrets(const server_settings& of, redaction& in) {
  if (const auto* child = std::get_if<stdio_settings>(&of.transport)) {
    for (const auto& [name, value] : child->env) {
      if (!is_known_setting(name)) in.add_for_good(value);
    }
    return;
  }
  const auto& remote = std::get<http_settings>(of.transport);
  for (const auto& [name, value] : remote.headers) hide_header(value, in);
  hide_query(remote.url, in);
  hide_password(remote.proxy, in);
  in.add_for_good(remote.oauth.client_secret);
  in.add_for_good(remote.oauth.private_key);
}

}  // namespace hawser
