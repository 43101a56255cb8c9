// SPDX-License-Identifier: MIT
#include "process_memory.hpp"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace hawser::bench {

namespace {

namespace fs = std::filesystem;

// 0 if it is gone. The name may contain any character and ends at the last parenthesis.
int parent_of(int pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text;
  std::getline(file, text, '\0');  // the whole file; an iterator would throw if the process ends before it is read
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return 0;
  int parent = 0;
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

std::multimap<int, int> children_by_parent() {
  std::multimap<int, int> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator{"/proc", failed}) {
    const std::string name = entry.path().filename();
    int pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc{} || read.ptr != name.data() + name.size()) continue;
    if (const int parent = parent_of(pid); parent != 0) all.emplace(parent, pid);
  }
  return all;
}

double value_of(const std::string& file, const std::string& key) {
  std::ifstream lines{file};
  for (std::string word; lines >> word;) {
    double value = 0;
    if (word == key && lines >> value) return value;
  }
  return 0;
}

}  // namespace

memory_use& memory_use::operator+=(const memory_use& more) noexcept {
  rss_kb += more.rss_kb;
  pss_kb += more.pss_kb;
  processes += more.processes;
  threads += more.threads;
  return *this;
}

memory_use memory_of(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  memory_use one{.rss_kb = value_of(folder + "/status", "VmRSS:"),
                 .pss_kb = value_of(folder + "/smaps_rollup", "Pss:"),
                 .threads = static_cast<int>(value_of(folder + "/status", "Threads:"))};
  one.processes = one.threads > 0 ? 1 : 0;
  return one;
}

memory_use server_memory_of(int pid) {
  const int warden = pid > 0 ? parent_of(pid) : 0;
  if (warden <= 1 || warden == getpid()) return pid > 0 ? memory_of(pid) : memory_use{};
  auto children = children_by_parent();
  memory_use sum;
  std::vector<int> parents{warden};
  while (!parents.empty()) {
    const int one = parents.back();
    parents.pop_back();
    const auto [begin, end] = children.equal_range(one);
    for (auto at = begin; at != end; ++at) {
      sum += memory_of(at->second);
      parents.push_back(at->second);
    }
    children.erase(begin, end);  // each is visited once, even if pids were reused while they were read
  }
  return sum;
}

}  // namespace hawser::bench
