// SPDX-License-Identifier: MIT
// One server of the configuration: its settings and its login, which outlive every session, and the texts of errors
// and advice that name it. It starts nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../../registry/server_id.hpp"
#include "server_context.hpp"

namespace hawser {

using channel_maker = std::function<std::unique_ptr<channel>()>;

class configured_server {
 public:
  /// `connect` makes the channel of a server that is neither stdio nor HTTP; otherwise it is empty.
  configured_server(const server_context& shared_context, server_settings settings, server_id id, channel_maker connect,
                    std::function<void()> on_login_needed);
  configured_server(const configured_server&) = delete;
  configured_server& operator=(const configured_server&) = delete;
  ~configured_server() = default;

  [[nodiscard]] const server_context& shared() const noexcept { return context_; }
  [[nodiscard]] const host_limits& limits() const noexcept { return context_.settings.limits; }
  [[nodiscard]] loop& event_loop() const noexcept { return context_.session.home; }
  [[nodiscard]] const server_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }
  [[nodiscard]] server_id id() const noexcept { return id_; }
  [[nodiscard]] const channel_maker& connect() const noexcept { return connect_; }
  /// Null: the server has no login.
  [[nodiscard]] server_login* login() const noexcept { return login_.get(); }

  /// For display: "stdio", "http" or "embedded".
  [[nodiscard]] std::string_view transport() const noexcept;
  /// For display: the command with its arguments, or the URL; no secrets.
  [[nodiscard]] std::string target() const;
  /// For display: where the stderr of the server can be read; empty if it has none.
  [[nodiscard]] std::string logs_advice() const;
  [[nodiscard]] std::string enable_advice() const;
  /// For errors that the next start would repeat.
  [[nodiscard]] std::string correction_advice(const error& why) const;
  /// The error with the server's name, without secrets, and with the advice to log in where that is due.
  [[nodiscard]] error annotated(error why, std::string_view phase) const;
  [[nodiscard]] error no_login_error() const;
  /// A server may echo secrets that it was sent.
  [[nodiscard]] std::string redacted(std::string_view text) const { return redactions().apply(text); }
  [[nodiscard]] const redaction& redactions() const { return *event_loop().redactions(); }

  void log(log_level level, std::string_view text) const;
  /// Reports a change of this server to the program.
  void report(host_change change) const;

 private:
  [[nodiscard]] std::string origin_text() const;

  const server_context& context_;
  server_settings settings_;
  server_id id_;
  channel_maker connect_;
  std::unique_ptr<server_login> login_;
};

}  // namespace hawser
