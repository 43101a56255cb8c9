// SPDX-License-Identifier: MIT
// Prints a report as tables or as JSON lines.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "report.hpp"

namespace hawser::bench {

namespace {

namespace json = boost::json;

const char* pinning(const settings& s) { return s.free ? "not pinned" : "pinned to one core"; }

void print_line(const json::object& one) { std::printf("%s\n", json::serialize(one).c_str()); }

void print_json(const settings& s, const latency_table& table) {
  for (const candidate& c : table.rows) {
    const distribution& d = c.latency;
    json::object line{{"question", table.title},    {"candidate", c.name},           {"pinned", !s.free},
                      {"count", d.count()},         {"p50_us", d.percentile(50)},    {"p90_us", d.percentile(90)},
                      {"p99_us", d.percentile(99)}, {"p999_us", d.percentile(99.9)}, {"max_us", d.percentile(100)}};
    if (table.rows.size() > 1) line["p50_ratio"] = d.ratio_to(table.rows.front().latency);
    print_line(line);
  }
}

void print_text(const settings& s, const latency_table& table) {
  const bool with_floor = table.rows.size() > 1;
  std::printf("%s, %s, microseconds\n", table.title.c_str(), pinning(s));
  std::printf("  %-38s %8s %8s %8s %8s %9s %8s\n", "", "p50", "p90", "p99", "p99.9", "max",
              with_floor ? "x floor" : "calls");
  for (const candidate& c : table.rows) {
    const distribution& d = c.latency;
    std::printf("  %-38s %8.2f %8.2f %8.2f %8.2f %9.2f", c.name.c_str(), d.percentile(50), d.percentile(90),
                d.percentile(99), d.percentile(99.9), d.percentile(100));
    if (with_floor)
      std::printf(" %8.3f\n", d.ratio_to(table.rows.front().latency));
    else
      std::printf(" %8zu\n", d.count());
  }
}

void print_json(const settings& /*s*/, const figure_list& list) {
  for (const goal& g : list.all) {
    json::object line{{"question", list.title}, {"figure", g.name}, {"value", g.figure}, {"unit", g.unit}};
    if (g.bar) {
      line[g.wanted == goal::side::at_most ? "at_most" : "at_least"] = *g.bar;
      line["met"] = g.met();
    }
    print_line(line);
  }
}

void print_text(const settings& s, const figure_list& list) {
  std::printf("%s, %s\n", list.title.c_str(), pinning(s));
  for (const goal& g : list.all) {
    std::printf("  %-48s %12.2f %-10s", g.name.c_str(), g.figure, g.unit.c_str());
    if (g.bar)
      std::printf(" %s %g: %s", g.wanted == goal::side::at_most ? "at most" : "at least", *g.bar,
                  g.met() ? "met" : "missed");
    std::printf("\n");
  }
}

void print_json(const settings& s, const curve_list& list) {
  for (const rate_curve& curve : list.all) {
    for (const rate_point& p : curve.points) {
      print_line({{"question", list.title},
                  {"curve", curve.name},
                  {"pinned", !s.free},
                  {curve.open_loop ? "offered_per_second" : "in_flight", p.offered},
                  {"per_second", p.per_second},
                  {"p50_us", p.p50_us},
                  {"p99_us", p.p99_us},
                  {"errors", p.errors},
                  {"unsent", p.unsent}});
    }
  }
}

void print_text(const settings& s, const curve_list& list) {
  std::printf("%s, %s\n", list.title.c_str(), pinning(s));
  for (const rate_curve& curve : list.all) {
    std::printf("  %-38s %12s %12s %10s %10s %8s %8s\n", curve.name.c_str(),
                curve.open_loop ? "offered/s" : "in flight", "answered/s", "p50 us", "p99 us", "errors",
                curve.open_loop ? "unsent" : "");
    for (const rate_point& p : curve.points) {
      std::printf("  %-38s %12.0f %12.0f %10.2f %10.2f %8llu", "", p.offered, p.per_second, p.p50_us, p.p99_us,
                  static_cast<unsigned long long>(p.errors));
      if (curve.open_loop) std::printf(" %8llu", static_cast<unsigned long long>(p.unsent));
      std::printf("\n");
    }
  }
}

}  // namespace

void print(const settings& s, const report& found) {
  for (const remark& one : found.notes()) {
    if (s.json)
      print_line({{"note", one.about}, {"text", one.text}});
    else
      std::printf("%s: %s\n", one.about.c_str(), one.text.c_str());
  }
  const auto each = [&](const auto& parts) {
    for (const auto& part : parts) {
      if (s.json)
        print_json(s, part);
      else
        print_text(s, part);
    }
  };
  each(found.tables());
  each(found.curves());
  each(found.figures());
  for (const std::string& text : found.warnings()) {
    if (s.json)
      print_line({{"warning", text}});
    else
      std::printf("warning: %s\n", text.c_str());
  }
  if (s.json) {
    for (const std::string& text : found.failures()) print_line({{"error", text}});
  }
  std::fflush(stdout);
  // Also if the output goes to a file.
  for (const std::string& text : found.failures()) std::fprintf(stderr, "hawser-bench: %s\n", text.c_str());
}

}  // namespace hawser::bench
