// SPDX-License-Identifier: MIT
#include "login_dialogue.hpp"

#include "call_handler.hpp"

namespace hawser {

dialogue_person::dialogue_person(login_dialogue with, door_ref way, executor where)
    : with_(std::move(with)), way_(std::move(way)), where_(std::move(where)) {}

task<result<std::string>> dialogue_person::pasted() {
  const error nothing{.code = errc::closed, .what = "nobody pastes anything"};
  if (!with_.paste) co_return nothing;
  std::function<void(int, reply<std::string>)> handler = [paste = with_.paste](int, reply<std::string> give) {
    paste(std::move(give));
  };
  auto given = co_await ask(way_, where_, std::move(handler), "the login function paste", 0);
  if (!given) co_return given.error();
  if (!given->has_value()) co_return nothing;
  co_return **std::move(given);
}

}  // namespace hawser
