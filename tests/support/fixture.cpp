// SPDX-License-Identifier: MIT
#include "fixture.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

#include "../../runtime/crypto.hpp"

namespace hawser::testing {

namespace fs = std::filesystem;

std::string program(const std::string& name) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / name).string();
}

std::string new_token() {
  // Digits only: server arguments that look like secrets cause warnings and are redacted.
  std::string token = "token-";
  for (const char c : random_bytes(8)) token += std::to_string(static_cast<unsigned char>(c));
  return token;
}

command fixture_command(const std::string& token, const std::string& mode, std::vector<std::string> more) {
  command c{.program = program("fixture_child"), .arguments = {token, mode}};
  c.arguments.insert(c.arguments.end(), more.begin(), more.end());
  return c;
}

namespace {

// Not with an ifstream: it throws if the process ends between opening and reading.
std::string command_line(const fs::path& file) {
  std::string text(4096, '\0');
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text.data(), text.size());
  if (fd >= 0) close(fd);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace

std::vector<int> processes_with(const std::string& token) {
  std::vector<int> found;
  std::error_code gone;
  for (const fs::directory_entry& entry : fs::directory_iterator{"/proc", gone}) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == getpid()) continue;
    if (command_line(entry.path() / "cmdline").find(token) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

std::vector<int> survivors(const std::string& token, int patience_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{patience_ms};
  while (true) {
    auto left = processes_with(token);
    if (left.empty() || std::chrono::steady_clock::now() > until) return left;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});  // the exit of another process is no event for us
  }
}

int rounds(int default_rounds) {
  const char* asked = std::getenv("HAWSER_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : default_rounds;
}

namespace {
std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}
}  // namespace

std::size_t open_descriptors() { return entries("/proc/self/fd"); }
std::size_t own_threads() { return entries("/proc/self/task"); }

}  // namespace hawser::testing
