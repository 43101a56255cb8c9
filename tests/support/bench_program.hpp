// SPDX-License-Identifier: MIT
// Runs the real hawser-bench as a child of a test and captures its output, exit code and run time.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fixture.hpp"
#include "send_signal.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// Whether hawser-bench measures in this build or refuses to; tests that need it are skipped if it refuses.
inline bool bench_can_measure() {
#ifdef NDEBUG
  if (!instrumented) return true;
#endif
  cfg<override>.skip_this("hawser-bench refuses debug and sanitizer builds");
  return false;
}

class bench_program {
 public:
  explicit bench_program(std::vector<std::string> words, const std::string& name = "hawser-bench")
      : bench_program(program(name), std::move(words)) {}
  bench_program(std::string path, std::vector<std::string> words, std::vector<std::string> environment = {})
      : out_(memfd_create("out", MFD_CLOEXEC)), err_(memfd_create("err", MFD_CLOEXEC)) {
    words.insert(words.begin(), std::move(path));
    environment.insert(environment.end(), {"HOME=/nonexistent", "XDG_STATE_HOME=/nonexistent"});
    if (environment.size() == 2) environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (std::string& one : environment) envp.push_back(one.data());
    envp.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
      dup2(out_, 1);
      dup2(err_, 2);
      execve(argv.front(), argv.data(), envp.data());
      _exit(126);
    }
  }
  bench_program(const bench_program&) = delete;
  bench_program& operator=(const bench_program&) = delete;
  ~bench_program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(out_);
    close(err_);
  }

  void signal(int number) const { send_signal(pid_, number); }
  [[nodiscard]] bool runs() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ > 0;
  }
  /// The exit code as in shells; -1 if it did not end in time, which is a failure.
  int wait(std::chrono::seconds patience = std::chrono::seconds{60}) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (runs()) {
      expect(std::chrono::steady_clock::now() < until) << "it is not over yet";
      if (std::chrono::steady_clock::now() >= until) return -1;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});  // the exit of another process is no event for us
    }
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }
  [[nodiscard]] std::string out() const { return content_of(out_); }
  [[nodiscard]] std::string err() const { return content_of(err_); }
  [[nodiscard]] bool says(std::string_view part) const {
    return out().find(part) != std::string::npos || err().find(part) != std::string::npos;
  }
  /// The lines that `--json` printed.
  [[nodiscard]] std::vector<boost::json::object> lines() const {
    std::vector<boost::json::object> all;
    const std::string text = out();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      all.push_back(boost::json::parse(text.substr(at, end - at)).as_object());
      at = end == std::string::npos ? text.size() : end + 1;
    }
    return all;
  }
  /// The number of `--json` lines that have this member with this text.
  [[nodiscard]] int lines_with(std::string_view member, std::string_view text) const {
    int count = 0;
    for (const auto& line : lines()) {
      const auto* value = line.if_contains(member);
      if (value != nullptr && value->is_string() && value->get_string() == text) ++count;
    }
    return count;
  }
  [[nodiscard]] double figure(std::string_view name) const {
    for (const auto& line : lines()) {
      const auto* value = line.if_contains("figure");
      if (value != nullptr && value->get_string() == name) return line.at("value").to_number<double>();
    }
    expect(false) << "no figure" << name;
    return -1;
  }

 private:
  static std::string content_of(int descriptor) {
    std::string all(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
    const ssize_t count = pread(descriptor, all.data(), all.size(), 0);
    all.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return all;
  }

  int out_;
  int err_;
  int pid_ = -1;
  int status_ = -1;
};

/// Runs `hawser-bench server` for this many seconds. On a busy machine the time may end before the last steps; then
/// the run is repeated with three times the length. The highest concurrency level may be left out.
inline void measure_all_phases(std::optional<bench_program>& p, const std::vector<std::string>& words, int seconds) {
  for (const int length : {seconds, 3 * seconds, 9 * seconds}) {
    std::vector<std::string> all{"server", "--seconds", std::to_string(length), "--json"};
    all.insert(all.end(), words.begin(), words.end());
    p.emplace(std::move(all));
    expect(p->wait() == 0_i) << p->err();
    if (!p->says("no time was left for: ") || p->lines_with("curve", "open loop, from the intended arrival") == 4)
      return;
  }
}

}  // namespace hawser::testing
