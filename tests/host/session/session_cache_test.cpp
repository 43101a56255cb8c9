// SPDX-License-Identifier: MIT
// Answers that a server of the modern era lets us use again, and when they are asked for anew.
#include "../../../host/session/session.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/session_fixture.hpp"

namespace session_cache_test {

using namespace hawser;
using namespace hawser::testing;

void answers_that_last(scripted_server& far) {
  modern_server(far);
  far.on("prompts/list", R"({"prompts":[{"name":"a"}],"resultType":"complete","ttlMs":60000,"cacheScope":"private"})");
  far.on("resources/list", R"({"resources":[],"resultType":"complete","ttlMs":60000,"cacheScope":"private"})");
  far.on("resources/read",
         R"({"contents":[{"uri":"x:1","text":"one"}],"resultType":"complete","ttlMs":60000,"cacheScope":"private"})");
}

void says_the_same_before(scripted_server& far) {
  legacy_server(far);
  far.on("prompts/list", R"({"prompts":[],"ttlMs":60000})");
}

task<void> list_prompts(session_fixture& h) {
  auto listed = co_await h.near->list(list_kind::prompts);
  expect(listed.has_value());
}

task<void> read_it(session_fixture& h) {
  auto read = co_await h.near->read_resource("x:1", {});
  expect(read.has_value() && read->text().find("one") != std::string_view::npos);
}

task<void> until_it_is_old(session_fixture& h) {
  co_await list_prompts(h);
  co_await list_prompts(h);
  co_await read_it(h);
  co_await read_it(h);
  expect(h.far.all("prompts/list").size() == 1_ul) << "used again";
  expect(h.far.all("resources/read").size() == 1_ul);
  auto slept = co_await sleep_for(std::chrono::seconds{61});
  expect(slept.has_value());
  co_await list_prompts(h);
  co_await read_it(h);
  expect(h.far.all("prompts/list").size() == 2_ul) << "too old";
  expect(h.far.all("resources/read").size() == 2_ul);
}

task<void> until_it_changes(session_fixture& h) {
  co_await list_prompts(h);
  const auto listen = co_await h.far.saw("subscriptions/listen");
  h.far.notify("notifications/prompts/list_changed",
               R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" + listen.id + "}}");
  while (h.listener.lists.empty()) co_await yield();
  co_await list_prompts(h);
  expect(h.far.all("prompts/list").size() == 2_ul);
}

task<void> never_in_the_era_before(session_fixture& h) {
  co_await list_prompts(h);
  co_await list_prompts(h);
  expect(h.far.all("prompts/list").size() == 2_ul);
}

const suite<"session_cache"> tests = [] {
  "lists and resources are used again for as long as their server says"_test = [] {
    manual_clock clock;
    with_session({.server = answers_that_last, .by = &clock}, until_it_is_old);
  };
  "a change that is told makes a list old at once"_test = [] {
    with_session({.server = answers_that_last}, until_it_changes);
  };
  "the legacy era says nothing about how long an answer lasts"_test = [] {
    with_session({.server = says_the_same_before, .open = {.how = session::open_mode::legacy}},
                 never_in_the_era_before);
  };
};

}  // namespace session_cache_test
