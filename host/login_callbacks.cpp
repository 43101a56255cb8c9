// SPDX-License-Identifier: MIT
#include "login_callbacks.hpp"

#include "../runtime/async/call_handler.hpp"

namespace hawser {

login_callback_adapter::login_callback_adapter(login_callbacks callbacks, loop_proxy_ptr proxy, executor runs_callbacks)
    : callbacks_(std::move(callbacks)), proxy_(std::move(proxy)), executor_(std::move(runs_callbacks)) {}

task<result<std::string>> login_callback_adapter::read_pasted_text() {
  const error nothing{.code = errc::closed, .what = "nobody pastes anything"};
  if (!callbacks_.paste) co_return nothing;
  std::function<void(int, reply<std::string>)> handler = [paste = callbacks_.paste](int, reply<std::string> answer) {
    paste(std::move(answer));
  };
  auto given = co_await call_handler_or_decline(proxy_, executor_, std::move(handler), "the login function paste", 0);
  if (!given) co_return given.error();
  if (!given->has_value()) co_return nothing;
  co_return **std::move(given);
}

}  // namespace hawser
