// SPDX-License-Identifier: MIT
// The tool table: lookup, access to the table, changing one server among many, and reading while it changes. Medians
// of batches; each lookup depends on the previous one, so that latency is measured and not throughput.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include "../../registry/registry.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

using registry_type = hawser::registry;

constexpr std::size_t tools_per_slot = 20;
constexpr std::size_t judged_size = 10'000;
constexpr std::array<std::size_t, 4> sizes{100, 1'000, judged_size, 100'000};

std::shared_ptr<const tool_list> twenty_tools() {
  auto list = std::make_shared<tool_list>();
  for (std::size_t i = 0; i < tools_per_slot; ++i)
    list->add({.name = list->own("do_something_" + std::to_string(i)),
               .description = "A sentence that says when to use it.",
               .input_schema = R"({"type":"object"})"});
  return list;
}

std::string server_name(std::size_t slot) { return "server-" + std::to_string(slot * 7919 % 100'003); }

void fill(registry_type& r, std::size_t tools) {
  const auto list = twenty_tools();
  for (std::size_t slot = 0; slot < tools / tools_per_slot; ++slot)
    r.replace({static_cast<std::uint32_t>(slot), 0}, server_name(slot), list);
}

// Names in random order, in memory of their own, as they would come from a model's response.
class questions_asked {
 public:
  questions_asked(const tool_table& table, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < count; ++i) {
      const tool_row& row = table[random() % table.size()];
      places.emplace_back(bytes_.size(), row.name.size());
      bytes_ += row.name;
    }
    for (const auto& [at, size] : places) names_.push_back(std::string_view{bytes_}.substr(at, size));
  }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return names_[i % count]; }

 private:
  static constexpr std::size_t count = 16'384;
  std::string bytes_;
  std::vector<std::string_view> names_;
};

double nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// Looks up `count` names, one after the other; returns how many were not found.
std::size_t look_up_batch(reader& mine, const questions_asked& names, std::size_t& next, std::size_t count) {
  std::size_t missing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const pin now = mine.pin_current();
    const tool_row* const row = now->find(names[next++]);
    if (row == nullptr) {
      ++missing;
    } else {
      next += static_cast<std::size_t>(row->state);  // adds nothing, but makes the next lookup depend on this one
    }
  }
  return missing;
}

double lookup_nanoseconds(const registry_type& r, int rounds) {
  constexpr std::size_t batch = 256;
  const questions_asked names{*r.table(), 1};
  reader mine{r};
  std::size_t next = 0;
  std::size_t missing = look_up_batch(mine, names, next, 16'384);
  std::vector<double> each;
  for (int i = 0; i < rounds * 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    missing += look_up_batch(mine, names, next, batch);
    each.push_back(nanoseconds_since(begin) / batch);
  }
  return missing == 0 ? median(std::move(each)) : -1;
}

// Pins and releases the table without a lookup.
double entry_nanoseconds(const registry_type& r, int rounds) {
  constexpr std::size_t batch = 1000;
  reader mine{r};
  std::vector<double> each;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < batch; ++k) {
      const pin now = mine.pin_current();
      const tool_table* table = &*now;
      asm volatile("" : "+r"(table) : : "memory");  // the table is used, and may have changed by the next look
    }
    each.push_back(nanoseconds_since(begin) / batch);
  }
  return median(std::move(each));
}

struct swap_cost {
  double add_us;
  double remove_us;
};

