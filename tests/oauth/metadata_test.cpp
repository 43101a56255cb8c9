// SPDX-License-Identifier: MIT
// Where metadata is looked for, in which order, and what is not believed of it.
#include "../../oauth/metadata.hpp"

#include "../support/every_step.hpp"
#include "../support/web_pages.hpp"
#include "../support/web_visit.hpp"

namespace {

using namespace hawser;
using testing::visit_web;
using testing::web_page;
using testing::web_pages;

using texts = std::vector<std::string>;

const std::string resource_root = "/.well-known/oauth-protected-resource";
const std::string server_root = "/.well-known/oauth-authorization-server";
const std::string oidc_root = "/.well-known/openid-configuration";

result<std::optional<resource_metadata>> resource_of(const web_pages& at, std::string_view path,
                                                     const std::string& hinted = {}) {
  std::optional<result<std::optional<resource_metadata>>> got;
  visit_web([&](web& over) -> task<void> { got = co_await find_resource(over, at.url(path), at.filled(hinted)); });
  return *std::move(got);
}

result<server_metadata> server_of(const web_pages& at, const std::string& issuer,
                                  metadata_need need = metadata_need::code) {
  std::optional<result<server_metadata>> got;
  visit_web([&](web& over) -> task<void> { got = co_await find_authorization_server(over, at.filled(issuer), need); });
  return *std::move(got);
}

result<server_metadata> old_server_of(const web_pages& at, metadata_need need = metadata_need::code) {
  std::optional<result<server_metadata>> got;
  visit_web(
      [&](web& over) -> task<void> { got = co_await find_old_authorization_server(over, at.url("/mcp?x=1"), need); });
  return *std::move(got);
}

web_page about(const std::string& resource) {
  return {.body = R"({"resource":")" + resource + R"(","authorization_servers":["$ORIGIN/t1"]})"};
}

// A good document, with other members in the place of some.
web_page server_page(const std::string& issuer, const std::string& more = {}) {
  boost::json::object all{{"issuer", issuer},
                          {"authorization_endpoint", "$ORIGIN/authorize"},
                          {"token_endpoint", "$ORIGIN/token"},
                          {"response_types_supported", {"code"}},
                          {"code_challenge_methods_supported", {"plain", "S256"}}};
  const boost::json::value other = boost::json::parse(more.empty() ? "{}" : more);
  for (const auto& [name, value] : other.as_object()) all[name] = value;
  return {.body = boost::json::serialize(all)};
}

template <class T>
void refused(const result<T>& got, errc code, std::initializer_list<std::string_view> parts) {
  expect(fatal(got.has_error()));
  expect(got.error().code == code) << got.error().what;
  for (const std::string_view part : parts)
    expect(got.error().what.find(part) != std::string::npos) << part << "in" << got.error().what;
}

const suite<"metadata"> tests = [] {
  "metadata of a resource lies behind its path, then at the root"_test = [] {
    const auto urls = [](std::string_view server) { return resource_metadata_urls(http_url::parse(server).value()); };
    const std::string root = "https://a.example" + resource_root;
    expect(urls("https://a.example/mcp") == texts{root + "/mcp", root});
    expect(urls("https://a.example/mcp/") == texts{root + "/mcp", root});
    expect(urls("https://a.example/a/b?x=1&y") == texts{root + "/a/b?x=1&y", root});
    expect(urls("https://a.example") == texts{root});
    expect(urls("https://a.example/?x=1") == texts{root});
    expect(urls("http://[::1]:81/mcp").front() == "http://[::1]:81" + resource_root + "/mcp");
  };

  "metadata of an authorization server is looked for in the order of the specification"_test = [] {
    const auto urls = [](std::string_view issuer) { return server_metadata_urls(http_url::parse(issuer).value()); };
    const std::string at = "https://as.example";
    expect(urls("https://as.example") == texts{at + server_root, at + oidc_root});
    expect(urls("https://as.example/") == texts{at + server_root, at + oidc_root});
    const texts tenant{at + server_root + "/t1", at + oidc_root + "/t1", at + "/t1" + oidc_root};
    expect(urls("https://as.example/t1") == tenant);
    expect(urls("https://as.example/t1/") == tenant);
    expect(urls("https://as.example/a/b").back() == at + "/a/b" + oidc_root);
  };

  "T-20 a resource covers what has its origin and lies below its path"_test = [] {
    const auto says = [](std::string_view resource, std::string_view server) {
      return covers(resource, http_url::parse(server).value());
    };
    for (const std::string_view good : {"https://a.example", "https://a.example/", "https://a.example/mcp",
                                        "https://a.example/mcp/", "https://A.EXAMPLE:443/mcp"})
      expect(says(good, "https://a.example/mcp")) << good;
    expect(says("https://a.example/mcp", "https://a.example/mcp/x?y=1"));
    expect(says("https://a.example/mcp?y=1", "https://a.example/mcp?y=1"));
    for (const std::string_view bad :
         {"https://evil.example/mcp", "http://a.example/mcp", "https://a.example:8443/mcp", "https://a.example/mc",
          "https://a.example/mcpx", "https://a.example/mcp/x", "https://a.example/other", "https://a.example/mcp#x",
          "https://a.example/mcp?tenant=2", "https://u@a.example/mcp", "https://a.example.evil.example/mcp", "mcp", "",
          "urn:a:b", "https://sub.a.example/mcp", "https://a.example/x/../mcp"})
      expect(!says(bad, "https://a.example/mcp")) << bad;
  };

  "the hint of the challenge is asked first, and alone if it has a document"_test = [] {
    const web_pages at{{{"/custom", about("$ORIGIN")}, {resource_root + "/mcp", about("$ORIGIN/mcp")}}};
    const auto got = resource_of(at, "/mcp", "$ORIGIN/custom");
    expect(fatal(got.has_value() && got->has_value()));
    expect((*got)->found_at == at.origin() + "/custom");
    expect(at.asked() == "/custom") << at.asked();
  };

  "the resource is kept byte for byte, without a slash that nobody wrote"_test = [] {
    const web_pages at{{{resource_root, about("$ORIGIN")}}};
    const auto got = resource_of(at, "/mcp");
    expect(fatal(got.has_value() && got->has_value()));
    expect((*got)->resource == at.origin());
    expect((*got)->servers == texts{at.origin() + "/t1"});
    expect(!(*got)->scopes.has_value());
    expect(at.asked() == resource_root + "/mcp " + resource_root) << at.asked();
  };

  "the document at the root is not looked at where the path has one"_test = [] {
    const web_pages at{{{resource_root, about("$ORIGIN")}, {resource_root + "/mcp", about("$ORIGIN/mcp")}}};
    const auto got = resource_of(at, "/mcp");
    expect(got.has_value() && got->has_value() && (*got)->resource == at.origin() + "/mcp");
    expect(at.asked() == resource_root + "/mcp") << at.asked();
  };

  "a hint that leads to nothing, and no document anywhere, is no error"_test = [] {
    for (const int status : {400, 401, 404, 405, 502}) {
      const web_pages at{{{resource_root + "/mcp", {.status = status}}, {"/hint", {.status = status}}}};
      const auto got = resource_of(at, "/mcp", "$ORIGIN/hint");
      expect(got.has_value() && !got->has_value()) << status;
      expect(at.asked() == "/hint " + resource_root + "/mcp " + resource_root) << at.asked();
    }
  };

  "a hint that names a well-known place is not asked for twice"_test = [] {
    const web_pages at{{}};
    const auto got = resource_of(at, "/mcp", "$ORIGIN" + resource_root + "/mcp");
    expect(got.has_value() && !got->has_value());
    expect(at.asked() == resource_root + "/mcp " + resource_root) << at.asked();
  };

  "E01 a server in trouble is not taken for one without metadata"_test = [] {
    for (const int status : {500, 503, 504}) {
      const web_pages at{{{resource_root + "/mcp", {.status = status}}, {server_root, {.status = status}}}};
      const std::string said = "status " + std::to_string(status);
      const auto resource = resource_of(at, "/mcp");
      refused(resource, errc::io, {resource_root + "/mcp", said});
      expect(resource.error().native == status);
      refused(server_of(at, "$ORIGIN"), errc::io, {server_root, said});
      refused(old_server_of(at), errc::io, {server_root, said});
    }
  };

  "E01 a connection that breaks is not taken for an answer"_test = [] {
    const web_pages at{{{resource_root + "/mcp", {.status = 0}}, {server_root, {.status = 0}}}};
    expect(resource_of(at, "/mcp").has_error());
    expect(server_of(at, "$ORIGIN").has_error());
    expect(old_server_of(at).has_error());
    expect(at.asked().find(oidc_root) == std::string::npos) << at.asked();
  };

  "E01 metadata that is no JSON, too deep or too large is refused by its url"_test = [] {
    std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + '}';
    const std::string large = R"({"a":")" + std::string(std::size_t{10} << 20, 'x') + "\"}";
    struct bad {
      web_page page;
      errc code;
      std::string_view says;
    };
    for (const bad& one :
         {bad{{.body = "<html>", .type = "text/html"}, errc::protocol, "is not JSON"},
          bad{{.body = "[]"}, errc::protocol, "is not a JSON object"}, bad{{.body = ""}, errc::protocol, "is not JSON"},
          bad{{.body = deep}, errc::protocol, "deep"}, bad{{.body = large}, errc::too_large, "limit"}}) {
      const web_pages at{{{resource_root + "/mcp", one.page}, {server_root, one.page}}};
      refused(resource_of(at, "/mcp"), one.code, {resource_root + "/mcp", one.says});
      refused(server_of(at, "$ORIGIN"), one.code, {server_root, one.says});
      refused(old_server_of(at), one.code, {server_root, one.says});
    }
  };

