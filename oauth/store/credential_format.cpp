// SPDX-License-Identifier: MIT
// The file format of a credential_set: writing, reading, and recovering what can be verified from a damaged file.
#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>

#include "credential_set.hpp"
#include "wiped_text.hpp"

namespace hawser {

namespace json = boost::json;

namespace {

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

std::string sum_of(std::string_view text) {
  const auto hash = sha256(text);
  return base64url({reinterpret_cast<const char*>(hash.data()), 16});
}

// All members except the sum itself.
void add_members(wiped_text& to, const json::object& from) {
  for (const auto& [name, value] : from) {
    if (name == "sum") continue;
    if (to.view().back() != '{') to.add(",");
    to.add_string(name);
    to.add(":");
    to.add_json(value);
  }
}

// Writes an entry as one line, from objects with disjoint names; the sum also covers the entry's key. The objects are
// not merged into one, because names from a file could collide in its hash table (json_tree.hpp).
std::string add_entry(wiped_text& to, std::string_view name, std::initializer_list<const json::object*> parts) {
  wiped_text line;
  line.add("{");
  for (const json::object* part : parts) add_members(line, *part);
  wiped_text summed;
  summed.add_string(name);
  summed.add(line.view());
  std::string sum = sum_of(summed.view());
  to.add(line.view());
  to.add(R"(,"sum":")" + sum + "\"}");
  return sum;
}

bool sound(std::string_view name, const json::object& entry) {
  const json::value* said = entry.if_contains("sum");
  if (said == nullptr || !said->is_string()) return false;
  wiped_text again;
  return add_entry(again, name, {&entry}) == view_of(said->get_string());
}

void put(json::object& to, std::string_view name, std::string_view text) {
  if (!text.empty()) to[name] = text;
}
void put(json::object& to, std::string_view name, std::int64_t number) {
  if (number != 0) to[name] = number;
}

void put_client(json::object& to, const client_identity& who) {
  put(to, "client_id", who.id);
  put(to, "client_secret", who.client_secret.reveal());
  put(to, "client_method", who.method);
  put(to, "redirect_uri", who.redirect_uri);
  put(to, "client_expires_at", who.expires_at);
}

void put_login(json::object& to, const login& what, const std::vector<std::string>& servers) {
  put(to, "issuer", what.key.issuer);
  put(to, "resource", what.key.resource);
  put(to, "only_server", what.key.server);
  put_client(to, what.client);
  to["client_id"] = what.key.client;
  put(to, "access_token", what.tokens.access.reveal());
  put(to, "refresh_token", what.tokens.refresh.reveal());
  put(to, "scope", what.tokens.scope);
  put(to, "expires_at", what.tokens.expires_at);
  put(to, "obtained_at", what.tokens.obtained_at);
  put(to, "asked_scope", what.requested_scope);
  put(to, "token_endpoint", what.token_endpoint);
  put(to, "revocation_endpoint", what.revocation_endpoint);
  json::array urls(to.storage());  // braces would make it an element
  for (const std::string& url : servers) urls.emplace_back(url);
  to["servers"] = std::move(urls);
}

// Extracts known members of an entry; drop_known() leaves the unknown ones.
class members {
 public:
  explicit members(json::object& of) : of_(of) {}
  json::value* find(std::string_view name) {
    known_.push_back(name);
    return of_.if_contains(name);
  }
  std::string text(std::string_view name) { return std::string{seen(name)}; }
  secret hidden(std::string_view name) { return secret{seen(name)}; }
  std::int64_t number(std::string_view name) {
    const json::value* found = find(name);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
  }
  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> out;
    const json::value* found = find(name);
    if (found == nullptr || !found->is_array()) return out;
    for (const json::value& one : found->get_array()) {
      if (one.is_string()) out.emplace_back(view_of(one.get_string()));
    }
    return out;
  }
  void drop_known() {
    for (const std::string_view name : known_) {
      if (auto* at = of_.find(name); at != of_.end()) of_.stable_erase(at);
    }
  }

 private:
  std::string_view seen(std::string_view name) {
    const json::value* found = find(name);
    return found != nullptr && found->is_string() ? view_of(found->get_string()) : std::string_view{};
  }
  json::object& of_;
  std::vector<std::string_view> known_{"sum"};
};

client_identity take_client(members& from) {
  return {.id = from.text("client_id"),
          .client_secret = from.hidden("client_secret"),
          .method = from.text("client_method"),
          .redirect_uri = from.text("redirect_uri"),
          .expires_at = from.number("client_expires_at")};
}

login take_login(members& from) {
  login out;
  out.client = take_client(from);
  out.key = {.issuer = from.text("issuer"),
             .resource = from.text("resource"),
             .client = out.client.id,
             .server = from.text("only_server")};
  out.tokens = {.access = from.hidden("access_token"),
                .refresh = from.hidden("refresh_token"),
                .scope = from.text("scope"),
                .expires_at = from.number("expires_at"),
                .obtained_at = from.number("obtained_at")};
  out.requested_scope = from.text("asked_scope");
  out.token_endpoint = from.text("token_endpoint");
  out.revocation_endpoint = from.text("revocation_endpoint");
  return out;
}

}  // namespace

