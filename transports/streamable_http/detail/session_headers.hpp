// SPDX-License-Identifier: MIT
// The header fields of an http_channel's requests: the configured ones, and those that depend on the message, the
// negotiated revision and the session. Holds no credentials of an authorizer.
#pragma once

#include <string>
#include <string_view>

#include "../../http/http_parser.hpp"
#include "../../jsonrpc/scanner.hpp"
#include "outbound_post.hpp"

namespace hawser::detail {

class session_headers {
 public:
  /// `configured`: header lines of every request.
  session_headers(std::string configured, json_limits limits) : configured_(std::move(configured)), scanner_(limits) {}

  /// The negotiated revision; empty before.
  [[nodiscard]] const std::string& revision() const noexcept { return revision_; }
  void negotiated(std::string revision);

  [[nodiscard]] bool has_session() const noexcept { return has_session_; }
  /// Takes the session id of a response to `initialize`, if it has one. False: it is not a valid one.
  [[nodiscard]] bool start_session(const http_head& head);
  /// The server has ended the session, so there is none to delete.
  void forget_session() noexcept { has_session_ = false; }

  /// Sets the method and the fields of a POST. `bytes` is the line of the message without its end.
  void describe(outbound_post& post, const outgoing_message& message, std::string_view bytes);
  /// The fields of a ping that names the session.
  [[nodiscard]] std::string ping_fields() const;
  /// The fields of a GET. `last_event`: the event to resume after; empty: none.
  [[nodiscard]] std::string get_fields(std::string_view last_event) const;
  /// The fields of the DELETE that ends the session.
  [[nodiscard]] std::string delete_fields() const;

 private:
  [[nodiscard]] std::string post_fields(const outgoing_message& message, std::string_view method,
                                        std::string_view params) const;

  std::string configured_;
  scanner scanner_;
  std::string revision_;
  std::string session_;  // the session's header line for every request; empty: none
  bool has_session_ = false;
  std::string usual_fields_;  // of an ordinary request in the session, cached when the first one is sent
};

}  // namespace hawser::detail
