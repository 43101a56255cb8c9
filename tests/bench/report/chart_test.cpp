// SPDX-License-Identifier: MIT
#include "../../../bench/report/chart.hpp"

#include "../../../bench/report/plot.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace chart_test {

using namespace hawser::bench;

std::string plain(double value) { return std::to_string(static_cast<long>(value)); }

int count_of(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Between 1 and `most` microseconds, evenly.
candidate spread(std::string name, int most) {
  candidate made{.name = std::move(name)};
  for (int i = 1; i <= most; ++i) made.latency.add(std::chrono::microseconds{i});
  made.latency.end_round();
  return made;
}

const boost::ut::suite<"chart"> tests = [] {
  using namespace boost::ut;

  "an axis places its ends at its ends, and what lies beyond at the nearest one"_test = [] {
    const axis linear{.from = 10, .to = 20};
    expect(linear.place(10) == 0.0_d and linear.place(15) == 0.5_d and linear.place(20) == 1.0_d);
    expect(linear.place(-5) == 0.0_d and linear.place(99) == 1.0_d);
    const axis logarithmic{.from = 1, .to = 100, .how = axis::scale::logarithmic};
    expect(logarithmic.place(10) == 0.5_d and logarithmic.place(0) == 0.0_d);
    const axis nothing{.from = 3, .to = 3};
    expect(nothing.place(3) == 0.0_d) << "an axis without a length is drawn all the same";
  };

  "an axis covers its range with a few ticks"_test = [] {
    for (const auto& [least, most] : {std::pair{3.1, 4.2}, {0.4, 900.0}, {5.0, 5.0}, {2.0, 3e6}}) {
      const axis made = logarithmic_axis("", least, most, plain);
      expect(made.from <= least and made.to >= most and made.from < made.to) << least << most;
      expect(made.ticks.size() >= 2_ul and made.ticks.size() <= 13_ul) << least << most << made.ticks.size();
    }
    for (const double most : {1.0, 7.0, 19.0, 100.0, 123456.0}) {
      const axis made = linear_axis("", most, plain);
      expect(made.from == 0.0_d and made.to >= most and made.to <= most * 2) << most;
      expect(made.ticks.size() >= 4_ul and made.ticks.size() <= 12_ul) << most << made.ticks.size();
    }
  };

  "text of foreign origin is escaped in the SVG"_test = [] {
    const chart one{.title = "<script>&", .lines = {{.name = "a\x1b[31m<b>", .points = {{0, 0}, {1, 1}}}}};
    const std::string svg = draw(std::vector{one});
    expect(svg.find("<script") == std::string::npos and svg.find("&lt;script&gt;&amp;") != std::string::npos);
    expect(svg.find('\x1b') == std::string::npos and svg.find("<b>") == std::string::npos);
  };

  "a drawing has colors for light and for dark pages"_test = [] {
    const std::string svg = draw(std::vector{chart{.title = "t"}});
    expect(svg.starts_with("<svg xmlns=") and svg.ends_with("</svg>\n"));
    expect(svg.find("prefers-color-scheme: dark") != std::string::npos);
  };

  "every candidate that was measured is a line of the distribution"_test = [] {
    report found;
    found.add(latency_table{"calls", {spread("floor", 1000), spread("ours", 2000), candidate{.name = "absent"}}});
    const auto charts = charts_of({}, found);
    expect(fatal(charts.size() == 1_ul));
    expect(fatal(charts[0].lines.size() == 2_ul));
    const auto& points = charts[0].lines[1].points;
    expect(points.front().second == 1.0_d) << "the fastest";
    expect(points.back().second == 2000.0_d) << "the slowest";
    for (std::size_t i = 1; i < points.size(); ++i) expect(points[i].second >= points[i - 1].second);
    expect(charts[0].lines[1].note.find("p50 1 ms, p99 1.98 ms") != std::string::npos) << charts[0].lines[1].note;
    expect(count_of(draw(charts), "<polyline") == 2_i);
  };

  "closed and open loops are drawn apart"_test = [] {
    report found;
    rate_curve closed{.name = "closed", .points = {{1, 1000, 10, 20, 0}, {256, 90'000, 100, 400, 0}}};
    rate_curve open{.name = "open", .open_loop = true, .points = {{500, 500, 9, 30, 0}, {1000, 990, 12, 80, 1}}};
    found.add(curve_list{"load", {closed, open}});
    const auto charts = charts_of({}, found);
    expect(fatal(charts.size() == 2_ul));
    expect(charts[0].lines.size() == 1_ul and charts[0].lines[0].points.back() == std::pair{256.0, 90'000.0});
    expect(charts[1].lines.size() == 2_ul) << "p50 and p99";
    expect(charts[1].lines[1].points.back() == std::pair{1000.0, 80.0});
  };

  "a plot is a file, or an error that names it"_test = [] {
    hawser::testing::temporary_folder folder;
    report found;
    found.add(latency_table{"calls", {spread("floor", 10), spread("ours", 20)}});
    settings s{.plot = folder / "out.svg"};
    expect(plot(s, found).has_value());
    expect(std::filesystem::file_size(s.plot) > 1000_ul);
    s.plot = folder / "nowhere/out.svg";
    const auto refused = plot(s, found);
    expect(refused.has_error() and refused.error().what.find(s.plot) != std::string::npos);
    const auto empty = plot(s, report{});
    expect(empty.has_error() and empty.error().what.find("nothing to draw") != std::string::npos);
  };
};

}  // namespace chart_test
