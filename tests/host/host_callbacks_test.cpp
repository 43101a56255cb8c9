// SPDX-License-Identifier: MIT
// Functions of the embedding program that throw or block, and hosts that end while one of them is at work.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "../../host/host.hpp"
#include "../../runtime/async/event.hpp"
#include "../../transports/jsonrpc/scanner.hpp"
#include "../../transports/testing/memory_channel.hpp"
#include "../support/aborts_with.hpp"
#include "../support/contains.hpp"
#include "../support/fixture.hpp"
#include "../support/forked_processes.hpp"
#include "../support/shell_server.hpp"
#include "../support/ut.hpp"

namespace host_callbacks_test {

using namespace hawser;
using namespace std::chrono_literals;
using boost::json::object;
using testing::contains;

// The rows of a temporary would be gone before the first one is looked at.
template <class T>
concept gives_table = requires(T held) { std::forward<T>(held).table(); };
static_assert(gives_table<const tool_snapshot&> && !gives_table<tool_snapshot>);

// What was logged, from whichever thread; waits for a line that another thread is about to write.
class log_lines {
 public:
  [[nodiscard]] logger sink() {
    return {[this](const log_record& record) {
              const std::lock_guard lock{mutex_};
              lines_.emplace_back(record.text);
              more_.notify_all();
            },
            log_level::warning};
  }
  bool has(std::string_view text) {
    std::unique_lock lock{mutex_};
    return more_.wait_for(lock, 10s, [&] {
      return std::any_of(lines_.begin(), lines_.end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::string> lines_;
};

server_settings shell_server(std::string_view text) {
  server_settings s{.name = "a"};
  s.transport =
      stdio_settings{.command = "/bin/sh", .args = {"-c", std::string{testing::shell_words} + std::string{text}, "sh"}};
  s.protocol.era = protocol_choice::kind::legacy;
  s.ladder = {.after_stdin = 100ms, .after_sigterm = 100ms, .after_sigkill = 10s};
  return s;
}

host_settings one_server(server_settings server) {
  host_settings settings;
  settings.servers.push_back(std::move(server));
  return settings;
}

result<void> ready(host& of) {
  return of.ask<void>([](hub& h) { return h.ready("a"); }).get();
}

std::string said(const result<envelope>& answer) { return answer ? answer->text() : answer.error().what; }

void add(host& to, std::string name, std::function<envelope(const object&)> function) {
  const auto added = to.add_tool(std::move(name), "", R"({"type":"object"})", std::move(function));
  expect(added.has_value());
}

class throwing_resolver final : public resolver {
 public:
  task<result<std::vector<ip_address>>> resolve(std::string /*host*/) override { throw std::runtime_error{"no names"}; }
};

class throwing_store final : public credential_store {
 public:
  task<result<std::optional<login>>> find_for_server(std::string) override { throw std::runtime_error{"no store"}; }
  task<result<std::optional<login>>> find(login_key) override { throw std::runtime_error{"no store"}; }
  task<result<void>> save(std::string, login) override { throw std::runtime_error{"no store"}; }
  task<result<bool>> remove(login_key, std::optional<secret>) override { throw std::runtime_error{"no store"}; }
  task<result<std::vector<login>>> forget(std::string) override { throw std::runtime_error{"no store"}; }
  task<result<std::optional<client_identity>>> find_client(std::string) override {
    throw std::runtime_error{"no store"};
  }
  task<result<void>> save_client(std::string, client_identity) override { throw std::runtime_error{"no store"}; }
  task<result<void>> remove_client(std::string, std::string) override { throw std::runtime_error{"no store"}; }
  task<result<std::vector<std::pair<std::string, login>>>> all() override { throw std::runtime_error{"no store"}; }
  task<result<refresh_lock>> acquire_refresh_lock(login_key) override { throw std::runtime_error{"no store"}; }
  [[nodiscard]] std::string location() const override { throw std::runtime_error{"no store"}; }
};

// Opens, takes what is sent and answers nothing, but for the method that throws.
class throwing_channel final : public channel {
 public:
  enum class method : std::uint8_t { open, send, negotiated, close };
  explicit throwing_channel(method which) : which_(which) {}

  task<result<void>> open(receiver& to) override {
    to_ = &to;
    loop_ = (co_await this_context()).loop;
    throw_in(method::open);
    co_return result<void>{};
  }
  std::size_t send(const outgoing_message& message) override {
    throw_in(method::send);
    loop_->post([this, id = message.request] {
      if (which_ == method::close) {
        to_->on_closed(error{.code = errc::closed, .what = "it hung up"});
      } else if (id) {
        answer_initialize(*id);
      }
    });
    return 0;
  }
  [[nodiscard]] std::size_t queued() const noexcept override { return 0; }
  task<result<void>> drained() override { co_return result<void>{}; }
  void cancel(std::int64_t, std::string_view) noexcept override {}
  void negotiated(const peer_info&) override { throw_in(method::negotiated); }
  task<result<void>> close() override {
    throw_in(method::close);
    co_return result<void>{};
  }

 private:
  void throw_in(method here) const {
    if (which_ == here) throw std::runtime_error{"no wire"};
  }
  void answer_initialize(std::int64_t id) {
    const std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                             R"(,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":)" +
                             R"({"name":"x","version":"1"}}})";
    scanner scan;
    to_->on_message(scan.scan(line));
  }

  const method which_;
  loop* loop_ = nullptr;
  receiver* to_ = nullptr;
};

task<result<int>> throws_in_the_middle() {
  event never;
  auto waited =
      co_await with_timeout(1ms, [](event& what) -> task<result<void>> { co_return co_await what.wait(); }(never));
  expect(waited.has_error());
  throw std::runtime_error{"half-way"};
  co_return 1;
}

task<result<void>> waits_for_nothing(std::promise<void>& waiting) {
  event never;
  waiting.set_value();
  auto waited = co_await never.wait();
  co_return waited;
}

const suite<"host_callbacks"> tests = [] {
  "EMB-1 a native tool that throws is a result with isError and the exception's text"_test = [] {
    host of{{}};
    add(of, "throws", [](const object& arguments) {
      return envelope::of_text(std::string_view{arguments.at("missing").as_string()});
    });
    add(of, "throws_text", [](const object&) -> envelope { throw std::runtime_error{"the disk is full"}; });
    add(of, "throws_number", [](const object&) -> envelope { throw 7; });
    expect(of.start().has_value());
    const auto missing = of.call("throws").get();
    expect(missing.has_value() && missing->is_error()) << said(missing);
    const auto text = of.call("throws_text").get();
    expect(text.has_value() && text->is_error() && said(text).find("the disk is full") != std::string::npos)
        << said(text);
    const auto number = of.call("throws_number").get();
    expect(number.has_value() && number->is_error() && said(number).find("throws_number") != std::string::npos)
        << said(number);
  };

  "EMB-1 a native tool that throws on a thread of the program's executor is a result with isError"_test = [] {
    std::vector<std::jthread> threads;
    hub_options options;
    options.callbacks = [&](std::function<void()> run) { threads.emplace_back(std::move(run)); };
    host of{{}, options};
    add(of, "throws", [](const object&) -> envelope { throw std::runtime_error{"the disk is full"}; });
    expect(of.start().has_value());
    const auto answer = of.call("throws").get();
    expect(answer.has_value() && answer->is_error() && said(answer).find("the disk is full") != std::string::npos)
        << said(answer);
    of.stop();
  };

  "EMB-1 on_change and trace that throw are log lines with their names"_test = [] {
    log_lines log;
    hub_options options;
    options.on_change = [](const host_change&) { throw std::runtime_error{"no listener"}; };
    options.trace = [](std::string_view, std::string_view) { throw std::runtime_error{"no file"}; };
    host of{one_server(shell_server("serve")), options, log.sink()};
    add(of, "before", [](const object&) { return envelope::of_text("x"); });
    expect(of.start().has_value());
    expect(ready(of).has_value());
    expect(said(of.call("a__echo").get()) == "ok");
    expect(log.has("on_change threw: no listener") && log.has("trace threw: no file"));
  };

  "EMB-1 a completion that throws is a log line, on the loop thread, before the start and after the stop"_test = [] {
    log_lines log;
    host of{{}, {}, log.sink()};
    add(of, "echo", [](const object&) { return envelope::of_text("x"); });
    of.call("echo", {}, {}, [](const result<envelope>&) { throw std::runtime_error{"thrown before"}; });
    expect(log.has("completion of a call threw: thrown before"));
    expect(of.start().has_value());
    of.call("echo", {}, {}, [](const result<envelope>&) { throw std::runtime_error{"thrown meanwhile"}; });
    expect(log.has("completion of a call threw: thrown meanwhile"));
    expect(said(of.call("echo").get()) == "x");
    of.stop();
    of.call("echo", {}, {}, [](const result<envelope>&) { throw std::runtime_error{"thrown after"}; });
    expect(log.has("completion of a call threw: thrown after"));
  };

  "EMB-1 a completion that throws in a native tool that runs while the host stops holds up nobody"_test = [] {
    log_lines log;
    host of{{}, {}, log.sink()};
    std::promise<void> begun;
    add(of, "calls", [&](const object&) {
      begun.set_value();
      while (of.call("echo").get().error().code != errc::closed) std::this_thread::yield();  // until it is stopping
      of.call("echo", {}, {}, [](const result<envelope>&) { throw std::runtime_error{"thrown at the end"}; });
      return envelope::of_text("x");
    });
    expect(of.start().has_value());
    auto call = of.call("calls");
    begun.get_future().wait();
    of.stop();
    expect(log.has("completion of a call threw: thrown at the end"));
  };

  "EMB-1 an exception without a text is a result with isError"_test = [] {
    struct silent : std::exception {
      [[nodiscard]] const char* what() const noexcept override { return nullptr; }
    };
    host of{{}};
    add(of, "throws", [](const object&) -> envelope { throw silent{}; });
    expect(of.start().has_value());
    const auto answer = of.call("throws").get();
    expect(answer.has_value() && answer->is_error()) << said(answer);
  };

  "EMB-1 a completion that destroys its host and then throws leaves nothing behind"_test = [] {
    log_lines log;
    auto of = std::make_unique<host>(host_settings{}, hub_options{}, log.sink());
    of->call("echo", {}, {}, [&](const result<envelope>&) {
      of.reset();
      throw std::runtime_error{"thrown after the end"};
    });
    expect(of == nullptr);
  };

  "EMB-1 a channel of the program that throws ends its connection and not the process"_test = [] {
    for (const auto where : {throwing_channel::method::open, throwing_channel::method::send,
                             throwing_channel::method::negotiated, throwing_channel::method::close}) {
      host of{{}};
      server_settings s{.name = "a", .startup_timeout = 5s};
      s.protocol.era = protocol_choice::kind::legacy;
      const auto added = of.add_server(s, [where] { return std::make_unique<throwing_channel>(where); });
      expect(added.has_value() && of.start().has_value());
      const auto settled = ready(of);
      // It is ready before it hears that the revision was negotiated.
      expect(settled.has_error() || where == throwing_channel::method::negotiated);
      if (where == throwing_channel::method::open || where == throwing_channel::method::send)
        expect(contains(settled.error().what, "of a channel threw: no wire")) << settled.error().what;
    }
  };

  "EMB-1 connect that throws is a failed start whose reason has the exception's text"_test = [] {
    host of{{}};
    std::atomic<int> starts = 0;
    server_settings s{.name = "a"};
    const auto added = of.add_server(s, [&]() -> std::unique_ptr<channel> {
      ++starts;
      throw std::runtime_error{"no such bus"};
    });
    expect(added.has_value());
    expect(of.start().has_value());
    expect(of.settled().get().has_value());
    const auto status = of.status();
    expect(fatal(status.size() == 1_ul) && starts.load() >= 1_i);
    expect(status[0].state != server_state::ready);
    expect(status[0].reason.find("connect threw: no such bus") != std::string::npos) << status[0].reason;
    expect(ready(of).has_error());
  };

  "EMB-1 ask whose function or task throws ends with an error"_test = [] {
    host of{{}};
    expect(of.start().has_value());
    auto at_once = of.ask<int>([](hub&) -> task<result<int>> { throw std::runtime_error{"at once"}; }).get();
    expect(at_once.has_error() && at_once.error().what == "the function of ask threw: at once")
        << (at_once ? "" : at_once.error().what);
    auto later = of.ask<int>([](hub&) { return throws_in_the_middle(); }).get();
    expect(later.has_error() && later.error().what == "the function of ask threw: half-way")
        << (later ? "" : later.error().what);
    expect(later.error().executed == execution::unknown) << "nobody knows what it had called by then";
  };

  "EMB-1 a resolver that throws is a failed start, a token store that throws a log line"_test = [] {
    log_lines log;
    throwing_resolver names;
    throwing_store logins;
    hub_options options;
    options.names = &names;
    server_settings remote{.name = "a"};
    remote.transport = http_settings{.url = "http://example.com/mcp"};
    for (const bool with_store : {false, true}) {
      options.logins = with_store ? &logins : nullptr;
      host of{one_server(remote), options, log.sink()};
      expect(of.start().has_value());
      expect(of.settled().get().has_value());
      const auto status = of.status();
      expect(fatal(status.size() == 1_ul));
      expect(status[0].reason.find("the resolver threw: no names") != std::string::npos) << status[0].reason;
      // A store that cannot be read is no reason not to ask the server.
      if (with_store) expect(log.has("find_for_server of the credential store threw: no store"));
    }
  };

  "EMB-4 native tools that wait for native tools do not block each other"_test = [] {
    constexpr int outer_calls = 40;
    host of{{}};
    std::atomic<int> waiting = 0;
    add(of, "inner", [](const object&) { return envelope::of_text("inner"); });
    add(of, "outer", [&](const object&) {
      ++waiting;
      while (waiting < outer_calls) std::this_thread::yield();  // so that each has a thread of its own
      return envelope::of_text(said(of.call("inner", {}, {.timeout = 60s}).get()));
    });
    expect(of.start().has_value());
    std::vector<future<envelope>> calls;
    for (int i = 0; i < outer_calls; ++i) calls.push_back(of.call("outer", {}, {.timeout = 60s}));
    for (auto& one : calls) expect(said(one.get()) == "inner");
  };

  "EMB-4 a native tool runs with the signal mask of the program, not with that of the loop thread"_test = [] {
    host of{{}};
    add(of, "blocked", [](const object&) {
      sigset_t mask{};
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      return envelope::of_text(sigismember(&mask, SIGPIPE) == 0 && sigismember(&mask, SIGXFSZ) == 0 ? "none" : "some");
    });
    expect(of.start().has_value());
    expect(said(of.call("blocked").get()) == "none");
  };

  "EMB-4 an outcome is taken once; a second get() and a handle that was moved from are errors"_test = [] {
    host of{{}};
    add(of, "echo", [](const object&) { return envelope::of_text("x"); });
    expect(of.start().has_value());
    auto call = of.call("echo");
    expect(said(call.get()) == "x");
    expect(call.wait_for(0ns) && call.get().has_error());
    auto moved_from = of.call("echo");
    auto moved = std::move(moved_from);
    moved_from.cancel();                                               // NOLINT(bugprone-use-after-move)
    expect(moved_from.wait_for(0ns) && moved_from.get().has_error());  // NOLINT(bugprone-use-after-move)
    expect(moved.wait_for(std::chrono::nanoseconds::max() - 1ns) && said(moved.get()) == "x");
  };

  "EMB-7 add_tool from several threads around the start loses no tool"_test = [] {
    constexpr int threads = 4;
    constexpr int tools = 30;
    for (int round = 0; round < 20; ++round) {
      host of{{}};
      std::atomic<int> refused = 0;
      std::vector<std::jthread> adding;
      for (int t = 0; t < threads; ++t) {
        adding.emplace_back([&of, &refused, t] {
          for (int i = 0; i < tools; ++i) {
            const std::string name = "t" + std::to_string(t) + "x" + std::to_string(i);
            if (!of.add_tool(name, "", R"({"type":"object"})", [](const object&) { return envelope::of_text("x"); }))
              ++refused;
          }
        });
      }
      expect(of.start().has_value());
      adding.clear();
      const auto held = of.tools();
      expect(refused.load() == 0_i && held->size() == std::size_t{threads * tools});
    }
  };

  "EMB-7 a native tool without a function, and one for a host that is stopped, are refused"_test = [] {
    host of{{}};
    expect(of.add_tool("empty", "", R"({"type":"object"})", {}).has_error());
    expect(of.start().has_value());
    of.stop();
    const auto late =
        of.add_tool("late", "", R"({"type":"object"})", [](const object&) { return envelope::of_text("x"); });
    expect(late.has_error() && late.error().code == errc::closed);
  };

  "EMB-2 a host ends while the task of an ask waits, which then says that the host is stopped"_test = [] {
    std::promise<void> waiting;
    std::optional<future<void>> asked;
    {
      host of{{}};
      expect(of.start().has_value());
      asked.emplace(of.ask<void>([&](hub&) { return waits_for_nothing(waiting); }));
      waiting.get_future().wait();
    }
    expect(fatal(asked->wait_for(0ns)));
    const auto outcome = asked->get();
    expect(outcome.has_error() && outcome.error().code == errc::closed) << (outcome ? "" : outcome.error().what);
    expect(outcome.error().executed == execution::unknown) << "nobody knows what it had called by then";
  };

  "EMB-2 a host ends while an input handler keeps its reply and never answers"_test = [] {
    constexpr const char* asks =
        "begin; request; say '{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
        "\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}'; serve";
    std::optional<reply<elicitation_answer>> kept;
    std::promise<void> asked;
    hub_options options;
    options.input.form = [&](const form_request&, reply<elicitation_answer> answer) {
      kept.emplace(std::move(answer));
      asked.set_value();
    };
    std::optional<future<envelope>> call;
    {
      host of{one_server(shell_server(asks)), options};
      expect(of.start().has_value());
      expect(fatal(ready(of).has_value()));
      call.emplace(of.call("a__echo"));
      asked.get_future().wait();
    }
    expect(fatal(call->wait_for(0ns)));
    const auto outcome = call->get();
    expect(outcome.has_error() && outcome.error().code == errc::closed) << said(outcome);
    (*kept)({});  // an answer that comes after the end is dropped
    kept.reset();
  };

  "EMB-4 get() and wait_for() on the loop thread end the process with a sentence"_test = [] {
    using calls = std::function<future<envelope>(host&)>;
    const calls by_name = [](host& of) { return of.call("echo"); };
    const calls of_held_table = [](host& of) { return of.tools().call("echo"); };
    const auto on_loop_thread = [](const calls& call, const std::function<void(future<envelope>&)>& waits) {
      host of{{}};
      add(of, "echo", [](const object&) { return envelope::of_text("x"); });
      expect(of.start().has_value());
      std::promise<void> called;
      of.call("echo", {}, {}, [&](const result<envelope>&) {
        auto second = call(of);
        called.set_value();  // not before: a host that stops refuses the second call at once
        waits(second);
      });
      called.get_future().wait();
      of.stop();
    };
    constexpr std::string_view sentence = "a call of a host was waited for on its own loop thread";
    for (const calls& call : {by_name, of_held_table}) {
      expect(testing::aborts_with(
          sentence, [&] { on_loop_thread(call, [](auto& second) { ignore(second.get(), "it does not return"); }); }));
      expect(testing::aborts_with(sentence, [&] { on_loop_thread(call, [](auto& second) { second.wait_for(10s); }); }));
      expect(!testing::aborts_with(sentence, [&] { on_loop_thread(call, [](auto& second) { second.wait_for(0s); }); }));
    }
  };

  "EMB-4 a native tool that blocks holds up neither the loop nor other tools"_test = [] {
    host of{one_server(shell_server("serve"))};
    std::promise<void> go_on;
    const std::shared_future<void> until = go_on.get_future().share();
    add(of, "blocks", [until](const object&) {
      until.wait();
      return envelope::of_text("went on");
    });
    add(of, "echo", [](const object&) { return envelope::of_text("x"); });
    expect(of.start().has_value());
    auto blocked = of.call("blocks");
    auto other = of.call("echo");
    const bool answered = other.wait_for(10s);
    expect(answered);
    if (answered) {
      expect(said(other.get()) == "x");
      expect(ready(of).has_value() && said(of.call("a__echo").get()) == "ok");
    }
    expect(!blocked.wait_for(0s));
    go_on.set_value();
    expect(said(blocked.get()) == "went on");
  };

  "EMB-4 a native tool may call other tools and wait for them"_test = [] {
    host of{{}};
    add(of, "inner", [](const object&) { return envelope::of_text("inside"); });
    add(of, "outer", [&](const object&) { return envelope::of_text("heard " + said(of.call("inner").get())); });
    expect(of.start().has_value());
    auto outer = of.call("outer");
    expect(fatal(outer.wait_for(10s)));
    expect(said(outer.get()) == "heard inside");
  };

  "EMB-4 a native tool that was given up before it began does not run"_test = [] {
    host of{{}};
    std::promise<void> go_on;
    const std::shared_future<void> until = go_on.get_future().share();
    std::atomic<int> begun = 0;
    std::atomic<int> ran = 0;
    add(of, "blocks", [&, until](const object&) {
      ++begun;
      until.wait();
      return envelope::of_text("went on");
    });
    add(of, "counts", [&](const object&) {
      ++ran;
      return envelope::of_text("x");
    });
    expect(of.start().has_value());
    std::vector<future<envelope>> blocking;
    for (int i = 0; i < 100; ++i) blocking.push_back(of.call("blocks"));  // more than there are threads
    auto given_up = of.call("counts");
    given_up.cancel();
    const auto outcome = given_up.get();
    expect(outcome.has_error() && outcome.error().executed == execution::no) << said(outcome);
    go_on.set_value();
    for (auto& one : blocking) expect(said(one.get()) == "went on");
    of.stop();
    expect(begun.load() == 100_i && ran.load() == 0_i) << ran.load();
  };

  "EMB-4 a native tool that stops its host ends the process with a sentence"_test = [] {
    expect(testing::aborts_with("a host is not stopped by one of its native tools", [] {
      host of{{}};
      add(of, "stops", [&](const object&) {
        of.stop();
        return envelope::of_text("stopped");
      });
      expect(of.start().has_value());
      static_cast<void>(of.call("stops").get());
    }));
  };

  "EMB-5 a forked process that destroys the host of its parent leaves it alone"_test = [] {
    const auto parent = [](int) {
      static std::optional<host> of;
      of.emplace(one_server(shell_server("serve")));
      add(*of, "echo", [](const object&) { return envelope::of_text("x"); });
      std::promise<void> waiting;
      expect(of->start().has_value());
      if (!ready(*of)) return false;
      auto asked = of->ask<void>([&](hub&) { return waits_for_nothing(waiting); });
      waiting.get_future().wait();
      const int child = fork();
      if (child == 0) {  // what exit() does to a static host; libuv's own end of its pool does not survive a fork
        of.reset();
        _exit(0);
      }
      int status = -1;
      const bool exited = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      const bool works = said(of->call("a__echo").get()) == "ok" && said(of->call("echo").get()) == "x";
      asked.cancel();
      static_cast<void>(asked.get());
      of.reset();
      return exited && works;
    };
    expect(testing::failures_of(1, parent) == 0_i);
  };

  "EMB-5 a forked process is told that the host of its parent does not run there"_test = [] {
    host of{{}};
    add(of, "echo", [](const object&) { return envelope::of_text("x"); });
    expect(of.start().has_value());
    expect(said(of.call("echo").get()) == "x");
    expect(testing::failures_of(1, [&](int) {
             alarm(20);  // a child that waits for an answer waits for ever
             auto call = of.call("echo");
             auto held = of.tools().call("echo");
             const bool refused = call.wait_for(0s) && call.get().has_error() && held.wait_for(0s) &&
                                  held.get().has_error() && of.start().has_error();
             const bool changed = of.remove_tool("echo") || of.restart("a").has_value();
             of.stop();
             return refused && !changed && of.status().empty();
           }) == 0_i);
    expect(said(of.call("echo").get()) == "x");
  };
};

}  // namespace host_callbacks_test
