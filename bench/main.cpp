// SPDX-License-Identifier: MIT
// hawser-bench: one subcommand per benchmark.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <span>
#include <string_view>

#include "../runtime/process/standard_descriptors.hpp"
#include "help.hpp"
#include "peers/other_clients.hpp"
#include "questions/questions.hpp"
#include "report/plot.hpp"
#include "report/progress.hpp"

namespace {

using namespace hawser::bench;

enum class placing : std::uint8_t { pinned, pins_itself };

struct question {
  const char* name;
  const char* text;
  int rounds;  ///< 0: it has no rounds but a time limit
  int per_round;
  bool (*answer)(const settings&, report&);
  placing where = placing::pinned;
  void (*add_options)(CLI::App&, settings&) = nullptr;
};

void add_peers(CLI::App& sub, settings& s) {
  sub.add_flag("--peers", s.typescript_peers,
               "both TypeScript clients take part, side by side with Hawser; ./dev bench installs them");
  sub.add_option("--peer", s.peers, "another client takes part, 'name=command'; its protocol: bench/peers/README.md")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const auto invited = parse_peer_spec(text);
        return invited ? std::string{} : invited.error().what;
      });
}

void count_options(CLI::App& sub, settings& s) {
  sub.add_option(
         "what", s.counted,
         "dispatch: a call and its answer in memory; http: our side of a call over HTTP; lookup: finding a tool "
         "among 10,000")
      ->required()
      ->check(CLI::IsMember({"dispatch", "http", "lookup"}));
}

void verdict_options(CLI::App& sub, settings& s) {
  sub.add_option("--results", s.results, "a folder: RESULTS.md with everything that was found, and plots, go there");
  sub.add_option("--note", s.notes, "a line for RESULTS.md: what else should be known of this run")
      ->type_name("TEXT ...");
  add_peers(sub, s);
}

