// SPDX-License-Identifier: MIT
#include "credential_format.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>

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
void add_members(wiped_text& out, const json::object& object) {
  for (const auto& [name, value] : object) {
    if (name == "sum") continue;
    if (out.view().back() != '{') out.add(",");
    out.add_string(name);
    out.add(":");
    out.add_json(value);
  }
}

// Writes an entry as one line, from objects with disjoint names; the sum also covers the entry's key. The objects are
// not merged into one, because names from a file could collide in its hash table (json_tree.hpp).
std::string add_entry(wiped_text& out, std::string_view name, std::initializer_list<const json::object*> parts) {
  wiped_text line;
  line.add("{");
  for (const json::object* part : parts) add_members(line, *part);
  wiped_text summed;
  summed.add_string(name);
  summed.add(line.view());
  std::string sum = sum_of(summed.view());
  out.add(line.view());
  out.add(R"(,"sum":")" + sum + "\"}");
  return sum;
}

bool sound(std::string_view name, const json::object& entry) {
  const json::value* said = entry.if_contains("sum");
  if (said == nullptr || !said->is_string()) return false;
  wiped_text again;
  return add_entry(again, name, {&entry}) == view_of(said->get_string());
}

void put(json::object& object, std::string_view name, std::string_view text) {
  if (!text.empty()) object[name] = text;
}
void put(json::object& object, std::string_view name, std::int64_t number) {
  if (number != 0) object[name] = number;
}

void put_client(json::object& object, const client_identity& client) {
  put(object, "client_id", client.id);
  put(object, "client_secret", client.client_secret.reveal());
  put(object, "client_method", client.method);
  put(object, "redirect_uri", client.redirect_uri);
  put(object, "client_expires_at", client.expires_at);
}

void put_login(json::object& object, const login& value, const std::vector<std::string>& servers) {
  put(object, "issuer", value.key.issuer);
  put(object, "resource", value.key.resource);
  put(object, "only_server", value.key.server);
  put_client(object, value.client);
  object["client_id"] = value.key.client;
  put(object, "access_token", value.tokens.access.reveal());
  put(object, "refresh_token", value.tokens.refresh.reveal());
  put(object, "scope", value.tokens.scope);
  put(object, "expires_at", value.tokens.expires_at);
  put(object, "obtained_at", value.tokens.obtained_at);
  put(object, "asked_scope", value.requested_scope);
  put(object, "token_endpoint", value.token_endpoint);
  put(object, "revocation_endpoint", value.revocation_endpoint);
  json::array urls(object.storage());  // braces would make it an element
  for (const std::string& url : servers) urls.emplace_back(url);
  object["servers"] = std::move(urls);
}

// Extracts known members of an entry; drop_known() leaves the unknown ones.
class members {
 public:
  explicit members(json::object& object) : object_(object) {}
  json::value* find(std::string_view name) {
    known_.push_back(name);
    return object_.if_contains(name);
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
    for (const json::value& element : found->get_array()) {
      if (element.is_string()) out.emplace_back(view_of(element.get_string()));
    }
    return out;
  }
  void drop_known() {
    for (const std::string_view name : known_) {
      if (auto* at = object_.find(name); at != object_.end()) object_.stable_erase(at);
    }
  }

 private:
  std::string_view seen(std::string_view name) {
    const json::value* found = find(name);
    return found != nullptr && found->is_string() ? view_of(found->get_string()) : std::string_view{};
  }
  json::object& object_;
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

class credential_format_reader {
 public:
  explicit credential_format_reader(credential_set& contents) : contents_(contents) {}

  // Reads all entries that can be verified; returns false if any could not.
  bool read_whole(json::object& all) {
    members top{all};
    contents_.set_version(top.number("version"));
    bool all_sound = contents_.version() >= 1;
    wiped_text sums;
    all_sound = read_clients(top.find("clients"), sums) && all_sound;
    all_sound = read_logins(top.find("logins"), sums) && all_sound;
    const std::string said = top.text("sum");
    top.drop_known();
    sums.add("{");
    add_members(sums, all);
    if (!all_sound || sum_of(sums.view()) != said) return false;
    contents_.set_unknown_members(std::move(all));
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
    client_identity client = take_client(from);
    from.drop_known();
    return contents_.add(credential_set::client_entry{
        .issuer = std::string{issuer}, .client = std::move(client), .unknown_members = std::move(entry.get_object())});
  }
  bool read_login(json::value& entry, wiped_text& sums) {
    if (!entry.is_object() || !sound("", entry.get_object())) return false;
    members from{entry.get_object()};
    sums.add(from.text("sum"));
    login value = take_login(from);
    std::vector<std::string> servers = from.texts("servers");
    from.drop_known();
    return contents_.add(credential_set::login_entry{
        .value = std::move(value), .servers = std::move(servers), .unknown_members = std::move(entry.get_object())});
  }

  void read_login_line(std::string_view line) {
    wiped_text unused;
    if (auto entry = parse_wiped(line, contents_.memory())) read_login(*entry, unused);
  }
  void read_client_line(std::string_view line) {
    wiped_text object;
    object.add("{");
    object.add(line);
    object.add("}");
    auto entry = parse_wiped(object.view(), contents_.memory());
    wiped_text unused;
    if (entry && entry->is_object()) read_clients(&*entry, unused);
  }

  credential_set& contents_;
};

}  // namespace

result<parsed_credential_set> parse_credential_set(std::string_view text) {
  parsed_credential_set parsed;
  credential_format_reader reader{parsed.contents};
  auto whole = parse_wiped(text, parsed.contents.memory());
  if (whole && whole->is_object()) {
    if (reader.read_whole(whole->get_object())) return parsed;
    if (parsed.contents.version() > 1)
      return error{.code = errc::config,
                   .what = "written by a newer version of hawser (format " + std::to_string(parsed.contents.version()) +
                           "); use that one, or log in again with another file"};
    parsed.damage = "what is in it does not match its checksums";
  } else {
    parsed.damage = "it is not a complete JSON text";
  }
  parsed.contents.set_version(1);
  reader.read_lines(text);
  return parsed;
}

secret serialize_credential_set(const credential_set& contents) {
  wiped_text out;
  wiped_text sums;
  out.add("{\"version\":" + std::to_string(contents.version()) + ",\"clients\":{");
  for (const credential_set::client_entry& entry : contents.clients()) {
    out.add(&entry == &contents.clients().front() ? "\n" : ",\n");
    out.add_string(entry.issuer);
    out.add(":");
    json::object members{contents.memory()};
    put_client(members, entry.client);
    sums.add_string(entry.issuer);
    sums.add(add_entry(out, entry.issuer, {&members, &entry.unknown_members}));
  }
  out.add("\n},\"logins\":[");
  for (const credential_set::login_entry& entry : contents.logins()) {
    out.add(&entry == &contents.logins().front() ? "\n" : ",\n");
    json::object members{contents.memory()};
    put_login(members, entry.value, entry.servers);
    sums.add(add_entry(out, "", {&members, &entry.unknown_members}));
  }
  out.add("\n],");
  sums.add("{");
  add_members(sums, contents.unknown_members());
  for (const auto& [name, value] : contents.unknown_members()) {
    out.add_string({name.data(), name.size()});
    out.add(":");
    out.add_json(value);
    out.add(",");
  }
  out.add("\"sum\":\"" + sum_of(sums.view()) + "\"}\n");
  return secret{out.view()};
}

}  // namespace hawser
