// SPDX-License-Identifier: MIT
// `hawser-bench server` as its user runs it: against servers that behave, and against those that do not.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>

#include "../../../bench/harness.hpp"
#include "../../../bench/help.hpp"
#include "../../support/bench_program.hpp"
#include "../../support/temporary_folder.hpp"

namespace server_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::bench_can_measure;
using testing::bench_program;
using words = std::vector<std::string>;

// Runs it against a fixture_server with these switches, and looks that nobody is left.
struct measured {
  explicit measured(const words& options, words switches) {
    words all{"server", "--free"};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), {"--", testing::program("fixture_server"), token});
    all.insert(all.end(), switches.begin(), switches.end());
    const auto begin = std::chrono::steady_clock::now();
    program.emplace(std::move(all));
    code = program->wait();
    took = std::chrono::steady_clock::now() - begin;
    expect(testing::survivors(token, 2000).empty()) << "somebody is left";
  }
  [[nodiscard]] bool says(std::string_view part) const { return program->says(part); }
  [[nodiscard]] std::string all() const { return program->out() + program->err(); }

  std::string token = testing::new_token();
  std::optional<bench_program> program{};
  int code = -1;
  std::chrono::nanoseconds took{};
};

void is_complete(const bench_program& p) {
  const bool in_time = !p.says("no time was left for: closed loop");
  expect(p.lines_with("curve", "closed loop") >= (in_time ? 9 : 5)) << p.out();
  expect(p.lines_with("curve", "open loop, from the intended arrival") == 4_i) << p.out();
  expect(p.figure("calls failed") == 0.0_d) << p.err();
  expect(p.figure("calls answered") > 100.0_d);
  expect(p.figure("first start, to its tools") > 0.0_d);
}

// A server on the network that lets nobody in.
class locked_door {
 public:
  locked_door() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    expect(bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0 and listen(listener_, 16) == 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    refusing_ = std::thread{[this] { refuse(); }};
  }
  locked_door(const locked_door&) = delete;
  locked_door& operator=(const locked_door&) = delete;
  ~locked_door() {
    shutdown(listener_, SHUT_RDWR);
    refusing_.join();
    close(listener_);
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }

 private:
  void refuse() const {
    constexpr std::string_view no =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    for (int guest = accept(listener_, nullptr, nullptr); guest >= 0; guest = accept(listener_, nullptr, nullptr)) {
      char request[4096];
      if (read(guest, request, sizeof request) > 0) static_cast<void>(!write(guest, no.data(), no.size()));
      close(guest);
    }
  }
  int listener_;
  int port_ = 0;
  std::thread refusing_;
};

std::size_t lines_in(const std::string& file) {
  std::ifstream text{file};
  std::size_t count = 0;
  for (std::string line; std::getline(text, line);) ++count;
  return count;
}