void add_server_options(CLI::App& sub, settings& s) {
  server_options& to = s.server;
  const CLI::Range positive{0.01, 86'400.0};
  const auto each_by_itself = [](CLI::Option* one) {
    one->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  sub.add_option("command", to.command, "the program and its arguments, behind --");
  sub.add_option("--url", to.url, "a server on the network, instead of a command");
  each_by_itself(sub.add_option("--header", to.headers, "'Name: value' for every request to --url; may come again"));
  sub.add_option("--type", to.type, "what --url speaks: auto, http (Streamable HTTP) or sse")
      ->check(CLI::IsMember({"auto", "http", "sse"}))
      ->capture_default_str();
  each_by_itself(sub.add_option(
      "--env", to.env,
      "NAME=VALUE for the command, or NAME for its value here; may come again. Else it gets the safe few"));
  sub.add_option("--cwd", to.cwd, "where the command runs");
  sub.add_option("--tool", to.tool, "what is called, by the server's own name; else one that is harmless is chosen");
  sub.add_option("--arguments", to.arguments, "a JSON object");
  sub.add_option("--seconds,--duration", to.seconds,
                 "for everything after the first start (default 20; 4 with --quick)")
      ->check(positive);
  sub.add_option("--timeout", to.timeout_seconds, "seconds that one call may take")
      ->check(positive)
      ->capture_default_str();
  sub.add_option("--start-timeout", to.start_timeout_seconds, "seconds that one start may take")
      ->check(positive)
      ->capture_default_str();
  sub.callback([&s, &to] {
    to.command.insert(to.command.end(), s.trailing_arguments.begin(), s.trailing_arguments.end());
    if (const auto made = settings_for(to); !made) throw CLI::ValidationError(made.error().what);
  });
}

constexpr std::array questions{
    question{"floor", "one exchange with a child: stream against blocking system calls", 200, 300,
             hawser::bench::floor},
    question{"dispatch", "one tools/call: peer against blocking system calls; many at once", 200, 300, dispatch,
             placing::pinned, add_peers},
    question{"http", "one tools/call over HTTP, in the clear and under TLS; many at once; a result of 5 MB", 100, 200,
             http, placing::pinned, add_peers},
    question{"large", "a result of 5 MB: peer against blocking system calls", 40, 1, large},
    question{"list", "tools/list of 10,000 and 100,000 tools, from the request to the published table", 10, 1, list},
    question{"start", "starting a child: keeper against posix_spawn, alone and a hundred at once", 10, 1, start},
    question{"cold", "a hundred servers from their settings to their tools: hub against posix_spawn and handshake", 5,
             1, cold},
    question{"memory", "what an idle server costs in the host's memory", 100, 1, memory},
    question{"cli", "`hawser list` and `hawser call`, from exec to exit", 30, 1, command_line},
    question{"swap", "one tools/call while other servers come and go, against when nothing changes", 50, 2000, swap},
    question{"server", "any MCP server of yours: latency, throughput, start, memory, errors", 0, 0, server,
             placing::pinned, add_server_options},
    question{"registry", "finding a tool and changing a server's tools; rounds x per-round lookups by threads", 100,
             1'000'000, look_up, placing::pins_itself},
    question{"count", "does one thing --rounds times and measures nothing: for valgrind --tool=callgrind", 1000, 1,
             count, placing::pins_itself, count_options},
    question{"verdict", "the goals P1 to P10, each with figure, bar and met or missed; asks the other questions", 0, 0,
             verdict, placing::pins_itself, verdict_options},
};

// These produce figures and no distributions, so there is nothing to draw.
bool draws(std::string_view name) {
  return name != "list" && name != "memory" && name != "cli" && name != "registry" && name != "count" &&
         name != "verdict";
}

// A quick run has a tenth of the rounds, but at least ten if there are that many: enough for a p50, not for a p99.9.
int quick(int rounds) { return std::min(rounds, std::max(10, rounds / 10)); }

void add(CLI::App& app, const question& q, settings& s) {
  CLI::App* sub = app.add_subcommand(q.name, q.text);
  sub->footer(help_of(q.name));
  if (q.rounds > 0) {
    sub->add_option("--rounds", s.rounds,
                    "how often the candidates take turns (default " + std::to_string(q.rounds) + ")")
        ->check(CLI::Range(1, 100'000));
    sub->add_option("--per-round", s.per_round,
                    "measurements in a turn, where a turn has several (default " + std::to_string(q.per_round) + ")")
        ->check(CLI::Range(1, 1'000'000));
  }
  sub->add_flag("--free", s.free, "do not pin to one core; figures are shown, not judged");
  sub->add_flag("--quick", s.quick, "a short run: figures are shown, not judged");
  sub->add_flag("--json", s.json, "one JSON object a line");
  if (draws(q.name)) sub->add_option("--plot", s.plot, "draws what was measured into this SVG file");
  if (q.add_options != nullptr) q.add_options(*sub, s);
}

int run(const question& q, settings& s) {
  if (s.rounds == 0) s.rounds = s.quick ? quick(q.rounds) : q.rounds;
  if (s.per_round == 0) s.per_round = q.per_round;
  if (!s.free && q.where == placing::pinned && !pin_to_one_core()) {
    std::fprintf(stderr, "hawser-bench: cannot pin to one core here; --free measures without\n");
    return 2;
  }
  report found;
  const bool measured = q.answer(s, found);
  end_progress();
  if (measured) warn_of_noise(found);
  print(s, found);
  if (found.stopped_by() != 0) return 128 + found.stopped_by();
  if (!measured) return 2;
  if (!s.plot.empty()) {
    if (auto drawn = plot(s, found); !drawn) {
      std::fprintf(stderr, "hawser-bench: %s\n", drawn.error().what.c_str());
      return 2;
    }
  }
  return found.met() ? 0 : 1;
}

int answer(int argc, char** argv) {
  CLI::App app{"Measures Hawser against the floor of the same run, and MCP servers of yours."};
  app.require_subcommand(1);
  app.footer(
      "Exit code: 0 measured and every bar met, 1 a bar was missed or calls of `server` failed, 2 could not measure "
      "or\n"
      "print, 3 bad usage, 130 stopped by Ctrl-C. hawser-bench QUESTION --help says more about each.");
  settings s;
  for (const question& q : questions) add(app, q, s);
  const std::span words{argv, static_cast<std::size_t>(argc)};
  const auto marker = std::ranges::find_if(words, [](const char* one) { return std::string_view{one} == "--"; });
  // The command's arguments are passed unchanged: CLI11 would parse "[a,b]" as a list.
  if (marker != words.end()) s.trailing_arguments.assign(marker + 1, words.end());
  try {
    app.parse(static_cast<int>(marker - words.begin()), argv);
    if (!s.trailing_arguments.empty() && !app.got_subcommand("server")) throw CLI::ExtrasError(s.trailing_arguments);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 3;
  }
  if (const std::string why = unfit_build(); !why.empty()) {
    std::fprintf(stderr, "hawser-bench: %s\n", why.c_str());
    return 2;
  }
  for (const question& q : questions) {
    if (app.got_subcommand(q.name)) return run(q, s);
  }
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto opened = hawser::open_standard_descriptors(); !opened) {
    std::fprintf(stderr, "hawser-bench: %s\n", opened.error().what.c_str());
    return 2;
  }
  const int code = answer(argc, argv);
  std::cout.flush();  // the help; it shares the buffer of stdout
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  std::fprintf(stderr, "hawser-bench: the output cannot be written%s%s\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
  return code == 0 ? 2 : code;
}
