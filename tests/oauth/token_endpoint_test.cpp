// SPDX-License-Identifier: MIT
// What is asked of a token endpoint, and what its answers are taken for.
#include "../../oauth/token_endpoint.hpp"

#include "../support/every_step.hpp"
#include "../support/oauth_http_fixture.hpp"
#include "../support/static_http_server.hpp"

namespace token_endpoint_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;
using testing::static_http_server;
using testing::static_page;
using testing::with_oauth_http;

constexpr std::int64_t today = 1'800'000'000;
const std::string granted = R"({"access_token":"at-1","token_type":"Bearer","expires_in":3600,"refresh_token":"rt-2"})";

token_endpoint_context target_at(const std::string& origin) {
  token_endpoint_context at{
      .endpoint = origin + "/token?x=hidden", .issuer = origin, .resource = "https://a.example/mcp"};
  at.now = [] { return today; };
  return at;
}

client_identity client(std::string method = {}, std::string_view key = {}) {
  return {.id = "me", .client_secret = secret{key}, .method = std::move(method)};
}

using outcome = result<token_response>;
using asking = task<outcome> (*)(oauth_http&, token_endpoint_context, client_identity);

task<outcome> redeeming(oauth_http& over, token_endpoint_context at, client_identity who) {
  co_return co_await exchange_code(over, std::move(at), std::move(who), secret{"the code"}, secret{"the-verifier"},
                                   "http://127.0.0.1:1/callback/x");
}
task<outcome> renewing(oauth_http& over, token_endpoint_context at, client_identity who) {
  co_return co_await refresh_tokens(over, std::move(at), std::move(who), secret{"rt-1"});
}
task<outcome> introducing(oauth_http& over, token_endpoint_context at, client_identity who) {
  co_return co_await request_client_credentials(over, std::move(at), std::move(who), "a b");
}

outcome answer_of(asking how, const static_page& page, client_identity who = client()) {
  const static_http_server at{{{"/token", page}}};
  std::optional<outcome> got;
  with_oauth_http([&](oauth_http& over) -> task<void> { got = co_await how(over, target_at(at.origin()), who); });
  expect(at.seen().size() == 1_ul) << "one request, whatever comes back";
  return *std::move(got);
}

received_request request_of(asking how, client_identity who,
                            const std::function<void(token_endpoint_context&)>& changed = {}) {
  const static_http_server at{{{"/token", {.body = granted}}}};
  with_oauth_http([&](oauth_http& over) -> task<void> {
    token_endpoint_context to = target_at(at.origin());
    if (changed) changed(to);
    auto got = co_await how(over, std::move(to), who);
    expect(got.has_value()) << (got ? "" : got.error().what);
  });
  const auto seen = at.seen();
  expect(fatal(seen.size() == 1_ul));
  return seen.front();
}

std::int64_t expiry_with(const std::string& member) {
  const auto got = answer_of(renewing, {.body = R"({"access_token":"a","token_type":"bearer")" + member + '}'});
  expect(fatal(got.has_value())) << member << (got ? "" : got.error().what);
  return got->tokens.expires_at;
}

void failed_with(const outcome& got, errc code, std::initializer_list<std::string_view> parts) {
  expect(fatal(got.has_error()));
  expect(got.error().code == code) << got.error().what;
  for (const std::string_view part : parts)
    expect(got.error().what.find(part) != std::string::npos) << part << "in" << got.error().what;
  for (const std::string_view hidden : {"hidden", "the code", "the-verifier", "rt-1", "at-1", "s3cret"})
    expect(got.error().what.find(hidden) == std::string::npos) << got.error().what;
}

