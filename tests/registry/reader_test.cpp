// SPDX-License-Identifier: MIT
// Readers on many threads against one publisher. Under TSan this is the proof that the memory orders are enough; under
// ASan, that nothing is freed early or not at all.
#include "../../registry/reader.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <optional>
#include <random>
#include <thread>

#include "../../registry/registry.hpp"
#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace reader_test {

using namespace hawser;
using testing::tools_named;

// A server's list says in every tool which generation it is of, so that a row can be checked against itself.
std::shared_ptr<const tool_list> tools_of(server_id id, std::size_t count) {
  auto list = std::make_shared<tool_list>();
  const std::string_view mark = list->own(std::to_string(id.slot) + '/' + std::to_string(id.generation));
  for (std::size_t i = 0; i < count; ++i) list->add({.name = list->own("t" + std::to_string(i)), .description = mark});
  return list;
}

bool self_consistent(const tool_row& row) {
  const std::string mark = std::to_string(row.server.slot) + '/' + std::to_string(row.server.generation);
  return row.definition->description == mark && row.name.starts_with(row.server_name) &&
         row.name.ends_with(row.definition->name);
}

// Looks that found something, looks that did not, and what should never be.
struct tally {
  std::size_t found = 0;
  std::size_t missing = 0;
  std::size_t wrong = 0;
};

tally look_up(const registry& r, unsigned seed, std::size_t servers, std::size_t lookups) {
  std::minstd_rand random{seed + 1};
  reader mine{r};
  std::optional<table_ref> kept;
  tally t;
  std::uint64_t newest = 0;
  for (std::size_t i = 0; i < lookups;) {
    const std::uint64_t promised = r.version();
    const pin now = mine.pin_current();
    if (now->version() < newest || now->version() < promised) ++t.wrong;
    newest = now->version();
    for (int batch = 0; batch < 16; ++batch, ++i) {
      std::array<char, 32> name{};
      const int length = std::snprintf(name.data(), name.size(), "s%u__t%u", static_cast<unsigned>(random() % servers),
                                       static_cast<unsigned>(random() % 8));
      const std::string_view wanted{name.data(), static_cast<std::size_t>(length)};
      const tool_row* const row = now->find(wanted);
      ++(row != nullptr ? t.found : t.missing);
      if (row == nullptr) continue;
      if (row->name.compare(wanted) != 0) ++t.wrong;  // not `!=`: ut's own does not short-circuit and costs time
      if (batch == 0 && !self_consistent(*row)) ++t.wrong;
    }
    if (random() % 256 == 0) {
      // A whole table, held past its replacement: sorted, and every row as it was.
      kept = random() % 2 == 0 ? now.hold() : r.table();
      const tool_row* before = nullptr;
      for (const tool_row* row : **kept) {
        if (!self_consistent(*row) || (before != nullptr && !(before->name < row->name))) ++t.wrong;
        before = row;
        if (random() % 8 == 0) break;
      }
    }
  }
  return t;
}

// Servers are added, replaced, renamed, marked and removed for as long as threads read.
void churn(std::size_t servers, std::size_t threads, std::size_t lookups) {
  registry r;
  std::vector<tally> tallies(threads);
  std::vector<std::thread> readers;
  std::atomic<std::size_t> done{0};
  // Something to find from the beginning: on a busy machine the readers may be done before the first change.
  for (std::uint32_t slot = 0; slot < servers; slot += 2)
    r.replace({slot, 0}, "s" + std::to_string(slot), tools_of({slot, 0}, 4));
  for (std::size_t i = 0; i < threads; ++i) {
    readers.emplace_back([&, i] {
      tallies[i] = look_up(r, static_cast<unsigned>(i), servers, lookups / threads);
      done.fetch_add(1);
    });
  }
  std::minstd_rand random{1};
  std::vector<std::uint32_t> generations(servers, 0);
  std::size_t most_waiting = 0;
  std::size_t publications = 0;
  for (; done.load() < threads || publications < servers * 3; ++publications) {
    const auto slot = static_cast<std::uint32_t>(random() % servers);
    std::uint32_t& generation = generations[slot];
    switch (random() % 5) {
      case 0: r.remove({slot, generation}); break;
      case 1: r.set_available({slot, generation}, availability::unavailable); break;
      default:
        ++generation;
        r.replace({slot, generation}, (random() % 8 == 0 ? "renamed" : "s") + std::to_string(slot),
                  tools_of({slot, generation}, 1 + random() % 8));
    }
    most_waiting = std::max(most_waiting, r.collect());
  }
  for (std::thread& t : readers) t.join();
  tally all;
  for (const tally& t : tallies) {
    all.found += t.found;
    all.missing += t.missing;
    all.wrong += t.wrong;
  }
  expect(all.wrong == 0_ul) << all.wrong;
  expect(all.found + all.missing >= lookups && all.found > 0_ul && all.missing > 0_ul);
  // A reader keeps one, and a table() on its way another.
  expect(most_waiting <= threads * 2) << most_waiting;
  expect(r.collect() == 0_ul) << "no reader is left, so no old table is";
}

