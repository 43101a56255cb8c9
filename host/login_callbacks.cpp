// SPDX-License-Identifier: MIT
#include "login_callbacks.hpp"

#include "../runtime/async/call_handler.hpp"

namespace hawser {

login_callback_adapter::login_callback_adapter(login_callbacks with, loop_proxy_ptr proxy, executor where)
    : with_(std::move(with)), proxy_(std::move(proxy)), where_(std::move(where)) {}

task<result<std::string>> login_callback_adapter::read_pasted_text() {
  const error nothing{.code = errc::closed, .what = "nobody pastes anything"};
  if (!with_.paste) co_return nothing;
  std::function<void(int, reply<std::string>)> handler = [paste = with_.paste](int, reply<std::string> give) {
    paste(std::move(give));
  };
  auto given = co_await call_handler_or_decline(proxy_, where_, std::move(handler), "the login function paste", 0);
  if (!given) co_return given.error();
  if (!given->has_value()) co_return nothing;
  co_return **std::move(given);
}

}  // namespace hawser
