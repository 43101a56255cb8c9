// SPDX-License-Identifier: MIT
// Logins of a hub's servers, by server name.
#include "../runtime/when.hpp"
#include "detail/hub_core.hpp"

namespace hawser {

namespace {

task<result<login_summary>> login_on_closing(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return error{.code = errc::closed, .what = "the host is stopped"};
}

}  // namespace

task<result<login_summary>> hub::authenticate(std::string server, login_wish wish, login_person& person) {
  const usage::mark inside{core_->calls};
  auto found = core_->named(server);
  if (!found) co_return found.error();
  auto first = co_await when_any((*found)->authenticate(std::move(wish), person), login_on_closing(core_->closing));
  co_return first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
}

task<result<login_summary>> hub::authenticate(std::string server, login_dialogue with) {
  login_wish wish = with.wish;
  dialogue_person person{std::move(with), core_->way, core_->options.callbacks};
  co_return co_await authenticate(std::move(server), std::move(wish), person);
}

task<result<logout_report>> hub::log_out(std::string server) {
  const usage::mark inside{core_->calls};
  auto found = core_->named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->log_out();
}

task<result<std::vector<login_summary>>> hub::logins() {
  const usage::mark inside{core_->calls};
  auto kept = co_await core_->logins.store.all();
  if (!kept) co_return kept.error();
  std::vector<login_summary> all;
  all.reserve(kept->size());
  for (const auto& [url, one] : *kept) all.push_back(summary_of(url, one));
  co_return all;
}

}  // namespace hawser
