// SPDX-License-Identifier: MIT
#include "change_listener.hpp"

#include <algorithm>

#include "../runtime/sleep.hpp"
#include "../runtime/when.hpp"
#include "../transports/json_text.hpp"
#include "../transports/protocol.hpp"

namespace hawser {

namespace {

// A server that ends every listen at once must not keep us busy.
constexpr duration first_pause = std::chrono::seconds{1};
constexpr duration longest_pause = std::chrono::minutes{1};
// As good as for ever: there is no answer to wait for.
constexpr duration unbounded = std::chrono::hours{24 * 365};

task<result<void>> slept(duration length) { co_return co_await sleep_for(length); }

}  // namespace

std::int64_t subscription_of(std::string_view params) {
  const std::string_view meta = params.empty() ? std::string_view{} : find_member(params, protocol::meta::key);
  if (meta.empty() || meta.front() != '{') return 0;
  return integer_of(find_member(meta, protocol::meta::subscription_id)).value_or(0);
}

void change_listener::want(std::string filter) {
  if (filter == filter_) return;
  filter_ = std::move(filter);
  changed_ = true;
  interrupted_.set();
}

bool change_listener::is_meant(std::string_view params) const { return id_ != 0 && subscription_of(params) == id_; }

void change_listener::ended(std::int64_t request) noexcept {
  if (request == id_ && id_ != 0) interrupted_.set();
}

task<result<raw_json>> change_listener::listen() {
  const prepared_request request{
      {.method = protocol::method::subscriptions_listen, .members = R"("notifications":)" + filter_, .meta = meta_}};
  const call_options options{.idle_timeout = unbounded, .hard_timeout = unbounded, .id = &id_};
  co_return co_await peer_.call(request, {}, options);
}

task<result<void>> change_listener::interrupted() { co_return co_await interrupted_.wait(); }

task<void> change_listener::run() {
  duration pause = first_pause;
  bool listened = false;
  for (;;) {
    const context where = co_await this_context();
    if (where.stop_requested()) co_return;
    interrupted_.reset();
    changed_ = false;
    if (filter_.empty()) {
      auto waited = co_await interrupted();
      ignore(waited, "a stop is seen at the head of the loop");
      continue;
    }
    if (listened) missed_();
    listened = true;
    const time_point began = where.loop->now();
    auto first = co_await when_any(listen(), interrupted());
    id_ = 0;
    // However it ended, it is opened again or not wanted any more; but there is nothing to open it on any more.
    const auto& heard = std::get<0>(first.values);
    if (!heard && heard.error().code == errc::closed) co_return;
    if (changed_) continue;
    const bool lasted = where.loop->now() - began >= longest_pause;
    pause = lasted ? first_pause : pause;
    interrupted_.reset();
    auto paused = co_await when_any(slept(pause), interrupted());
    ignore(std::get<0>(paused.values), "a stop is seen at the head of the loop, another filter there, too");
    pause = std::min(2 * pause, longest_pause);
  }
}

}  // namespace hawser
