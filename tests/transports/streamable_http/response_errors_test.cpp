// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/response_errors.hpp"

#include "../../support/recorded_posts.hpp"
#include "../../support/ut.hpp"

namespace response_errors_test {

using namespace hawser;
using hawser::detail::error_response;
using hawser::detail::response_errors;
using testing::response_head;

struct fixture {
  explicit fixture(std::string credential_names = {}) : errors(headers, redactions, std::move(credential_names), {}) {}
  hawser::detail::session_headers headers{{}, {}};
  std::shared_ptr<redaction> redactions = std::make_shared<redaction>();
  response_errors errors;
};

bool mentions(const error& why, std::string_view part) { return why.what.find(part) != std::string::npos; }

const suite<"response_errors"> tests = [] {
  "the status says whether the request may have been executed"_test = [] {
    for (const int status : {401, 405, 406, 411, 413, 414, 415, 421, 429, 431}) {
      fixture f;
      expect(f.errors.of_status(response_head(status), {}, 1).why.executed == execution::no) << status;
    }
    for (const int status : {400, 403, 404, 408, 409, 500, 502, 503, 504}) {
      fixture f;
      expect(f.errors.of_status(response_head(status), {}, 1).why.executed == execution::unknown) << status;
    }
    fixture f;
    const http_head challenge = response_head(403, {{"WWW-Authenticate", "Bearer error=\"insufficient_scope\""}});
    const error why = f.errors.of_status(challenge, {}, 1).why;
    expect(why.executed == execution::no && why.code == errc::auth);
  };

  "a JSON-RPC error of this request is the error, also without an id"_test = [] {
    constexpr std::string_view fault = R"("error":{"code":-32602,"message":"bad"}})";
    for (const std::string_view id : {R"("id":7,)", R"("id":null,)", ""}) {
      fixture f;
      const std::string body = R"({"jsonrpc":"2.0",)" + std::string{id} + std::string{fault};
      const error_response got = f.errors.of_status(response_head(400), body, 7);
      expect(got.is_json_rpc && got.why.code == errc::remote && got.why.native == -32602_i) << body;
    }
    fixture f;
    const error_response other =
        f.errors.of_status(response_head(400), R"({"jsonrpc":"2.0","id":8,)" + std::string{fault}, 7);
    expect(other.why.executed == execution::unknown) << "an error of another request says nothing about this one";
    expect(!f.errors.in_body(R"({"error":"no"})", 7) && !f.errors.in_body("  ", 7) && !f.errors.in_body("[1]", 7));
  };

  "a refusal names the configured credentials"_test = [] {
    fixture f{"header \"Authorization\""};
    const error unauthorized = f.errors.of_status(response_head(401), {}, 1).why;
    expect(unauthorized.code == errc::auth && mentions(unauthorized, "header \"Authorization\" was refused"));
    const error forbidden = f.errors.of_status(response_head(403), {}, 1).why;
    expect(forbidden.code == errc::remote && mentions(forbidden, "header \"Authorization\" may use it"));
  };

  "Retry-After is read, and a 429 without it is said to have none"_test = [] {
    fixture f;
    const error busy = f.errors.of_status(response_head(429, {{"Retry-After", "17"}}), {}, 1).why;
    expect(busy.code == errc::io && busy.retry_after == std::chrono::seconds{17});
    const error vague = f.errors.of_status(response_head(429), {}, 1).why;
    expect(!vague.retry_after && mentions(vague, "does not say for how long"));
  };

  "an unexpected body is quoted on one line, and the path is suspected before the negotiation only"_test = [] {
    fixture f;
    const http_head page = response_head(404, {{"Content-Type", "text/html"}});
    const error first = f.errors.unexpected(page, "<p>\nno\x1b");
    expect(mentions(first, "<p> no ") && mentions(first, "check the path")) << first.what;
    f.headers.negotiated("2025-11-25");
    expect(!mentions(f.errors.unexpected(page, "<p>"), "check the path"));
    expect(mentions(f.errors.unexpected(page, "  "), "an empty body"));
  };
};

}  // namespace response_errors_test
