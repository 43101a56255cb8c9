// SPDX-License-Identifier: MIT
// The tests' own authorization server keeps the rules that it is there to hold others to.
#include "../support/fake_authorization_server.hpp"
#include "../support/contains.hpp"
#include "../support/fake_browser.hpp"
#include "../support/ut.hpp"

namespace fake_authorization_server_test {

using namespace hawser;
using testing::ask_loopback;
using testing::browse;
using testing::contains;
using testing::fake_authorization_server;
using testing::fake_response;
using testing::fake_tokens;
using testing::percent_encoded;

std::string post(const fake_authorization_server& at, std::string_view path, const std::string& body) {
  return ask_loopback(at.http_server().url(path), body);
}
std::string call(const fake_authorization_server& at, const std::string& token, std::string_view tool = "echo") {
  const std::string field = token.empty() ? std::string{} : "Authorization: Bearer " + token + "\r\n";
  return ask_loopback(at.http_server().url("/mcp"),
                      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + std::string{tool} +
                          R"(","arguments":{}}})",
                      field);
}
std::string refresh(const fake_authorization_server& at, const std::string& token) {
  return post(
      at, "/token",
      "grant_type=refresh_token&client_id=me&refresh_token=" + token + "&resource=" + percent_encoded(at.resource()));
}
std::string member(const std::string& answer, const std::string& name) {
  const std::size_t at = answer.find('"' + name + "\":\"");
  if (at == answer.npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return answer.substr(begin, answer.find('"', begin) - begin);
}

const suite<"fake authorization server"> tests = [] {
  "a whole login: registered, authorized, redeemed once, called"_test = [] {
    fake_authorization_server at;
    expect(contains(call(at, ""), "WWW-Authenticate: Bearer scope=\"mcp:basic\", resource_metadata=\"" + at.issuer()));
    expect(contains(ask_loopback(at.http_server().url("/.well-known/oauth-protected-resource/mcp")), at.resource()));
    const std::string id = member(post(at, "/register", "{}"), "client_id");
    const pkce_pair proof = pkce_pair::make();
    const std::string page = at.issuer() + "/authorize?response_type=code&client_id=" + id +
                             "&state=s%26t&scope=mcp:basic" +
                             "&code_challenge_method=S256&code_challenge=" + proof.challenge +
                             "&redirect_uri=http://127.0.0.1:1/back&resource=" + percent_encoded(at.resource());
    const std::string back = testing::location_of(ask_loopback(http_url::parse(page).value()));
    expect(back.starts_with("http://127.0.0.1:1/back?code=code-")) << back;
    expect(contains(back, "&state=s%26t&iss=" + percent_encoded(at.issuer()))) << back;
    expect(browse(page).empty()) << "nobody is at the redirect";
    const std::string code = back.substr(back.find("code=") + 5, back.find('&') - back.find("code=") - 5);
    const std::string url_encoded_form =
        "grant_type=authorization_code&client_id=" + id + "&code=" + code +
        "&redirect_uri=http://127.0.0.1:1/back&code_verifier=" + std::string{proof.verifier.reveal()} +
        "&resource=" + percent_encoded(at.resource());
    const std::string token = member(post(at, "/token", url_encoded_form), "access_token");
    expect(contains(call(at, token), R"("text":"ok")"));
    expect(contains(post(at, "/token", url_encoded_form), "invalid_grant")) << "a code is good once";
    expect(at.counts().codes == 1_i and at.counts().authorizations == 2_i and at.counts().calls == 1_i);
  };
  "a refresh token is good once; used again, its family is revoked"_test = [] {
    fake_authorization_server at;
    const fake_tokens first = at.log_in("me", "mcp:basic");
    const fake_tokens other = at.log_in("me", "mcp:basic");
    at.expire();
    expect(contains(call(at, first.access), "error=\"invalid_token\""));
    const std::string second = refresh(at, first.refresh);
    expect(contains(call(at, member(second, "access_token")), R"("text":"ok")"));
    expect(contains(refresh(at, first.refresh), "invalid_grant"));
    expect(contains(call(at, member(second, "access_token")), "401"));
    expect(contains(refresh(at, member(second, "refresh_token")), "invalid_grant"));
    expect(contains(refresh(at, other.refresh), "access_token")) << "another login lives on";
    expect(at.counts().refreshes == 2_i and at.counts().replays == 1_i);
  };
  "without rotation the refresh token stays valid"_test = [] {
    fake_authorization_server at{{.rotates = false}};
    const fake_tokens first = at.log_in("me", "mcp:basic");
    for (int i = 0; i < 3; ++i) {
      const std::string got = refresh(at, first.refresh);
      expect(contains(got, "access_token") and not contains(got, "refresh_token"));
    }
    at.revoke_all();
    expect(contains(refresh(at, first.refresh), "invalid_grant"));
  };
  "a tool that needs more is refused by name of the scope"_test = [] {
    fake_authorization_server at;
    expect(contains(call(at, at.log_in("me", "mcp:basic").access, "admin"),
                    "error=\"insufficient_scope\", scope=\"mcp:admin\""));
    expect(contains(call(at, at.log_in("me", "mcp:basic mcp:admin").access, "admin"), R"("text":"done")"));
  };
  "a token is given to the right client, for the right resource"_test = [] {
    fake_authorization_server at{{.method = "client_secret_basic"}};
    at.know("me", "key");
    const std::string url_encoded_form = "grant_type=client_credentials&resource=" + percent_encoded(at.resource());
    expect(contains(post(at, "/token", url_encoded_form), "invalid_client"));
    const std::string basic = "Authorization: Basic " + base64("me:key") + "\r\n";
    expect(contains(ask_loopback(at.http_server().url("/token"), url_encoded_form, basic), "access_token"));
    expect(contains(ask_loopback(at.http_server().url("/token"), url_encoded_form + "x", basic), "invalid_target"));
  };
  "an answer may be lost after all that it changed, or be another one"_test = [] {
    fake_authorization_server at;
    const fake_tokens first = at.log_in("me", "mcp:basic");
    at.replace("/token", [](const auto&, const auto& otherwise) {
      fake_response lost = otherwise();
      lost.how = fake_response::ending::reset;
      return lost;
    });
    expect(refresh(at, first.refresh).empty());
    expect(at.counts().refreshes == 1_i);
    at.replace("/token", [](const auto&, const auto&) { return fake_response{.status = "503 Busy", .body = "later"}; });
    expect(contains(refresh(at, first.refresh), "503 Busy"));
    at.restore("/token");
    expect(contains(refresh(at, first.refresh), "invalid_grant"));
    expect(at.wait([](const auto& now) { return now.replays == 1; }));
  };
};

}  // namespace fake_authorization_server_test
