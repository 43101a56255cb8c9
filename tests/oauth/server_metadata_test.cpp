// SPDX-License-Identifier: MIT
// What is believed of the metadata of an authorization server, and of one that has none.
#include "metadata_documents.hpp"

namespace server_metadata_test {

using namespace hawser;
using namespace hawser::testing::documents;
using testing::static_http_server;

const suite<"metadata"> tests = [] {
  "each place for the metadata of a tenant is tried, in order, and never the root"_test = [] {
    const std::string rfc = server_root + "/t1";
    const std::string oidc = oidc_root + "/t1";
    const std::string behind = "/t1" + oidc_root;
    std::string asked;
    for (const std::string& place : {rfc, oidc, behind}) {
      const static_http_server at{{{place, server_page("$ORIGIN/t1")}, {server_root, server_page("$ORIGIN")}}};
      const auto got = server_of(at, "$ORIGIN/t1");
      expect(fatal(got.has_value())) << got.error().what;
      expect(got->issuer == at.origin() + "/t1");
      asked += (asked.empty() ? "" : " ") + place;
      expect(at.asked() == asked) << at.asked();
    }
    const static_http_server at{{{server_root, server_page("$ORIGIN/t1")}, {oidc_root, server_page("$ORIGIN/t1")}}};
    refused(server_of(at, "$ORIGIN/t1"), errc::protocol, {"has no metadata", rfc, oidc, behind, "status 404"});
    expect(at.asked() == asked) << at.asked();
  };

  "what a server says of itself is taken as it says it"_test = [] {
    const static_http_server at{{{oidc_root, server_page("$ORIGIN", R"({
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
    expect(got->lists_auth_methods);
    expect(got->auth_methods == texts{"client_secret_post", "none"});
    expect(got->assertion_algorithms == texts{"ES256"});
    expect(got->scopes == texts{"a", "offline_access"});
    expect(got->supports_client_documents);
    expect(got->sends_iss);
    expect(got->has_document);
  };

  "what a server does not say is not assumed"_test = [] {
    const static_http_server at{
        {{server_root, server_page("$ORIGIN", R"({"client_id_metadata_document_supported": "true",
        "authorization_response_iss_parameter_supported": null})")}}};
    const auto got = server_of(at, "$ORIGIN");
    expect(fatal(got.has_value())) << got.error().what;
    expect(!got->lists_auth_methods && got->auth_methods.empty() && got->scopes.empty());
    expect(!got->supports_client_documents && !got->sends_iss);
    expect(got->registration_endpoint.empty() && got->revocation_endpoint.empty());
  };

  "E01 T-21 the issuer is the very one that was asked for, but for one slash at its end"_test = [] {
    expect(is_same_issuer("https://as.example", "https://as.example/"));
    expect(is_same_issuer("https://as.example/t1/", "https://as.example/t1"));
    for (const std::string_view other : {"https://as.example//", "https://AS.example", "https://as.example:443",
                                         "https://as.example/t", "http://as.example", "", "https://as.exampl"})
      expect(!is_same_issuer("https://as.example", other)) << other;
    for (const std::string other : {"https://evil.example", "$ORIGIN/t2", "$ORIGIN/", "$ORIGIN/t1//", "$ORIGIN/T1"}) {
      const static_http_server at{{{server_root + "/t1", server_page(other)}}};
      refused(server_of(at, "$ORIGIN/t1"), errc::protocol, {server_root + "/t1", "\"issuer\"", "none of it is used"});
      expect(at.seen().size() == 1_ul) << "and nobody else is asked:" << at.asked();
    }
    const static_http_server at{{{server_root, server_page("$ORIGIN/")}}};
    const auto got = server_of(at, "$ORIGIN");
    expect(got.has_value() && got->issuer == at.origin() + '/');
  };

  "E03 T-25 a document that does not speak of S256 is refused"_test = [] {
    for (const std::string said : {"null", "[]", R"(["plain"])", R"(["s256"])", R"("S256")"}) {
      const static_http_server at{
          {{server_root, server_page("$ORIGIN", R"({"code_challenge_methods_supported":)" + said + '}')}}};
      refused(server_of(at, "$ORIGIN"), errc::protocol, {server_root, "\"code_challenge_methods_supported\""});
      refused(old_server_of(at), errc::protocol, {server_root, "\"code_challenge_methods_supported\""});
      const auto vouched = server_of(at, "$ORIGIN", metadata_purpose::authorization_code_assumed_pkce);
      expect(vouched.has_value() == (said == "null")) << said;
    }
  };

  "E01 a document without what a login needs is refused by its field"_test = [] {
    for (const std::string_view field : {"issuer", "authorization_endpoint", "token_endpoint"}) {
      const static_http_server at{{{server_root, server_page("$ORIGIN", "{\"" + std::string{field} + "\":null}")}}};
      refused(server_of(at, "$ORIGIN"), errc::protocol, {server_root, field, "is missing"});
    }
    const static_http_server at{{{server_root, server_page("$ORIGIN", R"({"response_types_supported":["token"]})")}}};
    refused(server_of(at, "$ORIGIN"), errc::protocol, {"response_types_supported"});
  };

  "a machine needs a token endpoint and nothing else"_test = [] {
    const static_http_server at{{{server_root, {.body = R"({"issuer":"$ORIGIN","token_endpoint":"$ORIGIN/token"})"}}}};
    const auto got = server_of(at, "$ORIGIN", metadata_purpose::client_credentials);
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->authorization_endpoint.empty());
    refused(server_of(at, "$ORIGIN"), errc::protocol, {"authorization_endpoint"});
  };

  "E02 an endpoint at a forbidden address makes the document invalid"_test = [] {
    for (const std::string field :
         {"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"}) {
      for (const std::string bad : {"http://as.example/x", "file:///etc/passwd", "javascript:alert(1)", "data:,x",
                                    "https://u:hidden@as.example/x", "http://169.254.169.254/x", "/relative", ""}) {
        const static_http_server at{{{server_root, server_page("$ORIGIN", "{\"" + field + "\":\"" + bad + "\"}")}}};
        const auto got = server_of(at, "$ORIGIN");
        refused(got, errc::protocol, {server_root, '"' + field + '"'});
        expect(got.error().what.find("hidden") == std::string::npos);
        expect(at.seen().size() == 1_ul);
      }
    }
  };

  "E02 an issuer at a forbidden address is refused before any request"_test = [] {
    for (const std::string bad : {"http://as.example", "file:///x", "javascript:x", "https://u:p@as.example",
                                  "https://169.254.169.254", "", "as.example"}) {
      const static_http_server at{{}};
      refused(server_of(at, bad), errc::protocol, {"the authorization server", "url \""});
    }
    const static_http_server at{{}};
    refused(server_of(at, "$ORIGIN/t1?a=b"), errc::protocol, {"an issuer has no query"});
    refused(server_of(at, "$ORIGIN/t1#a"), errc::protocol, {"fragment"});
    expect(at.asked().empty()) << at.asked();
  };

  "an old server without metadata has its document at the root of its origin"_test = [] {
    const static_http_server at{{{server_root, server_page("$ORIGIN")}}};
    const auto got = old_server_of(at);
    expect(fatal(got.has_value())) << got.error().what;
    expect(got->has_document && got->issuer == at.origin() && got->token_endpoint == at.origin() + "/token");
    expect(at.asked() == server_root) << at.asked();
    const static_http_server other{{{server_root, server_page("https://evil.example")}}};
    refused(old_server_of(other), errc::protocol, {"\"issuer\""});
  };

  "an old server without any document has the endpoints of its time"_test = [] {
    const static_http_server at{{}};
    const auto got = old_server_of(at);
    expect(fatal(got.has_value())) << got.error().what;
    expect(!got->has_document && got->issuer == at.origin());
    expect(got->authorization_endpoint == at.origin() + "/authorize");
    expect(got->token_endpoint == at.origin() + "/token");
    expect(got->registration_endpoint == at.origin() + "/register");
    expect(at.asked() == server_root) << at.asked();
  };
};

}  // namespace server_metadata_test
