// SPDX-License-Identifier: MIT
// The time that a user waits for the `hawser` command: from exec to exit, with ten configured servers whose tools are
// cached from an earlier run.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

namespace fs = std::filesystem;

constexpr int configured_servers = 10;

// Discards the output.
bool run_command(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return false;
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

fs::path scratch() {
  std::string pattern = (fs::temp_directory_path() / "hawser-bench-XXXXXX").string();
  return mkdtemp(pattern.data()) == nullptr ? fs::path{} : fs::path{pattern};
}

void write_config(const fs::path& path) {
  std::ofstream file{path};
  file << R"({"mcpServers":{)";
  for (int i = 0; i < configured_servers; ++i) {
    file << (i == 0 ? "" : ",") << "\"s" << i << R"(":{"command":")" << sibling("bench_mcp_server")
         << R"(","args":["--tools","20"]})";
  }
  file << "}}";
}

struct timed {
  goal what;
  std::vector<std::string> words;
  std::vector<double> milliseconds{};
};

bool measure_command_line(timed& one) {
  const auto begin = std::chrono::steady_clock::now();
  if (!run_command(one.words)) return false;
  one.milliseconds.push_back(
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  return true;
}

}  // namespace

bool command_line(const settings& s, report& into) {
  const fs::path folder = scratch();
  const std::string config = folder / "mcp.json";
  write_config(config);
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const std::string hawser = sibling("hawser");
  std::vector<timed> all{
      {{.name = "P10 hawser list, 10 servers", .unit = "ms", .bar = 20}, {hawser, "list", "--config", config}},
      {{.name = "P10 hawser call, a server of 10", .unit = "ms", .bar = 30},
       {hawser, "call", "s3__tool_000001", "--config", config, "key=x"}},
      {{.name = "hawser tools, 10 servers started", .unit = "ms"}, {hawser, "tools", "--config", config, "--json"}},
  };
  bool fine = true;
  distribution floor;
  for (timed& one : all) fine = fine && run_command(one.words);  // also fills the cache
  for (int round = 0; fine && round < s.rounds; ++round) {
    show_progress("cli", round, s.rounds);
    for (timed& one : all) fine = fine && measure_command_line(one);
    fine = fine && start_floor(configured_servers, floor);
  }
  fs::remove_all(folder);
  if (!fine) {
    std::fprintf(stderr, "hawser-bench: a command failed\n");
    return false;
  }
  std::vector<goal> goals;
  for (timed& one : all) {
    one.what.figure = median(one.milliseconds);
    if (one.what.bar) one.what.bar = s.judged(*one.what.bar);
    goals.push_back(one.what);
  }
  // The goal is 15 ms on a machine where posix_spawn and the handshakes of ten servers take 5.5 ms. Milliseconds do
  // not carry over to other machines; ratios do.
  goal whole{.name = "P7 that, against posix_spawn and handshake",
             .figure = median(all.back().milliseconds) * 1000 / floor.percentile(50),
             .unit = "x floor",
             .bar = s.judged(2.7)};
  goals.push_back(std::move(whole));
  into.add(figure_list{"the command, from exec to exit", std::move(goals)});
  return true;
}

}  // namespace hawser::bench
