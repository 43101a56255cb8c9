// SPDX-License-Identifier: MIT
// Sends the requests of an http_channel with credentials, and again with other ones after a refusal.
#include <utility>

#include "../../runtime/guarded.hpp"
#include "../http/challenge.hpp"
#include "../http/http_fields.hpp"
#include "http_channel.hpp"

namespace hawser {

namespace {

// For a request that may be repeated. Credentials that another process obtained may be stale, too; fresh ones are tried
// once.
constexpr int max_challenges = 4;

auth_challenge refusal_in(const http_head& head, std::uint64_t serial, std::string_view operation) {
  auth_challenge why{.status = head.status, .serial = serial, .operation = std::string{operation}};
  for (const http_field& one : head.fields.all()) {
    if (equal_ignoring_case(one.name, "WWW-Authenticate")) why.challenges.push_back(one.value);
  }
  return why;
}

}  // namespace

std::optional<credentials> http_channel::cached_credentials() {
  auto there = guarded("cached of the authorizer", [&] { return options_.login->cached(); });
  if (there) return *std::move(there);
  loop_.log().write(log_level::error, "callback", there.error().what);
  return std::nullopt;  // grant() is called instead
}

task<result<client_response>> http_channel::fetch(client_request what, std::string_view operation,
                                                  started_request started,
                                                  std::optional<credentials> used_credentials) {
  if (options_.login == nullptr) co_return co_await client_.fetch(what, std::move(started));
  const std::string whose{operation};  // a copy: the views of a request may dangle during a login
  std::optional<credentials> grant = std::move(used_credentials);
  if (!grant) grant = cached_credentials();
  if (!grant) {
    auto asking = guarded_task("acquire of the authorizer", [&] { return options_.login->acquire(); });
    auto given = co_await std::move(asking);
    if (!given) co_return given.error();
    grant = *std::move(given);
  }
  bool unauthorized = false;
  bool forbidden = false;
  bool fresh = false;
  http_url elsewhere;
  what.redirected_to = &elsewhere;
  for (int refusals = 0;;) {
    if (what.handle != nullptr && what.handle->cancelled()) co_return cancelled_error();
    what.credential_fields = grant->fields.reveal();
    auto answer = co_await client_.fetch(what, std::exchange(started, {}));
    if (!answer) co_return answer;
    const int status = answer->head().status;
    const bool refused = status == 401 || (status == 403 && asks_for_bearer_token(answer->head().fields));
    // A call is sent once more with other credentials after a 401, and once more after a 403.
    const bool again = unauthorized && !what.replayable;
    const bool in_vain = (status == 401 && (fresh || again)) || (status == 403 && forbidden);
    if (!refused || in_vain || ++refusals > max_challenges) co_return answer;
    unauthorized = unauthorized || status == 401;
    forbidden = forbidden || status == 403;
    auth_challenge why = refusal_in(answer->head(), grant->serial, whose);
    std::move(*answer).discard_rest();  // only its head matters
    auto asking =
        guarded_task("on_challenge of the authorizer", [&] { return options_.login->on_challenge(std::move(why)); });
    auto better = co_await std::move(asking);
    if (!better) {
      error refusal = better.error();
      if (status == 401 && refusal.code == errc::auth && !options_.credential_names.empty())
        refusal.what += "; the configured " + options_.credential_names + " does not suffice";
      co_return refusal;
    }
    grant = *std::move(better);
    fresh = grant->fresh;
    // The redirect that led to the refusal is not followed a second time.
    if (!elsewhere.host.empty()) {
      what.to = &elsewhere;
      if (!what.replayable) what.max_redirects = 0;
    }
  }
}

}  // namespace hawser
