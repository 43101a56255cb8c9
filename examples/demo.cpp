// SPDX-License-Identifier: MIT
// Demonstrates Hawser in half a minute: servers of three revisions, one more over HTTP, and a native tool in one
// table; calls from several threads while a server is added and removed; latency; and no process left at the end.
// `./dev demo` runs it.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "../host/config/config.hpp"
#include "../host/host.hpp"
#include "../runtime/process/standard_descriptors.hpp"

namespace {

using namespace std::chrono_literals;
using hawser::envelope;
using hawser::host;
using std::chrono::steady_clock;

constexpr const char* configuration = R"({
  "mcpServers": {
    "modern":  { "command": "${HAWSER}", "args": ["demo-server", "--name", "modern", "--modern-only"] },
    "current": { "command": "${HAWSER}", "args": ["demo-server", "--name", "current", "--legacy-only"] },
    "old":     { "command": "${HAWSER}", "args": ["demo-server", "--name", "old", "--revision", "2024-11-05"] },
    "far":     { "url": "${FAR}" }
  }
})";

int failures = 0;

// A server that runs independently, like one on the network: the host has only its URL.
class far_server {
 public:
  explicit far_server(const std::string& hawser_program) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // in case the demo is killed
      dup2(ends[1], STDOUT_FILENO);
      execl(hawser_program.c_str(), "hawser", "demo-server", "--http", "--name", "far", nullptr);
      _exit(127);
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) url_ += c;
    close(ends[0]);
  }
  far_server(const far_server&) = delete;
  far_server& operator=(const far_server&) = delete;
  ~far_server() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  [[nodiscard]] int pid() const noexcept { return pid_; }

 private:
  pid_t pid_ = -1;
  std::string url_;
};

void say(const char* what) { std::printf("\n%s\n", what); }

void show(const char* call, const hawser::result<envelope>& answer) {
  const auto rendered = hawser::render_for_model(answer);
  std::printf("  %-58s %s\n", call, rendered.output.substr(0, 60).c_str());
  if (rendered.error) ++failures;
}

hawser::host_settings settings_for(const std::string& hawser_program, const std::string& far_url) {
  const auto value_of = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "HAWSER") return hawser_program;
    if (name == "FAR") return far_url;
    return std::nullopt;
  };
  const auto loaded = hawser::parse_config(configuration, "demo", value_of);
  for (const auto& problem : loaded.problems) std::fprintf(stderr, "%s\n", problem.text().c_str());
  return loaded.settings;
}

void show_servers(host& h) {
  for (const auto& one : h.status()) {
    const std::string where = one.pid > 0 ? "pid " + std::to_string(one.pid) : "by HTTP";
    std::printf("  %-8s %-8s revision %-10s %2zu tools  %s\n", one.name.c_str(),
                std::string{to_string(one.state)}.c_str(), one.negotiated.revision.c_str(), one.tools, where.c_str());
    if (one.state != hawser::server_state::ready) {
      std::printf("           %s\n", one.reason.c_str());
      ++failures;
    }
  }
}

// Four threads call tools while a server is added and removed.
void calls_while_servers_come_and_go(host& h, const std::string& program) {
  std::atomic<bool> stop = false;
  std::atomic<int> answered = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> callers;
  for (const char* tool : {"modern__echo", "far__echo", "old__echo", "clock"}) {
    callers.emplace_back([&, tool] {
      while (!stop) {
        const auto answer = h.call(tool, {{"text", "hello"}}).get();
        ++(answer ? answered : lost);
      }
    });
  }
  for (int round = 1; round <= 3; ++round) {
    const auto before = h.table().version();
    const auto added = h.add_server(
        {.name = "guest",
         .transport = hawser::stdio_settings{.command = program, .args = {"demo-server", "--name", "guest"}}});
    if (!h.settled().get()) ++failures;
    const auto answer = h.call("guest__add", {{"a", round}, {"b", 40}}).get();
    const auto removed = h.remove_server("guest").get();
    std::printf("  round %d: guest added, its add(%d, 40) says %s, removed; table version %llu -> %llu\n", round, round,
                hawser::render_for_model(answer).output.c_str(), static_cast<unsigned long long>(before),
                static_cast<unsigned long long>(h.table().version()));
    if (!added || !answer || !removed) ++failures;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
  std::printf("  meanwhile %d calls of four threads were answered, %d lost\n", answered.load(), lost.load());
  failures += lost.load();
}

void print_latency(const char* what, std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  const auto at = [&](double part) {
    return microseconds[static_cast<std::size_t>(part * static_cast<double>(microseconds.size() - 1))];
  };
  std::printf("  %-44s p50 %6.1f us   p99 %6.1f us\n", what, at(0.5), at(0.99));
}

hawser::task<hawser::result<std::vector<double>>> calls_on_the_loop(hawser::hub& inside, std::string tool, int count) {
  std::vector<double> microseconds;
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    auto answer = co_await inside.call(tool, R"({"text":"hello"})");
    if (!answer) co_return answer.error();
    microseconds.push_back(std::chrono::duration<double, std::micro>(steady_clock::now() - begin).count());
  }
  co_return microseconds;
}

