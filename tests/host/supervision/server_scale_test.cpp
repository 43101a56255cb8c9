// SPDX-License-Identifier: MIT
// A hundred servers at once: a few start at a time, and those that hang hold up nobody.
#include <fstream>

#include "../../support/hub_fixture.hpp"
#include "../../support/temporary_folder.hpp"

namespace server_scale_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::hub_fixture;
using testing::manual_clock;
using testing::with_hub;
using state = server_state;

std::string numbered(const std::string& name, int number) { return name + std::to_string(number); }

std::size_t running(const hub_fixture& h) {
  std::size_t count = 0;
  for (const server_status& one : h.of.status()) count += one.pid != 0 ? 1 : 0;
  return count;
}

task<std::size_t> until_running(hub_fixture& h, std::size_t count) {
  while (running(h) < count) co_await hub_fixture::turns(1);
  co_await hub_fixture::turns(200);
  co_return running(h);
}

// None of them answers before there is a gate, and the clock stands still: what runs has got a place.
task<void> eight_at_a_time(hub_fixture& h) {
  const testing::temporary_folder folder;
  const std::string gate = folder / "gate";
  for (int i = 0; i < 100; ++i)
    h.add(h.shell(numbered("s", i), "while ! [ -e " + gate + " ]; do sleep 0.01; done; serve"));
  const std::size_t first = co_await until_running(h, 8);
  expect(first == 8_ul) << first << "start at once";
  h.clock->advance(300ms);  // a place is held no longer than that
  const std::size_t second = co_await until_running(h, 16);
  expect(second == 16_ul) << second;
  std::ofstream{gate} << "open";
  auto all = co_await h.of.settled();
  expect(all.has_value());
  for (const server_status& one : h.of.status()) expect(one.state == state::ready) << one.name << one.reason;
  expect(h.of.tools()->size() == 100_ul);
}

task<std::chrono::nanoseconds> until_ready(hub_fixture& h, int count) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) h.add(h.shell(numbered("s", i), "serve"));
  for (int i = 0; i < count; ++i) co_await h.until(numbered("s", i), state::ready);
  const auto took = std::chrono::steady_clock::now() - begin;
  for (int i = 0; i < count; ++i) {
    auto removed = co_await h.of.remove_server(numbered("s", i));
    expect(removed.has_value());
  }
  co_return took;
}

task<void> hanging(hub_fixture& h) {
  const auto alone = co_await until_ready(h, 92);
  for (int i = 0; i < 8; ++i) h.add(h.shell(numbered("hangs", i), "sleep 60"));
  const auto beside = co_await until_ready(h, 92);
  // Twice as long may be the machine; eight places that are not given back would be half a minute.
  expect(beside < 2 * alone + 1s) << "alone" << alone / 1ms << "ms, beside eight that hang" << beside / 1ms << "ms";
  for (int i = 0; i < 8; ++i) expect(h.of.status(numbered("hangs", i))->state == state::starting);
}

const suite<"server scale"> tests = [] {
  "A32 a hundred servers start eight at a time, and all of them start"_test = [] {
    manual_clock clock{manual_clock::when_idle::stand_still};
    with_hub(eight_at_a_time, {}, {}, &clock);
  };
  "A32 eight servers that hang change nobody's start by more than a second"_test = [] { with_hub(hanging); };
};

}  // namespace server_scale_test
