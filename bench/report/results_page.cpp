// SPDX-License-Identifier: MIT
#include "results_page.hpp"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "machine_facts.hpp"

namespace hawser::bench {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string rounded(double value) {
  char text[40];
  const double size = std::fabs(value);
  std::snprintf(text, sizeof text, size >= 1000 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
  return text;
}

std::string cell(const json::value& value) {
  if (value.is_string()) return std::string{value.get_string()};
  boost::system::error_code none;
  const auto number = value.to_number<double>(none);
  if (none) return json::serialize(value);
  return number == std::floor(number) ? std::to_string(static_cast<long long>(number)) : rounded(number);
}

// The columns of each kind of line, with their headings.
struct column {
  const char* key;
  const char* heading;
};
struct column_layout {
  const char* name_key;  ///< a line has this layout if it has this key
  std::vector<column> columns;
};

const std::vector<column_layout>& column_layouts() {
  static const std::vector<column_layout> all{
      {"candidate",
       {{"p50_us", "p50 µs"},
        {"p90_us", "p90"},
        {"p99_us", "p99"},
        {"p999_us", "p99.9"},
        {"max_us", "max"},
        {"p50_ratio", "× floor"},
        {"count", "calls"}}},
      {"curve",
       {{"in_flight", "in flight"},
        {"offered_per_second", "offered/s"},
        {"per_second", "answered/s"},
        {"p50_us", "p50 µs"},
        {"p99_us", "p99"},
        {"errors", "errors"}}},
      {"figure", {{"value", ""}, {"unit", ""}, {"at_most", "at most"}, {"at_least", "at least"}}},
  };
  return all;
}

const column_layout* layout_of(const json::object& line) {
  for (const column_layout& one : column_layouts()) {
    if (line.contains(one.name_key)) return &one;
  }
  return nullptr;
}

// Only columns that some line of the table fills.
std::string table_of(std::span<const json::object> lines, const column_layout& how) {
  std::vector<column> columns;
  for (const column& c : how.columns) {
    for (const json::object& line : lines) {
      if (!line.contains(c.key)) continue;
      columns.push_back(c);
      break;
    }
  }
  std::string text = "| |";
  for (const column& c : columns) text += std::string{" "} + c.heading + " |";
  text += "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---:|";
  text += "\n";
  for (const json::object& line : lines) {
    text += "| " + cell(line.at(how.name_key)) + " |";
    for (const column& c : columns) {
      const auto* const value = line.if_contains(c.key);
      text += " " + (value != nullptr ? cell(*value) : std::string{}) + " |";
    }
    text += "\n";
  }
  return text + "\n";
}

// Consecutive lines with the same title and layout form a table.
std::string tables_of(const json_lines& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    const column_layout* const how = layout_of(lines[i]);
    const auto* const title = lines[i].if_contains("question");
    std::size_t end = i + 1;
    while (how != nullptr && end < lines.size() && layout_of(lines[end]) == how &&
           lines[end].if_contains("question") != nullptr && title != nullptr &&
           *lines[end].if_contains("question") == *title)
      ++end;
    if (how != nullptr && title != nullptr)
      text += "**" + cell(*title) + "**\n\n" + table_of({lines.data() + i, end - i}, *how);
    i = end;
  }
  return text;
}

std::string goals_table(const figure_list& goals) {
  std::string text = "| goal | figure | bar | |\n|---|---:|---:|---|\n";
  for (const goal& g : goals.all) {
    text += "| " + g.name + " | " + rounded(g.figure) + " " + g.unit + " | ";
    if (g.bar) text += std::string{g.wanted == goal::side::at_most ? "≤ " : "≥ "} + rounded(*g.bar);
    text += std::string{" | "} + (!g.bar ? "not judged" : g.met() ? "met" : "**missed**") + " |\n";
  }
  return text + "\n";
}

error cannot(const std::string& what, const std::string& path, int number) {
  return {errc::io, path + " cannot be " + what + ": " + std::strerror(number), number};
}

}  // namespace

std::string plot_path(const std::string& folder, const std::string& question) {
  return folder + "/plots/" + question + ".svg";
}

result<void> prepare_results(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder + "/plots", failed);
  if (failed) return cannot("made", folder + "/plots", failed.value());
  return {};
}

std::string results_page(const settings& s, std::span<const benchmark_output> all, const figure_list& goals) {
  std::string text = "# Results\n\nWritten by `hawser-bench verdict --results`; not edited.";
  text += s.quick ? " A quick look: figures are shown, not judged.\n\n" : "\n\n";
  for (const std::string& fact : machine_facts()) text += "- " + fact + "\n";
  for (const std::string& note : s.notes) text += "- " + note + "\n";
  text += s.free ? "- not pinned\n" : "- client and server pinned to one core, candidates in turn in short rounds\n";
  text += "\n## Goals\n\n" + goals_table(goals);
  for (const benchmark_output& one : all) {
    text += "## " + one.question + "\n\n";
    if (!one.failure.empty()) text += "Not whole: " + one.failure + "\n\n";
    std::error_code unknown;
    if (!one.lines.empty() && fs::exists(plot_path(s.results, one.question), unknown))
      text += "![" + one.question + "](plots/" + one.question + ".svg)\n\n";
    text += tables_of(one.lines);
    for (const json::object& line : one.lines) {
      if (const auto* const warning = line.if_contains("warning")) text += "> " + cell(*warning) + "\n\n";
    }
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

result<void> write_results(const settings& s, std::span<const benchmark_output> all, const figure_list& goals) {
  const std::string path = s.results + "/RESULTS.md";
  const std::string beside = path + ".new";
  {
    std::ofstream file{beside};
    file << results_page(s, all, goals);
    if (!file.flush()) return cannot("written", beside, errno);
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) return cannot("written", path, errno);
  return {};
}

}  // namespace hawser::bench