class credential_format_reader {
 public:
  explicit credential_format_reader(credential_set& into) : into_(into) {}

  // Reads all entries that can be verified; returns false if any could not.
  bool read_whole(json::object& all) {
    members top{all};
    into_.version_ = top.number("version");
    bool all_sound = into_.version_ >= 1;
    wiped_text sums;
    all_sound = read_clients(top.find("clients"), sums) && all_sound;
    all_sound = read_logins(top.find("logins"), sums) && all_sound;
    const std::string said = top.text("sum");
    top.drop_known();
    sums.add("{");
    add_members(sums, all);
    if (!all_sound || sum_of(sums.view()) != said) return false;
    into_.rest_ = std::move(all);
    return true;
  }

  // Every entry is on its own line, so that it can be recovered when the rest is damaged.
  void read_lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with(',')) line.remove_suffix(1);
      if (line.starts_with('{')) read_login_line(line);
      if (line.starts_with('"')) read_client_line(line);
    }
  }

 private:
  bool read_clients(json::value* found, wiped_text& sums) {
    if (found == nullptr || !found->is_object()) return false;
    bool all_sound = true;
    for (auto& [issuer, entry] : found->get_object()) {
      const std::string_view name{issuer.data(), issuer.size()};
      sums.add_string(name);
      all_sound = read_client(name, entry, sums) && all_sound;
    }
    return all_sound;
  }
  bool read_logins(json::value* found, wiped_text& sums) {
    if (found == nullptr || !found->is_array()) return false;
    bool all_sound = true;
    for (json::value& entry : found->get_array()) all_sound = read_login(entry, sums) && all_sound;
    return all_sound;
  }

  bool read_client(std::string_view issuer, json::value& entry, wiped_text& sums) {
    if (!entry.is_object() || !sound(issuer, entry.get_object())) return false;
    members from{entry.get_object()};
    sums.add(from.text("sum"));
    client_identity who = take_client(from);
    from.drop_known();
    if (into_.find_client(issuer)) return false;
    into_.clients_.push_back(
        {.issuer = std::string{issuer}, .who = std::move(who), .rest = std::move(entry.get_object())});
    return true;
  }
  bool read_login(json::value& entry, wiped_text& sums) {
    if (!entry.is_object() || !sound("", entry.get_object())) return false;
    members from{entry.get_object()};
    sums.add(from.text("sum"));
    login what = take_login(from);
    std::vector<std::string> servers = from.texts("servers");
    from.drop_known();
    if (into_.find(what.key)) return false;
    into_.logins_.push_back(
        {.what = std::move(what), .servers = std::move(servers), .rest = std::move(entry.get_object())});
    return true;
  }

  void read_login_line(std::string_view line) {
    wiped_text unused;
    if (auto entry = parse_wiped(line, into_.memory_)) read_login(*entry, unused);
  }
  void read_client_line(std::string_view line) {
    wiped_text object;
    object.add("{");
    object.add(line);
    object.add("}");
    auto entry = parse_wiped(object.view(), into_.memory_);
    wiped_text unused;
    if (entry && entry->is_object()) read_clients(&*entry, unused);
  }

  credential_set& into_;
};

credential_set::credential_set() : memory_(json::make_shared_resource<wiping_memory>()), rest_(memory_) {}

result<credential_set::parse_result> credential_set::parse(std::string_view text) {
  parse_result out;
  credential_format_reader reader{out.book};
  auto whole = parse_wiped(text, out.book.memory_);
  if (whole && whole->is_object()) {
    if (reader.read_whole(whole->get_object())) return out;
    if (out.book.version_ > 1)
      return error{.code = errc::config,
                   .what = "written by a newer version of hawser (format " + std::to_string(out.book.version_) +
                           "); use that one, or log in again with another file"};
    out.damage = "what is in it does not match its checksums";
  } else {
    out.damage = "it is not a complete JSON text";
  }
  out.book.version_ = 1;
  reader.read_lines(text);
  return out;
}

secret credential_set::serialize() const {
  wiped_text out;
  wiped_text sums;
  out.add("{\"version\":" + std::to_string(version_) + ",\"clients\":{");
  for (const client_entry& one : clients_) {
    out.add(&one == &clients_.front() ? "\n" : ",\n");
    out.add_string(one.issuer);
    out.add(":");
    json::object entry{memory_};
    put_client(entry, one.who);
    sums.add_string(one.issuer);
    sums.add(add_entry(out, one.issuer, {&entry, &one.rest}));
  }
  out.add("\n},\"logins\":[");
  for (const login_entry& one : logins_) {
    out.add(&one == &logins_.front() ? "\n" : ",\n");
    json::object entry{memory_};
    put_login(entry, one.what, one.servers);
    sums.add(add_entry(out, "", {&entry, &one.rest}));
  }
  out.add("\n],");
  sums.add("{");
  add_members(sums, rest_);
  for (const auto& [name, value] : rest_) {
    out.add_string({name.data(), name.size()});
    out.add(":");
    out.add_json(value);
    out.add(",");
  }
  out.add("\"sum\":\"" + sum_of(sums.view()) + "\"}\n");
  return secret{out.view()};
}

}  // namespace hawser
