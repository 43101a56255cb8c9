// SPDX-License-Identifier: MIT
#include "../../host/detail/server_slots.hpp"

#include "../support/run.hpp"
#include "../support/server_context_fixture.hpp"
#include "../support/ut.hpp"

namespace server_slots_test {

using namespace hawser;
using hawser::detail::server_slots;
using testing::server_context_fixture;

server_settings named(std::string name) { return {.name = std::move(name), .lazy = true}; }

task<void> removed_and_added(bool open) {
  const context here = co_await this_context();
  server_context_fixture fixture{*here.loop};
  server_slots servers{fixture.shared};
  if (open) servers.open();
  const auto first = servers.add(named("files"), {});
  const auto second = servers.add(named("git"), {});
  expect(fatal(first.has_value() and second.has_value()));
  const auto held = servers.find("files");
  co_await servers.remove(*first);
  expect(held->settled());
  expect(servers.find("files") == nullptr);
  expect(servers.find(*first) == nullptr);
  const auto third = servers.add(named("mail"), {});
  expect(fatal(third.has_value()));
  expect(third->slot == first->slot) << "the slot is free";
  expect(third->generation == first->generation + 1);
  expect(servers.find(*first) == nullptr) << "the id of the removed server names nothing";
  expect(servers.find(*third) != nullptr);
  expect(servers.all().size() == 2_u);
  servers.request_stop();
  co_await servers.join();
  for (const auto& server : servers.all()) expect(server->settled());
}

const suite<"server_slots"> tests = [] {
  "a slot is used again with a new generation"_test = [] { testing::run(removed_and_added(true)); };
  "so it is before the servers run"_test = [] { testing::run(removed_and_added(false)); };

  "a name is taken once, and a bad pattern is refused"_test = [] {
    loop event_loop;
    server_context_fixture fixture{event_loop};
    server_slots servers{fixture.shared};
    expect(servers.add(named("files"), {}).has_value());
    const auto again = servers.add(named("files"), {});
    expect(fatal(not again.has_value()));
    expect(again.error().code == errc::config);
    auto bad = named("git");
    bad.tools = {"!"};
    expect(not servers.add(std::move(bad), {}).has_value());
    expect(servers.all().size() == 1_u);
    servers.request_stop();
  };

  "servers that could expose a name are found by it, but not the slot of native tools"_test = [] {
    loop event_loop;
    server_context_fixture fixture{event_loop};
    server_slots servers{fixture.shared};
    expect(servers.add(named("files"), {}).has_value());
    expect(servers.add(named("git"), {}).has_value());
    const auto owners = servers.possible_owners({}, exposed_name({}, "files", "read"));
    expect(fatal(owners.size() == 1_u));
    expect(owners.front()->name() == "files");
    expect(servers.find(server_slots::native_id) == nullptr);
    servers.request_stop();
  };
};

}  // namespace server_slots_test
