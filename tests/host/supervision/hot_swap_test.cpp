// SPDX-License-Identifier: MIT
// Servers that come and go while calls run: no call is lost, and none reaches another server than it was meant for.
#include "../../support/hub_fixture.hpp"

namespace hot_swap_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::record_call;
using testing::with_hub;
using state = server_state;

constexpr const char* mute = "begin; while request; do usual || :; done";

task<void> call_row(hub& of, call_outcome& into, server_id server) {
  auto answer = co_await of.call(server, "echo", "{}");
  ++into.ends;
  if (answer) {
    into.text = answer->text();
  } else {
    into.failure = answer.error();
  }
}

task<void> remove_into(hub& of, std::string name, std::optional<result<void>>& into) {
  into.emplace(co_await of.remove_server(std::move(name)));
}

task<void> removed_before_dispatch(hub_fixture& h) {
  h.add(h.shell("a", "serve"));
  co_await h.until("a", state::ready);
  const table_ref held = h.of.tools();
  const server_id id = held->find("a__echo")->server;
  call_outcome before;
  co_await call_row(h.of, before, id);
  expect(before.text == "ok") << before.said();
  auto removed = co_await h.of.remove_server("a");
  expect(removed.has_value() && !h.of.status("a").has_value());
  call_outcome after;
  co_await call_row(h.of, after, id);
  expect(after.failed_with(errc::server_gone, execution::no)) << after.said();
  const call_outcome by_name = co_await h.call("a__echo");
  expect(by_name.failed_with(errc::tool_unknown, execution::no)) << by_name.said();
  expect(held->find("a__echo") != nullptr && h.of.tools()->find("a__echo") == nullptr);
}

task<void> added_again(hub_fixture& h) {
  h.add(h.shell("a", "trap '' TERM; begin; while :; do sleep 60; done"));  // it takes its time to end
  co_await h.until("a", state::ready);
  const table_ref held = h.of.tools();
  const server_id old = held->find("a__echo")->server;
  scope work{co_await this_context()};
  call_outcome pending;
  work.spawn(record_call(h.of, pending, "a__echo", "{}"));
  co_await hub_fixture::turns();
  std::optional<result<void>> removed;
  work.spawn(remove_into(h.of, "a", removed));
  co_await hub_fixture::turns();
  expect(!removed.has_value() && !h.of.status("a").has_value());
  // At once, while the old one is still being ended: the name is free, and the rows follow.
  h.add(h.shell("a", "serve"));
  co_await work.join();
  expect(removed.has_value() && removed->has_value());
  expect(pending.failed_with(errc::closed, execution::unknown)) << pending.said();
  co_await h.until("a", state::ready);
  const call_outcome got = co_await h.call("a__echo");
  expect(got.text == "ok") << got.said();
  const server_id now = h.of.tools()->find("a__echo")->server;
  expect(now != old);
  call_outcome late;
  co_await call_row(h.of, late, old);
  expect(late.failed_with(errc::server_gone, execution::no)) << late.said();
  call_outcome right;
  co_await call_row(h.of, right, now);
  expect(right.text == "ok") << right.said();
}

task<void> removed_with_calls(hub_fixture& h) {
  server_settings narrow = h.shell("narrow", mute);
  narrow.concurrency = 2;
  h.add(std::move(narrow));
  h.add(h.shell("wide", mute));
  h.add(h.shell("other", "serve"));
  auto all = co_await h.of.settled();
  expect(all.has_value());
  scope calls{co_await this_context()};
  std::vector<call_outcome> queued(50);
  std::vector<call_outcome> sent(50);
  for (call_outcome& one : queued) calls.spawn(record_call(h.of, one, "narrow__echo", "{}"));
  for (call_outcome& one : sent) calls.spawn(record_call(h.of, one, "wide__echo", "{}"));
  const call_outcome beside = co_await h.call("other__echo");
  expect(beside.text == "ok") << beside.said();
  auto narrow_gone = co_await h.of.remove_server("narrow");
  auto wide_gone = co_await h.of.remove_server("wide");
  co_await calls.join();
  expect(narrow_gone.has_value() && wide_gone.has_value());
  for (std::size_t i = 0; i < queued.size(); ++i)
    expect(queued[i].failed_with(errc::closed, i < 2 ? execution::unknown : execution::no)) << i << queued[i].said();
  for (const call_outcome& one : sent) expect(one.failed_with(errc::closed, execution::unknown)) << one.said();
  const call_outcome after = co_await h.call("other__echo");
  expect(after.text == "ok") << after.said();
}

