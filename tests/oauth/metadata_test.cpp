// SPDX-License-Identifier: MIT
// Where metadata is looked for, in which order, and what is not believed of a resource's.
#include "../support/every_step.hpp"
#include "metadata_documents.hpp"

namespace metadata_test {

using namespace hawser;
using namespace hawser::testing::documents;
using testing::static_http_server;
using testing::static_page;
using testing::with_oauth_http;

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
    const auto urls = [](std::string_view issuer) {
      return authorization_server_metadata_urls(http_url::parse(issuer).value());
    };
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
    const static_http_server at{{{"/custom", about("$ORIGIN")}, {resource_root + "/mcp", about("$ORIGIN/mcp")}}};
    const auto got = resource_of(at, "/mcp", "$ORIGIN/custom");
    expect(fatal(got.has_value() && got->has_value()));
    expect((*got)->document_url == at.origin() + "/custom");
    expect(at.asked() == "/custom") << at.asked();
  };

  "the resource is kept byte for byte, without a slash that nobody wrote"_test = [] {
    const static_http_server at{{{resource_root, about("$ORIGIN")}}};
    const auto got = resource_of(at, "/mcp");
    expect(fatal(got.has_value() && got->has_value()));
    expect((*got)->resource == at.origin());
    expect((*got)->authorization_servers == texts{at.origin() + "/t1"});
    expect(!(*got)->scopes.has_value());
    expect(at.asked() == resource_root + "/mcp " + resource_root) << at.asked();
  };

  "the document at the root is not looked at where the path has one"_test = [] {
    const static_http_server at{{{resource_root, about("$ORIGIN")}, {resource_root + "/mcp", about("$ORIGIN/mcp")}}};
    const auto got = resource_of(at, "/mcp");
    expect(got.has_value() && got->has_value() && (*got)->resource == at.origin() + "/mcp");
    expect(at.asked() == resource_root + "/mcp") << at.asked();
  };

  "a hint that leads to nothing, and no document anywhere, is no error"_test = [] {
    for (const int status : {400, 401, 404, 405, 502}) {
      const static_http_server at{{{resource_root + "/mcp", {.status = status}}, {"/hint", {.status = status}}}};
      const auto got = resource_of(at, "/mcp", "$ORIGIN/hint");
      expect(got.has_value() && !got->has_value()) << status;
      expect(at.asked() == "/hint " + resource_root + "/mcp " + resource_root) << at.asked();
    }
  };

  "a hint that names a well-known place is not asked for twice"_test = [] {
    const static_http_server at{{}};
    const auto got = resource_of(at, "/mcp", "$ORIGIN" + resource_root + "/mcp");
    expect(got.has_value() && !got->has_value());
    expect(at.asked() == resource_root + "/mcp " + resource_root) << at.asked();
  };

  "E01 a server in trouble is not taken for one without metadata"_test = [] {
    for (const int status : {500, 503, 504}) {
      const static_http_server at{{{resource_root + "/mcp", {.status = status}}, {server_root, {.status = status}}}};
      const std::string said = "status " + std::to_string(status);
      const auto resource = resource_of(at, "/mcp");
      refused(resource, errc::io, {resource_root + "/mcp", said});
      expect(resource.error().native == status);
      refused(server_of(at, "$ORIGIN"), errc::io, {server_root, said});
      refused(old_server_of(at), errc::io, {server_root, said});
    }
  };

  "E01 a connection that breaks is not taken for an answer"_test = [] {
    const static_http_server at{{{resource_root + "/mcp", {.status = 0}}, {server_root, {.status = 0}}}};
    expect(resource_of(at, "/mcp").has_error());
    expect(server_of(at, "$ORIGIN").has_error());
    expect(old_server_of(at).has_error());
    expect(at.asked().find(oidc_root) == std::string::npos) << at.asked();
  };

  "E01 metadata that is no JSON, too deep or too large is refused by its url"_test = [] {
    std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + '}';
    const std::string large = R"({"a":")" + std::string(std::size_t{10} << 20, 'x') + "\"}";
    struct bad {
      static_page page;
      errc code;
      std::string_view says;
    };
    for (const bad& one :
         {bad{{.body = "<html>", .type = "text/html"}, errc::protocol, "is not JSON"},
          bad{{.body = "[]"}, errc::protocol, "is not a JSON object"}, bad{{.body = ""}, errc::protocol, "is not JSON"},
          bad{{.body = deep}, errc::protocol, "deep"}, bad{{.body = large}, errc::too_large, "limit"}}) {
      const static_http_server at{{{resource_root + "/mcp", one.page}, {server_root, one.page}}};
      refused(resource_of(at, "/mcp"), one.code, {resource_root + "/mcp", one.says});
      refused(server_of(at, "$ORIGIN"), one.code, {server_root, one.says});
      refused(old_server_of(at), one.code, {server_root, one.says});
    }
  };

  "E01 T-20 metadata about another resource is refused, and the error names url and field"_test = [] {
    for (const std::string resource : {"https://evil.example.com/mcp", "$ORIGIN/other", "$ORIGIN/mcp/deeper", "x"}) {
      const static_http_server at{{{resource_root + "/mcp", about(resource)}}};
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
      const static_http_server at{{{resource_root + "/mcp", {.body = one.body}}}};
      refused(resource_of(at, "/mcp"), errc::protocol, {resource_root + "/mcp", one.field});
    }
  };

  "scopes are joined, and what is no scope is left out"_test = [] {
    const std::string start = R"({"resource":"$ORIGIN","authorization_servers":["https://a"],"scopes_supported":)";
    const auto scopes = [&](const std::string& list) {
      const static_http_server at{{{resource_root, {.body = start + list + '}'}}}};
      return resource_of(at, "/").value().value().scopes;
    };
    expect(scopes(R"(["a","b:c","d e","","f\"g","h\u0000"])") == std::optional<std::string>{"a b:c"});
    expect(!scopes("[]").has_value());
    expect(!scopes("null").has_value());
  };

  "E02 a resource_metadata URL at a forbidden address is refused before any request"_test = [] {
    for (const std::string bad : {"http://as.example/x", "file:///etc/passwd", "javascript:alert(1)",
                                  "https://u:p@as.example/x", "http://169.254.169.254/x", "not a url", "/relative"}) {
      const static_http_server at{{{resource_root + "/mcp", about("$ORIGIN/mcp")}}};
      refused(resource_of(at, "/mcp", bad), errc::protocol, {"the challenge's resource_metadata", "url \""});
      expect(at.asked().empty()) << at.asked();
    }
  };

  "E02 a hint to the origin that the user typed needs no https, any other does"_test = [] {
    testing::one_address names{ip_address::loopback_v4()};
    const static_http_server at{{{"/custom", about("http://a.example:$PORT/mcp")}}};
    const std::string port = std::to_string(at.url("/").port);
    with_oauth_http(
        [&](oauth_http& over) -> task<void> {
          const http_url server = http_url::parse("http://a.example:" + port + "/mcp").value();
          const auto own = co_await fetch_resource_metadata(over, server, "http://a.example:" + port + "/custom");
          expect(own.has_value() && own->has_value()) << (own ? "" : own.error().what);
          const auto other = co_await fetch_resource_metadata(over, server, "http://b.example:" + port + "/custom");
          refused(other, errc::protocol, {"b.example", "not https"});
        },
        {.names = &names});
    expect(at.asked() == "/custom") << at.asked();
  };

  "T-20 two servers that show each other's metadata get no login"_test = [] {
    const static_http_server first{{}};
    const static_http_server second{
        {{resource_root + "/mcp", about(first.origin() + "/mcp")}, {"/own", about("$ORIGIN/mcp")}}};
    refused(resource_of(second, "/mcp"), errc::protocol, {"\"resource\"", first.origin(), second.origin()});
    refused(resource_of(first, "/mcp", second.origin() + "/own"), errc::protocol,
            {"\"resource\"", first.origin(), second.origin()});
  };

  "a stop at any step of looking leaves nothing behind"_test = [] {
    const static_http_server at{{{resource_root, about("$ORIGIN")}, {"/t1" + oidc_root, server_page("$ORIGIN/t1")}}};
    testing::every_step([&](loop& l) {
      return testing::run_with_oauth_http(l, [&](oauth_http& over) -> task<void> {
        auto resource = co_await fetch_resource_metadata(over, at.url("/mcp"), {});
        auto server = co_await fetch_authorization_server_metadata(over, at.origin() + "/t1",
                                                                   metadata_purpose::authorization_code);
        expect(resource.has_error() || resource->has_value());
        expect(server.has_error() || server->has_document);
      });
    });
  };
};

}  // namespace metadata_test