void show_latency(host& h, const std::string& tool, const std::string& how) {
  constexpr int count = 2000;
  const auto on_loop =
      h.ask<std::vector<double>>([tool](hawser::hub& inside) { return calls_on_the_loop(inside, tool, count); }).get();
  if (on_loop) {
    print_latency((how + ", from the loop's thread").c_str(), *on_loop);
  } else {
    ++failures;
  }
  std::vector<double> microseconds;
  for (int i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    const auto answer = h.call(tool, {{"text", "hello"}}).get();
    if (!answer) ++failures;
    microseconds.push_back(std::chrono::duration<double, std::micro>(steady_clock::now() - begin).count());
  }
  print_latency((how + ", from another thread").c_str(), microseconds);
}

}  // namespace

int main(int /*argc*/, char** argv) {
  if (!hawser::open_standard_descriptors()) return 1;  // before any other descriptor is opened
  const std::string program = (std::filesystem::absolute(argv[0]).parent_path() / "hawser").string();
  std::vector<int> pids;
  const auto begin = steady_clock::now();
  {
    const far_server far{program};
    pids.push_back(far.pid());
    host h{settings_for(program, far.url())};
    const auto added =
        h.add_tool("clock", "tells how long the demo has been running", R"({"type":"object"})",
                   [begin](const boost::json::object&) {
                     const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
                     return envelope::of_text(std::to_string(ms.count()) + " ms");
                   });
    if (!added) ++failures;
    say("Three servers of three protocol revisions start at once; a fourth runs by itself and is reached by HTTP:");
    if (!h.start() || !h.settled().get()) ++failures;
    show_servers(h);

    const auto tools = h.tools();
    std::printf("\nOne table, sorted, %zu tools; the first of them:\n", tools->size());
    for (std::size_t i = 0; i < std::min<std::size_t>(6, tools->size()); ++i)
      std::printf("  %.*s\n", static_cast<int>(tools.table()[i].name.size()), tools.table()[i].name.data());

    say("Calls by name, whoever serves them:");
    show("clock {}  (a C++ function of this program)", h.call("clock").get());
    show("modern__echo {text: ahoy}", h.call("modern__echo", {{"text", "ahoy"}}).get());
    show("current__add {a: 2, b: 40}", h.call("current__add", {{"a", 2}, {"b", 40}}).get());
    show("far__add {a: 20, b: 22}  (by HTTP)", h.call("far__add", {{"a", 20}, {"b", 22}}).get());
    show("old__echo {text: still here}", h.call("old__echo", {{"text", "still here"}}).get());

    say("A server is added and removed while four threads call:");
    calls_while_servers_come_and_go(h, program);

    say("Latency of a call, answer parsed, not pinned (hawser-bench measures it properly):");
    show_latency(h, "current__echo", "by pipes");
    show_latency(h, "far__echo", "by HTTP on loopback");
    for (const auto& one : h.status()) {
      if (one.pid > 0) pids.push_back(one.pid);
    }
  }
  const auto left = std::count_if(pids.begin(), pids.end(), [](int pid) { return pid > 0 && kill(pid, 0) == 0; });
  const auto took = std::chrono::duration<double>(steady_clock::now() - begin).count();
  std::printf("\nStopped: %td of %zu server processes left. %.1f s in all.\n", left, pids.size(), took);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "hawser-demo: the output cannot be written\n");
    ++failures;
  }
  return failures == 0 && left == 0 ? 0 : 1;
}
