// SPDX-License-Identifier: MIT
#include "current_login.hpp"

#include "../transports/http/http_fields.hpp"
#include "metadata.hpp"

namespace hawser {

namespace {

constexpr duration fresh_period = std::chrono::seconds{30};

}  // namespace

current_login::current_login(const login_context& shared, const server_login_options& options,
                             std::function<void()> on_new_token)
    : shared_(shared), options_(options), on_new_token_(std::move(on_new_token)) {
  if (auto parsed = http_url::parse(options_.url)) server_url_ = *std::move(parsed);
}

task<result<void>> current_login::load() {
  if (loaded_) co_return result<void>{};
  auto stored = co_await shared_.store.find_for_server(options_.url);
  if (loaded_) co_return result<void>{};  // another coroutine has loaded it
  if (!stored) {
    if (stored.error().code == errc::cancelled) co_return stored.error();
    shared_.event_loop.log().write(log_level::warning, options_.name,
                                   "its login cannot be read: " + stored.error().what);
  }
  loaded_ = true;
  if (!stored || !stored->has_value() || !is_usable(**stored)) co_return result<void>{};
  if (rejected_refresh_token_.empty() || (*stored)->tokens.refresh != rejected_refresh_token_)
    set(**std::move(stored), origin::stored);
  co_return result<void>{};
}

task<result<bool>> current_login::reload() {
  loaded_ = false;
  const std::uint64_t before = serial_;
  auto done = co_await load();
  if (!done) co_return done.error();
  co_return login_.has_value() && serial_ != before;
}

bool current_login::is_usable(const login& candidate) const {
  const oauth_settings& settings = options_.settings;
  if (settings.grant == oauth_settings::grant_kind::client_credentials) return false;
  if (!settings.issuer.empty() && settings.issuer != candidate.key.issuer) return false;
  if (!settings.client_id.empty() && settings.client_id != candidate.key.client) return false;
  if (!candidate.key.server.empty() && candidate.key.server != options_.url) return false;
  return covers(candidate.key.resource, server_url_);
}

void current_login::set(login replacement, origin source) {
  redaction_ =
      scoped_redaction{shared_.event_loop.redactions(),
                       {replacement.tokens.access, replacement.tokens.refresh, replacement.client.client_secret}};
  const bool is_new = !login_ || login_->tokens.access != replacement.tokens.access;
  login_ = std::move(replacement);
  if (!is_new) return;
  ++serial_;
  fresh_until_ = source == origin::issued ? shared_.event_loop.now() + fresh_period : time_point{};
  std::string line;
  append_field(line, "Authorization", "Bearer " + std::string{login_->tokens.access.reveal()});
  credentials_ = {.fields = secret{line}, .serial = serial_};
  cleanse(line.data(), line.size());
  on_new_token_();
}

void current_login::reject(const secret& refresh_token) {
  login_.reset();
  rejected_refresh_token_ = refresh_token;
}

void current_login::log_out() noexcept {
  login_.reset();
  ++serial_;
  loaded_ = true;
}

credentials current_login::request_credentials() const {
  if (!login_) return {.serial = serial_};
  credentials made = credentials_;
  made.fresh = shared_.event_loop.now() < fresh_until_;
  return made;
}

}  // namespace hawser
