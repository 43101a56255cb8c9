// SPDX-License-Identifier: MIT
#include "../../../server/http/http_request_checks.hpp"

#include "../../../transports/jsonrpc/scanner.hpp"
#include "../../../transports/streamable_http/mcp_fields.hpp"
#include "../../support/server_session_fixture.hpp"

namespace http_request_checks_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = server_session_fixture;

http_fields with(std::vector<http_field> fields) { return http_fields{std::move(fields)}; }

http_fields modern_fields(std::string_view method, std::string_view name = {}) {
  http_fields fields;
  fields.add("mcp-protocol-version", "2026-07-28");
  fields.add("Mcp-Method", std::string{method});
  if (!name.empty()) fields.add("Mcp-Name", std::string{name});
  return fields;
}

int code(const http_fields& fields, const std::string& body, const server_session_options& serving = {}) {
  scanner look;
  const auto wrong = check_modern_request(fields, look.scan(body), serving);
  expect(!wrong || wrong->status == (wrong->code == protocol::code::method_not_found ? 404 : 400));
  return wrong ? wrong->code : 0;
}

bool modern(const http_fields& fields, const std::string& body, const server_session_options& serving = {}) {
  scanner look;
  return is_modern_request(fields, look.scan(body), serving);
}

server_session_options only(bool modern_ones) {
  server_session_options serving;
  std::erase_if(serving.revisions, [&](std::string_view one) { return protocol::modern(one) != modern_ones; });
  return serving;
}

