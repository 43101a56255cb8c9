// SPDX-License-Identifier: MIT
#include "change_listener.hpp"

#include <algorithm>
#include <set>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/when.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// A server that ends every subscription at once must not cause a busy loop.
constexpr duration first_pause = std::chrono::seconds{1};
constexpr duration longest_pause = std::chrono::minutes{1};
// How long to wait for the acknowledgement of a new filter, which every server must send. After that the old
// subscription is closed anyway.
constexpr duration longest_handover = std::chrono::seconds{2};
// Effectively infinite: a subscription has no answer to wait for.
constexpr duration unbounded = std::chrono::hours{24 * 365};

// What the filter requests and the acknowledgement does not include: list kinds by name, resources by URI.
std::set<std::string> left_out(std::string_view filter, std::string_view told) {
  std::set<std::string> missing;
  for_each_member(filter, [&](std::string_view name, std::string_view wanted) {
    const std::string_view got = told.starts_with('{') ? find_member(told, name) : std::string_view{};
    if (!wanted.starts_with('[')) {
      if (got != wanted) missing.emplace(name);
      return true;
    }
    for_each_element(wanted, [&](std::string_view uri) {
      missing.insert(text_of(uri).value_or(""));
      return true;
    });
    if (got.starts_with('[')) {
      for_each_element(got, [&](std::string_view uri) {
        missing.erase(text_of(uri).value_or(""));
        return true;
      });
    }
    return true;
  });
  return missing;
}

}  // namespace

std::int64_t subscription_of(std::string_view params) {
  const std::string_view meta = params.empty() ? std::string_view{} : find_member(params, protocol::meta::key);
  if (meta.empty() || meta.front() != '{') return 0;
  return integer_of(find_member(meta, protocol::meta::subscription_id)).value_or(0);
}

void change_listener::set_filter(std::string filter) {
  if (filter == filter_) return;
  filter_ = std::move(filter);
  interrupted_.set();
}

bool change_listener::is_subscribed(std::string_view params) const {
  const std::int64_t id = subscription_of(params);
  return id != 0 && ((current_ && current_->id == id) || (previous_ && previous_->id == id));
}

// Subscriptions: compares the acknowledged subset with the requested filter.
bool change_listener::on_acknowledged(std::string_view params) {
  const std::int64_t id = subscription_of(params);
  if (id == 0 || !current_ || current_->id != id || current_->acknowledged) return false;
  current_->acknowledged = true;
  const std::set<std::string> missing = left_out(current_->filter, find_member(params, "notifications"));
  unacknowledged_ = missing.size();
  interrupted_.set();
  if (missing.empty()) return true;
  // A few names suffice for the log; a server may refuse thousands.
  std::string names;
  for (const std::string& name : missing) {
    if (names.size() > 500) {
      names += ", …";
      break;
    }
    names += (names.empty() ? "" : ", ") + name;
  }
  callbacks_.on_warning("it will not tell of changes of " + names);
  return true;
}

void change_listener::on_cancelled(std::int64_t request) noexcept {
  if (request == 0) return;
  for (const auto& subscribed : {current_, previous_}) {
    if (subscribed && subscribed->id == request) subscribed->closing.set();
  }
}

task<result<raw_json>> change_listener::listen(subscription& opened) {
  const prepared_request request{{.method = protocol::method::subscriptions_listen,
                                  .members = R"("notifications":)" + opened.filter,
                                  .meta = meta_}};
  const call_options options{.idle_timeout = unbounded, .hard_timeout = unbounded, .id = &opened.id};
  co_return co_await peer_.call(request, {}, options);
}

task<result<void>> change_listener::interrupted() { co_return co_await interrupted_.wait(); }

task<void> change_listener::run_subscription(change_listener& self, std::shared_ptr<subscription> opened) {
  auto first = co_await when_any(self.listen(*opened), detail::wait_for(opened->closing));
  const auto& heard = std::get<0>(first.values);
  if (!heard) opened->failure = heard.error();
  opened->id = 0;
  opened->over = true;
  self.interrupted_.set();
}

void change_listener::end(std::shared_ptr<subscription>& ended) noexcept {
  if (ended) ended->closing.set();
  ended.reset();
}

task<void> change_listener::run() {
  pause_ = first_pause;
  scope subscriptions{co_await this_context()};
  co_await keep_open(subscriptions);
  subscriptions.request_stop();
  co_await subscriptions.join();
  current_.reset();
  previous_.reset();
}

task<void> change_listener::wait_until(std::optional<time_point> due) {
  const context here = co_await this_context();
  if (due) {
    auto first =
        co_await when_any(detail::wait_for(std::max(duration::zero(), *due - here.loop->now())), interrupted());
    ignore(std::get<0>(first.values), "the caller checks the state");
  } else {
    auto waited = co_await interrupted();
    ignore(waited, "the caller checks the state");
  }
}

// After a subscription ended unexpectedly: whether to reopen it. Waits until that is due.
task<bool> change_listener::wait_to_reopen() {
  const context here = co_await this_context();
  const std::optional<error> failure = current_->failure;
  // With the connection closed, there is nothing to reopen it on.
  if (failure && failure->code == errc::closed) co_return false;
  if (failure && failure->code == errc::remote && failure->native == protocol::code::method_not_found) {
    supported_ = false;
    callbacks_.on_warning("it will not tell of any change: it does not know " +
                          std::string{protocol::method::subscriptions_listen});
    co_return false;
  }
  if (here.loop->now() - current_->began >= longest_pause) pause_ = first_pause;
  const time_point due = here.loop->now() + pause_;
  while (filter_ == current_->filter && !here.stop_requested() && here.loop->now() < due) {
    interrupted_.reset();
    co_await wait_until(due);
  }
  if (filter_ == current_->filter) pause_ = std::min(2 * pause_, longest_pause);
  co_return true;
}

task<void> change_listener::keep_open(scope& subscriptions) {
  bool gap = false;
  for (;;) {
    const context here = co_await this_context();
    if (here.stop_requested()) co_return;
    interrupted_.reset();
    if (current_ && current_->over && !filter_.empty()) {
      end(previous_);
      const bool again = co_await wait_to_reopen();
      if (!again) co_return;
      gap = true;
      current_.reset();
      continue;
    }
    if (filter_.empty()) {
      end(previous_);
      end(current_);
      gap = false;
      unacknowledged_ = 0;
    } else if (!current_ || current_->filter != filter_) {
      // Subscriptions: a new filter needs a new request. It is opened before the old one is closed, so that no change
      // is missed.
      end(previous_);
      previous_ = std::move(current_);
      if (std::exchange(gap, false)) callbacks_.on_missed();
      current_ = std::make_shared<subscription>();
      current_->filter = filter_;
      current_->began = here.loop->now();
      subscriptions.spawn(run_subscription(*this, current_));
    }
    std::optional<time_point> due;
    if (previous_) {
      due = current_->began + longest_handover;
      if (previous_->over && !current_->acknowledged)
        callbacks_.on_missed();  // the old one ended before the new one was active
      if (previous_->over || current_->acknowledged || here.loop->now() >= *due) {
        end(previous_);
        due.reset();
      }
    }
    co_await wait_until(due);
  }
}

}  // namespace hawser
