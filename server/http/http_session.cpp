// SPDX-License-Identifier: MIT
#include "http_session.hpp"

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/crypto.hpp"

namespace hawser {

namespace {

constexpr std::size_t id_bytes = 24;

server_session_options options_of(server_session_options common, const http_clients::client& client) {
  common.shared_request_budget = client.held();
  return common;
}

}  // namespace

http_session::http_session(loop& home, service& what, const server_session_options& serving,
                           const http_server_channel_limits& limits, http_clients::client_ref client)
    : loop_(home),
      id_(base64url(random_bytes(id_bytes))),
      client_(std::move(client)),
      channel_(limits, client_->backlog()),
      session_(home, what, channel_, options_of(serving, *client_)),
      last_used_(home.now()) {}

http_session::use::use(http_session& of) noexcept : of_(of) {
  ++of_.users_;
  of_.touch();
}

http_session::use::~use() {
  --of_.users_;
  of_.touch();
}

void http_session::touch() noexcept {
  last_used_ = loop_.now();
  touched_.set();
}

// Completes when the session was unused for `patience`. A request that takes longer counts as use.
task<result<void>> http_session::unused(duration patience) {
  while (true) {
    touched_.reset();
    auto touched = co_await with_timeout(patience, detail::wait_for(touched_));
    const bool in_time = touched || (touched.error().code == errc::timed_out && in_use());
    if (!in_time) co_return touched;
  }
}

task<void> http_session::run(duration patience) {
  auto ended = co_await when_any(session_.run(), unused(patience));
  ignore(std::get<0>(ended.values), "the client has heard it, or is gone");
}

}  // namespace hawser
