// SPDX-License-Identifier: MIT
// Logins of a hub's servers, by server name.
#include "../runtime/async/when.hpp"
#include "detail/hub_core.hpp"

namespace hawser {

namespace {

task<result<login_summary>> login_on_closing(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return error{.code = errc::closed, .what = "the host is stopped"};
}

}  // namespace

task<result<login_summary>> hub::authenticate(std::string server, login_options wish, login_ui& person) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  auto first = co_await when_any((*found)->authenticate(std::move(wish), person), login_on_closing(core_->closing));
  co_return first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
}

task<result<login_summary>> hub::authenticate(std::string server, login_callbacks with) {
  login_options wish = with.wish;
  login_callback_adapter person{std::move(with), core_->proxy, core_->options.callbacks};
  co_return co_await authenticate(std::move(server), std::move(wish), person);
}

task<result<logout_report>> hub::log_out(std::string server) {
  const wait_group::guard inside{core_->calls};
  auto found = core_->find_named(server);
  if (!found) co_return found.error();
  co_return co_await (*found)->log_out();
}

task<result<std::vector<login_summary>>> hub::logins() {
  const wait_group::guard inside{core_->calls};
  auto kept = co_await core_->logins.store.all();
  if (!kept) co_return kept.error();
  std::vector<login_summary> all;
  all.reserve(kept->size());
  for (const auto& [url, one] : *kept) all.push_back(summarize(url, one));
  co_return all;
}

}  // namespace hawser
