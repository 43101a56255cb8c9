// SPDX-License-Identifier: MIT
// Checks whether the goals are met. Runs every benchmark in a process of its own and collects the figures; with a
// folder, writes all results there.
#include "verdict.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "../../runtime/loop/loop.hpp"
#include "../report/progress.hpp"
#include "../report/results_page.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

namespace json = boost::json;

constexpr int last_goal = 10;

enum class need : std::uint8_t { for_goals, for_results };

struct asked {
  const char* name;
  need when;
  bool draws;
};
constexpr asked all_questions[] = {
    {"dispatch", need::for_goals, true}, {"http", need::for_goals, true},      {"large", need::for_goals, false},
    {"list", need::for_goals, false},    {"registry", need::for_goals, false}, {"cold", need::for_goals, false},
    {"memory", need::for_goals, false},  {"cli", need::for_goals, false},      {"floor", need::for_results, true},
    {"start", need::for_results, false}, {"swap", need::for_results, true}};

// "P7 p50, cold start" is a figure of goal 7.
int goal_number(std::string_view name) {
  int number = 0;
  if (!name.starts_with('P')) return 0;
  const auto read = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  return read.ec == std::errc{} && read.ptr != name.data() + name.size() && *read.ptr == ' ' ? number : 0;
}

std::string text_in(const json::object& line, std::string_view key) {
  const auto* const found = line.if_contains(key);
  return found != nullptr && found->is_string() ? std::string{found->get_string()} : std::string{};
}

std::optional<double> number_in(const json::object& line, std::string_view key) {
  const auto* const found = line.if_contains(key);
  if (found == nullptr) return std::nullopt;
  boost::system::error_code none;
  const auto value = found->to_number<double>(none);
  return none ? std::nullopt : std::optional{value};
}

std::vector<std::string> arguments_for(const asked& one, const settings& s) {
  std::vector<std::string> made{one.name};
  if (s.free) made.emplace_back("--free");
  if (s.quick) made.emplace_back("--quick");
  if (std::string_view{one.name} == "dispatch") {
    if (s.typescript_peers) made.emplace_back("--peers");
    for (const std::string& peer : s.peers) made.insert(made.end(), {"--peer", peer});
  }
  if (!s.results.empty() && one.draws) made.insert(made.end(), {"--plot", plot_path(s.results, one.name)});
  return made;
}

task<std::vector<benchmark_output>> ask_all(loop& home, const settings& s) {
  keeper starts{home};
  std::vector<benchmark_output> made;
  int number = 0;
  for (const asked& one : all_questions) {
    show_progress("verdict", number++, static_cast<int>(std::size(all_questions)));
    if (one.when == need::for_results && s.results.empty()) continue;
    auto answer = co_await ask(starts, arguments_for(one, s));
    made.push_back(std::move(answer));
  }
  auto closed = co_await starts.close();
  ignore(closed, "every question has ended");
  co_return made;
}

}  // namespace

std::vector<goal> goals_in(std::span<const benchmark_output> all) {
  std::multimap<int, goal> by_number;  // figures of one goal stay in the order found
  for (const benchmark_output& one : all) {
    for (const json::object& line : one.lines) {
      goal found{.name = text_in(line, "figure"), .unit = text_in(line, "unit")};
      const int number = goal_number(found.name);
      if (number == 0) continue;
      found.name += " (" + one.question + ")";
      found.figure = number_in(line, "value").value_or(std::nan(""));  // NaN meets no bar
      found.bar = number_in(line, "at_most");
      if (!found.bar) {
        found.bar = number_in(line, "at_least");
        if (found.bar) found.wanted = goal::side::at_least;
      }
      by_number.emplace(number, std::move(found));
    }
  }
  std::vector<goal> made;
  for (auto& [number, one] : by_number) made.push_back(std::move(one));
  return made;
}

std::vector<int> goals_missing(std::span<const goal> found) {
  std::vector<int> made;
  for (int number = 1; number <= last_goal; ++number) {
    if (std::none_of(found.begin(), found.end(), [&](const goal& g) { return goal_number(g.name) == number; }))
      made.push_back(number);
  }
  return made;
}

bool verdict(const settings& s, report& into) {
  if (!s.results.empty()) {
    if (auto ready = prepare_results(s.results); !ready) {
      std::fprintf(stderr, "hawser-bench: %s\n", ready.error().what.c_str());
      return false;
    }
    // A benchmark that ends early draws nothing: remove the plots of earlier runs, so that none of them appears
    // beside its figures.
    for (const asked& one : all_questions) std::remove(plot_path(s.results, one.name).c_str());
  }
  loop home;
  const std::vector<benchmark_output> all = home.run(ask_all(home, s));
  bool whole = true;
  for (const benchmark_output& one : all) {
    if (!one.failure.empty()) {
      into.warn(one.failure);
      whole = false;
    }
    for (const json::object& line : one.lines) {
      if (const std::string warning = text_in(line, "warning"); !warning.empty())
        into.warn(one.question + ": " + warning);
      // Bars other than the goals: events that must not happen at all.
      const auto* const met = line.if_contains("met");
      if (met == nullptr || *met != false || goal_number(text_in(line, "figure")) != 0) continue;
      into.warn(one.question + ": " + text_in(line, "figure") + " is not what it must be");
      whole = false;
    }
  }
  figure_list goals{"the goals", goals_in(all)};
  for (const int number : goals_missing(goals.all)) {
    into.warn("P" + std::to_string(number) + " was not measured" +
              (number == 9 ? ": it compares with other clients; --peers lets them take part" : ""));
    whole = whole && s.quick;  // a quick run judges nothing
  }
  into.add(goals);
  if (!s.results.empty()) {
    if (auto written = write_results(s, all, goals); !written) {
      std::fprintf(stderr, "hawser-bench: %s\n", written.error().what.c_str());
      return false;
    }
  }
  return whole;
}

}  // namespace hawser::bench
