// SPDX-License-Identifier: MIT
// One thing done so many times, and nothing measured: for `valgrind --tool=callgrind`, whose instruction counts are the
// same on a busy machine. The difference of two runs is what one time costs.
#include <cstdio>

#include "../registry/registry.hpp"
#include "../runtime/loop.hpp"
#include "connection.hpp"
#include "memory_pair.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

task<bool> calls(loop& home, int times) {
  memory_pair both{home};
  bool fine = co_await both.open();
  for (int i = 0; fine && i < times; ++i) {
    auto answer = co_await both.near().call(echo_request(), echo_arguments(), usual_deadlines());
    fine = answer.has_value();
  }
  co_await both.close();
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
    const pin now = mine.look();
    // A prime steps through all rows in an order of its own.
    found += now->find((*names)[i * 7919 % names->size()].name) != nullptr ? 1 : 0;
  }
  return found == static_cast<std::size_t>(times);
}

}  // namespace

bool count(const settings& s, report& /*into*/) {
  if (s.counted == "lookup") return lookups(s.rounds);
  loop home;
  return home.run(calls(home, s.rounds));
}

}  // namespace hawser::bench
