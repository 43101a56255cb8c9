// SPDX-License-Identifier: MIT
// One request as a handler of a service sees it: what is asked, by whom, what was answered to its questions so far, and
// how to tell of progress meanwhile. The same in both eras.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../transports/peer.hpp"
#include "client_view.hpp"
#include "severity.hpp"

namespace hawser {

class serving_request {
 public:
  /// `threshold`, from which on log messages are wanted, may change meanwhile. All that is referred to outlives this.
  serving_request(std::string params, std::shared_ptr<const client_view> client, peer& side, const responder& answer,
                  const std::optional<severity>& threshold);

  /// Of the tool or the prompt, or the URI of the resource; decoded.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// An object, `{}` where none came.
  [[nodiscard]] std::string_view arguments() const noexcept { return arguments_; }
  /// Everything, unknown members included.
  [[nodiscard]] std::string_view params() const noexcept { return params_; }
  [[nodiscard]] const client_view& client() const noexcept { return *client_; }

  /// What came back to the question with this key, an object as JSON text; empty where nothing did. Untrusted.
  [[nodiscard]] std::string_view answer(std::string_view key) const;
  /// As it stood in the reply that asked.
  [[nodiscard]] const std::string& state() const noexcept { return state_; }

  /// Sent where the client asked for it. Values must grow; others are dropped.
  void progress(double value, std::optional<double> total = {}, std::string_view message = {});
  /// Sent where the client wants to hear of it. `data` is JSON.
  void log(severity grave, std::string_view logger, std::string_view data);

  /// As it stands in the params, JSON; empty where there is none that could be sent back.
  [[nodiscard]] static std::string_view progress_token(std::string_view params);

  /// The request's id, as JSON.
  [[nodiscard]] std::string id() const { return responder_.id().json(); }
  /// For the session, before it calls the handler again.
  void answered(std::string answers, std::string state);

 private:
  std::string params_;
  std::shared_ptr<const client_view> client_;
  peer& side_;
  const responder& responder_;
  const std::optional<severity>& threshold_;
  std::string name_;
  std::string_view arguments_ = "{}";  // of params_
  std::string_view token_;             // the same
  std::optional<double> last_progress_;
  std::string answers_;  // an object
  std::string state_;
};

}  // namespace hawser
