// SPDX-License-Identifier: MIT
// Sends the requests of an http_channel with credentials, and again with other ones after a refusal.
#include <utility>

#include "../runtime/guarded.hpp"
#include "challenge.hpp"
#include "http_channel.hpp"
#include "http_fields.hpp"

namespace hawser {

namespace {

// For a request that may be repeated. Credentials that another process obtained may be stale, too; fresh ones are tried
// once.
constexpr int most_refusals = 4;

auth_refusal refusal_in(const http_head& head, std::uint64_t serial, std::string_view operation) {
  auth_refusal why{.status = head.status, .serial = serial, .operation = std::string{operation}};
  for (const http_field& one : head.fields.all()) {
    if (equal_ignoring_case(one.name, "WWW-Authenticate")) why.challenges.push_back(one.value);
  }
  return why;
}

}  // namespace

std::optional<auth_grant> http_channel::grant_at_hand() {
  auto there = guarded("at_hand of the authorizer", [&] { return options_.login->at_hand(); });
  if (there) return *std::move(there);
  loop_.log().write(log_level::error, "callback", there.error().what);
  return std::nullopt;  // grant() is called instead
}

task<result<http_answer>> http_channel::ask(http_request what, std::string_view operation, http_started begun,
                                            std::optional<auth_grant> made_with) {
  if (options_.login == nullptr) co_return co_await client_.ask(what, std::move(begun));
  const std::string whose{operation};  // a copy: the views of a request may dangle during a login
  std::optional<auth_grant> grant = std::move(made_with);
  if (!grant) grant = grant_at_hand();
  if (!grant) {
    auto asking = guarded_task("grant of the authorizer", [&] { return options_.login->grant(); });
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
    if (what.ticket != nullptr && what.ticket->withdrawn()) co_return cancelled_error();
    what.credentials = grant->fields.reveal();
    auto answer = co_await client_.ask(what, std::exchange(begun, {}));
    if (!answer) co_return answer;
    const int status = answer->head().status;
    const bool refused = status == 401 || (status == 403 && asks_for_bearer_token(answer->head().fields));
    // A call is sent once more with other credentials after a 401, and once more after a 403.
    const bool again = unauthorized && !what.replayable;
    const bool in_vain = (status == 401 && (fresh || again)) || (status == 403 && forbidden);
    if (!refused || in_vain || ++refusals > most_refusals) co_return answer;
    unauthorized = unauthorized || status == 401;
    forbidden = forbidden || status == 403;
    auth_refusal why = refusal_in(answer->head(), grant->serial, whose);
    std::move(*answer).settle();  // only its head matters
    auto asking = guarded_task("refused of the authorizer", [&] { return options_.login->refused(std::move(why)); });
    auto better = co_await std::move(asking);
    if (!better) {
      error refusal = better.error();
      if (status == 401 && refusal.code == errc::auth && !options_.credentials.empty())
        refusal.what += "; the configured " + options_.credentials + " does not suffice";
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
