// SPDX-License-Identifier: MIT
#include "plot.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace hawser::bench {

namespace {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string time_text(double microseconds) {
  if (microseconds < 1) return short_number(microseconds * 1000) + " ns";
  if (microseconds < 1000) return short_number(microseconds) + " µs";
  if (microseconds < 1e6) return short_number(microseconds / 1000) + " ms";
  return short_number(microseconds / 1e6) + " s";
}

std::string count_text(double count) {
  if (count >= 1e6) return short_number(count / 1e6) + " M";
  if (count >= 1000) return short_number(count / 1000) + " k";
  return short_number(count);
}

const char* core_placement(const settings& s) { return s.free ? "not pinned" : "client and server on one core"; }

// The distance from one nine to the next is constant: shows how rare a latency is, not how many are below it.
double rareness(double percent) { return -std::log10(1 - percent / 100); }

series line_of(const candidate& c, std::size_t color) {
  std::vector<std::int64_t> sorted{c.latency.values().begin(), c.latency.values().end()};
  std::sort(sorted.begin(), sorted.end());
  series made{.name = c.name,
              .note = "p50 " + time_text(c.latency.percentile(50)) + ", p99 " + time_text(c.latency.percentile(99)),
              .color = color};
  constexpr int steps = 120;
  const auto count = static_cast<double>(sorted.size());
  const double last = std::log10(std::max(count, 10.0));  // a value rarer than one of all cannot be observed
  for (int i = 0; i <= steps; ++i) {
    const double x = last * i / steps;
    const auto rank = static_cast<std::size_t>((1 - std::pow(10, -x)) * count);
    made.points.emplace_back(x, static_cast<double>(sorted[std::min(rank, sorted.size() - 1)]) / 1000);
  }
  return made;
}

chart chart_of(const settings& s, const latency_table& table) {
  chart made{.title = table.title, .subtitle = std::string{"latency by percentile, "} + core_placement(s)};
  double least = 1e18;
  double most = 0;
  double rarest = 1;
  for (const candidate& c : table.rows) {
    if (c.latency.count() == 0) continue;
    made.lines.push_back(line_of(c, static_cast<std::size_t>(&c - table.rows.data())));
    rarest = std::max(rarest, made.lines.back().points.back().first);
    for (const auto& [x, y] : made.lines.back().points) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
  }
  made.y = logarithmic_axis("", least, most, time_text);
  made.x = {.label = "percentile", .from = 0, .to = rarest};
  for (const auto& [percent, text] : {std::pair{0.0, "0"},
                                      {50.0, "50"},
                                      {90.0, "90"},
                                      {99.0, "99"},
                                      {99.9, "99.9"},
                                      {99.99, "99.99"},
                                      {99.999, "99.999"}}) {
    if (rareness(percent) <= rarest) made.x.ticks.push_back({rareness(percent), text});
  }
  return made;
}

// One line: responses per second over calls in flight.
chart throughput_chart(const settings& s, const curve_list& list) {
  chart made{.title = list.title, .subtitle = std::string{"calls answered a second, "} + core_placement(s)};
  double most_in_flight = 2;
  double most = 0;
  for (const rate_curve& curve : list.all) {
    if (curve.open_loop) continue;
    series line{.name = curve.name, .color = made.lines.size() + 1};
    double best = 0;
    for (const rate_point& p : curve.points) {
      line.points.emplace_back(p.offered, p.per_second);
      most_in_flight = std::max(most_in_flight, p.offered);
      best = std::max(best, p.per_second);
    }
    line.note = "up to " + count_text(best) + "/s";
    most = std::max(most, best);
    made.lines.push_back(std::move(line));
  }
  made.y = linear_axis("", most, count_text);
  made.x = {.label = "calls in flight", .from = 1, .to = most_in_flight, .how = axis::scale::logarithmic};
  for (double at = 1; at <= most_in_flight; at *= 2) made.x.ticks.push_back({at, count_text(at)});
  return made;
}

// Two lines, p99 and p50, over the arrival rate.
chart load_chart(const settings& s, const curve_list& list) {
  chart made{.title = list.title,
             .subtitle = std::string{"latency of calls that come when they come, "} + core_placement(s)};
  double least = 1e18;
  double most = 0;
  double fastest = 0;
  std::size_t color = 0;
  for (const rate_curve& curve : list.all) {
    if (!curve.open_loop) continue;
    ++color;
    series p50{.name = curve.name + ", p50", .color = color};
    series p99{.name = curve.name + ", p99", .dashed = true, .color = color};
    for (const rate_point& p : curve.points) {
      p50.points.emplace_back(p.offered, p.p50_us);
      p99.points.emplace_back(p.offered, p.p99_us);
      least = std::min(least, p.p50_us);
      most = std::max(most, p.p99_us);
      fastest = std::max(fastest, p.offered);
    }
    made.lines.push_back(std::move(p50));
    made.lines.push_back(std::move(p99));
  }
  made.y = logarithmic_axis("", least, most, time_text);
  made.x = linear_axis("calls offered a second", fastest, count_text);
  return made;
}

error cannot_write(const std::string& path) {
  return {errc::io, "the plot cannot be written to " + path + ": " + std::strerror(errno), errno};
}

}  // namespace

std::vector<chart> charts_of(const settings& s, const report& found) {
  std::vector<chart> made;
  for (const latency_table& table : found.tables()) made.push_back(chart_of(s, table));
  for (const curve_list& list : found.curves()) {
    for (chart& c : std::vector{throughput_chart(s, list), load_chart(s, list)}) made.push_back(std::move(c));
  }
  std::erase_if(made, [](const chart& c) { return c.lines.empty(); });
  return made;
}

result<void> plot(const settings& s, const report& found) {
  const auto charts = charts_of(s, found);
  if (charts.empty())
    return error{errc::config, "there is nothing to draw into " + s.plot + ": only figures were found"};
  const std::string beside = s.plot + ".new";
  {
    std::ofstream file{beside};
    file << draw(charts);
    if (!file.flush()) return cannot_write(s.plot);
  }
  if (std::rename(beside.c_str(), s.plot.c_str()) != 0) return cannot_write(s.plot);
  return {};
}

}  // namespace hawser::bench
