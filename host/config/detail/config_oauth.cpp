// SPDX-License-Identifier: MIT
#include "config_oauth.hpp"

#include "../../../oauth/scopes.hpp"
#include "../../../transports/http/http_url.hpp"

namespace hawser::detail {

namespace {

// Claude, Gemini and opencode use camel case.
std::string snake_case(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital) made += '_';
    made += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return made;
}

class oauth_reader {
 public:
  explicit oauth_reader(config_reader& from) : from_(from) {}

  oauth_settings read(const config_member& at) {
    if (at.value.json == "false") {
      to_.enabled = false;
    } else if (at.value.json == "true") {
      to_.enabled = true;
    } else if (!at.value.is_object()) {
      from_.error(at.value, "must be false or an object");
    } else {
      for (const config_member& m : from_.members(at.value)) take(m, snake_case(m.name));
      check(at);
    }
    return std::move(to_);
  }

 private:
  void take(const config_member& m, const std::string& name) {
    if (name == "enabled") {
      to_.enabled = from_.flag(m.value).value_or(true);
    } else if (name == "client_id") {
      text(m, to_.client_id);
    } else if (name == "client_secret") {
      text(m, to_.client_secret);
    } else if (name == "client_metadata_url") {
      text(m, to_.client_document);
      url(m, to_.client_document);
    } else if (name == "issuer") {
      text(m, to_.issuer);
      url(m, to_.issuer);
    } else if (name == "scope" || name == "scopes") {
      scope(m);
    } else if (name == "grant") {
      grant(m);
    } else if (name == "auth_method") {
      method(m);
    } else if (name == "private_key") {
      text(m, to_.private_key);
    } else if (name == "private_key_file") {
      text(m, to_.private_key_file);
    } else if (name == "algorithm") {
      text(m, to_.algorithm);
    } else if (name == "callback_port") {
      if (const auto port = from_.number(m.value, 1, 65535)) to_.callback_port = static_cast<std::uint16_t>(*port);
    } else if (name == "callback_path") {
      text(m, to_.callback_path);
      if (!to_.callback_path.starts_with('/') && !from_.has_unset_variables())
        from_.error(m.value, "must begin with a slash");
    } else if (name == "tls") {
      tls(m);
    } else if (name == "pkce") {
      if (m.value.json == R"("assume")")
        to_.assume_pkce = true;
      else
        from_.error(m.value, R"(must be "assume", for a server that supports S256 and does not say so)");
    } else {
      from_.warning(m, "is not known here and has no effect");
    }
  }

  void tls(const config_member& m) {
    if (!m.value.is_object()) return from_.error(m.value, R"(must be an object with "cert" and "key")");
    for (const config_member& one : from_.members(m.value)) {
      if (one.name == "cert") {
        text(one, to_.certificate_file);
      } else if (one.name == "key") {
        text(one, to_.certificate_key_file);
      } else {
        from_.error(one, R"(is no key of "tls" under "oauth": "cert" and "key" name files)");
      }
    }
    if (to_.certificate_file.empty() != to_.certificate_key_file.empty())
      from_.error(m.value, R"(needs "cert" and "key" together)");
  }
  void text(const config_member& m, std::string& to) { to = from_.expanded(m.value).value_or(std::string{}); }
  void url(const config_member& m, const std::string& given) {
    if (given.empty() || from_.has_unset_variables()) return;
    if (auto parsed = http_url::parse(given); !parsed) from_.url_error(m.value, parsed.error());
  }
  void scope(const config_member& m) {
    if (!m.value.is_array()) return text(m, to_.scope);
    const auto words = from_.texts(m.value);
    if (!words) return;
    std::string all;
    for (const std::string& one : *words) all += one + ' ';
    to_.scope = scope_union(to_.scope, all);
  }
  void grant(const config_member& m) {
    if (m.value.json == R"("client_credentials")")
      to_.grant = oauth_settings::grant_kind::client_credentials;
    else if (m.value.json != R"("authorization_code")")
      from_.error(m.value, R"(must be "authorization_code" or "client_credentials")");
  }
  void method(const config_member& m) {
    text(m, to_.auth_method);
    if (from_.has_unset_variables()) return;
    for (const char* known : {"", "none", "client_secret_basic", "client_secret_post", "private_key_jwt"})
      if (to_.auth_method == known) return;
    from_.error(m.value, R"(must be "none", "client_secret_basic", "client_secret_post" or "private_key_jwt")");
  }
  void check(const config_member& at) {
    const bool machine = to_.grant == oauth_settings::grant_kind::client_credentials;
    const bool has_key = !to_.private_key.empty() || !to_.private_key_file.empty();
    if (to_.client_id.empty() && (machine || !to_.client_secret.empty())) from_.error(at.value, R"(needs "client_id")");
    if (machine && to_.client_secret.empty() && !has_key)
      from_.error(at.value, R"(needs "client_secret" or "private_key_file" to log in without a person)");
    if (!to_.client_secret.empty() && to_.issuer.empty())
      from_.warning(at, R"(has a "client_secret" and no "issuer": it goes to whomever the server names)");
  }

  config_reader& from_;
  oauth_settings to_;
};

}  // namespace

oauth_settings read_oauth(const config_member& at, config_reader& from) { return oauth_reader{from}.read(at); }

}  // namespace hawser::detail
