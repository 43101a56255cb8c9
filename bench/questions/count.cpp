// SPDX-License-Identifier: MIT
// Repeats one operation and measures nothing: for `valgrind --tool=callgrind`, whose instruction counts do not depend
// on the load of the machine. The difference of two runs gives the cost of one operation.
#include <cstdio>

#include "../../registry/registry.hpp"
#include "../../runtime/loop/loop.hpp"
#include "../floors/http_floor.hpp"
#include "../load/call_loops.hpp"
#include "../load/http_connection.hpp"
#include "../load/memory_pair.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

task<bool> calls(loop& home, int times) {
  memory_pair both{home};
  bool fine = co_await both.open();
  if (fine) fine = co_await calls_in_turn(both.near(), times, result_form::bytes, nullptr);
  co_await both.close();
  co_return fine;
}

// The server is a separate process, which callgrind does not trace.
task<bool> calls_over_http(loop& home, int times) {
  auto server = http_server_process::start();
  if (!server) co_return false;
  ares_resolver names;
  http_peer_connection ours{home, names, options_for(url_of("http", server->port()))};
  bool fine = co_await ours.open();
  if (fine) fine = co_await calls_in_turn(ours.side(), times, result_form::bytes, nullptr);
  co_await ours.close();
  co_return fine;
}

bool lookups(int times) {
  constexpr std::uint32_t servers = 500;
  constexpr int tools_each = 20;
  hawser::registry table;
  auto list = std::make_shared<tool_list>();
  for (int i = 0; i < tools_each; ++i)
    list->add({.name = list->own("do_something_" + std::to_string(i)), .input_schema = R"({"type":"object"})"});
  for (std::uint32_t slot = 0; slot < servers; ++slot)
    table.replace({slot, 0}, "server-" + std::to_string(slot), std::shared_ptr<const tool_list>{list});
  const table_ref names = table.table();
  reader mine{table};
  std::size_t found = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(times); ++i) {
    const pin now = mine.pin_current();
    // A prime stride visits all rows in a scattered order.
    found += now->find((*names)[i * 7919 % names->size()].name) != nullptr ? 1 : 0;
  }
  return found == static_cast<std::size_t>(times);
}

}  // namespace

bool count(const settings& s, report& /*into*/) {
  if (s.counted == "lookup") return lookups(s.rounds);
  loop home;
  if (s.counted == "http") return home.run(calls_over_http(home, s.rounds));
  return home.run(calls(home, s.rounds));
}

}  // namespace hawser::bench
