// SPDX-License-Identifier: MIT
#include "../../bench/process_memory.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "../support/ut.hpp"

namespace process_memory_test {

using namespace hawser::bench;

// One after the other, each gone as soon as it has begun.
void start_many(std::atomic<int>& latest, const std::atomic<bool>& enough) {
  while (!enough) {
    std::string name = "/bin/true";
    char* arguments[] = {name.data(), nullptr};
    pid_t pid = 0;
    if (posix_spawn(&pid, name.c_str(), nullptr, nullptr, arguments, environ) != 0) continue;
    latest = pid;
    waitpid(pid, nullptr, 0);
  }
}

const suite<"process tree of a server"> tests = [] {
  "a process may end while it is looked at"_test = [] {
    std::atomic<int> latest = 0;
    std::atomic<bool> enough = false;
    std::thread starting{[&] { start_many(latest, enough); }};
    bool thrown = false;
    try {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{2};
      while (std::chrono::steady_clock::now() < until) server_memory_of(latest);
    } catch (const std::exception&) {
      thrown = true;
    }
    enough = true;
    starting.join();
    expect(not thrown);
    expect(server_memory_of(getpid()).processes > 0_i);
  };
};

}  // namespace process_memory_test
