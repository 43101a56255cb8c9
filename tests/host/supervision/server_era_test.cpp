// SPDX-License-Identifier: MIT
// What a host remembers of a server's era from one run to the next, protocol.md §2.3: a verdict is as old as the answer
// that gave it, and there is none without an answer.
#include <chrono>
#include <fstream>
#include <sstream>

#include "../../../host/supervision/server_cache.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/run.hpp"
#include "../../support/scripted_servers.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace server_era_test {

using namespace hawser;
using testing::manual_clock;
using testing::scripted_server;
using testing::scripted_servers;
using testing::serving;
using testing::tool_named;

constexpr std::int64_t hour = 3600;

server_settings files(protocol_choice::kind era = protocol_choice::kind::automatic) {
  server_settings s{.name = "files"};
  s.protocol.era = era;
  return s;
}

void upgraded(scripted_server& end) {
  end.on("server/discover", R"({"resultType":"complete","supportedVersions":["2026-07-28"],)"
                            R"("capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"})");
  end.on("tools/list", R"({"resultType":"complete","tools":[)" + tool_named("read") + "]}");
}
void silent(scripted_server& end) {
  serving(tool_named("read"))(end);
  end.stay_silent("server/discover");
}

task<void> pass(manual_clock* by, duration time, scripted_servers& fleet) {
  while (fleet.ends.empty() || fleet.ends.back()->order().empty()) {
    auto turn = co_await sleep_for(duration::zero());
    expect(turn.has_value());
  }
  by->advance(time);
}

// One run of a host with one server; the methods that the server saw, in their order.
task<std::string> one_run(std::string folder, std::function<void(scripted_server&)> how, server_settings settings,
                          manual_clock* by) {
  const context where = co_await this_context();
  scripted_servers fleet{where};
  hub servers{*where.loop, {}, {.cache_folder = std::move(folder)}};
  const auto added = servers.add_server(std::move(settings), fleet.connects(std::move(how)));
  expect(added.has_value());
  auto opened = co_await servers.open();
  scope waiting{where};
  if (by != nullptr) waiting.spawn(pass(by, std::chrono::seconds{4}, fleet));
  auto settled = co_await servers.settled();
  co_await waiting.join();
  expect(opened.has_value() && settled.has_value());
  auto closed = co_await servers.close();
  expect(closed.has_value());
  std::string order;
  for (const auto& one : fleet.ends) order += (order.empty() ? "" : " | ") + one->order();
  co_await fleet.close();
  co_return order;
}

struct memory_of_runs {
  testing::temporary_folder folder{};

  std::string run(std::function<void(scripted_server&)> how, server_settings settings = files()) {
    return testing::run(one_run(folder.path, std::move(how), std::move(settings), nullptr));
  }
  std::string run_past_silence() {
    manual_clock by{manual_clock::when_idle::stand_still};
    return testing::run(by, one_run(folder.path, silent, files(), &by));
  }
  cached_server known() {
    const server_cache memory{folder.path};
    auto found = testing::run(memory.load(files(), 100));
    expect(found.has_value() and found->has_value());
    return found.has_value() ? found->value_or(cached_server{}) : cached_server{};
  }
  void pretend(std::string revision, std::int64_t seen) {
    cached_server changed = known();
    changed.revision = std::move(revision);
    changed.last_probed = seen;
    // What is said already would not be written again.
    cached_server other;
    const server_cache memory{folder.path};
    expect(testing::run(memory.store(files(), other)).has_value());
    expect(testing::run(memory.store(files(), changed)).has_value());
    expect(known().last_probed == seen);
  }
};

const std::string asked = "server/discover initialize notifications/initialized tools/list";
const std::string not_asked = "initialize notifications/initialized tools/list";

const suite<"server_era"> tests = [] {
  "a start that does not ask for the era does not make the verdict any younger"_test = [] {
    memory_of_runs m;
    expect(m.run(serving(tool_named("read"))) == asked);
    const std::int64_t yesterday = server_cache::now() - 23 * hour;
    m.pretend("2025-11-25", yesterday);
    expect(m.run(serving(tool_named("read"))) == not_asked);
    expect(m.known().last_probed == yesterday) << "it is used every day, and expires all the same";
    expect(m.run(serving(tool_named("read") + ',' + tool_named("write"))) == not_asked);
    expect(m.known().last_probed == yesterday and m.known().tools->size() == 2_ul)
        << "other tools are no other verdict";
    m.pretend("2025-11-25", server_cache::now() - 25 * hour);
    expect(m.run(upgraded) == "server/discover tools/list") << "it is asked again";
    expect(m.known().revision == "2026-07-28" and m.known().last_probed > yesterday);
  };

  "the silence of a server is not remembered as its verdict, but its tools are"_test = [] {
    memory_of_runs m;
    expect(m.run_past_silence() == asked);
    expect(m.known().last_probed == 0_l and m.known().tools->size() == 1_ul);
    expect(m.run(upgraded) == "server/discover tools/list") << "it was only slow";
  };

  "a silence takes an older verdict back"_test = [] {
    memory_of_runs m;
    expect(m.run(serving(tool_named("read"))) == asked);
    m.pretend("2025-11-25", server_cache::now() - 25 * hour);
    expect(m.run_past_silence() == asked);
    expect(m.known().last_probed == 0_l);
  };

  "an era that the configuration says is no verdict of the server"_test = [] {
    memory_of_runs m;
    expect(m.run(serving(tool_named("read")), files(protocol_choice::kind::legacy)) == not_asked);
    expect(m.known().last_probed == 0_l);
    expect(m.run(upgraded) == "server/discover tools/list");
  };

  "a file without a revision says nothing about the era"_test = [] {
    memory_of_runs m;
    expect(m.run(serving(tool_named("read"))) == asked);
    m.pretend("", server_cache::now() - 1);
    expect(m.run(serving(tool_named("read"))) == asked);
  };

  "a server that died of the question is not asked again for a day"_test = [] {
    memory_of_runs m;
    int starts = 0;
    const auto dies = [&](scripted_server& end) {
      serving(tool_named("read"))(end);
      if (++starts > 1) return;
      end.on("server/discover", scripted_server::answer{[&end](std::string_view) {
               end.end();
               return std::string{};
             }});
    };
    expect(m.run(dies) == "server/discover | " + not_asked);
    expect(m.known().last_probed > 0_l);
    expect(m.run(serving(tool_named("read"))) == not_asked);
  };
};

}  // namespace server_era_test