const suite<"bench server"> tests = [] {
  "a sanitizer build refuses to measure, and says why"_test = [] {
    if (bench::unfit_build().empty()) {
      cfg<override>.skip_this("this build measures");
      return;
    }
    bench_program p{{"server", "--", "/bin/true"}};
    expect(p.wait() == 2_i and p.says("numbers mean nothing")) << p.err();
  };

  "a server over stdio is measured in every way, in either era"_test = [] {
    if (!bench_can_measure()) return;
    for (const char* era : {"--legacy-only", "--modern-only"}) {
      std::optional<bench_program> done;
      testing::measure_all_phases(done, {"--", testing::program("hawser"), "demo-server", era}, 2);
      const bench_program& p = *done;
      is_complete(p);
      expect(p.lines_with("candidate", "tools/call echo") == 1_i and p.says("chosen: it gives back what it gets"));
      expect(p.lines_with("candidate", std::string_view{era} == "--legacy-only" ? "ping" : "server/discover") == 1_i);
      expect(p.figure("server's memory after its first answer, RSS") > 1.0_d);
      expect(p.figure("server's processes") == 1.0_d);
      expect(p.figure("host's memory after the first answer, PSS") > 1.0_d);
      expect(p.says("client and server share one core"));
    }
  };

  "a server on the network is measured, too"_test = [] {
    if (!bench_can_measure()) return;
    bench_program server{{"demo-server", "--http"}, "hawser"};
    while (server.runs() && !server.says("/mcp")) std::this_thread::sleep_for(5ms);
    std::string url = server.out();
    url.pop_back();
    std::optional<bench_program> done;
    testing::measure_all_phases(done, {"--free", "--header", "X-Me: you", "--url", url}, 2);
    const bench_program& p = *done;
    is_complete(p);
    expect(p.says("nobody is pinned") and not p.says("server's memory"));
    server.signal(SIGTERM);
    server.wait();
    bench_program gone{{"server", "--free", "--url", url}};
    expect(gone.wait() == 2_i and gone.says("it failed at: start")) << gone.err();
  };

  "a server that wants a login is told so, with what to do"_test = [] {
    if (!bench_can_measure()) return;
    const locked_door door;
    bench_program p{{"server", "--free", "--url", door.url()}};
    expect(p.wait() == 2_i and p.says("wants a login") and p.says("hawser auth it --config FILE")) << p.err();
  };

  "the output without --json has tables"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--seconds", "1", "--tool", "echo", "--arguments", R"({"text":"a"})"}, {}};
    expect(m.code == 0_i) << m.all();
    for (const char* part : {"server: ", R"(tool: echo {"text":"a"})", "p99.9", "in flight", "offered/s", "PSS"})
      expect(m.says(part)) << part << "in" << m.all();
    expect(not m.says("chosen:"));
  };

  "a server that ends at its start is told, with its last words"_test = [] {
    if (!bench_can_measure()) return;
    bench_program p{{"server", "--", "/bin/sh", "-c", "echo no rope today >&2; exit 4"}};
    expect(p.wait() == 2_i);
    expect(p.says("it failed at: start") and p.says("exited with 4") and p.says("no rope today")) << p.err();
    bench_program none{{"server", "--", "/nonexistent/server"}};
    expect(none.wait() == 2_i and none.says("No such file")) << none.err();
  };

  "a server that hangs at its start is given up in time"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--start-timeout", "0.5"}, {"--legacy-only", "--silent-initialize", "--ignore-eof"}};
    expect(m.code == 2_i and m.says("did not answer within 0.5 s")) << m.all();
    expect(m.took < 10s);
  };

  "a first call that fails ends it: isError, an error, silence, death"_test = [] {
    if (!bench_can_measure()) return;
    const auto fails = [](const char* fault, words parts) {
      const measured m{{"--timeout", "0.5"}, {"--good-calls", "0", "--then", fault}};
      expect(m.code == 2_i and m.says("it failed at: first call")) << fault << m.all();
      for (const std::string& part : parts) expect(m.says(part)) << fault << part << m.all();
      expect(m.took < 10s);
    };
    fails("fail", {"isError", "out of rope"});
    fails("refuse", {"answered with an error", "not today"});
    fails("hang", {"timed out"});
    fails("die", {"exited with 7", "last words on stderr: fixture_server: now I die"});
  };

  "a server that dies in the middle: when, what it said, what became of the calls"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--json", "--seconds", "5"}, {"--good-calls", "500", "--then", "die"}};
    expect(m.code == 2_i) << m.all();
    expect(m.says("it failed at: ") and m.says("exited with 7") and m.says("now I die")) << m.all();
    expect(m.program->figure("calls answered") == 500.0_d);
    expect(m.program->figure("calls failed") >= 1.0_d);
    expect(m.program->figure("calls of which nobody knows whether they ran") >= 1.0_d);
  };

  "a server that hangs in the middle does not delay the end of the measurement"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--timeout", "0.4", "--seconds", "2"}, {"--good-calls", "500", "--then", "hang"}};
    expect(m.code == 2_i and m.says("timed out") and m.says("it failed at: ")) << m.all();
    expect(m.took < 10s);
    // Also where a call may take longer than the whole run.
    const measured patient{{"--seconds", "3"}, {"--good-calls", "200", "--then", "hang"}};
    expect(patient.code == 2_i and patient.says("it hangs: ") and patient.says("no answer for")) << patient.all();
    expect(patient.took < 10s);
  };

  "failures in the middle: nothing else is the end of it, one among many is counted"_test = [] {
    if (!bench_can_measure()) return;
    const measured all{{"--seconds", "5"}, {"--good-calls", "500", "--then", "refuse"}};
    expect(all.code == 2_i and all.says("100 calls: the server answered with an error")) << all.all();
    const auto all_of_it = [](const measured& m) {
      return m.program->lines_with("curve", "open loop, from the intended arrival") == 4;
    };
    std::optional<measured> one;
    for (const char* seconds : {"1", "10"}) {  // a busy machine may not have the time for everything
      if (one && all_of_it(*one)) break;
      one.emplace(words{"--seconds", seconds, "--json"}, words{"--good-calls", "500", "--then", "fail-once"});
    }
    expect(one->code == 1_i and one->says("1 call: the tool said isError, e.g. out of rope")) << one->all();
    expect(one->program->figure("calls failed") == 1.0_d);
    expect(all_of_it(*one)) << one->all();
  };

  "a slow tool is measured as far as the time goes, and what is missing is said"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--seconds", "1", "--tool", "work", "--arguments", R"({"delay_ms":150})"}, {}};
    expect(m.code == 0_i and m.says("no time was left for: ") and m.says("tools/call work")) << m.all();
    expect(m.took < 10s);
  };

  "a tool that cannot be chosen is asked for, with all there are"_test = [] {
    if (!bench_can_measure()) return;
    const measured m{{"--tool", "nope"}, {}};
    expect(m.code == 2_i and m.says("no tool \"nope\"") and m.says("work(id?, delay_ms?)")) << m.all();
  };

  "Ctrl-C ends the measurement at once and prints its results; neither Ctrl-C nor SIGKILL leaves a process"_test = [] {
    if (!bench_can_measure()) return;
    const testing::temporary_folder folder;
    for (const int number : {SIGINT, SIGKILL}) {
      const std::string token = testing::new_token();
      const std::string journal = folder / std::to_string(number);
      bench_program p{{"server", "--free", "--seconds", "100", "--tool", "work", "--arguments", R"({"id":"x"})", "--",
                       testing::program("fixture_server"), token, "--journal", journal}};
      while (p.runs() && lines_in(journal) < 100) std::this_thread::sleep_for(5ms);
      p.signal(number);
      expect(p.wait(10s) == 128 + number) << p.err();
      if (number == SIGINT)
        expect(p.says("stopped while it was at") and p.says("first start, to its tools") and p.says("calls answered"))
            << p.out() << p.err();
      expect(testing::survivors(token, 2000).empty());
    }
  };

  "a command line with a mistake is told so before anything runs"_test = [] {
    for (const words& wrong :
         {words{"server"}, words{"server", "--url", "http://x/", "--", "y"},
          words{"server", "--arguments", "[]", "--", "y"}, words{"server", "--seconds", "0", "y"}}) {
      bench_program p{wrong};
      expect(p.wait() == 3_i and not p.err().empty()) << p.out();
    }
  };

  "every question explains itself, with an example"_test = [] {
    bench_program all{{"--help"}};
    expect(all.wait() == 0_i);
    for (const char* name : {"floor", "dispatch", "http", "large", "list", "start", "cold", "memory", "cli", "swap",
                             "server", "registry", "count", "verdict"}) {
      expect(all.says(name)) << name;
      expect(bench::help_of(name).find("Example") != std::string::npos) << name;
      bench_program one{{name, "--help"}};
      expect(one.wait() == 0_i and one.says("hawser-bench " + std::string{name})) << name;
    }
  };
};

}  // namespace server_test
