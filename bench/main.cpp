// SPDX-License-Identifier: MIT
// hawser-bench: one subcommand a question.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>

#include "questions.hpp"

namespace {

using namespace hawser::bench;

struct question {
  const char* name;
  const char* text;
  int rounds;
  int per_round;
  int (*answer)(const settings&);
  bool pins_itself = false;
};

constexpr std::array questions{
    question{"floor", "one exchange with a child: stream against blocking system calls", 200, 300,
             hawser::bench::floor},
    question{"dispatch", "one tools/call: peer against blocking system calls; many at once", 200, 300, dispatch},
    question{"http", "one tools/call over HTTP, in the clear and under TLS; many at once; a result of 5 MB", 100, 200,
             http},
    question{"large", "a result of 5 MB: peer against blocking system calls", 40, 1, large},
    question{"list", "tools/list of 10,000 and 100,000 tools, from the request to the published table", 10, 1, list},
    question{"start", "starting a child: keeper against posix_spawn, alone and a hundred at once", 10, 1, start},
    question{"cold", "a hundred servers from their settings to their tools: hub against posix_spawn and handshake", 5,
             1, cold},
    question{"memory", "what an idle server costs in the host's memory", 100, 1, memory},
    question{"cli", "`hawser list` and `hawser call`, from exec to exit", 30, 1, command_line},
    question{"registry", "finding a tool and changing a server's tools; rounds x per-round lookups by threads", 100,
             1'000'000, look_up, true},
};

void add(CLI::App& app, const question& q, settings& s) {
  CLI::App* sub = app.add_subcommand(q.name, q.text);
  sub->add_option("--rounds", s.rounds,
                  "how often the candidates take turns (default " + std::to_string(q.rounds) + ")")
      ->check(CLI::Range(1, 100'000));
  sub->add_option("--per-round", s.per_round,
                  "measurements in a turn, where a turn has several (default " + std::to_string(q.per_round) + ")")
      ->check(CLI::Range(1, 1'000'000));
  sub->add_flag("--free", s.free, "do not pin to one core");
  sub->add_flag("--json", s.json, "one JSON object a line");
  sub->preparse_callback([&s, &q](std::size_t) {
    s.rounds = q.rounds;
    s.per_round = q.per_round;
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures Hawser against the floor of the same run."};
  app.require_subcommand(1);
  app.footer("Exit code: 0 measured and any bar met, 1 a bar was missed, 2 could not measure.");
  settings s;
  for (const question& q : questions) add(app, q, s);
  CLI11_PARSE(app, argc, argv);

  if (const std::string why = unfit_build(); !why.empty()) {
    std::fprintf(stderr, "hawser-bench: %s\n", why.c_str());
    return 2;
  }
  for (const question& q : questions) {
    if (!app.got_subcommand(q.name)) continue;
    if (!s.free && !q.pins_itself && !pin_to_one_core()) {
      std::fprintf(stderr, "hawser-bench: cannot pin to one core here; --free measures without\n");
      return 2;
    }
    return q.answer(s);
  }
  return 2;
}
