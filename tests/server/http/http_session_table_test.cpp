// SPDX-License-Identifier: MIT
// Which session a new one replaces.
#include "../../../server/http/http_session_table.hpp"

#include "../../../runtime/async/sleep.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/server_session_fixture.hpp"

namespace http_session_table_test {

using namespace hawser;
using namespace std::chrono_literals;
using activity = http_session::activity;
using session_ref = http_session_table::session_ref;

struct table_fixture {
  testing::manual_clock clock;
  loop l{loop::options{.clock = &clock}};
  testing::example_service service;
  http_clients clients{
      {.max_calls = 8, .max_unread_per_client = 1 << 20, .max_unread = 1 << 20, .max_held_per_client = 1 << 20},
      std::make_shared<byte_budget>(1 << 20)};
  http_session_table table{
      l, {.max_sessions = 3, .max_sessions_per_client = 2, .min_idle_for_eviction = std::chrono::minutes{5}}};

  session_ref add(std::string_view client, activity reached) {
    const auto call = clients.begin_call(digest_of(client));
    auto session =
        std::make_shared<http_session>(l, service, server_session_options{}, http_server_channel_limits{}, call->of());
    session->reach(reached);
    table.add(session);
    return session;
  }
  bool has(const session_ref& session) const { return table.find(session->id()) == session; }
};

task<void> replaces_idle(table_fixture& f) {
  const session_ref first = f.add("a", activity::used);
  auto slept = co_await sleep_for(1min);
  const session_ref second = f.add("a", activity::used);
  const session_ref third = f.add("b", activity::used);
  expect(!f.table.make_room(digest_of("c")) && f.table.size() == 3);
  if (slept) slept = co_await sleep_for(4min);
  expect(slept.has_value() && f.table.make_room(digest_of("c")));
  expect(!f.has(first) && f.has(second) && f.has(third)) << "the one that was idle for longest";
}

const suite<"http session table"> tests = [] {
  "a session is found by its id until it is removed"_test = [] {
    table_fixture f;
    const session_ref session = f.add("a", activity::used);
    expect(f.has(session) && f.table.size() == 1 && f.table.find("another") == nullptr);
    f.table.remove(session->id());
    expect(!f.has(session) && f.table.size() == 0);
  };

  "where there is room nothing is replaced"_test = [] {
    table_fixture f;
    f.add("a", activity::begun);
    f.add("b", activity::begun);
    expect(f.table.make_room(digest_of("a")) && f.table.size() == 2);
  };

  "a client that has its share replaces its own least used session, and no other"_test = [] {
    table_fixture f;
    const session_ref used = f.add("a", activity::used);
    const session_ref notified = f.add("a", activity::notified);
    const session_ref other = f.add("b", activity::begun);
    expect(f.table.make_room(digest_of("a")));
    expect(f.has(used) && !f.has(notified) && f.has(other));
    expect(notified->channel().ended() && !used->channel().ended());
  };

  "a full table replaces a session of another client only if it is unused or was idle for long"_test = [] {
    table_fixture f;
    f.l.run(replaces_idle(f));
  };

  "a session in use is never replaced"_test = [] {
    table_fixture f;
    const session_ref first = f.add("a", activity::begun);
    const session_ref second = f.add("a", activity::begun);
    const http_session::use first_in_use{*first};
    {
      const http_session::use second_in_use{*second};
      expect(!f.table.make_room(digest_of("a")));
    }
    expect(f.table.make_room(digest_of("a")) && f.has(first) && !f.has(second));
  };
};

}  // namespace http_session_table_test
