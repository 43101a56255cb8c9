// SPDX-License-Identifier: MIT
#include "detail/authorized_client.hpp"

#include <utility>

#include "../../runtime/guarded.hpp"
#include "../http/challenge.hpp"
#include "../http/http_fields.hpp"

namespace hawser::detail {

namespace {

// For a request that may be repeated. Credentials that another process obtained may be stale, too; fresh ones are tried
// once.
constexpr int max_challenges = 4;

auth_challenge challenge_in(const http_head& head, std::uint64_t serial, std::string_view operation) {
  auth_challenge challenge{.status = head.status, .serial = serial, .operation = std::string{operation}};
  for (const http_field& field : head.fields.all()) {
    if (equal_ignoring_case(field.name, "WWW-Authenticate")) challenge.challenges.push_back(field.value);
  }
  return challenge;
}

}  // namespace

std::optional<credentials> authorized_client::cached() {
  auto cached = guarded("cached of the authorizer", [this] { return login_->cached(); });
  if (cached) return *std::move(cached);
  log_.write(log_level::error, "callback", cached.error().what);
  return std::nullopt;  // acquire() is called instead
}

task<result<client_response>> authorized_client::fetch(client_request request, std::string_view operation,
                                                       started_request started,
                                                       std::optional<credentials> used_credentials) {
  if (login_ == nullptr) co_return co_await client_.fetch(request, std::move(started));
  const std::string operation_name{operation};  // a copy: the views of a request may dangle during a login
  std::optional<credentials> current = std::move(used_credentials);
  if (!current) current = cached();
  if (!current) {
    auto acquiring = guarded_task("acquire of the authorizer", [this] { return login_->acquire(); });
    auto acquired = co_await std::move(acquiring);
    if (!acquired) co_return acquired.error();
    current = *std::move(acquired);
  }
  bool unauthorized = false;
  bool forbidden = false;
  bool fresh = false;
  http_url redirected_to;
  request.redirected_to = &redirected_to;
  for (int challenges = 0;;) {
    if (request.handle != nullptr && request.handle->cancelled()) co_return cancelled_error();
    request.credential_fields = current->fields.reveal();
    auto response = co_await client_.fetch(request, std::exchange(started, {}));
    if (!response) co_return response;
    const int status = response->head().status;
    const bool refused = status == 401 || (status == 403 && asks_for_bearer_token(response->head().fields));
    // A call is sent once more with other credentials after a 401, and once more after a 403.
    const bool again = unauthorized && !request.replayable;
    const bool in_vain = (status == 401 && (fresh || again)) || (status == 403 && forbidden);
    if (!refused || in_vain || ++challenges > max_challenges) co_return response;
    unauthorized = unauthorized || status == 401;
    forbidden = forbidden || status == 403;
    auth_challenge challenge = challenge_in(response->head(), current->serial, operation_name);
    std::move(*response).discard_rest();  // only its head matters
    auto acquiring =
        guarded_task("on_challenge of the authorizer", [&] { return login_->on_challenge(std::move(challenge)); });
    auto acquired = co_await std::move(acquiring);
    if (!acquired) {
      error why = acquired.error();
      if (status == 401 && why.code == errc::auth && !credential_names_.empty())
        why.what += "; the configured " + credential_names_ + " does not suffice";
      co_return why;
    }
    current = *std::move(acquired);
    fresh = current->fresh;
    // The redirect that led to the refusal is not followed a second time.
    if (!redirected_to.host.empty()) {
      request.to = &redirected_to;
      if (!request.replayable) request.max_redirects = 0;
    }
  }
}

}  // namespace hawser::detail
