// SPDX-License-Identifier: MIT
#include "credential_set.hpp"

#include <algorithm>
#include <map>

#include "../metadata.hpp"
#include "wiped_text.hpp"

namespace hawser {

namespace {

bool lists_server(const credential_set::login_entry& entry, std::string_view server_url) {
  return std::find(entry.servers.begin(), entry.servers.end(), server_url) != entry.servers.end();
}

// Version 0.2 and before stored one login for all servers below a resource, so it is unknown for which of them the
// token was obtained. It is sent to none of them.
bool is_ambiguous(const credential_set::login_entry& entry, std::string_view server_url) {
  if (entry.servers.size() < 2 || !entry.value.key.server.empty()) return false;
  const auto server = http_url::parse(server_url);
  return server && is_above_server(entry.value.key.resource, *server);
}

}  // namespace

credential_set::credential_set()
    : memory_(boost::json::make_shared_resource<wiping_memory>()), unknown_members_(memory_) {}

bool credential_set::add(client_entry entry) {
  if (find_client(entry.issuer)) return false;
  clients_.push_back(std::move(entry));
  return true;
}

bool credential_set::add(login_entry entry) {
  if (find(entry.value.key)) return false;
  logins_.push_back(std::move(entry));
  return true;
}

std::optional<login> credential_set::find_for_server(std::string_view server_url) const {
  const auto found = std::find_if(logins_.rbegin(), logins_.rend(), [&](const login_entry& entry) {
    return lists_server(entry, server_url) && !is_ambiguous(entry, server_url);
  });
  if (found == logins_.rend()) return std::nullopt;
  return found->value;
}

std::optional<login> credential_set::find(const login_key& key) const {
  const auto found =
      std::find_if(logins_.begin(), logins_.end(), [&](const auto& entry) { return entry.value.key == key; });
  if (found == logins_.end()) return std::nullopt;
  return found->value;
}

void credential_set::save(const std::string& server_url, login replacement) {
  const login_key& key = replacement.key;
  // A login with another client at the same issuer and resource replaces the old one, which would never be used again.
  // Tokens of other authorization servers stay: the resource may return to them.
  std::erase_if(logins_, [&](const login_entry& entry) {
    return entry.value.key != key && entry.value.key.issuer == key.issuer && entry.value.key.resource == key.resource &&
           entry.servers.size() == 1 && entry.servers.front() == server_url;
  });
  auto found =
      std::find_if(logins_.begin(), logins_.end(), [&](const login_entry& entry) { return entry.value.key == key; });
  if (found == logins_.end()) {
    logins_.push_back({.value = {}, .servers = {}, .unknown_members = boost::json::object{memory_}});
  } else {
    std::rotate(found, std::next(found), logins_.end());
  }
  login_entry& saved = logins_.back();
  saved.value = std::move(replacement);
  if (!lists_server(saved, server_url)) saved.servers.push_back(server_url);
}

bool credential_set::remove(const login_key& key, const std::optional<secret>& only_if_refresh_is) {
  return std::erase_if(logins_, [&](const login_entry& entry) {
           return entry.value.key == key && (!only_if_refresh_is || entry.value.tokens.refresh == *only_if_refresh_is);
         }) > 0;
}

std::vector<login> credential_set::forget(const std::string& server_url) {
  std::vector<login> gone;
  for (login_entry& entry : logins_) {
    if (std::erase(entry.servers, server_url) > 0 && entry.servers.empty()) gone.push_back(entry.value);
  }
  std::erase_if(logins_, [&](const login_entry& entry) {
    return std::any_of(gone.begin(), gone.end(), [&](const login& removed) { return removed.key == entry.value.key; });
  });
  return gone;
}

bool credential_set::has_server(const std::string& server_url) const {
  return std::any_of(logins_.begin(), logins_.end(),
                     [&](const auto& entry) { return lists_server(entry, server_url); });
}

std::optional<client_identity> credential_set::find_client(std::string_view issuer) const {
  const auto found =
      std::find_if(clients_.begin(), clients_.end(), [&](const auto& entry) { return entry.issuer == issuer; });
  if (found == clients_.end()) return std::nullopt;
  return found->client;
}

void credential_set::save_client(const std::string& issuer, client_identity client) {
  auto found =
      std::find_if(clients_.begin(), clients_.end(), [&](const auto& entry) { return entry.issuer == issuer; });
  if (found == clients_.end()) {
    clients_.push_back(
        {.issuer = issuer, .client = std::move(client), .unknown_members = boost::json::object{memory_}});
  } else {
    found->client = std::move(client);
  }
}

bool credential_set::remove_client(std::string_view issuer, std::string_view client_id) {
  return std::erase_if(clients_, [&](const client_entry& entry) {
           return entry.issuer == issuer && entry.client.id == client_id;
         }) > 0;
}

std::vector<std::pair<std::string, login>> credential_set::all() const {
  std::map<std::string, const login*> last;
  for (const login_entry& entry : logins_) {
    for (const std::string& url : entry.servers) last[url] = &entry.value;
  }
  std::vector<std::pair<std::string, login>> out;
  out.reserve(last.size());
  for (const auto& [url, newest] : last) out.emplace_back(url, *newest);
  return out;
}

}  // namespace hawser
