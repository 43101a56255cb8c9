// SPDX-License-Identifier: MIT
// The any-thread face of a hub: every form of a call, from every thread, whatever else happens meanwhile. Also run
// under TSan.
#include "../../host/host.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "../support/fixture.hpp"
#include "../support/shell_server.hpp"
#include "../support/ut.hpp"

namespace host_test {

using namespace hawser;
using namespace std::chrono_literals;
using boost::json::object;

server_settings shell(const std::string& name, std::string_view text, const std::string& token = "sh") {
  server_settings s{.name = name};
  s.transport = stdio_settings{.command = "/bin/sh",
                               .args = {"-c", std::string{testing::shell_words} + std::string{text}, token}};
  s.protocol.era = protocol_choice::kind::legacy;
  s.ladder = {.after_stdin = 100ms, .after_sigterm = 100ms, .after_sigkill = 10s};
  return s;
}

constexpr const char* mute = "begin; while request; do usual || :; done";

host_settings with_servers(std::vector<server_settings> servers) {
  host_settings settings;
  settings.servers = std::move(servers);
  return settings;
}

// These two for any thread: expect() is for the test's own.
result<void> echo_added(host& of, const std::string& name) {
  return of.add_tool(name, "gives its text back", R"({"type":"object"})", [](const object& arguments) {
    return envelope::of_text(std::string_view{arguments.at("text").as_string()});
  });
}
result<void> ready(host& of, const std::string& name) { return of.ready(name).get(); }

void add_echo(host& of, const std::string& name = "echo") {
  const auto added = echo_added(of, name);
  expect(added.has_value()) << (added ? "" : added.error().what);
}

std::string said(const result<envelope>& answer) { return answer ? answer->text() : answer.error().what; }

bool failed(const result<envelope>& answer, errc code) { return !answer && answer.error().code == code; }

void is_running(host& of, const std::string& name) {
  const auto is = ready(of, name);
  expect(is.has_value()) << (is ? "" : is.error().what);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// How many descriptors of this process are of the kind that the system gives this name.
std::size_t descriptors_named(std::string_view name) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    std::error_code gone;  // the iterator's own descriptor, for one
    count += std::filesystem::read_symlink(entry.path(), gone).string() == name ? 1 : 0;
  }
  return count;
}

