// SPDX-License-Identifier: MIT
// Hawser at both ends of HTTP: a host, and the demo server as a program of its own, in every era.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "../../../host/host.hpp"
#include "../../support/fixture.hpp"
#include "../../support/send_signal.hpp"
#include "../../support/ut.hpp"

namespace http_host_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::program;

class demo_program {
 public:
  explicit demo_program(std::vector<std::string> more = {}) {
    std::vector<std::string> words{program("hawser"), "demo-server", "--http"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    expect(pipe2(ends.data(), O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      execv(argv.front(), argv.data());
      _exit(126);
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) url += c;
    close(ends[0]);
  }
  demo_program(const demo_program&) = delete;
  demo_program& operator=(const demo_program&) = delete;
  ~demo_program() {
    if (pid_ > 0) end(SIGTERM);
  }
  int end(int signal) {
    if (signal != 0) testing::send_signal(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string url;

 private:
  int pid_ = -1;
};

host_settings at(const std::string& url, protocol_choice protocol) {
  server_settings server{.name = "far"};
  server.transport = http_settings{.url = url};
  server.protocol = std::move(protocol);
  host_settings settings;
  settings.servers.push_back(std::move(server));
  settings.list_changed_delay = 10ms;
  return settings;
}

std::vector<protocol_choice> every_era() {
  using kind = protocol_choice::kind;
  std::vector<protocol_choice> all{{}, {.era = kind::modern}};
  for (const char* revision : {"2025-03-26", "2025-06-18", "2025-11-25"})
    all.push_back({.era = kind::legacy, .revision = revision});
  return all;
}

hub_options with_a_user() {
  hub_options options;
  options.input.form = [](const form_request&, reply<elicitation_answer> answer) {
    answer({.what = elicitation_answer::action::accept, .content = {{"name", "Ada"}}});
  };
  return options;
}

std::string said(const result<envelope>& answer) { return answer ? answer->text() : "failed: " + answer.error().what; }

void settle(host& of) {
  expect(of.start().has_value());
  auto settled = of.settled();
  expect(settled.wait_for(10s));
  for (const server_status& one : of.status()) expect(one.state == server_state::ready) << one.reason;
}

template <class F>
bool becomes_true(F condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(5ms);
  return condition();
}

const suite<"http_host"> tests = [] {
  "every tool of the demo server works over HTTP in every era"_test = [] {
    for (const protocol_choice& era : every_era()) {
      const demo_program demo;
      host of{at(demo.url, era), with_a_user()};
      settle(of);
      expect(said(of.call("far__echo", {{"text", "ahoy \u26f5"}}).get()) == "ahoy \u26f5") << era.revision;
      const auto sum = of.call("far__add", {{"a", 2}, {"b", 40}}).get();
      expect(sum.has_value() && said(sum) == R"({"sum":42})") << said(sum);
      expect(said(of.call("far__structured").get()).find("Kiel") != std::string::npos);
      const auto large = of.call("far__large", {{"bytes", 3'000'000}}).get();
      expect(large.has_value() && large->text().size() == 3'000'000_ul) << said(large).substr(0, 100);
      expect(said(of.call("far__ask").get()) == "Hello, Ada!") << era.revision;
      expect(of.call("far__add", {{"a", "x"}}).get()->is_error());
    }
  };
  "progress comes while a call runs, and a call can be given up"_test = [] {
    for (const protocol_choice& era : every_era()) {
      const demo_program demo;
      host of{at(demo.url, era)};
      settle(of);
      std::atomic<int> steps = 0;
      const request_options watched{.on_progress = [&](const progress_update&) { ++steps; }};
      expect(said(of.call("far__slow", {{"seconds", 0.3}}, watched).get()) == "took 0.3 s");
      expect(steps.load() >= 2_i) << era.revision;
      steps = 0;
      auto endless = of.call("far__slow", {{"seconds", 3600}}, watched);
      expect(becomes_true([&] { return steps > 0; })) << era.revision;
      endless.cancel();
      const auto ended = endless.get();
      expect(!ended && ended.error().code == errc::cancelled);
      expect(said(of.call("far__echo", {{"text", "still here"}}).get()) == "still here") << era.revision;
    }
  };
  "a tool that is added now is listed now"_test = [] {
    for (const protocol_choice& era : every_era()) {
      const demo_program demo;
      host of{at(demo.url, era)};
      settle(of);
      expect(said(of.call("far__add_tool", {{"name", "fresh"}}).get()) == "added fresh");
      // Over HTTP a call may overtake the request that listens for changes; the next change tells of both.
      std::string other = "other";
      const bool listed = becomes_true([&] {
        if (of.tools()->find("far__fresh") != nullptr) return true;
        const auto added = of.call("far__add_tool", {{"name", other += '_'}}).get();
        expect(added.has_value());
        return false;
      });
      expect(listed) << era.revision;
      expect(said(of.call("far__fresh", {{"a", 1}}).get()) == R"({"a":1})") << era.revision;
    }
  };
  "a server that crashes fails the call, and a new one at its address is found again"_test = [] {
    demo_program demo;
    host of{at(demo.url, {})};
    settle(of);
    const auto nothing = of.call("far__crash").get();
    expect(!nothing.has_value() && nothing.error().executed != execution::no);
    expect(demo.end(0) == 3_i);
    const std::string port = demo.url.substr(17, demo.url.find('/', 17) - 17);
    const demo_program again{{"--port", port}};
    expect(again.url == demo.url);
    expect(becomes_true([&] { return of.call("far__echo", {{"text", "back"}}).get().has_value(); }));
  };
  "concurrent calls do not mix up their results"_test = [] {
    for (const protocol_choice& era : every_era()) {
      const demo_program demo;
      host of{at(demo.url, era)};
      settle(of);
      std::vector<future<envelope>> calls;
      for (int i = 0; i < 200; ++i) calls.push_back(of.call("far__add", {{"a", i}, {"b", 1000}}));
      int right = 0;
      for (int i = 0; i < 200; ++i)
        right +=
            said(calls[static_cast<std::size_t>(i)].get()) == R"({"sum":)" + std::to_string(i + 1000) + '}' ? 1 : 0;
      expect(right == 200_i) << era.revision;
    }
  };
};

}  // namespace http_host_test
