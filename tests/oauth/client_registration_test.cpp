// SPDX-License-Identifier: MIT
// What servers do with somebody who introduces himself.
#include "../../oauth/client_registration.hpp"

#include "../support/every_step.hpp"
#include "../support/oauth_http_fixture.hpp"
#include "../support/static_http_server.hpp"

namespace client_registration_test {

using namespace hawser;
using testing::static_http_server;
using testing::static_page;
using testing::with_oauth_http;

constexpr std::int64_t today = 1'800'000'000;
const std::string here = "http://127.0.0.1:4321/callback/abc";

registration_request request_for(std::string redirect_uri = here) {
  registration_request what{.redirect_uri = std::move(redirect_uri)};
  what.now = [] { return today; };
  return what;
}

struct outcome {
  std::optional<result<client_identity>> got{};
  boost::json::object asked{};
  [[nodiscard]] const client_identity& identity() const {
    expect(fatal(got->has_value())) << (got->has_value() ? "" : got->error().what);
    return got->value();
  }
};

outcome registered(const static_page& page, const std::function<void(authorization_server_metadata&)>& changed = {},
                   registration_request what = request_for()) {
  const static_http_server at{{{"/register", page}}};
  outcome made;
  with_oauth_http([&](oauth_http& over) -> task<void> {
    authorization_server_metadata server{.issuer = at.origin(),
                                         .registration_endpoint = at.origin() + "/register?x=hidden"};
    if (changed) changed(server);
    made.got = co_await register_client(over, server, what);
  });
  const auto seen = at.seen();
  expect(seen.size() <= 1_ul) << "once, whatever comes back";
  if (!seen.empty()) made.asked = boost::json::parse(seen.front().body).as_object();
  return made;
}

static_page accepted(const std::string& more = {}) {
  return {.body = R"({"client_id":"c-1")" + more + '}', .status = 201};
}

void refused(const outcome& from, errc code, std::initializer_list<std::string_view> parts) {
  expect(fatal(from.got->has_error()));
  const error& why = from.got->error();
  expect(why.code == code) << why.what;
  for (const std::string_view part : parts)
    expect(why.what.find(part) != std::string::npos) << part << "in" << why.what;
  expect(why.what.find("hidden") == std::string::npos) << why.what;
  expect(why.what.find("s3cret") == std::string::npos) << why.what;
  expect(why.what.find('\x1b') == std::string::npos) << why.what;
}

std::function<void(authorization_server_metadata&)> listing(std::vector<std::string> methods) {
  return [methods](authorization_server_metadata& at) {
    at.lists_auth_methods = true;
    at.auth_methods = methods;
  };
}

const suite<"registration"> tests = [] {
  "a native program asks for a code, refresh tokens and its own redirect, and for no scope"_test = [] {
    const outcome made = registered(accepted());
    const boost::json::value expected =
        boost::json::parse(R"({"client_name":"Hawser","redirect_uris":[")" + here +
                           R"("],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],)" +
                           R"("token_endpoint_auth_method":"none","application_type":"native"})");
    expect(made.asked == expected.as_object()) << boost::json::serialize(made.asked);
    const client_identity& who = made.identity();
    expect(who == client_identity{.id = "c-1", .method = "none", .redirect_uri = here});
  };

  "the type of the application follows from where it is redirected to"_test = [] {
    const auto type_for = [](std::string redirect) {
      const outcome made = registered(accepted(), {}, request_for(std::move(redirect)));
      return std::string{made.asked.at("application_type").as_string()};
    };
    expect(type_for("http://localhost:1/cb") == "native");
    expect(type_for("http://[::1]:1/cb") == "native");
    expect(type_for("com.example.app:/cb") == "native");
    expect(type_for("https://app.example/cb") == "web");
  };

  "without refresh tokens none are asked for"_test = [] {
    registration_request what = request_for();
    what.refresh = false;
    const outcome made = registered(accepted(), {}, what);
    expect(made.asked.at("grant_types").as_array() == boost::json::array{"authorization_code"});
  };

  "of what the server lists, the least proof is asked for"_test = [] {
    const auto asked = [](std::vector<std::string> listed) {
      const outcome made = registered(accepted(R"(,"client_secret":"k")"), listing(std::move(listed)));
      return std::string{made.asked.at("token_endpoint_auth_method").as_string()};
    };
    expect(asked({"client_secret_basic", "none"}) == "none");
    expect(asked({"client_secret_post", "client_secret_basic"}) == "client_secret_basic");
    expect(asked({"private_key_jwt", "client_secret_post"}) == "client_secret_post");
    refused(registered(accepted(), listing({"private_key_jwt"})), errc::auth, {"by hand"});
    refused(registered(accepted(), listing({})), errc::auth, {"by hand"});
  };

  "what the server decided counts, not what was asked for"_test = [] {
    const outcome basic = registered(accepted(
        R"(,"client_secret":"s3cret","token_endpoint_auth_method":"client_secret_basic","client_secret_expires_at":0)"));
    expect(basic.identity().client_secret == secret{"s3cret"});
    expect(basic.identity().method == "client_secret_basic" && basic.identity().expires_at == 0);
    const outcome unsaid = registered(accepted(R"(,"client_secret":"s3cret")"));
    expect(unsaid.identity().client_secret == secret{"s3cret"});
    expect(unsaid.identity().method.empty());
    const outcome none = registered(accepted(R"(,"client_secret":"s3cret","token_endpoint_auth_method":"none")"));
    expect(none.identity().client_secret.empty() && none.identity().method == "none");
    expect(registered({.body = R"({"client_id":"c-2"})"}).identity().id == "c-2") << "200 will do";
  };

  "E04 a secret that expires is known to, and one that has is of no use"_test = [] {
    const auto with = [](const std::string& when) {
      return registered(accepted(R"(,"client_secret":"s3cret","client_secret_expires_at":)" + when));
    };
    expect(with("1800000060").identity().expires_at == today + 60);
    expect(with("\"1800000060\"").identity().expires_at == today + 60);
    expect(with("1800000060.5").identity().expires_at == today + 60);
    for (const std::string never : {"0", "null", "-1", "\"never\""}) expect(with(never).identity().expires_at == 0);
    for (const std::string past : {"1", "1800000000"})
      refused(with(past), errc::protocol, {"\"client_secret_expires_at\""});
  };

  "E04 a refusal says why and what to do, and is not tried again"_test = [] {
    for (const int status : {400, 401, 403, 404, 200}) {
      const outcome made =
          registered({.body = R"({"error":"invalid_redirect_uri","error_description":"no \u001b[31mloopback\nhere"})",
                      .status = status});
      refused(made, errc::auth, {"/register", "invalid_redirect_uri", "no [31mloopback here", "by hand"});
      expect(made.got->error().native == status);
    }
    refused(registered({.body = "<html>", .status = 403, .type = "text/html"}), errc::auth, {"status 403", "by hand"});
    refused(registered({.body = R"({"error":")" + std::string(5000, 'x') + "\"}", .status = 400}), errc::auth,
            {std::string(64, 'x') + "..."});
    for (const int status : {302, 307}) refused(registered({.status = status}), errc::auth, {std::to_string(status)});
  };

  "E04 a server in trouble may register us later"_test = [] {
    for (const int status : {500, 502, 503, 429}) {
      const outcome made = registered({.body = R"({"error":"x"})", .status = status});
      refused(made, errc::io, {"/register", "status " + std::to_string(status)});
    }
  };

  "E04 a registration for another redirect is refused; the port of loopback is any"_test = [] {
    const auto with = [](const std::string& list) { return registered(accepted(",\"redirect_uris\":" + list)); };
    for (const std::string& good : {"[\"" + here + "\"]", "[\"https://x.example/\",\"" + here + "\"]",
                                    std::string{R"(["http://127.0.0.1/callback/abc"])"}, std::string{"null"}})
      expect(with(good).identity().redirect_uri == here) << good;
    for (const std::string bad :
         {R"(["https://evil.example/callback/abc"])", R"(["http://127.0.0.1:4321/other"])", "[]", R"([7])", R"("x")",
          R"(["http://localhost:4321/callback/abc"])", R"(["https://127.0.0.1:4321/callback/abc"])"})
      refused(with(bad), errc::protocol, {"/register", "\"redirect_uris\""});
  };

  "E04 an answer that cannot be used names the field"_test = [] {
    struct bad {
      std::string body;
      std::string_view says;
    };
    for (const bad& one :
         {bad{"<html>", "is not JSON"}, bad{"[]", "is not a JSON object"}, bad{"{}", "\"client_id\""},
          bad{R"({"client_id":""})", "\"client_id\""}, bad{R"({"client_id":7})", "\"client_id\""},
          bad{R"({"client_id":"a\r\nb"})", "\"client_id\""},
          bad{R"({"client_id":")" + std::string(3000, 'x') + "\"}", "\"client_id\""},
          bad{R"({"client_id":"c","client_secret":7})", "\"client_secret\""},
          bad{R"({"client_id":"c","token_endpoint_auth_method":"client_secret_basic"})", "\"client_secret\""},
          bad{R"({"client_id":"c","client_secret":"s3cret","token_endpoint_auth_method":"tls_client_auth"})",
              "\"token_endpoint_auth_method\""}})
      refused(registered({.body = one.body, .status = 201}), errc::protocol, {"/register", one.says});
  };

  "E02 a registration endpoint at a forbidden or missing address is refused without a request"_test = [] {
    const auto at = [](const std::string& endpoint) {
      return registered(accepted(),
                        [&](authorization_server_metadata& server) { server.registration_endpoint = endpoint; });
    };
    refused(at(""), errc::auth, {"registers nobody", "by hand"});
    for (const std::string bad :
         {"http://as.example/register", "file:///register", "http://169.254.169.254/register"}) {
      const outcome made = at(bad);
      refused(made, errc::protocol, {"the registration endpoint"});
      expect(made.asked.empty());
    }
  };

  "a stop at any step of registering leaves nothing behind"_test = [] {
    const static_http_server at{{{"/register", accepted()}}};
    testing::every_step([&](loop& l) {
      return testing::run_with_oauth_http(l, [&](oauth_http& over) -> task<void> {
        authorization_server_metadata server{.issuer = at.origin(), .registration_endpoint = at.origin() + "/register"};
        auto got = co_await register_client(over, server, request_for());
        expect(got.has_error() || got->id == "c-1");
      });
    });
  };
};

}  // namespace client_registration_test