swap_cost hot_swap(registry_type& r, int rounds) {
  const server_id id{1'000'000, 0};
  const auto list = twenty_tools();
  std::vector<double> adds;
  std::vector<double> removes;
  for (int i = 0; i < rounds; ++i) {
    const std::string name = server_name(static_cast<std::size_t>(i) + 50'000);  // anywhere in the order
    const auto begin = std::chrono::steady_clock::now();
    r.replace(id, name, list);
    adds.push_back(nanoseconds_since(begin) / 1000);
    const auto then = std::chrono::steady_clock::now();
    r.remove(id);
    removes.push_back(nanoseconds_since(then) / 1000);
  }
  return {median(std::move(adds)), median(std::move(removes))};
}

struct reading {
  double per_second = 0;  ///< of one thread
  double worst_us = 0;    ///< the longest time of 16 lookups
  std::size_t missing = 0;
};

reading read_for_long(const registry_type& r, const questions_asked& names, std::size_t lookups) {
  constexpr std::size_t batch = 16;
  reader mine{r};
  reading out;
  std::size_t next = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto before = begin;
  for (std::size_t done = 0; done < lookups; done += batch) {
    out.missing += look_up_batch(mine, names, next, batch);
    const auto now = std::chrono::steady_clock::now();
    out.worst_us = std::max(out.worst_us, std::chrono::duration<double, std::micro>(now - before).count());
    before = now;
  }
  out.per_second = static_cast<double>(lookups) * 1e9 / nanoseconds_since(begin);
  return out;
}

// Readers on `threads` threads while a server is added or removed about every millisecond.
std::vector<goal> read_while_publishing(std::size_t threads, std::size_t lookups) {
  registry_type r;
  fill(r, judged_size);
  const table_ref lasting = r.table();  // the tools that are always there
  std::vector<reading> readings(threads);
  std::atomic<std::size_t> done{0};
  std::vector<std::thread> readers;
  readers.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    readers.emplace_back([&, i] {
      const questions_asked names{*lasting, static_cast<unsigned>(i)};
      readings[i] = read_for_long(r, names, lookups / threads);
      done.fetch_add(1);
    });
  }
  const auto list = twenty_tools();
  std::uint32_t publications = 0;
  for (; done.load() < threads; ++publications) {
    const server_id id{1'000'000, publications / 2};
    if (publications % 2 == 0) {
      r.replace(id, "guest", list);
    } else {
      r.remove(id);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  for (std::thread& t : readers) t.join();
  double slowest = readings[0].per_second;
  double worst = 0;
  std::size_t missing = 0;
  for (const reading& one : readings) {
    slowest = std::min(slowest, one.per_second);
    worst = std::max(worst, one.worst_us);
    missing += one.missing;
  }
  const std::string who = std::to_string(threads) + (threads == 1 ? " reader, " : " readers, ");
  return {{.name = who + "lookups of the slowest", .figure = slowest / 1e6, .unit = "M/s"},
          {.name = who + "longest 16 lookups", .figure = worst, .unit = "us"},
          {.name = who + "tables published meanwhile", .figure = static_cast<double>(publications), .unit = "tables"},
          {.name = who + "known tools not found", .figure = static_cast<double>(missing), .unit = "tools", .bar = 0}};
}

}  // namespace

bool look_up(const settings& s, report& into) {
  std::vector<goal> all;
  const std::size_t lookups = static_cast<std::size_t>(s.rounds) * static_cast<std::size_t>(s.per_round);
  // Before this thread is pinned: threads inherit the affinity.
  for (const std::size_t threads : {1UL, 2UL, 4UL, 8UL, 16UL})
    for (goal& g : read_while_publishing(threads, lookups / 5)) all.push_back(std::move(g));
  if (!s.free && !pin_to_one_core()) {
    std::fprintf(stderr, "hawser-bench: cannot pin to one core here; --free measures without\n");
    return false;
  }
  for (const std::size_t size : sizes) {
    const auto judged = [&](double bar) { return size == judged_size ? s.judged(bar) : std::nullopt; };
    const auto named = [&](const char* what) {
      std::string name = size == judged_size ? "P4 " : "";
      name += what;
      return name + " among " + std::to_string(size) + " tools";
    };
    registry_type r;
    fill(r, size);
    const double lookup = lookup_nanoseconds(r, s.rounds);
    if (lookup < 0) return false;
    const swap_cost swap = hot_swap(r, s.rounds);
    all.push_back({.name = named("lookup"), .figure = lookup, .unit = "ns", .bar = judged(50)});
    all.push_back({.name = named("entry"), .figure = entry_nanoseconds(r, s.rounds), .unit = "ns", .bar = judged(3)});
    all.push_back({.name = named("adding a server of 20"), .figure = swap.add_us, .unit = "us", .bar = judged(50)});
    all.push_back({.name = named("removing it"), .figure = swap.remove_us, .unit = "us", .bar = judged(50)});
  }
  into.add(figure_list{"the registry", std::move(all)});
  return true;
}

}  // namespace hawser::bench
