// SPDX-License-Identifier: MIT
// The errors that HTTP responses to messages stand for: what went wrong, whether the request may have been executed,
// and what the user can do about it. Does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../../../runtime/redaction.hpp"
#include "../../http/http_parser.hpp"
#include "../../jsonrpc/scanner.hpp"
#include "session_headers.hpp"

namespace hawser::detail {

/// An error response, as an error.
struct error_response {
  error why{};
  bool is_json_rpc = false;  ///< the body had a JSON-RPC error
};

class response_errors {
 public:
  /// The references outlive this object. `credential_names`: as for authorized_client.
  response_errors(const session_headers& headers, const std::shared_ptr<redaction>& redactions,
                  std::string credential_names, json_limits limits)
      : headers_(headers), redactions_(redactions), credential_names_(std::move(credential_names)), scanner_(limits) {}

  /// Of a status other than 2xx. `request` is the id of the request, if it is one.
  [[nodiscard]] error_response of_status(const http_head& head, std::string_view body,
                                         std::optional<std::int64_t> request);
  /// The JSON-RPC error in a body, whether or not it has the id of the request.
  [[nodiscard]] std::optional<error> in_body(std::string_view body, std::optional<std::int64_t> request);
  /// A response that is neither a JSON-RPC message nor a stream of them.
  [[nodiscard]] error unexpected(const http_head& head, std::string_view body) const;
  [[nodiscard]] error unexpected_encoding(std::string_view encoding) const;
  /// What is to be added to the error of a 401 or 403 response.
  [[nodiscard]] error unauthorized(error why) const;
  [[nodiscard]] error forbidden(error why) const;

 private:
  [[nodiscard]] std::string quoted(std::string_view body) const;

  const session_headers& headers_;
  const std::shared_ptr<redaction>& redactions_;
  std::string credential_names_;
  scanner scanner_;
};

}  // namespace hawser::detail
