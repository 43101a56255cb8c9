// SPDX-License-Identifier: MIT
// Every claim about a call is compared with a ledger in which servers write the id of each call that they execute:
// nothing that was reported as not executed is in it, nothing is in it twice, and every call was answered once. Servers
// over pipes and HTTP, of both eras, are killed, connections are reset at random bytes, calls are stopped and time out,
// hosts are stopped and killed. HAWSER_CALLS says how many calls, HAWSER_SEED repeats a run.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../support/fixture.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"

namespace ledger_test {

using namespace hawser;
using namespace std::chrono_literals;

constexpr int calls_of_a_host = 500;

int start_program(std::vector<std::string> words, int output = -1) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int process = fork();
  if (process != 0) return process;
  if (output >= 0) dup2(output, STDOUT_FILENO);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

int end_of(int process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// A server on the network that can be killed and comes back at its port.
class http_fixture {
 public:
  http_fixture(std::string ledger, std::string era, std::string token)
      : ledger_(std::move(ledger)), era_(std::move(era)), token_(std::move(token)) {}
  http_fixture(const http_fixture&) = delete;
  http_fixture& operator=(const http_fixture&) = delete;
  ~http_fixture() { end(); }

  void start(unsigned seed) {
    int ends[2];
    expect(fatal(pipe2(ends, O_CLOEXEC) == 0));
    process_ = start_program({testing::program("fixture_server"), "--journal", ledger_, era_, "--http",
                              std::to_string(port_), "--cut", "30000", "--seed", std::to_string(seed), token_},
                             ends[1]);
    close(ends[1]);
    FILE* said = fdopen(ends[0], "r");
    const int count = std::fscanf(said, "%d", &port_);
    std::fclose(said);
    expect(fatal(count == 1 && port_ > 0)) << "an HTTP fixture did not start";
  }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    end_of(process_);
    process_ = 0;
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }

 private:
  std::string ledger_;
  std::string era_;
  std::string token_;
  int process_ = 0;
  int port_ = 0;
};

std::map<int, int> executions(const std::string& ledger) {
  std::map<int, int> times;
  std::ifstream lines{ledger};
  for (int id = 0; lines >> id;) ++times[id];
  return times;
}

struct claim_book {
  std::map<int, std::string> claims{};
  int repeated = 0;
};

// How many calls the file says something about.
int add_claims(claim_book& book, const std::string& file) {
  std::ifstream lines{file};
  int id = 0;
  int count = 0;
  for (std::string claim; lines >> id >> claim; ++count) book.repeated += book.claims.emplace(id, claim).second ? 0 : 1;
  return count;
}

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

struct verdict {
  int answered = 0;
  int not_executed = 0;
  int unknown = 0;
  int false_no = 0;
  int lost = 0;  // answered and not in the ledger
  int twice = 0;
};

verdict compare(const claim_book& said, const std::map<int, int>& executed) {
  verdict v;
  for (const auto& [id, times] : executed) v.twice += times > 1 ? 1 : 0;
  for (const auto& [id, claim] : said.claims) {
    const bool in_ledger = executed.contains(id);
    v.answered += claim == "answered" ? 1 : 0;
    v.not_executed += claim == "no" ? 1 : 0;
    v.unknown += claim == "unknown" ? 1 : 0;
    v.false_no += claim == "no" && in_ledger ? 1 : 0;
    v.lost += claim == "answered" && !in_ledger ? 1 : 0;
  }
  return v;
}

const suite<"ledger"> tests = [] {
  "CLM-1 CLM-2 CLM-6 every claim about a call agrees with what servers executed, whatever is killed, cut or stopped"_test =
      [] {
        const int wanted = number_from("HAWSER_CALLS", testing::instrumented ? 1'000 : 5'000);
        const int seed = number_from("HAWSER_SEED", static_cast<int>(std::random_device{}() >> 1U));
        std::mt19937 random{static_cast<unsigned>(seed)};
        const testing::temporary_folder folder;
        const std::string token = testing::new_token();
        const std::string ledger = folder / "ledger";
        http_fixture legacy{ledger, "--legacy-only", token};
        http_fixture modern{ledger, "--modern-only", token};
        legacy.start(random());
        modern.start(random());
        claim_book said;
        int unanswered = 0;
        int failed_hosts = 0;
        for (int first = 0; first < wanted; first += calls_of_a_host) {
          const std::string claims = folder / ("claims-" + std::to_string(first));
          const int host = start_program({testing::program("fixture_caller"), claims, ledger, std::to_string(first),
                                          std::to_string(calls_of_a_host), std::to_string(random() >> 1U), legacy.url(),
                                          modern.url(), token});
          const auto drawn = random() % 8;
          // Hosts that are killed have made no claim about what was under way.
          if (drawn == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds{random() % 200});
            kill(host, SIGKILL);
          } else if (drawn < 3) {
            std::this_thread::sleep_for(std::chrono::milliseconds{random() % 100});
            http_fixture& victim = drawn == 1 ? legacy : modern;
            victim.end();
            victim.start(random());
          }
          const int status = end_of(host);
          if (drawn != 0) failed_hosts += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
          const int claimed = add_claims(said, claims);
          if (drawn != 0) unanswered += std::max(0, calls_of_a_host - claimed);
        }
        legacy.end();
        modern.end();
        expect(testing::survivors(token, 5'000).empty());
        const verdict v = compare(said, executions(ledger));
        std::printf("ledger: seed %d: %d answered, %d not executed, %d unknown\n", seed, v.answered, v.not_executed,
                    v.unknown);
        const std::string again = "HAWSER_SEED=" + std::to_string(seed) + " HAWSER_CALLS=" + std::to_string(wanted);
        expect(v.false_no == 0_i) << v.false_no << "calls were reported as not executed and were;" << again;
        expect(v.twice == 0_i) << v.twice << "calls were executed twice;" << again;
        expect(v.lost == 0_i) << v.lost << "calls were answered without having been executed;" << again;
        expect(said.repeated == 0_i) << said.repeated << "calls ended twice;" << again;
        expect(unanswered == 0_i) << unanswered << "calls never ended;" << again;
        expect(failed_hosts == 0_i) << failed_hosts << "hosts did not end in order;" << again;
        // Each kind of end is there; how often depends on how busy the machine is.
        expect(v.answered > wanted / 50 && v.not_executed > 0 && v.unknown > 0)
            << v.answered << v.not_executed << v.unknown;
      };
};

}  // namespace ledger_test