const suite<"http_request_checks"> tests = [] {
  "hosts and origins of this machine only are served"_test = [] {
    for (const char* host :
         {"localhost", "localhost:8080", "LOCALHOST", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:80"})
      expect(!check_origin(with({{"Host", host}})).has_value()) << host;
    for (const char* host : {"", "example.com", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "0.0.0.0",
                             "localhost/x", "user@localhost", "localhost:99999", "2130706433", "[::2]"})
      expect(check_origin(with({{"Host", host}})).has_value()) << host;
    expect(check_origin(with({})).has_value());
    expect(check_origin(with({{"Host", "localhost"}, {"Host", "localhost"}})).has_value());
    for (const char* origin : {"http://localhost", "https://localhost:3000", "http://127.0.0.1:5", "http://[::1]:5"})
      expect(!check_origin(with({{"Host", "localhost"}, {"Origin", origin}})).has_value()) << origin;
    for (const char* origin : {"null", "", "http://example.com", "file://", "http://localhost.example.com",
                               "http://localhost/", "localhost", "ftp://localhost"}) {
      const auto wrong = check_origin(with({{"Host", "localhost"}, {"Origin", origin}}));
      expect(wrong.has_value() && wrong->status == 403) << origin;
    }
  };
  "what a client accepts is read with wildcards and weights"_test = [] {
    constexpr std::string_view events = "text/event-stream";
    expect(accepts(with({}), events));
    for (const char* value : {"*/*", "text/*", "application/json, text/event-stream", "TEXT/Event-Stream;q=0.5",
                              "application/json,text/event-stream"})
      expect(accepts(with({{"Accept", value}}), events)) << value;
    for (const char* value : {"", "application/json", "text/plain", "application/*", "*", "text/event-streams"})
      expect(!accepts(with({{"Accept", value}}), events)) << value;
    expect(accepts(with({{"Accept", "application/json"}, {"accept", "text/event-stream"}}), events));
  };
  "a message comes as JSON, whatever its parameters"_test = [] {
    expect(!check_content_headers(with({{"Content-Type", "Application/JSON; charset=utf-8"}})).has_value());
    for (const char* type : {"text/plain", "application/json-rpc", "application/x-www-form-urlencoded", ""})
      expect(check_content_headers(with({{"Content-Type", type}}))->status == 415_i) << type;
    expect(check_content_headers(with({}))->status == 415_i);
    const auto unread =
        check_content_headers(with({{"Content-Type", "application/json"}, {"Accept", "application/json"}}));
    expect(unread.has_value() && unread->status == 406);
  };
  "the era belongs to the message, and to the header field where the message says nothing"_test = [] {
    const http_fields none;
    expect(modern(none, fixture::modern(1, "tools/list")) && !modern(none, fixture::request(1, "tools/list")));
    expect(modern(none, fixture::request(1, "server/discover")) &&
           !modern(modern_fields("x"), fixture::request(1, "initialize")));
    expect(modern(none, fixture::modern(1, "initialize")));
    expect(modern(modern_fields("x"), fixture::request(1, "tools/list")));
    expect(!modern(with({{"MCP-Protocol-Version", "2025-11-25"}}), fixture::request(1, "tools/list")));
    expect(modern(none, fixture::request(1, "initialize"), only(true)));
    expect(!modern(modern_fields("x"), fixture::modern(1, "tools/list"), only(false)));
  };
  "header fields must say what the body says"_test = [] {
    namespace c = protocol::code;
    const std::string list = fixture::modern(1, "tools/list");
    const std::string call = fixture::modern(1, "tools/call", R"("name":"echo")");
    expect(code(modern_fields("tools/list"), list) == 0_i);
    expect(code(modern_fields("tools/call", "echo"), call) == 0_i);
    expect(code(modern_fields("tools/call", "=?base64?ZWNobw==?="), call) == 0_i);
    expect(code({}, list) == c::header_mismatch);
    expect(code(modern_fields("tools/call"), list) == c::header_mismatch);
    expect(code(modern_fields("Tools/List"), list) == c::header_mismatch);
    expect(code(modern_fields("tools/call"), call) == c::header_mismatch);
    expect(code(modern_fields("tools/call", "other"), call) == c::header_mismatch);
    expect(code(modern_fields("tools/call", "=?base64?ZWNobw=?="), call) == c::header_mismatch);
    http_fields twice = modern_fields("tools/list");
    twice.add("Mcp-Method", "tools/list");
    expect(code(twice, list) == c::header_mismatch);
    http_fields other = modern_fields("tools/list");
    other.set("MCP-Protocol-Version", "2025-11-25");
    expect(code(other, list) == c::header_mismatch);
    expect(code(modern_fields("resources/read", "a:1"), fixture::modern(1, "resources/read", R"("uri":"a:1")")) == 0_i);
    expect(code(modern_fields("tools/call"), fixture::modern(1, "tools/call")) == 0_i)
        << "the service says what is missing";
  };
  "what a request must say of itself is checked first"_test = [] {
    namespace c = protocol::code;
    expect(code(modern_fields("tools/list"), fixture::request(1, "tools/list")) == c::invalid_params);
    expect(code(modern_fields("tools/list"), R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})") == c::invalid_params);
    std::string later = fixture::modern(1, "tools/list");
    later.replace(later.find("2026-07-28"), 10, "2099-01-01");
    expect(code(modern_fields("tools/list"), later) == c::header_mismatch);
    expect(code({}, later) == c::unsupported_version);
    http_fields outside = modern_fields("tools/list");
    outside.set("MCP-Protocol-Version", "2099-01-01");
    expect(code(outside, later) == c::unsupported_version);
    expect(code(modern_fields("initialize"), fixture::modern(1, "initialize")) == c::method_not_found);
    expect(code(outside, fixture::request(1, "tools/list")) == c::unsupported_version);
    const std::string hello = fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25")");
    expect(code({}, hello, only(true)) == c::unsupported_version);
  };
  "a session's revision is one that sessions speak"_test = [] {
    expect(!check_legacy_version({}, {}).has_value());
    expect(!check_legacy_version(with({{"MCP-Protocol-Version", "2025-06-18"}}), {}).has_value());
    for (const char* version : {"2026-07-28", "2099-01-01", "new", ""})
      expect(check_legacy_version(with({{"MCP-Protocol-Version", version}}), {})->status == 400_i) << version;
  };
  "names survive their way through a header field"_test = [] {
    for (const std::string_view text : {"echo", "", " a", "\xC3\xA9t\xC3\xA9", "=?base64?x?=", "a\tb", "?="})
      expect(decode_field_value(encode_field_value(text)) == text) << text;
    expect(!decode_field_value("=?base64?***?=").has_value());
    expect(decode_field_value("=?base64?") == "=?base64?");
  };
  "an error names the request where it could be read"_test = [] {
    const http_refusal why{.code = -32600, .what = "no \"more\"", .data = "[1]"};
    expect(why.body("\"a\"") ==
           R"({"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"no \"more\"","data":[1]}})");
    expect(why.body({}) == R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"no \"more\"","data":[1]}})");
  };
};

}  // namespace http_request_checks_test