const suite<"reader"> tests = [] {
  "a look sees the current table, and the next look the next one"_test = [] {
    registry r;
    reader mine{r};
    expect(mine.pin_current()->version() == 0_ul);
    r.replace({0, 0}, "git", tools_named({"log"}));
    expect(mine.pin_current()->find("git__log") != nullptr);
    r.remove({0, 0});
    expect(mine.pin_current()->find("git__log") == nullptr && mine.pin_current()->version() == 2_ul);
  };

  "a look into a look sees the same table, until the first one ends"_test = [] {
    registry r;
    reader mine{r};
    {
      const pin outer = mine.pin_current();
      r.replace({0, 0}, "git", tools_named({"log"}));
      {
        const pin inner = mine.pin_current();
        expect(&*inner == &*outer && inner->empty());
      }
      r.replace({1, 0}, "web", tools_named({"fetch"}));
      expect(mine.pin_current()->version() == 0_ul && outer->empty());
      expect(r.collect() == 1_ul) << "only the one that is looked at; the one between is gone";
    }
    expect(mine.pin_current()->version() == 2_ul);
    expect(r.collect() == 0_ul);
  };

  "two readers may look at different tables"_test = [] {
    registry r;
    reader slow{r};
    reader quick{r};
    const pin old = slow.pin_current();
    r.replace({0, 0}, "git", tools_named({"log"}));
    expect(old->empty() && quick.pin_current()->size() == 1_ul && r.table()->size() == 1_ul);
  };

  "a reader that no longer looks keeps one table, until it rests or ends"_test = [] {
    registry r;
    std::optional<reader> idle{r};
    expect(idle->pin_current()->empty());
    for (std::uint32_t i = 0; i < 10; ++i) r.replace({i, 0}, "s" + std::to_string(i), tools_named({"t"}));
    expect(r.collect() == 1_ul);
    idle->release_table();
    expect(r.collect() == 0_ul);
    expect(idle->pin_current()->size() == 10_ul);
    r.remove({0, 0});
    expect(r.collect() == 1_ul);
    idle.reset();
    expect(r.collect() == 0_ul);
  };

  "what a pin holds is kept past the pin, the reader and the registry"_test = [] {
    std::optional<table_ref> held;
    std::optional<table_ref> copied;
    {
      registry r;
      r.replace({0, 0}, "git", tools_named({"log"}));
      reader mine{r};
      held = mine.pin_current().hold();
      r.replace({0, 0}, "git", tools_named({"status"}));
      copied = r.table();
      copied = held;
      held = r.table();
    }
    expect((*copied)->find("git__log")->definition->description == "does log");
    expect((*held)->find("git__status")->definition->description == "does status");
  };

  "T-42 a reader may outlive its registry, and sees the last table"_test = [] {
    auto r = std::make_unique<registry>();
    r->replace({0, 0}, "git", tools_named({"log"}));
    reader mine{*r};
    const pin before = mine.pin_current();
    r->replace({0, 0}, "git", tools_named({"status"}));
    r.reset();
    expect(before->find("git__log") != nullptr);
  };

  "any number of readers finds a place, and places are used again"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_named({"log"}));
    for (int round = 0; round < 3; ++round) {
      std::vector<std::unique_ptr<reader>> many;
      for (int i = 0; i < 100; ++i) {
        many.push_back(std::make_unique<reader>(r));
        expect(many.back()->pin_current()->size() == 1_ul);
      }
      r.set_available({0, 0}, round % 2 == 0 ? availability::unavailable : availability::available);
      expect(r.collect() == 1_ul);
      many.clear();
      expect(r.collect() == 0_ul);
    }
  };

  "the look of the hundredth reader counts as much as that of the first"_test = [] {
    registry r;
    std::vector<std::unique_ptr<reader>> many;
    for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<reader>(r));
    for (const auto& one : many) {
      const pin now = one->pin_current();
      const std::uint64_t seen = now->version();
      r.replace({0, static_cast<std::uint32_t>(seen)}, "git", tools_of({0, static_cast<std::uint32_t>(seen)}, 1));
      expect(r.collect() >= 1_ul && now->version() == seen);
      for (const auto& other : many)
        if (other != one) other->release_table();
      expect(r.collect() == 1_ul) << "this reader's";
    }
  };

  "T-42 a publication between seeing a table and saying so is noticed"_test = [] {
    hawser::detail::table_publisher table_publisher{std::make_unique<const tool_table>(1).release()};
    hawser::detail::hazard_slot& slot = table_publisher.take_slot();
    int publications = 0;
    const auto publish_and_free = [&] {
      if (publications == 3) return;
      ++publications;
      table_publisher.publish(std::make_unique<const tool_table>(1).release());
      table_publisher.collect();
    };
    const tool_table* const table = table_publisher.protect_current(slot, publish_and_free);
    expect(publications == 3 && table == table_publisher.current());
    table_publisher.publish(std::make_unique<const tool_table>(1).release());
    expect(table_publisher.collect() == 1_ul && table != table_publisher.current() && table->empty())
        << "it is protected";
    hawser::detail::table_publisher::return_slot(slot);
    expect(table_publisher.collect() == 0_ul);
  };

  "T-42 a look in the very moment of a publication never sees a table that is gone"_test = [] {
    registry r;
    r.replace({0, 0}, "git", tools_of({0, 0}, 1));
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    const auto look = [&] {
      reader mine{r};
      std::uint64_t newest = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const pin now = mine.pin_current();
        if (now->version() < newest || now->size() != 1) wrong.fetch_add(1);
        newest = now->version();
      }
    };
    const auto hold = [&] {
      std::uint64_t newest = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const table_ref now = r.table();
        if (now->version() < newest || now->size() != 1) wrong.fetch_add(1);
        newest = now->version();
      }
    };
    std::thread looking{look};
    std::thread holding{hold};
    // Tables as small as can be, so that publications follow each other as fast as looks do.
    for (int i = 0; i < (testing::instrumented ? 100'000 : 400'000); ++i)
      r.set_available({0, 0}, i % 2 == 0 ? availability::unavailable : availability::available);
    stop.store(true, std::memory_order_relaxed);
    looking.join();
    holding.join();
    expect(wrong.load() == 0) << wrong.load();
    expect(r.collect() == 0_ul);
  };

  "readers come and go on many threads while tables change"_test = [] {
    registry r;
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int rounds = 0; rounds < 200 || !stop.load(std::memory_order_relaxed); ++rounds) {
          reader mine{r};
          const std::uint64_t seen = mine.pin_current()->version();
          if (r.table()->version() < seen) wrong.fetch_add(1);
        }
      });
    }
    for (std::uint32_t i = 0; i < 500; ++i) r.replace({i % 7, i}, "s" + std::to_string(i % 7), tools_of({i % 7, i}, 3));
    stop.store(true, std::memory_order_relaxed);
    for (std::thread& t : threads) t.join();
    expect(wrong.load() == 0 && r.collect() == 0_ul);
  };

  "T-42 sixteen readers against a publisher see whole tables, in order, and all old ones are freed"_test = [] {
    churn(100, 16, testing::instrumented ? 400'000 : 10'000'000);
  };

  "H01 a thousand servers come and go while 64 readers look up"_test = [] {
    churn(testing::instrumented ? 200 : 1000, 64, testing::instrumented ? 200'000 : 4'000'000);
  };
};

}  // namespace reader_test
