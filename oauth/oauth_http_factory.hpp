// SPDX-License-Identifier: MIT
// Makes the HTTP client for the authorization servers of one MCP server, with that server's connection options and
// network zone.
#pragma once

#include <memory>

#include "login_context.hpp"
#include "oauth_http.hpp"

namespace hawser {

class oauth_http_factory {
 public:
  /// Both parameters must outlive it.
  oauth_http_factory(const login_context& shared, const server_login_options& options);

  /// The MCP server's URL.
  [[nodiscard]] const http_url& server_url() const noexcept { return server_url_; }
  /// SSRF: no URL named by the server may lie in a more internal zone than the server itself. Close the result.
  task<result<std::unique_ptr<oauth_http>>> open();
  /// Whether tokens for the server would leave this machine unencrypted.
  task<result<bool>> uses_cleartext();

 private:
  const login_context& shared_;
  const server_login_options& options_;
  http_url server_url_;
};

}  // namespace hawser
