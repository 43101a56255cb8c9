// SPDX-License-Identifier: MIT
#include "chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string_view>

namespace hawser::bench {

namespace {

constexpr double chart_width = 860;
constexpr double margin_left = 76;
constexpr double margin_right = 24;
constexpr double plot_height = 300;
constexpr double legend_row = 20;
constexpr double above_legend = 62;  // title and subtitle
constexpr double below_plot = 64;    // ticks and label

struct palette {
  const char* page;
  const char* ink;
  const char* soft;
  const char* grid;
  std::array<const char*, 8> lines;
};
// Distinguishable with colour vision deficiency.
constexpr palette light{"#ffffff",
                        "#1f2328",
                        "#59636e",
                        "#d9dee4",
                        {"#6e7781", "#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#0a7c8c"}};
constexpr palette dark{"#0d1117",
                       "#f0f6fc",
                       "#9198a1",
                       "#2b323b",
                       {"#9198a1", "#4493f8", "#f0883e", "#3fb950", "#ab7df8", "#db61a2", "#d29922", "#39c5cf"}};

void put(std::string& out, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) out += part;
}

// Classes instead of CSS variables: SVG viewers other than browsers do not support variables.
std::string rules_of(const palette& p) {
  std::string made = std::string{".page { fill: "} + p.page + "; } text { fill: " + p.ink +
                     "; } .soft { fill: " + p.soft + "; } .grid { stroke: " + p.grid + "; }";
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    const std::string n = std::to_string(i);
    put(made, {" .line", n, " { stroke: ", p.lines[i], "; } .dot", n, " { fill: ", p.lines[i], "; }"});
  }
  return made;
}

// A viewer without media queries shows the light colours on white.
std::string style() {
  return "<style>\ntext { font: 13px -apple-system, \"Segoe UI\", \"Noto Sans\", Helvetica, Arial, sans-serif; }\n"
         ".title { font-size: 16px; font-weight: 600; } .end { text-anchor: end; } .middle { text-anchor: middle; }\n"
         ".line { fill: none; stroke-width: 2; stroke-linejoin: round; }\n" +
         rules_of(light) + "\n@media (prefers-color-scheme: dark) { " + rules_of(dark) + " }\n</style>\n";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      // XML cannot represent most control characters.
      default: made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return made;
}

void put_text(std::string& out, double x, double y, const std::string& kind, const std::string& text) {
  out += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + kind + "\">" + escaped(text) + "</text>\n";
}

void put_line(std::string& out, double x1, double y1, double x2, double y2) {
  out += "<line class=\"grid\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" +
         number(y2) + "\"/>\n";
}

std::string color_of(const series& line) { return std::to_string(line.color % light.lines.size()); }

std::string line_class(const series& line) {
  return "class=\"line line" + color_of(line) + "\"" + (line.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

double height_of(const chart& c) {
  return above_legend + legend_row * static_cast<double>(c.lines.size()) + plot_height + below_plot;
}

void put_axes(std::string& out, const chart& c, double top) {
  const double bottom = top + plot_height;
  for (const tick& t : c.y.ticks) {
    const double y = bottom - c.y.place(t.at) * plot_height;
    put_line(out, margin_left, y, chart_width - margin_right, y);
    put_text(out, margin_left - 8, y + 4, "soft end", t.text);
  }
  for (const tick& t : c.x.ticks) {
    const double x = margin_left + c.x.place(t.at) * (chart_width - margin_left - margin_right);
    put_line(out, x, bottom, x, bottom + 5);
    put_text(out, x, bottom + 20, "soft middle", t.text);
  }
  put_line(out, margin_left, bottom, chart_width - margin_right, bottom);
  put_text(out, (margin_left + chart_width - margin_right) / 2, bottom + 42, "soft middle", c.x.label);
}

void put_series(std::string& out, const chart& c, const series& line, double top) {
  constexpr std::size_t few = 12;  // up to this many points get a dot each
  std::string points;
  std::string dots;
  for (const auto& [x, y] : line.points) {
    const std::string px = number(margin_left + c.x.place(x) * (chart_width - margin_left - margin_right));
    const std::string py = number(top + (1 - c.y.place(y)) * plot_height);
    put(points, {px, ",", py, " "});
    if (line.points.size() <= few)
      put(dots, {"<circle cx=\"", px, "\" cy=\"", py, "\" r=\"3\" class=\"dot", color_of(line), "\"/>\n"});
  }
  out += "<polyline " + line_class(line) + " points=\"" + points + "\"/>\n" + dots;
}

void put_chart(std::string& out, const chart& c, double top) {
  put_text(out, margin_left, top + 26, "title", c.title);
  put_text(out, margin_left, top + 46, "soft", c.subtitle);
  double y = top + above_legend;
  for (const series& line : c.lines) {
    out += "<line " + line_class(line) + " x1=\"" + number(margin_left) + "\" x2=\"" + number(margin_left + 24) +
           "\" y1=\"" + number(y) + "\" y2=\"" + number(y) + "\"/>\n";
    put_text(out, margin_left + 32, y + 4, "", line.name);
    put_text(out, chart_width - margin_right, y + 4, "soft end", line.note);
    y += legend_row;
  }
  put_axes(out, c, y);
  for (const series& line : c.lines) put_series(out, c, line, y);
}

}  // namespace

double axis::place(double value) const {
  const double inside = std::clamp(value, std::min(from, to), std::max(from, to));
  const double part = how == scale::linear ? (inside - from) / (to - from)
                                           : (std::log(inside) - std::log(from)) / (std::log(to) - std::log(from));
  return std::isfinite(part) ? part : 0;
}

axis logarithmic_axis(std::string label, double least, double most, std::string (*text)(double)) {
  least = std::max(least, 1e-9);
  most = std::max(most, least);
  const double first = std::floor(std::log10(least));
  const double last = std::max(first + 1, std::ceil(std::log10(most)));
  axis made{.label = std::move(label), .how = axis::scale::logarithmic};
  for (double decade = first; decade <= last; ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double at = step * std::pow(10, decade);
      const bool wanted = step == 1.0 || last - first <= 3;  // with more decades there is no room for ticks in between
      if (wanted && at >= least / 2.5 && at <= most * 2.5) made.ticks.push_back({at, text(at)});
    }
  }
  made.from = std::min(least, made.ticks.empty() ? least : made.ticks.front().at);
  made.to = std::max(most, made.ticks.empty() ? most * 10 : made.ticks.back().at);
  if (made.from == made.to) made.to = made.from * 10;
  return made;
}

axis linear_axis(std::string label, double most, std::string (*text)(double)) {
  most = std::max(most, 1e-9);
  double step = std::pow(10, std::floor(std::log10(most)));
  if (most / step < 2) step /= 5;
  if (most / step < 5) step /= 2;
  axis made{.label = std::move(label), .to = step * std::ceil(most / step)};
  for (double at = 0; at <= made.to + step / 2; at += step) made.ticks.push_back({at, text(at)});
  return made;
}

std::string draw(std::span<const chart> charts) {
  double height = 0;
  for (const chart& c : charts) height += height_of(c);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(chart_width) + " " +
                    number(height) + "\" width=\"" + number(chart_width) + "\" height=\"" + number(height) + "\">\n" +
                    style() + "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
  double top = 0;
  for (const chart& c : charts) {
    put_chart(out, c, top);
    top += height_of(c);
  }
  return out + "</svg>\n";
}

}  // namespace hawser::bench
