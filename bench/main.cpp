// SPDX-License-Identifier: MIT
// hawser-bench: one subcommand a question.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "questions.hpp"

int main(int argc, char** argv) {
  using namespace hawser::bench;
  CLI::App app{"Measures Hawser against the floor of the same run."};
  app.require_subcommand(1);
  app.footer("Exit code: 0 measured and any bar met, 1 a bar was missed, 2 could not measure.");
  settings s;
  const auto question = [&](const char* name, const char* text, int rounds, int per_round) {
    CLI::App* sub = app.add_subcommand(name, text);
    sub->add_option("--rounds", s.rounds,
                    "how often the candidates take turns (default " + std::to_string(rounds) + ")")
        ->check(CLI::Range(1, 100000));
    sub->add_option("--per-round", s.per_round, "measurements in a turn, where a turn has several")
        ->check(CLI::Range(1, 1000000));
    sub->add_flag("--free", s.free, "do not pin to one core");
    sub->add_flag("--json", s.json, "one JSON object a line");
    sub->preparse_callback([&s, rounds, per_round](std::size_t) {
      s.rounds = rounds;
      s.per_round = per_round;
    });
    return sub;
  };
  const CLI::App* floor_question =
      question("floor", "one exchange with a child: stream against blocking system calls", 200, 300);
  question("start", "starting a child: keeper against posix_spawn, alone and a hundred at once", 10, 1);
  const CLI::App* registry_question =
      question("registry", "finding a tool and changing a server's tools; rounds x per-round lookups by threads", 100,
               1'000'000);
  CLI11_PARSE(app, argc, argv);

  if (const std::string why = unfit_build(); !why.empty()) {
    std::fprintf(stderr, "hawser-bench: %s\n", why.c_str());
    return 2;
  }
  if (registry_question->parsed()) return look_up(s);  // it pins itself when its threads are done
  if (!s.free && !pin_to_one_core()) {
    std::fprintf(stderr, "hawser-bench: cannot pin to one core here; --free measures without\n");
    return 2;
  }
  return floor_question->parsed() ? hawser::bench::floor(s) : hawser::bench::start(s);
}
