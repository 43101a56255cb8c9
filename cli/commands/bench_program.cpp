// SPDX-License-Identifier: MIT
#include "bench_program.hpp"
#include "../exit_code.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace hawser::cli {

namespace {

constexpr const char* program = "hawser-bench";

std::string beside_this() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string own{path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
  return own.substr(0, own.rfind('/') + 1) + program;
}

}  // namespace

int run_bench(char** words) {
  std::string name = program;
  std::vector<char*> argv{name.data()};
  for (; *words != nullptr; ++words) argv.push_back(*words);
  argv.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // an ignored signal would stay ignored after exec
  const std::string near = beside_this();
  execv(near.c_str(), argv.data());
  if (errno == ENOENT) execvp(program, argv.data());
  if (errno == ENOENT) {
    std::fprintf(
        stderr,
        "hawser: hawser-bench is neither beside hawser nor in the PATH; it is built with `xmake f --bench=y`\n");
  } else {
    std::fprintf(stderr, "hawser: hawser-bench cannot be started: %s\n", std::strerror(errno));
  }
  return not_started;
}

}  // namespace hawser::cli
