// SPDX-License-Identifier: MIT
#include "configured_server.hpp"

#include <algorithm>

#include "../../oauth/display_text.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/http/http_fields.hpp"
#include "../../transports/redacted_json.hpp"
#include "../config/secrets.hpp"

namespace hawser {

namespace {

std::string target_of(const server_settings& settings) {
  if (const auto* remote = std::get_if<http_settings>(&settings.transport)) return url_without_query(remote->url);
  const auto& child = std::get<stdio_settings>(settings.transport);
  std::string words = child.command;
  for (const std::string& argument : child.args) words += ' ' + argument;
  return words;
}

bool has_authorization(const http_settings& remote) {
  return std::any_of(remote.headers.begin(), remote.headers.end(),
                     [](const auto& header) { return equal_ignoring_case(header.first, "Authorization"); });
}

std::unique_ptr<server_login> login_for(const server_context& shared_context, const server_settings& settings,
                                        std::function<void()> on_login_needed) {
  const auto* remote = std::get_if<http_settings>(&settings.transport);
  if (remote == nullptr || !remote->oauth.enabled || has_authorization(*remote)) return nullptr;
  // Shared, because the coroutine of client_options keeps a reference to it.
  const auto connection = std::make_shared<const http_settings>(*remote);
  server_login_options options{.name = settings.name,
                               .url = remote->url,
                               .settings = remote->oauth,
                               .connection = [&channels = shared_context.channels,
                                              connection] { return channels.login_client_options(*connection); },
                               .on_login_needed = std::move(on_login_needed)};
  if (!remote->tls.certificate_file.empty())
    options.server_connection = [&channels = shared_context.channels, connection] {
      return channels.client_options(*connection, true);
    };
  return std::make_unique<server_login>(shared_context.logins, std::move(options));
}

}  // namespace

configured_server::configured_server(const server_context& shared_context, server_settings settings, server_id id,
                                     channel_maker connect, std::function<void()> on_login_needed)
    : context_(shared_context), settings_(std::move(settings)), id_(id), connect_(std::move(connect)) {
  if (!connect_) login_ = login_for(context_, settings_, std::move(on_login_needed));
  hide_secrets(settings_, *event_loop().redactions());
}

std::string_view configured_server::transport() const noexcept {
  if (connect_) return "embedded";
  return std::holds_alternative<stdio_settings>(settings_.transport) ? "stdio" : "http";
}

std::string configured_server::target() const { return connect_ ? std::string{} : redacted(target_of(settings_)); }

std::string configured_server::logs_advice() const {
  const bool has_logs = !connect_ && std::holds_alternative<stdio_settings>(settings_.transport);
  return has_logs ? "see `hawser logs " + settings_.name + '`' : std::string{};
}

std::string configured_server::origin_text() const {
  return settings_.origin.empty() ? "its configuration" : "its configuration (" + settings_.origin + ')';
}

std::string configured_server::enable_advice() const {
  return R"(to enable it, remove "disabled": true or "enabled": false from )" + origin_text();
}

std::string configured_server::correction_advice(const error& why) const {
  std::string keys;
  const auto* child = std::get_if<stdio_settings>(&settings_.transport);
  if (why.code == errc::spawn && child != nullptr)
    keys = child->cwd.empty() ? R"("command" in )" : R"("command" or "cwd" in )";
  const auto* remote = std::get_if<http_settings>(&settings_.transport);
  if (why.code == errc::auth && remote != nullptr) {
    if (remote->headers.empty()) return R"(put its credentials under "headers" in )" + origin_text();
    keys = R"("headers" in )";
  }
  return "correct " + keys + origin_text() + (settings_.restart == restart_policy::never ? "" : ", then restart it");
}

error configured_server::annotated(error why, std::string_view phase) const {
  if (why.server.empty()) {
    why = prefixed("server \"" + settings_.name + '"', std::move(why));
    why.server = settings_.name;
  }
  if (why.phase.empty()) why.phase = phase;
  why.what = redacted(why.what);
  if (!why.data.empty()) why.data = redacted_json(redactions(), why.data);
  if (why.code == errc::auth && login_ && login_->needs_login() && why.what.find("hawser auth") == std::string::npos)
    why.what += "; " + login_advice(settings_.name);
  return why;
}

error configured_server::no_login_error() const {
  error why{.code = errc::config, .what = "there is nothing to log in to: it is a process of this machine"};
  if (const auto* remote = std::get_if<http_settings>(&settings_.transport)) {
    why.what = remote->oauth.enabled ? "its login stands under \"headers\" in its configuration"
                                     : "logging in is switched off for it by \"oauth\": false";
  }
  return annotated(std::move(why), "login");
}

void configured_server::log(log_level level, std::string_view text) const {
  event_loop().log().write(level, settings_.name, text);
}

void configured_server::report(host_change change) const {
  if (!context_.on_change) return;
  change.server = settings_.name;
  context_.on_change(change);
}

}  // namespace hawser
