// SPDX-License-Identifier: MIT
// The key `oauth` of a server's entry.
#include "../../../host/config/config.hpp"
#include "../../support/contains.hpp"
#include "../../support/ut.hpp"

namespace config_oauth_test {

using namespace hawser;
using testing::contains;

config_result parse(const std::string& oauth) {
  const variable_lookup env = [](std::string_view name) -> std::optional<std::string> {
    if (name == "KEY") return "from the environment";
    return std::nullopt;
  };
  return parse_config(R"({"mcpServers":{"a":{"url":"https://a.test/mcp","oauth":)" + oauth + "}}}", "mcp.json", env);
}

oauth_settings read(const std::string& oauth) {
  const config_result config = parse(oauth);
  expect(config.settings.servers.size() == 1_ul) << oauth;
  for (const config_problem& one : config.problems) expect(one.severity == config_problem::kind::warning) << one.text();
  return config.settings.servers.empty() ? oauth_settings{}
                                         : std::get<http_settings>(config.settings.servers[0].transport).oauth;
}

std::string fault_of(const std::string& oauth) {
  const config_result config = parse(oauth);
  for (const config_problem& one : config.problems) {
    if (one.severity == config_problem::kind::error) return one.text();
  }
  return {};
}

const suite<"config oauth"> tests = [] {
  "without a setting, login is allowed"_test = [] {
    const auto config = parse_config(R"({"mcpServers":{"a":{"url":"https://a.test/mcp"}}})", "mcp.json",
                                     [](std::string_view) { return std::nullopt; });
    const oauth_settings said = std::get<http_settings>(config.settings.servers.at(0).transport).oauth;
    expect(said.enabled);
    expect(said.grant == oauth_settings::grant_kind::authorization_code);
    expect(!said.assume_pkce);
    expect(said.client_id.empty());
  };

  "every key is read, in both ways of writing it"_test = [] {
    const oauth_settings snake = read(
        R"({"client_id":"me","client_secret":"${KEY}","client_metadata_url":"https://me.test/c.json","issuer":"https://as.test",
            "scope":"a b","auth_method":"client_secret_post","callback_port":4711,"callback_path":"/back","pkce":"assume"})");
    expect(snake.client_id == "me");
    expect(snake.client_secret == "from the environment");
    expect(snake.client_document == "https://me.test/c.json");
    expect(snake.issuer == "https://as.test");
    expect(snake.scope == "a b");
    expect(snake.auth_method == "client_secret_post");
    expect(snake.callback_port == 4711_i);
    expect(snake.callback_path == "/back");
    expect(snake.assume_pkce);
    const oauth_settings camel = read(R"({"clientId":"me","clientSecret":"s","callbackPort":1,"scopes":["a","b"]})");
    expect(camel.client_id == "me");
    expect(camel.client_secret == "s");
    expect(camel.callback_port == 1_i);
    expect(camel.scope == "a b");
  };

  "a machine logs in by itself with a secret or a key"_test = [] {
    const oauth_settings by_key =
        read(R"({"grant":"client_credentials","client_id":"me","private_key_file":"/me.pem","algorithm":"RS256"})");
    expect(by_key.grant == oauth_settings::grant_kind::client_credentials);
    expect(by_key.private_key_file == "/me.pem");
    expect(by_key.algorithm == "RS256");
    expect(contains(fault_of(R"({"grant":"client_credentials","client_id":"me"})"), "client_secret"));
    expect(contains(fault_of(R"({"grant":"client_credentials","client_secret":"s"})"), "client_id"));
  };

  "SEC-4 a client certificate for the authorization server has its own setting"_test = [] {
    const oauth_settings own = read(R"({"tls":{"cert":"/me.pem","key":"/me.key"}})");
    expect(own.certificate_file == "/me.pem");
    expect(own.certificate_key_file == "/me.key");
    expect(contains(fault_of(R"({"tls":{"cert":"/me.pem"}})"), "together"));
    expect(contains(fault_of(R"({"tls":{"ca":"/ca.pem"}})"), "is no key of"));
    expect(contains(fault_of(R"({"tls":true})"), "must be an object"));
  };

  "oauth: false disables login"_test = [] {
    expect(!read("false").enabled);
    expect(!read(R"({"enabled":false})").enabled);
    expect(read("true").enabled);
  };

  "what is wrong is said with its place, and never with a secret"_test = [] {
    expect(contains(fault_of("3"), "must be false or an object"));
    expect(contains(fault_of(R"({"issuer":"ftp://as.test"})"), "/mcpServers/a/oauth/issuer"));
    expect(contains(fault_of(R"({"grant":"password"})"), "client_credentials"));
    expect(contains(fault_of(R"({"auth_method":"magic"})"), "private_key_jwt"));
    expect(contains(fault_of(R"({"callback_port":0})"), "callback_port"));
    expect(contains(fault_of(R"({"callback_path":"back"})"), "slash"));
    expect(contains(fault_of(R"({"pkce":"plain"})"), "assume"));
    const std::string secret = fault_of(R"({"client_secret":"hush-hush"})");
    expect(contains(secret, "client_id"));
    expect(!contains(secret, "hush"));
  };

  "a secret that goes to whomever the server names is worth a warning"_test = [] {
    const config_result config = parse(R"({"client_id":"me","client_secret":"s"})");
    expect(config.problems.size() == 1_ul);
    expect(contains(config.problems.front().what, "issuer"));
    expect(parse(R"({"client_id":"me","client_secret":"s","issuer":"https://as.test"})").problems.empty());
  };
};

}  // namespace config_oauth_test
