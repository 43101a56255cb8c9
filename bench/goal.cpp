// SPDX-License-Identifier: MIT
#include "goal.hpp"

#include <algorithm>
#include <cstdio>

namespace hawser::bench {

namespace {

void print_json(const std::string& question, const goal& g) {
  std::printf(R"({"question":"%s","figure":"%s","value":%.3f,"unit":"%s")", question.c_str(), g.name.c_str(), g.figure,
              g.unit.c_str());
  if (g.bar)
    std::printf(R"(,"%s":%.3f,"met":%s)", g.wanted == goal::side::at_most ? "at_most" : "at_least", *g.bar,
                g.met() ? "true" : "false");
  std::printf("}\n");
}

void print_line(const goal& g) {
  std::printf("  %-48s %12.2f %-10s", g.name.c_str(), g.figure, g.unit.c_str());
  if (g.bar)
    std::printf(" %s %g: %s", g.wanted == goal::side::at_most ? "at most" : "at least", *g.bar,
                g.met() ? "met" : "missed");
  std::printf("\n");
}

}  // namespace

bool print_goals(const settings& s, const std::string& question, const std::vector<goal>& all) {
  if (!s.json) std::printf("%s, %s\n", question.c_str(), s.free ? "not pinned" : "one thread is pinned to one core");
  for (const goal& g : all) {
    if (s.json) {
      print_json(question, g);
    } else {
      print_line(g);
    }
  }
  return std::all_of(all.begin(), all.end(), [](const goal& g) { return g.met(); });
}

}  // namespace hawser::bench
