// SPDX-License-Identifier: MIT
#include "credential_set.hpp"

#include <algorithm>
#include <map>

#include "../metadata.hpp"

namespace hawser {

namespace {

bool lists_server(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Version 0.2 and before stored one login for all servers below a resource, so it is unknown for which of them the
// token was obtained. It is sent to none of them.
bool is_ambiguous(const login& what, const std::vector<std::string>& servers, std::string_view server_url) {
  if (servers.size() < 2 || !what.key.server.empty()) return false;
  const auto server = http_url::parse(server_url);
  return server && is_above_server(what.key.resource, *server);
}

}  // namespace

std::optional<login> credential_set::find_for_server(std::string_view server_url) const {
  const auto found = std::find_if(logins_.rbegin(), logins_.rend(), [&](const auto& one) {
    return lists_server(one.servers, server_url) && !is_ambiguous(one.what, one.servers, server_url);
  });
  if (found == logins_.rend()) return std::nullopt;
  return found->what;
}

std::optional<login> credential_set::find(const login_key& key) const {
  const auto found = std::find_if(logins_.begin(), logins_.end(), [&](const auto& one) { return one.what.key == key; });
  if (found == logins_.end()) return std::nullopt;
  return found->what;
}

void credential_set::save(const std::string& server_url, login what) {
  // A login with another client at the same issuer and resource replaces the old one, which would never be used again.
  // Tokens of other authorization servers stay: the resource may return to them.
  std::erase_if(logins_, [&](const login_entry& one) {
    return one.what.key != what.key && one.what.key.issuer == what.key.issuer &&
           one.what.key.resource == what.key.resource && one.servers.size() == 1 && one.servers.front() == server_url;
  });
  auto place = std::find_if(logins_.begin(), logins_.end(), [&](const auto& one) { return one.what.key == what.key; });
  if (place == logins_.end()) {
    logins_.push_back({.what = {}, .servers = {}, .rest = boost::json::object{memory_}});
  } else {
    std::rotate(place, std::next(place), logins_.end());
  }
  login_entry& entry = logins_.back();
  entry.what = std::move(what);
  if (!lists_server(entry.servers, server_url)) entry.servers.push_back(server_url);
}

bool credential_set::remove(const login_key& key, const std::optional<secret>& only_if_refresh_is) {
  return std::erase_if(logins_, [&](const login_entry& one) {
           return one.what.key == key && (!only_if_refresh_is || one.what.tokens.refresh == *only_if_refresh_is);
         }) > 0;
}

std::vector<login> credential_set::forget(const std::string& server_url) {
  std::vector<login> gone;
  for (login_entry& one : logins_) {
    if (std::erase(one.servers, server_url) > 0 && one.servers.empty()) gone.push_back(one.what);
  }
  std::erase_if(logins_, [&](const login_entry& one) {
    return std::any_of(gone.begin(), gone.end(), [&](const login& what) { return what.key == one.what.key; });
  });
  return gone;
}

bool credential_set::has_server(const std::string& server_url) const {
  return std::any_of(logins_.begin(), logins_.end(),
                     [&](const auto& one) { return lists_server(one.servers, server_url); });
}

std::optional<client_identity> credential_set::find_client(std::string_view issuer) const {
  const auto found =
      std::find_if(clients_.begin(), clients_.end(), [&](const auto& one) { return one.issuer == issuer; });
  if (found == clients_.end()) return std::nullopt;
  return found->who;
}

void credential_set::save_client(const std::string& issuer, client_identity who) {
  auto place = std::find_if(clients_.begin(), clients_.end(), [&](const auto& one) { return one.issuer == issuer; });
  if (place == clients_.end()) {
    clients_.push_back({.issuer = issuer, .who = std::move(who), .rest = boost::json::object{memory_}});
  } else {
    place->who = std::move(who);
  }
}

bool credential_set::remove_client(std::string_view issuer, std::string_view client_id) {
  return std::erase_if(clients_,
                       [&](const client_entry& one) { return one.issuer == issuer && one.who.id == client_id; }) > 0;
}

std::vector<std::pair<std::string, login>> credential_set::all() const {
  std::map<std::string, const login*> last;
  for (const login_entry& one : logins_) {
    for (const std::string& url : one.servers) last[url] = &one.what;
  }
  std::vector<std::pair<std::string, login>> out;
  out.reserve(last.size());
  for (const auto& [url, what] : last) out.emplace_back(url, *what);
  return out;
}

}  // namespace hawser