const suite<"host"> tests = [] {
  "a running host has one epoll descriptor, libuv's own, and no other poller"_test = [] {
    const auto epolls = [] { return descriptors_named("anon_inode:[eventpoll]"); };
    const auto timers = [] { return descriptors_named("anon_inode:[timerfd]"); };
    const std::size_t epolls_before = epolls();
    const std::size_t timers_before = timers();
    host h{with_servers({shell("mute", mute)})};
    expect(h.start().has_value());
    is_running(h, "mute");
    expect(epolls() == epolls_before + 1);
    expect(timers() == timers_before);
    h.stop();
  };

  "a call is a handle, a callback or a tool of a held table"_test = [] {
    host of{with_servers({shell("a", "serve")})};
    add_echo(of);
    expect(of.start().has_value());
    is_running(of, "a");
    auto handle = of.call("a__echo");
    const auto waited = handle.get();
    expect(said(waited) == "ok");
    std::promise<std::string> told;
    of.call("echo", {{"text", "by callback"}}, {},
            [&](const result<envelope>& answer) { told.set_value(said(answer)); });
    expect(told.get_future().get() == "by callback");
    const tool_snapshot held = of.tools();
    expect(held->find("a__echo") != nullptr && held->size() == 2_ul);
    expect(said(held.call("a__echo").get()) == "ok");
    expect(said(held.call("echo", {{"text", "held"}}).get()) == "held");
    expect(failed(held.call("nobody").get(), errc::tool_unknown) &&
           failed(of.call("nobody").get(), errc::tool_unknown));
    auto removed = of.remove_server("a").get();
    expect(removed.has_value() && of.remove_tool("echo") && !of.remove_tool("echo"));
    expect(failed(held.call("a__echo").get(), errc::server_gone));
    expect(failed(held.call("echo", {{"text", "x"}}).get(), errc::server_gone));
    expect(failed(of.call("a__echo").get(), errc::tool_unknown));
  };

  "EMB-3 a held table outlives its host, and a call through it is refused without being executed"_test = [] {
    std::optional<tool_snapshot> held;
    std::optional<tool_snapshot> never_started;
    {
      host of{with_servers({shell("a", "serve")})};
      add_echo(of);
      expect(of.start().has_value());
      is_running(of, "a");
      held.emplace(of.tools());
      host other{{}};
      add_echo(other);
      never_started.emplace(other.tools());
    }
    const tool_snapshot copy = *held;
    for (const tool_snapshot* tools : {&std::as_const(*held), &copy}) {
      expect((*tools)->size() == 2_ul && (*tools)->find("a__echo")->server_name == "a");
      for (const char* name : {"a__echo", "echo"}) {
        const auto late = tools->call(name, {{"text", "x"}}).get();
        expect(failed(late, errc::closed) && late.error().executed == execution::no) << said(late);
        expect(contains(said(late), "the host is not running")) << said(late);
      }
      expect(failed(tools->call("nobody").get(), errc::tool_unknown));
    }
    expect(failed(never_started->call("echo", {{"text", "x"}}).get(), errc::closed));
  };

  "EMB-3 calls through held tables race with the end of their host, and each ends once"_test = [] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> answered = 0;
      std::atomic<int> refused = 0;
      std::atomic<int> wrong = 0;
      std::vector<std::jthread> callers;
      {
        host of{{}};
        add_echo(of);
        expect(of.start().has_value());
        for (int t = 0; t < 3; ++t) {
          callers.emplace_back([&, held = of.tools()] {
            // Until the host is gone: each thread calls at least once after its end.
            for (;;) {
              const auto answer = held.call("echo", {{"text", "x"}}).get();
              if (said(answer) == "x") {
                ++answered;
              } else {
                wrong += failed(answer, errc::closed) ? 0 : 1;
                ++refused;
                return;
              }
            }
          });
        }
        while (answered.load() < 20) std::this_thread::yield();
      }
      callers.clear();
      expect(refused.load() == 3_i && wrong.load() == 0_i) << refused.load() << wrong.load();
    }
  };

  "EMB-6 a call right after the start waits for the server that may have the tool"_test = [] {
    host of{with_servers({shell("a", "serve"), shell("never", "sleep 60")})};
    expect(of.start().has_value());
    const auto answer = of.call("a__echo").get();
    expect(said(answer) == "ok");
    const auto begin = std::chrono::steady_clock::now();
    const auto late = of.call("never__echo", {}, {.timeout = 20ms}).get();
    expect(failed(late, errc::timed_out) && late.error().executed == execution::no) << said(late);
    expect(late.has_error() && late.error().server == "never" && contains(said(late), "starting")) << said(late);
    expect(std::chrono::steady_clock::now() - begin < 10s) << "the call's own limit, not the server's";
    auto given_up = of.call("never__echo");
    given_up.cancel();
    expect(failed(given_up.get(), errc::cancelled));
    expect(failed(of.call("a__other").get(), errc::tool_unknown)) << "its server has listed its tools";
    expect(failed(of.call("nobody__echo").get(), errc::tool_unknown)) << "there is no such server";
  };

  "EMB-6 a program waits until one server is ready or has failed"_test = [] {
    server_settings missing{.name = "missing"};
    missing.transport = stdio_settings{.command = "no-such-program-anywhere"};
    host of{with_servers({shell("a", "serve"), missing, shell("never", "sleep 60")})};
    expect(of.ready("a").get().has_error()) << "it is not started";
    expect(of.start().has_value());
    const auto ready = of.ready("a").get();
    expect(ready.has_value() && of.tools()->find("a__echo") != nullptr);
    const auto failed = of.ready("missing").get();
    expect(failed.has_error() && failed.error().server == "missing");
    expect(failed.has_error() && contains(failed.error().what, "no-such-program-anywhere"));
    const auto unknown = of.ready("nobody").get();
    expect(unknown.has_error() && unknown.error().code == errc::config);
    auto never = of.ready("never");
    expect(!never.wait_for(20ms));
    never.cancel();
    expect(never.get().has_error());
  };

  "calls from many threads are answered each with its own"_test = [] {
    host of{{}};
    add_echo(of);
    expect(of.start().has_value());
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        reader names{of.table()};
        for (int i = 0; i < 200; ++i) {
          const std::string text = std::to_string(t) + '/' + std::to_string(i);
          if (names.pin_current()->find("echo") == nullptr) return;
          auto handle = of.call("echo", {{"text", text}});
          if (said(handle.get()) == text) ++right;
        }
      });
    }
    for (std::thread& one : threads) one.join();
    expect(right.load() == 1600_i) << right.load();
  };

  "a call is cancelled by its handle or by a token, from any thread, and its server is told"_test = [] {
    std::atomic<int> cancellations = 0;
    hub_options options;
    options.trace = [&](std::string_view, std::string_view line) {
      if (line.find("notifications/cancelled") != std::string_view::npos) ++cancellations;
    };
    host of{with_servers({shell("a", mute)}), options};
    expect(of.start().has_value());
    is_running(of, "a");
    auto by_handle = of.call("a__echo");
    expect(!by_handle.wait_for(20ms));
    by_handle.cancel();
    const auto first = by_handle.get();
    expect(failed(first, errc::cancelled) && first.error().executed == execution::unknown) << said(first);
    std::stop_source giving_up;
    auto by_token = of.call("a__echo", {}, {.stop = giving_up.get_token()});
    std::jthread other{[&] { giving_up.request_stop(); }};
    expect(failed(by_token.get(), errc::cancelled));
    auto too_late = of.call("a__echo", {}, {.timeout = 20ms});
    expect(failed(too_late.get(), errc::timed_out));
    too_late.cancel();
    expect(cancellations.load() >= 2_i) << cancellations.load();
  };

  "a handle that is dropped drops the answer, not the call"_test = [] {
    host of{{}};
    std::promise<void> called;
    auto added = of.add_tool("note", "", R"({"type":"object"})", [&](const object&) {
      called.set_value();
      return envelope::of_text("noted");
    });
    expect(added.has_value());
    expect(of.start().has_value());
    {
      const auto dropped = of.call("note");
    }
    expect(called.get_future().wait_for(10s) == std::future_status::ready);
  };

  "a native tool may answer later, from another thread, twice, not at all, or throw"_test = [] {
    host of{{}};
    std::vector<std::jthread> workers;
    const auto add = [&](std::string name, std::function<void(object, reply<envelope>)> function) {
      auto added = of.add_tool({.name = std::move(name), .function = std::move(function)});
      expect(added.has_value());
    };
    add("later", [&](const object&, reply<envelope> answer) {
      workers.emplace_back([answer = std::move(answer)]() mutable {
        std::this_thread::yield();
        answer(envelope::of_text("from a thread"));
      });
    });
    add("twice", [](const object&, reply<envelope> answer) {
      answer(envelope::of_text("first"));
      answer(envelope::of_text("second"));
    });
    add("never", [](const object&, const reply<envelope>&) {});
    add("throws", [](const object&, const reply<envelope>&) { throw std::runtime_error{"no"}; });
    expect(of.start().has_value());
    expect(said(of.call("later").get()) == "from a thread");
    expect(said(of.call("twice").get()) == "first");
    const auto dropped = of.call("never").get();
    expect(dropped.has_value() && dropped->is_error()) << said(dropped);
    const auto thrown = of.call("throws").get();
    expect(thrown.has_value() && thrown->is_error()) << said(thrown);
    auto twin = of.add_tool({.name = "later", .function = [](const object&, const reply<envelope>&) {}});
    expect(twin.has_error() && twin.error().code == errc::config);
    auto unusable = of.add_tool({.name = "no function"});
    expect(unusable.has_error());
  };

  "a call of a slow native tool can be cancelled"_test = [] {
    host of{{}};
    std::mutex keeping;  // several calls run at once
    std::vector<reply<envelope>> kept;
    auto added = of.add_tool({.name = "thinks", .function = [&](const object&, reply<envelope> answer) {
                                const std::lock_guard lock{keeping};
                                kept.push_back(std::move(answer));
                              }});
    expect(added.has_value());
    expect(of.start().has_value());
    auto by_handle = of.call("thinks");
    by_handle.cancel();
    expect(failed(by_handle.get(), errc::cancelled));
    std::stop_source giving_up;
    auto by_token = of.call("thinks", {}, {.stop = giving_up.get_token()});
    giving_up.request_stop();
    expect(failed(by_token.get(), errc::cancelled));
    of.stop();
  };

  "native tools run where the program wants them to"_test = [] {
    std::vector<std::jthread> threads;
    std::atomic<bool> elsewhere = false;
    hub_options options;
    options.callbacks = [&](std::function<void()> run) { threads.emplace_back(std::move(run)); };
    {
      host of{{}, options};
      std::thread::id loop_thread;
      auto added = of.add_tool("where", "", R"({"type":"object"})", [&](const object&) {
        elsewhere = std::this_thread::get_id() != loop_thread;
        return envelope::of_text("here");
      });
      expect(added.has_value());
      expect(of.start().has_value());
      std::promise<void> seen;
      of.call("nobody", {}, {}, [&](const result<envelope>&) {
        loop_thread = std::this_thread::get_id();
        seen.set_value();
      });
      seen.get_future().wait();
      expect(said(of.call("where").get()) == "here" && elsewhere.load());
    }
  };

  "servers and tools come, go and restart from many threads while others call"_test = [] {
    const std::string token = testing::new_token();
    {
      host of{with_servers({shell("steady", "serve", token)})};
      add_echo(of);
      expect(of.start().has_value());
      is_running(of, "steady");
      std::atomic<bool> done = false;
      std::atomic<int> wrong = 0;
      std::vector<std::thread> callers;
      for (int t = 0; t < 2; ++t) {
        callers.emplace_back([&] {
          while (!done) {
            if (said(of.call("echo", {{"text", "x"}}).get()) != "x") ++wrong;
            if (said(of.call("steady__echo").get()) != "ok") ++wrong;
          }
        });
      }
      std::vector<std::thread> changers;
      for (int t = 0; t < 3; ++t) {
        changers.emplace_back([&, t] {
          for (int i = 0; i < 4; ++i) {
            const std::string name = "guest" + std::to_string(t);
            if (!of.add_server(shell(name, "serve", token)) || of.add_server(shell(name, "serve", token))) ++wrong;
            if (!echo_added(of, "echo" + std::to_string(t)) || !ready(of, name)) ++wrong;
            if (said(of.call(name + "__echo").get()) != "ok") ++wrong;
            if (!of.restart(name) || of.status().empty()) ++wrong;
            if (!of.remove_server(name).get() || !of.remove_tool("echo" + std::to_string(t))) ++wrong;
          }
        });
      }
      for (std::thread& one : changers) one.join();
      done = true;
      for (std::thread& one : callers) one.join();
      expect(wrong.load() == 0_i) << wrong.load();
      expect(of.tools()->size() == 2_ul && of.status().size() == 1_ul);
    }
    expect(testing::survivors(token, 2000).empty());
  };

  "stop ends the calls that are pending, in every form"_test = [] {
    const std::string token = testing::new_token();
    host of{with_servers({shell("a", mute, token), shell("slow", "sleep 60", token)})};
    std::mutex keeping;  // several calls run at once
    std::vector<reply<envelope>> kept;
    auto added = of.add_tool({.name = "thinks", .function = [&](const object&, reply<envelope> answer) {
                                const std::lock_guard lock{keeping};
                                kept.push_back(std::move(answer));
                              }});
    expect(added.has_value());
    expect(of.start().has_value());
    is_running(of, "a");
    std::atomic<int> callbacks = 0;
    std::vector<future<envelope>> handles;
    for (int i = 0; i < 20; ++i) {
      for (const char* name : {"a__echo", "thinks"}) {
        handles.push_back(of.call(name));
        of.call(name, {}, {},
                [&](const result<envelope>& answer) { callbacks += failed(answer, errc::closed) ? 1 : 100; });
      }
    }
    auto starting = of.ask<void>([](hub& h) { return h.ready("slow"); });
    of.stop();
    expect(callbacks.load() == 40_i) << callbacks.load();
    for (auto& one : handles) expect(one.wait_for(0ns) && failed(one.get(), errc::closed));
    expect(starting.wait_for(0ns) && starting.get().has_error());
    expect(testing::survivors(token, 0).empty()) << "what is stopped is gone";
    kept.clear();  // answers that come after the end are dropped
  };

  "a host that is not running says so, before its start and after its stop"_test = [] {
    {
      const host never_started{{}};
    }
    host of{with_servers({shell("a", "serve")})};
    add_echo(of);
    expect(failed(of.call("echo", {{"text", "x"}}).get(), errc::closed));
    expect(of.status().size() == 1_ul && of.tools()->size() == 1_ul);
    expect(of.start().has_value());
    is_running(of, "a");
    expect(said(of.call("echo", {{"text", "x"}}).get()) == "x");
    of.stop();
    of.stop();
    const auto late = of.call("a__echo").get();
    expect(failed(late, errc::closed) && late.error().executed == execution::no) << said(late);
    std::thread::id where;
    of.call("echo", {}, {}, [&](const result<envelope>& answer) {
      expect(failed(answer, errc::closed));
      where = std::this_thread::get_id();
    });
    expect(where == std::this_thread::get_id());
    expect(of.settled().get().has_error() && of.remove_server("a").get().has_error());
    expect(of.add_server(shell("b", "serve")).has_error());
  };

  "EMB-7 a host is started once: a second start and a start after a stop are errors"_test = [] {
    host of{{}};
    add_echo(of);
    expect(of.start().has_value());
    const auto twice = of.start();
    expect(twice.has_error() && twice.error().code == errc::config) << "it is running";
    expect(said(of.call("echo", {{"text", "x"}}).get()) == "x") << "as before";
    std::promise<bool> by_callback;
    of.call("echo", {{"text", "x"}}, {},
            [&](const result<envelope>&) { by_callback.set_value(of.start().has_error()); });
    expect(by_callback.get_future().get());
    of.stop();
    const auto again = of.start();
    expect(again.has_error() && again.error().code == errc::closed);
    expect(failed(of.call("echo", {{"text", "x"}}).get(), errc::closed));
    host never_started{{}};
    never_started.stop();
    expect(never_started.start().has_error());
    expect(never_started.settled().get().has_error());
  };

  "EMB-7 of starts and stops on many threads one start succeeds at most, and the host ends"_test = [] {
    for (int round = 0; round < 20; ++round) {
      host of{{}};
      std::atomic<int> started = 0;
      {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t) threads.emplace_back([&] { started += of.start() ? 1 : 0; });
        threads.emplace_back([&] { of.stop(); });
      }
      expect(started.load() <= 1_i);
      of.stop();
      expect(of.start().has_error());
    }
  };

  "calls that race with a stop end, each once"_test = [] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> begun = 0;
      std::atomic<int> ended = 0;
      {
        host of{{}};
        add_echo(of);
        expect(of.start().has_value());
        std::atomic<bool> stopped = false;
        std::vector<std::jthread> callers;  // joined before anything they look at dies
        for (int t = 0; t < 3; ++t) {
          callers.emplace_back([&] {
            for (int i = 0; i < 500 && !stopped; ++i) {
              ++begun;
              of.call("echo", {{"text", "x"}}, {}, [&](const result<envelope>&) { ++ended; });
              ++begun;
              auto answer = of.call("echo", {{"text", "x"}}).get();
              ended += answer || answer.error().code == errc::closed ? 1 : 0;
            }
          });
        }
        while (ended.load() < 50) std::this_thread::yield();
        of.stop();
        stopped = true;
      }
      expect(begun.load() == ended.load()) << begun.load() << ended.load();
    }
  };

  "a callback may call, ask and change things itself"_test = [] {
    host of{{}};
    add_echo(of);
    expect(of.start().has_value());
    std::promise<std::string> told;
    of.call("echo", {{"text", "one"}}, {}, [&](const result<envelope>& first) {
      add_echo(of, "other");
      expect(of.status().empty() && of.tools()->size() == 2_ul);
      of.call("other", {{"text", said(first) + " two"}}, {},
              [&](const result<envelope>& second) { told.set_value(said(second)); });
    });
    expect(told.get_future().get() == "one two");
  };
};

}  // namespace host_test
