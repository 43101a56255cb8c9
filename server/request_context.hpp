// SPDX-License-Identifier: MIT
// One request as a service handler sees it: its params, the client, the responses to its input requests so far, and
// functions to send progress and log messages. The same in both eras.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../transports/jsonrpc/peer.hpp"
#include "client_description.hpp"
#include "severity.hpp"

namespace hawser {

class request_context {
 public:
  /// `threshold` is the minimum severity for log messages; it may change while the request runs. Everything passed by
  /// reference must outlive this object.
  request_context(std::string params, std::shared_ptr<const client_description> client, peer& side,
                  const responder& answer, const std::optional<severity>& threshold);

  /// The name of the tool or prompt, or the URI of the resource; decoded.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// An object; `{}` if the request had none.
  [[nodiscard]] std::string_view arguments() const noexcept { return arguments_; }
  /// All params, including unknown members.
  [[nodiscard]] std::string_view params() const noexcept { return params_; }
  [[nodiscard]] const client_description& client() const noexcept { return *client_; }

  /// The response to the input request with this key, a JSON object; empty if there is none. Untrusted.
  [[nodiscard]] std::string_view answer(std::string_view key) const;
  /// The state from the reply that asked for input.
  [[nodiscard]] const std::string& state() const noexcept { return state_; }

  /// Sent only if the client supplied a progress token. Values must increase; others are dropped.
  void progress(double value, std::optional<double> total = {}, std::string_view message = {});
  /// Sent only if the client's log level includes `grave`. `data` is JSON.
  void log(severity grave, std::string_view logger, std::string_view data);

  /// The progress token as JSON, as found in the params; empty if there is none that could be sent back.
  [[nodiscard]] static std::string_view progress_token(std::string_view params);

  /// The request's id, as JSON.
  [[nodiscard]] std::string id() const { return responder_.id().json(); }
  /// Called by the session before it calls the handler again.
  void answered(std::string answers, std::string state);

 private:
  std::string params_;
  std::shared_ptr<const client_description> client_;
  peer& peer_;
  const responder& responder_;
  const std::optional<severity>& threshold_;
  std::string name_;
  std::string_view arguments_ = "{}";  // points into params_
  std::string_view token_;             // points into params_
  std::optional<double> last_progress_;
  std::string answers_;  // an object
  std::string state_;
};

}  // namespace hawser
