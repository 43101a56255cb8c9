// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/session_headers.hpp"

#include "../../../transports/jsonrpc/protocol.hpp"
#include "../../support/recorded_posts.hpp"
#include "../../support/ut.hpp"

namespace session_headers_test {

using namespace hawser;
using hawser::detail::outbound_post;
using hawser::detail::session_headers;
using testing::response_head;

constexpr std::string_view call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}})";
constexpr std::string_view initialize = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})";

struct described {
  std::string fields;
  std::string method;
  bool names_session;
  [[nodiscard]] bool has(std::string_view line) const { return fields.find(line) != std::string::npos; }
};

described describe(session_headers& headers, std::string_view line, std::string_view method = {}) {
  testing::ignoring_post_listener listener;
  outbound_post post{listener};
  headers.describe(post, {.line = line, .request = 1, .method = method}, line);
  return {post.fields, post.method, post.names_session};
}

const suite<"session_headers"> tests = [] {
  "a legacy session: its revision and id are in every request but the first"_test = [] {
    session_headers headers{"X-Own: 1\r\n", {}};
    const described first = describe(headers, initialize);
    expect(first.method == "initialize" && !first.names_session);
    expect(first.has("X-Own: 1\r\n") && !first.has("MCP-Protocol-Version"));
    expect(headers.start_session(response_head(200, {{"Mcp-Session-Id", "s-1"}})));
    headers.negotiated("2025-11-25");
    for (const std::string_view known_method : {std::string_view{}, protocol::method::tools_call}) {
      const described later = describe(headers, call, known_method);
      expect(later.method == "tools/call" && later.names_session);
      expect(later.has("X-Own: 1\r\n") && later.has("2025-11-25\r\n") && later.has("s-1\r\n")) << later.fields;
    }
    expect(headers.get_fields("e-7").find("e-7\r\n") != std::string::npos);
    expect(headers.get_fields({}).find("Last-Event-ID") == std::string::npos);
    expect(headers.delete_fields().find("s-1\r\n") != std::string::npos);
    expect(headers.ping_fields().find("s-1\r\n") != std::string::npos);
    headers.forget_session();
    expect(!headers.has_session());
  };

  "cached fields do not outlive the session and the revision"_test = [] {
    session_headers headers{{}, {}};
    expect(headers.start_session(response_head(200, {{"Mcp-Session-Id", "old"}})));
    headers.negotiated("2025-06-18");
    expect(describe(headers, call, "tools/call").has("old"));
    expect(headers.start_session(response_head(200, {{"Mcp-Session-Id", "new"}})));
    const described in_new_session = describe(headers, call, "tools/call");
    expect(in_new_session.has("new\r\n") && !in_new_session.has("old"));
    headers.negotiated("2025-11-25");
    expect(describe(headers, call, "tools/call").has("2025-11-25"));
    expect(headers.start_session(response_head(200)));
    expect(!describe(headers, call, "tools/call").names_session && !headers.has_session());
  };

  "a session id with other characters than visible ASCII, or above 1 KiB, is refused"_test = [] {
    for (const std::string& id :
         {std::string{"a b"}, std::string{"\x7f"}, std::string{"\xc3\xa4"}, std::string{}, std::string(1025, 'a')}) {
      session_headers headers{{}, {}};
      expect(!headers.start_session(response_head(200, {{"Mcp-Session-Id", id}}))) << id;
      expect(!headers.has_session());
    }
    session_headers headers{{}, {}};
    expect(headers.start_session(response_head(200, {{"Mcp-Session-Id", std::string(1024, 'a')}})));
  };

  "since 2026-07-28 the fields come from the message, and no session is named"_test = [] {
    session_headers headers{{}, {}};
    headers.negotiated(std::string{protocol::revision::v2026_07_28});
    const described sent = describe(headers, call);
    expect(sent.method == "tools/call" && !sent.names_session);
    expect(sent.has("2026-07-28\r\n") && sent.has("Mcp-Method: tools/call\r\n")) << sent.fields;
  };
};

}  // namespace session_headers_test