task<void> removed_at_any_time(hub_fixture& h) {
  h.add(h.shell("starting", "sleep 60"));
  h.add(h.shell("pausing", "exit 1"));
  h.add(h.shell("fine", "serve"));
  server_settings lazy = h.shell("lazy", "serve");
  lazy.lazy = true;
  h.add(std::move(lazy));
  co_await h.until("pausing", state::degraded);
  co_await h.until("fine", state::ready);
  scope calls{co_await this_context()};
  std::vector<std::optional<result<void>>> removed(8);
  std::size_t next = 0;
  for (const std::string name : {"starting", "pausing", "fine", "lazy"}) {
    calls.spawn(remove_into(h.of, name, removed[next++]));
    calls.spawn(remove_into(h.of, name, removed[next++]));  // somebody else, too
  }
  co_await calls.join();
  for (std::size_t i = 0; i < removed.size(); i += 2) {
    expect(removed[i].has_value() && removed[i]->has_value());
    expect(removed[i + 1].has_value() && removed[i + 1]->has_error() && removed[i + 1]->error().code == errc::config);
  }
  expect(h.of.status().empty() && h.of.tools()->empty());
}

task<void> restarted_with_calls(hub_fixture& h) {
  h.add(h.shell("a", mute));
  const server_status before = co_await h.until("a", state::ready);
  scope calls{co_await this_context()};
  std::vector<call_outcome> got(20);
  for (call_outcome& one : got) calls.spawn(record_call(h.of, one, "a__echo", "{}"));
  co_await hub_fixture::turns();
  auto again = h.of.restart("a");
  expect(again.has_value());
  co_await calls.join();
  for (const call_outcome& one : got) expect(one.failed_with(errc::closed, execution::unknown)) << one.said();
  co_await h.until("a", state::starting);
  const server_status after = co_await h.until("a", state::ready);
  expect(after.pid != before.pid && after.restarts == 1_ul && after.id == before.id);
}

// Others come and go all the time; one serves.
task<void> churn(hub_fixture& h) {
  h.add(h.shell("steady", "serve"));
  co_await h.until("steady", state::ready);
  for (int round = 0; round < 10; ++round) {
    const std::string name = "guest" + std::to_string(round);
    h.add(h.shell(name, "serve"));
    const call_outcome meanwhile = co_await h.call("steady__echo");
    expect(meanwhile.text == "ok") << meanwhile.said();
    auto ready = co_await h.of.ready(name);
    expect(ready.has_value());
    const call_outcome got = co_await h.call(name + "__echo");
    expect(got.text == "ok") << got.said();
    auto removed = co_await h.of.remove_server(name);
    expect(removed.has_value());
  }
  expect(h.of.tools()->size() == 1_ul);
}

task<void> closed_with_calls(hub_fixture& h) {
  h.add(h.shell("a", mute));
  h.add(h.shell("slow", "sleep 60"));
  server_settings lazy = h.shell("lazy", "serve");
  lazy.lazy = true;
  h.add(std::move(lazy));
  native_tool thoughtful{.name = "thoughtful"};
  std::vector<reply<envelope>> kept;
  thoughtful.function = [&](const boost::json::object&, reply<envelope> answer) { kept.push_back(std::move(answer)); };
  auto added = h.of.add_tool(std::move(thoughtful));
  expect(added.has_value());
  co_await h.until("a", state::ready);
  scope calls{co_await this_context()};
  std::vector<call_outcome> got(3);
  calls.spawn(record_call(h.of, got[0], "a__echo", "{}"));
  calls.spawn(record_call(h.of, got[1], "thoughtful", "{}"));
  std::optional<result<void>> ready;
  calls.spawn([](hub& of, std::optional<result<void>>& into) -> task<void> { into.emplace(co_await of.ready("slow")); }(
                                                                 h.of, ready));
  co_await hub_fixture::turns();
  auto closed = co_await h.of.close();
  expect(closed.has_value());
  co_await calls.join();
  expect(got[0].failed_with(errc::closed, execution::unknown)) << got[0].said();
  expect(got[1].ends == 1_i && got[1].failure.has_value() && got[1].failure->code == errc::closed) << got[1].said();
  expect(ready.has_value() && ready->has_error());
  const call_outcome late = co_await h.call("a__echo");
  expect(late.failed_with(errc::closed, execution::no)) << late.said();
  auto woken = co_await h.of.ready("lazy");
  expect(woken.has_error() && woken.error().code == errc::closed);
  auto newcomer = h.of.add_server(h.shell("b", "serve"));
  expect(newcomer.has_error() && newcomer.error().code == errc::closed);
}

const suite<"hot swap"> tests = [] {
  "H02 a tool of a held table whose server was removed is not executed"_test = [] {
    with_hub(removed_before_dispatch);
  };
  "H03 a server that is added again under its name answers no call of the old one"_test = [] { with_hub(added_again); };
  "G03 calls of a server that is removed end, and say which of them had been sent"_test = [] {
    with_hub(removed_with_calls);
  };
  "a server can be removed while it starts, pauses, serves or waits to be needed, and only once"_test = [] {
    with_hub(removed_at_any_time);
  };
  "calls of a server that is restarted end, and it comes back"_test = [] { with_hub(restarted_with_calls); };
  "adding and removing servers does not disturb another server"_test = [] { with_hub(churn); };
  "a hub that is closed ends every call and takes no more"_test = [] { with_hub(closed_with_calls); };
};

}  // namespace hot_swap_test
