// SPDX-License-Identifier: MIT
// Many programs with many threads, and one login: whoever finds it expired first renews it for all of them.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <list>

#include "../support/fixture.hpp"
#include "../support/server_login_fixture.hpp"
#include "../support/temporary_folder.hpp"

extern char** environ;  // NOLINT: the system's

namespace login_crowd_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::fake_authorization_server;
using testing::fake_counts;

// A program that ends when its stdin does, and says something in its last line.
class login_process {
 public:
  explicit login_process(std::vector<std::string> words) {
    int in[2];
    int out[2];
    expect(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (std::string& one : words) arguments.push_back(one.data());
    arguments.push_back(nullptr);
    expect(::posix_spawn(&pid_, words[0].c_str(), &files, nullptr, arguments.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&files);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  login_process(const login_process&) = delete;
  login_process& operator=(const login_process&) = delete;
  ~login_process() {
    if (to_ >= 0) static_cast<void>(finish());
  }

  void tell() {
    ::close(to_);
    to_ = -1;
  }
  /// Its exit code, and what it said.
  std::pair<int, std::string> finish() {
    if (to_ >= 0) tell();
    std::string said;
    char bytes[512];
    for (ssize_t count = 0; (count = ::read(from_, bytes, sizeof bytes)) > 0;)
      said.append(bytes, static_cast<std::size_t>(count));
    ::close(from_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said};
  }

 private:
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

void crowd(int processes, int threads, int expiries) {
  fake_authorization_server at;
  const testing::temporary_folder folder;
  const std::string file = folder / "auth.json";
  testing::keep_login(file, at.resource(), testing::stored_login(at));
  std::list<login_process> all;
  for (int i = 0; i < processes; ++i) {
    all.emplace_back(std::vector{testing::program("fixture_crowd"), "p" + std::to_string(i), std::to_string(threads),
                                 file, at.resource()});
  }
  const auto everybody = static_cast<std::size_t>(processes) * static_cast<std::size_t>(threads);
  int rounds = 0;
  // Everybody has called with the token of this round before it ends.
  while (at.wait_for_callers(everybody) && rounds < expiries) {
    expect(at.counts().refreshes == rounds) << at.counts().refreshes << "renewals in" << rounds << "expiries";
    at.expire();
    ++rounds;
  }
  for (login_process& one : all) one.tell();
  for (login_process& one : all) {
    const auto [code, said] = one.finish();
    expect(code == 0) << said;
  }
  const fake_counts now = at.counts();
  expect(rounds == expiries) << rounds << "rounds; callers in the last one:" << at.callers();
  expect(now.refreshes == expiries) << now.refreshes << "renewals";
  expect(now.replays == 0 && now.refusals == 0 && now.authorizations == 0)
      << now.replays << now.refusals << now.authorizations;
}

const suite<"login crowd"> tests = [] {
  "E14 T-29 8 processes with 8 threads each share a login that expires 20 times: one renewal each time, no call fails"_test =
      [] { crowd(8, 8, testing::instrumented ? 4 : 20); };
};

}  // namespace login_crowd_test