  "E01 T-20 metadata about another resource is refused, and the error names url and field"_test = [] {
    for (const std::string resource : {"https://evil.example.com/mcp", "$ORIGIN/other", "$ORIGIN/mcp/deeper", "x"}) {
      const web_pages at{{{resource_root + "/mcp", about(resource)}}};
      refused(resource_of(at, "/mcp"), errc::protocol, {resource_root + "/mcp", "\"resource\"", at.origin() + "/mcp"});
    }
  };

  "E01 fields that are missing or of the wrong kind are named"_test = [] {
    struct bad {
      std::string body;
      std::string_view field;
    };
    for (const bad& one :
         {bad{R"({"authorization_servers":["https://a"]})", "\"resource\""}, bad{R"({"resource":7})", "\"resource\""},
          bad{R"({"resource":"$ORIGIN"})", "\"authorization_servers\""},
          bad{R"({"resource":"$ORIGIN","authorization_servers":[]})", "\"authorization_servers\""},
          bad{R"({"resource":"$ORIGIN","authorization_servers":"https://a"})", "\"authorization_servers\""},
          bad{R"({"resource":"$ORIGIN","authorization_servers":[7]})", "\"authorization_servers\""},
          bad{R"({"resource":"$ORIGIN","authorization_servers":["a"],"scopes_supported":"a"})",
              "\"scopes_supported\""}}) {
      const web_pages at{{{resource_root + "/mcp", {.body = one.body}}}};
      refused(resource_of(at, "/mcp"), errc::protocol, {resource_root + "/mcp", one.field});
    }
  };

  "scopes are joined, and what is no scope is left out"_test = [] {
    const std::string start = R"({"resource":"$ORIGIN","authorization_servers":["https://a"],"scopes_supported":)";
    const auto scopes = [&](const std::string& list) {
      const web_pages at{{{resource_root, {.body = start + list + '}'}}}};
      return resource_of(at, "/").value().value().scopes;
    };
    expect(scopes(R"(["a","b:c","d e","","f\"g","h\u0000"])") == std::optional<std::string>{"a b:c"});
    expect(!scopes("[]").has_value());
    expect(!scopes("null").has_value());
  };

  "E02 a hint that points to where nobody should be led is refused before any request"_test = [] {
    for (const std::string bad : {"http://as.example/x", "file:///etc/passwd", "javascript:alert(1)",
                                  "https://u:p@as.example/x", "http://169.254.169.254/x", "not a url", "/relative"}) {
      const web_pages at{{{resource_root + "/mcp", about("$ORIGIN/mcp")}}};
      refused(resource_of(at, "/mcp", bad), errc::protocol, {"the challenge's resource_metadata", "url \""});
      expect(at.asked().empty()) << at.asked();
    }
  };

  "E02 a hint to the origin that the user typed needs no https, any other does"_test = [] {
    testing::one_address names{ip_address::loopback_v4()};
    const web_pages at{{{"/custom", about("http://a.example:$PORT/mcp")}}};
    const std::string port = std::to_string(at.url("/").port);
    visit_web(
        [&](web& over) -> task<void> {
          const http_url server = http_url::parse("http://a.example:" + port + "/mcp").value();
          const auto own = co_await find_resource(over, server, "http://a.example:" + port + "/custom");
          expect(own.has_value() && own->has_value()) << (own ? "" : own.error().what);
          const auto other = co_await find_resource(over, server, "http://b.example:" + port + "/custom");
          refused(other, errc::protocol, {"b.example", "not https"});
        },
        {.names = &names});
    expect(at.asked() == "/custom") << at.asked();
  };

  "T-20 two servers that show each other's metadata get no login"_test = [] {
    const web_pages first{{}};
    const web_pages second{{{resource_root + "/mcp", about(first.origin() + "/mcp")}, {"/own", about("$ORIGIN/mcp")}}};
    refused(resource_of(second, "/mcp"), errc::protocol, {"\"resource\"", first.origin(), second.origin()});
    refused(resource_of(first, "/mcp", second.origin() + "/own"), errc::protocol,
            {"\"resource\"", first.origin(), second.origin()});
  };

  "each place for the metadata of a tenant is tried, in order, and never the root"_test = [] {
    const std::string rfc = server_root + "/t1";
    const std::string oidc = oidc_root + "/t1";
    const std::string behind = "/t1" + oidc_root;
    std::string asked;
    for (const std::string& place : {rfc, oidc, behind}) {
      const web_pages at{{{place, server_page("$ORIGIN/t1")}, {server_root, server_page("$ORIGIN")}}};
      const auto got = server_of(at, "$ORIGIN/t1");
      expect(fatal(got.has_value())) << got.error().what;
      expect(got->issuer == at.origin() + "/t1");
      asked += (asked.empty() ? "" : " ") + place;
      expect(at.asked() == asked) << at.asked();
    }
    const web_pages at{{{server_root, server_page("$ORIGIN/t1")}, {oidc_root, server_page("$ORIGIN/t1")}}};
    refused(server_of(at, "$ORIGIN/t1"), errc::protocol, {"has no metadata", rfc, oidc, behind, "status 404"});
    expect(at.asked() == asked) << at.asked();
  };

  "what a server says of itself is taken as it says it"_test = [] {
    const web_pages at{{{oidc_root, server_page("$ORIGIN", R"({
        "registration_endpoint": "$ORIGIN/register?a=b", "revocation_endpoint": "https://elsewhere.example/revoke",
        "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
        "token_endpoint_auth_signing_alg_values_supported": ["ES256"], "scopes_supported": ["a", "offline_access"],
        "client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true})")}}};
    const auto got = server_of(at, "$ORIGIN");
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->authorization_endpoint == at.origin() + "/authorize");
    expect(got->token_endpoint == at.origin() + "/token");
    expect(got->registration_endpoint == at.origin() + "/register?a=b");
    expect(got->revocation_endpoint == "https://elsewhere.example/revoke");
    expect(got->says_methods);
    expect(got->auth_methods == texts{"client_secret_post", "none"});
    expect(got->assertion_algorithms == texts{"ES256"});
    expect(got->scopes == texts{"a", "offline_access"});
    expect(got->client_documents);
    expect(got->says_iss);
    expect(got->discovered);
  };

  "what a server does not say is not assumed"_test = [] {
    const web_pages at{{{server_root, server_page("$ORIGIN", R"({"client_id_metadata_document_supported": "true",
        "authorization_response_iss_parameter_supported": null})")}}};
    const auto got = server_of(at, "$ORIGIN");
    expect(fatal(got.has_value())) << got.error().what;
    expect(!got->says_methods && got->auth_methods.empty() && got->scopes.empty());
    expect(!got->client_documents && !got->says_iss);
    expect(got->registration_endpoint.empty() && got->revocation_endpoint.empty());
  };

  "E01 T-21 the issuer is the very one that was asked for, but for one slash at its end"_test = [] {
    expect(same_issuer("https://as.example", "https://as.example/"));
    expect(same_issuer("https://as.example/t1/", "https://as.example/t1"));
    for (const std::string_view other : {"https://as.example//", "https://AS.example", "https://as.example:443",
                                         "https://as.example/t", "http://as.example", "", "https://as.exampl"})
      expect(!same_issuer("https://as.example", other)) << other;
    for (const std::string other : {"https://evil.example", "$ORIGIN/t2", "$ORIGIN/", "$ORIGIN/t1//", "$ORIGIN/T1"}) {
      const web_pages at{{{server_root + "/t1", server_page(other)}}};
      refused(server_of(at, "$ORIGIN/t1"), errc::protocol, {server_root + "/t1", "\"issuer\"", "none of it is used"});
      expect(at.seen().size() == 1_ul) << "and nobody else is asked:" << at.asked();
    }
    const web_pages at{{{server_root, server_page("$ORIGIN/")}}};
    const auto got = server_of(at, "$ORIGIN");
    expect(got.has_value() && got->issuer == at.origin() + '/');
  };

  "E03 T-25 a document that does not speak of S256 is refused"_test = [] {
    for (const std::string said : {"null", "[]", R"(["plain"])", R"(["s256"])", R"("S256")"}) {
      const web_pages at{
          {{server_root, server_page("$ORIGIN", R"({"code_challenge_methods_supported":)" + said + '}')}}};
      refused(server_of(at, "$ORIGIN"), errc::protocol, {server_root, "\"code_challenge_methods_supported\""});
      refused(old_server_of(at), errc::protocol, {server_root, "\"code_challenge_methods_supported\""});
      const auto vouched = server_of(at, "$ORIGIN", metadata_need::code_pkce_unsaid);
      expect(vouched.has_value() == (said == "null")) << said;
    }
  };

  "E01 a document without what a login needs is refused by its field"_test = [] {
    for (const std::string_view field : {"issuer", "authorization_endpoint", "token_endpoint"}) {
      const web_pages at{{{server_root, server_page("$ORIGIN", "{\"" + std::string{field} + "\":null}")}}};
      refused(server_of(at, "$ORIGIN"), errc::protocol, {server_root, field, "is missing"});
    }
    const web_pages at{{{server_root, server_page("$ORIGIN", R"({"response_types_supported":["token"]})")}}};
    refused(server_of(at, "$ORIGIN"), errc::protocol, {"response_types_supported"});
  };

  "a machine needs a token endpoint and nothing else"_test = [] {
    const web_pages at{{{server_root, {.body = R"({"issuer":"$ORIGIN","token_endpoint":"$ORIGIN/token"})"}}}};
    const auto got = server_of(at, "$ORIGIN", metadata_need::machine);
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->authorization_endpoint.empty());
    refused(server_of(at, "$ORIGIN"), errc::protocol, {"authorization_endpoint"});
  };

  "E02 endpoints where nobody should be led make the whole document useless"_test = [] {
    for (const std::string field :
         {"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"}) {
      for (const std::string bad : {"http://as.example/x", "file:///etc/passwd", "javascript:alert(1)", "data:,x",
                                    "https://u:hidden@as.example/x", "http://169.254.169.254/x", "/relative", ""}) {
        const web_pages at{{{server_root, server_page("$ORIGIN", "{\"" + field + "\":\"" + bad + "\"}")}}};
        const auto got = server_of(at, "$ORIGIN");
        refused(got, errc::protocol, {server_root, '"' + field + '"'});
        expect(got.error().what.find("hidden") == std::string::npos);
        expect(at.seen().size() == 1_ul);
      }
    }
  };

  "E02 an issuer where nobody should be led is refused before any request"_test = [] {
    for (const std::string bad : {"http://as.example", "file:///x", "javascript:x", "https://u:p@as.example",
                                  "https://169.254.169.254", "", "as.example"}) {
      const web_pages at{{}};
      refused(server_of(at, bad), errc::protocol, {"the authorization server", "url \""});
    }
    const web_pages at{{}};
    refused(server_of(at, "$ORIGIN/t1?a=b"), errc::protocol, {"an issuer has no query"});
    refused(server_of(at, "$ORIGIN/t1#a"), errc::protocol, {"fragment"});
    expect(at.asked().empty()) << at.asked();
  };

  "an old server without metadata has its document at the root of its origin"_test = [] {
    const web_pages at{{{server_root, server_page("$ORIGIN")}}};
    const auto got = old_server_of(at);
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->discovered && got->issuer == at.origin() && got->token_endpoint == at.origin() + "/token");
    expect(at.asked() == server_root) << at.asked();
    const web_pages other{{{server_root, server_page("https://evil.example")}}};
    refused(old_server_of(other), errc::protocol, {"\"issuer\""});
  };

  "an old server without any document has the endpoints of its time"_test = [] {
    const web_pages at{{}};
    const auto got = old_server_of(at);
    expect(fatal(got.has_value())) << got.error().what;
    expect(!got->discovered && got->issuer == at.origin());
    expect(got->authorization_endpoint == at.origin() + "/authorize");
    expect(got->token_endpoint == at.origin() + "/token");
    expect(got->registration_endpoint == at.origin() + "/register");
    expect(at.asked() == server_root) << at.asked();
  };

  "a stop at any step of looking leaves nothing behind"_test = [] {
    const web_pages at{{{resource_root, about("$ORIGIN")}, {"/t1" + oidc_root, server_page("$ORIGIN/t1")}}};
    testing::every_step([&](loop& l) {
      return testing::visiting_web_of(l, [&](web& over) -> task<void> {
        auto resource = co_await find_resource(over, at.url("/mcp"), {});
        auto server = co_await find_authorization_server(over, at.origin() + "/t1", metadata_need::code);
        expect(resource.has_error() || resource->has_value());
        expect(server.has_error() || server->discovered);
      });
    });
  };
};

}  // namespace