const suite<"token"> tests = [] {
  "a code is redeemed with its verifier, its redirect and the resource, byte for byte"_test = [] {
    const received_request asked = request_of(redeeming, client());
    expect(asked.body ==
           "grant_type=authorization_code&code=the%20code&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback%2Fx"
           "&code_verifier=the-verifier&resource=https%3A%2F%2Fa.example%2Fmcp&client_id=me")
        << asked.body;
    expect(asked.field("Content-Type") == "application/x-www-form-urlencoded");
    expect(asked.field("Authorization").empty());
  };

  "a renewal and a machine's login name the resource, too; without one there is no such parameter"_test = [] {
    expect(request_of(renewing, client()).body ==
           "grant_type=refresh_token&refresh_token=rt-1&resource=https%3A%2F%2Fa.example%2Fmcp&client_id=me");
    expect(request_of(introducing, client()).body ==
           "grant_type=client_credentials&scope=a%20b&resource=https%3A%2F%2Fa.example%2Fmcp&client_id=me");
    expect(request_of(renewing, client(), [](token_endpoint_context& at) { at.resource.clear(); }).body ==
           "grant_type=refresh_token&refresh_token=rt-1&client_id=me");
  };

  "a secret goes where the client is registered to put it"_test = [] {
    client_identity who = client("client_secret_basic", "s3cret:/+ %");
    who.id = "me:you@x";
    const received_request basic = request_of(renewing, who);
    expect(basic.field("Authorization") == "Basic " + base64("me%3Ayou%40x:s3cret%3A%2F%2B%20%25")) << basic.head;
    expect(basic.body.find("client_") == std::string::npos) << basic.body;
    const received_request post = request_of(renewing, client("client_secret_post", "s3cret&"));
    expect(post.field("Authorization").empty());
    expect(post.body.ends_with("&client_id=me&client_secret=s3cret%26")) << post.body;
    const received_request none = request_of(renewing, client("none", "s3cret"));
    expect(none.field("Authorization").empty());
    expect(none.body.ends_with("&client_id=me")) << none.body;
  };

  "where nothing is known of the client, the server's list decides"_test = [] {
    struct row {
      std::string_view key;
      std::vector<std::string> listed;
      bool says;
      std::string_view chosen;
    };
    for (const row& one :
         {row{"", {}, false, "none"}, row{"", {"client_secret_basic"}, true, "none"},
          row{"k", {}, false, "client_secret_basic"}, row{"k", {}, true, "client_secret_basic"},
          row{"k", {"client_secret_post"}, true, "client_secret_post"},
          row{"k", {"none", "client_secret_post", "client_secret_basic"}, true, "client_secret_basic"},
          row{"k", {"none"}, true, "none"}, row{"k", {"tls_client_auth"}, true, "client_secret_basic"}}) {
      const token_endpoint_context at{.auth_methods = one.listed, .lists_auth_methods = one.says};
      expect(select_auth_method(client({}, one.key), at) == one.chosen) << one.chosen;
      expect(select_auth_method(client("client_secret_post", one.key), at) == "client_secret_post");
    }
  };

  "without a key no client assertion is made and no request is sent"_test = [] {
    for (const std::string method :
         {"client_secret_basic", "client_secret_post", "private_key_jwt", "client_secret_jwt", "tls_client_auth"}) {
      const static_http_server at{{}};
      with_oauth_http([&](oauth_http& over) -> task<void> {
        const auto got = co_await renewing(over, target_at(at.origin()), client(method));
        failed_with(got, errc::config, {"\"me\"", method});
      });
      expect(at.seen().empty());
    }
  };

  "tokens come back with what was said about them"_test = [] {
    const auto got = answer_of(
        redeeming,
        {.body =
             R"({"access_token":"at-1","token_type":"bEaReR","expires_in":60,"refresh_token":"rt","scope":"a b"})"});
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->error_code.empty() && !got->after_lost_response);
    expect(got->tokens.access == secret{"at-1"});
    expect(got->tokens.refresh == secret{"rt"});
    expect(got->tokens.scope == "a b");
    expect(got->tokens.obtained_at == today);
    expect(got->tokens.expires_at == today + 60);
  };

  "a scope that is no plain text is as good as none"_test = [] {
    for (const std::string odd : {R"("a\nb")", R"("a\u001b[31m")", R"("\u00e4")", "7", R"(["a"])", "null"}) {
      const auto got = answer_of(renewing, {.body = R"({"access_token":"a","scope":)" + odd + '}'});
      expect(got.has_value() && got->tokens.scope.empty()) << odd;
    }
  };

  "E17 a renewal without a new refresh token keeps the old one, any other answer has none"_test = [] {
    for (const std::string member : {"", R"(,"refresh_token":null)", R"(,"refresh_token":"")"}) {
      const static_page page{.body = R"({"access_token":"a")" + member + '}'};
      expect(answer_of(renewing, page).value().tokens.refresh == secret{"rt-1"});
      expect(answer_of(redeeming, page).value().tokens.refresh.empty());
    }
    expect(answer_of(renewing, {.body = granted}).value().tokens.refresh == secret{"rt-2"});
    const auto refused = answer_of(renewing, {.body = R"({"error":"invalid_grant"})", .status = 400});
    expect(refused.has_value() && refused->tokens.refresh.empty());
  };

  "E11 a lifetime is read from whatever states one, else the server did not say"_test = [] {
    expect(expiry_with(R"(,"expires_in":3600)") == today + 3600);
    expect(expiry_with(R"(,"expires_in":"3600")") == today + 3600);
    expect(expiry_with(R"(,"expires_in":3600.9)") == today + 3600);
    for (const std::string none : {"", R"(,"expires_in":null)", R"(,"expires_in":0)", R"(,"expires_in":-1)",
                                   R"(,"expires_in":-1e99)", R"(,"expires_in":"soon")", R"(,"expires_in":"36x")",
                                   R"(,"expires_in":"")", R"(,"expires_in":[1])", R"(,"expires_in":true)"})
      expect(expiry_with(none) == 0) << none;
    for (const std::string endless : {R"(,"expires_in":1e99)", R"(,"expires_in":9223372036854775807)",
                                      R"(,"expires_in":18446744073709551615)", R"(,"expires_in":"999999999999999")"}) {
      const std::int64_t at = expiry_with(endless);
      expect(at > today + 300 * 24 * 3600) << endless << at;
      expect(at < today + 400 * 24 * 3600) << endless << at;
    }
  };

  "E11 what is no token answer is an error that names the endpoint and the field"_test = [] {
    struct bad {
      std::string body;
      std::string_view says;
    };
    for (const bad& one :
         {bad{"<html>", "is not JSON"}, bad{"", "is not JSON"}, bad{"[]", "is not a JSON object"},
          bad{R"({"access_token":"a","expires_in":NaN})", "is not JSON"}, bad{"{}", "\"access_token\""},
          bad{R"({"access_token":null})", "\"access_token\""}, bad{R"({"access_token":""})", "\"access_token\""},
          bad{R"({"access_token":7})", "\"access_token\""},
          bad{R"({"access_token":"at-1\r\nX: y"})", "\"access_token\""},
          bad{R"({"access_token":"at-1 b"})", "\"access_token\""},
          bad{R"({"access_token":")" + std::string(40'000, 'x') + "\"}", "\"access_token\""},
          bad{R"({"access_token":"at-1","token_type":"DPoP"})", "\"token_type\""},
          bad{R"({"access_token":"at-1","token_type":"mac\u001b[31m"})", "\"token_type\""},
          bad{R"({"access_token":"at-1","token_type":7})", "\"token_type\""},
          bad{R"({"access_token":"at-1","refresh_token":7})", "\"refresh_token\""},
          bad{R"({"access_token":"at-1","refresh_token":")" + std::string(40'000, 'x') + "\"}", "32 KiB"}}) {
      const auto got = answer_of(renewing, {.body = one.body});
      failed_with(got, errc::protocol, {"/token", one.says});
      expect(got.error().executed == execution::unknown);
      expect(got.error().what.find('\x1b') == std::string::npos);
    }
  };

  "E11 a server in trouble says nothing about the credentials, whatever it says"_test = [] {
    for (const static_page& page :
         {static_page{.body = "<html>", .status = 500, .type = "text/html"}, static_page{.status = 502},
          static_page{.body = R"({"error":"invalid_grant"})", .status = 503}, static_page{.status = 408},
          static_page{.status = 429}, static_page{.body = R"({"error":"temporarily_unavailable"})", .status = 400},
          static_page{.body = R"({"error":"server_error"})"}}) {
      const auto got = answer_of(renewing, page);
      failed_with(got, errc::io, {"/token", "just now", std::to_string(page.status)});
      expect(got.error().native == page.status);
    }
  };

  "E11 a token endpoint that does not answer runs out of time"_test = [] {
    const scripted_http_server silent{[](scripted_connection& with) {
      if (with.request()) with.hang();
    }};
    with_oauth_http(
        [&](oauth_http& over) -> task<void> {
          const auto got = co_await renewing(over, target_at(silent.origin()), client());
          failed_with(got, errc::timed_out, {"/token"});
        },
        {.bound = 100ms});
    expect(silent.seen().size() == 1_ul);
  };

  "a status without a word of OAuth is no refusal"_test = [] {
    for (const int status : {301, 307, 400, 401, 403, 404, 405}) {
      const auto got = answer_of(renewing, {.body = "<html>", .status = status, .type = "text/html"});
      failed_with(got, errc::protocol, {"/token", std::to_string(status)});
    }
    failed_with(answer_of(renewing, {.body = R"({"error":{"message":"x"}})", .status = 400}), errc::protocol, {"400"});
  };

  "E12 a code that was used before is refused by its name, once, also with the status 200"_test = [] {
    for (const int status : {200, 400, 401}) {
      const auto got = answer_of(
          redeeming,
          {.body = R"({"error":"invalid_grant","error_description":"\u001b[2Jused\ntwice","access_token":"a"})",
           .status = status});
      expect(fatal(got.has_value())) << got.error().what;
      expect(got->error_code == "invalid_grant");
      expect(got->error_description == "[2Jused twice") << got->error_description;
      expect(got->tokens == token_set{});
    }
  };

  "the words of a refusal are cut"_test = [] {
    const auto got = answer_of(redeeming, {.body = R"({"error":")" + std::string(9000, 'e') +
                                                   R"(","error_description":")" + std::string(9000, 'd') + "\"}",
                                           .status = 400});
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->error_code == std::string(64, 'e') + "...");
    expect(got->error_description == std::string(200, 'd') + "...");
  };

  "E15 the answer to a renewal that is lost is asked for once more, and that is told"_test = [] {
    for (const int losses : {1, 2}) {
      const scripted_http_server server{[&](scripted_connection& with) {
        if (!with.request()) return;
        if (with.nth < losses) return with.reset();
        with.reply("400 Bad Request", "application/json", R"({"error":"invalid_grant"})");
      }};
      with_oauth_http([&](oauth_http& over) -> task<void> {
        const auto got = co_await renewing(over, target_at(server.origin()), client());
        if (losses == 1) {
          expect(got.has_value() && got->error_code == "invalid_grant" && got->after_lost_response);
        } else {
          expect(got.has_error() && got.error().executed == execution::unknown);
        }
      });
      expect(server.seen().size() == 2_ul);
    }
  };

  "E12 a code whose answer is lost is not sent again"_test = [] {
    const scripted_http_server server{[&](scripted_connection& with) {
      if (with.request()) with.reset();
    }};
    with_oauth_http([&](oauth_http& over) -> task<void> {
      const auto got = co_await redeeming(over, target_at(server.origin()), client());
      expect(got.has_error() && got.error().executed == execution::unknown);
    });
    expect(server.seen().size() == 1_ul);
  };

  "E02 a token endpoint at a forbidden address gets no credentials"_test = [] {
    with_oauth_http([&](oauth_http& over) -> task<void> {
      for (const std::string bad : {"http://as.example/token", "file:///token", "https://u:p@as.example/", ""}) {
        token_endpoint_context at = target_at("x");
        at.endpoint = bad;
        failed_with(co_await renewing(over, at, client()), errc::protocol, {"the token endpoint"});
        const auto revoked = co_await revoke_token(over, at, client(), secret{"t"}, "refresh_token");
        expect(revoked.has_error() && revoked.error().what.find("the revocation endpoint") == 0);
      }
    });
  };

  "a token is given back with the client's proof"_test = [] {
    const static_http_server at{
        {{"/token", {}}, {"/no", {.body = R"({"error":"unsupported_token_type"})", .status = 400}}}};
    with_oauth_http([&](oauth_http& over) -> task<void> {
      token_endpoint_context to = target_at(at.origin());
      const client_identity who = client("client_secret_basic", "s3cret");
      const auto done = co_await revoke_token(over, to, who, secret{"rt-1"}, "refresh_token");
      expect(done.has_value()) << (done ? "" : done.error().what);
      to.endpoint = at.origin() + "/no";
      const auto refused = co_await revoke_token(over, to, who, secret{"rt-1"}, "refresh_token");
      expect(fatal(refused.has_error()));
      expect(refused.error().what.find("unsupported_token_type") != std::string::npos) << refused.error().what;
    });
    const auto seen = at.seen();
    expect(seen.front().body == "token=rt-1&token_type_hint=refresh_token") << seen.front().body;
    expect(seen.front().field("Authorization") == "Basic " + base64("me:s3cret"));
  };

  "a stop at any step of asking leaves nothing behind"_test = [] {
    const scripted_http_server server{[](scripted_connection& with) {
      if (!with.request()) return;
      if (with.nth % 2 == 0) return with.reset();
      with.json(granted);
    }};
    for (const asking how : {redeeming, renewing}) {
      testing::every_step([&](loop& l) {
        return testing::run_with_oauth_http(l, [&](oauth_http& over) -> task<void> {
          const auto got = co_await how(over, target_at(server.origin()), client());
          expect(got.has_error() || got->tokens.access == secret{"at-1"});
        });
      });
    }
  };

  "SEC-3 what a token endpoint says again of a secret is taken out before it is cut"_test = [] {
    const std::string planted = "RTok-Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4L5";
    for (const std::size_t shown : {std::size_t{5}, planted.size() - 1}) {
      const std::string body = R"({"error":")" + std::string(64 - shown, 'y') + planted + R"(","error_description":")" +
                               std::string(200 - shown, 'x') + planted + "\"}";
      const static_http_server at{{{"/token", {.body = body, .status = 400}}}};
      loop l;
      l.redactions()->add(planted);
      std::optional<outcome> got;
      l.run(testing::run_with_oauth_http(l, [&](oauth_http& over) -> task<void> {
        got = co_await refresh_tokens(over, target_at(at.origin()), client(), secret{planted});
      }));
      expect(fatal(got.has_value() && got->has_value()));
      expect((*got)->error_code.find("RT") == std::string::npos) << (*got)->error_code;
      expect((*got)->error_description.find("RT") == std::string::npos) << (*got)->error_description;
    }
  };
};

}  // namespace token_endpoint_test
