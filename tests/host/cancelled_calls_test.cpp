// SPDX-License-Identifier: MIT
// Calls that are cancelled before anything of them has left: they are not sent, and the error says so.
#include <atomic>
#include <future>
#include <thread>

#include "../../host/host.hpp"
#include "../support/hub_fixture.hpp"

namespace cancelled_calls_test {

using namespace hawser;
using namespace std::chrono_literals;
using boost::json::object;
using testing::call_outcome;
using testing::hub_fixture;
using testing::in_process_server;
using testing::manual_clock;
using testing::record_call;
using testing::with_hub;

std::stop_token stopped_token() {
  std::stop_source stopped;
  stopped.request_stop();
  return stopped.get_token();
}

bool not_executed(const result<envelope>& answer) {
  return !answer && answer.error().code == errc::cancelled && answer.error().executed == execution::no;
}

// A host with one server, which answers every call, and counts those that are sent to it.
class counting_host {
 public:
  counting_host() : of(settings(), counted(sent)) {
    expect(of.start().has_value());
    auto ready = of.ask<void>([](hub& h) { return h.ready("a"); }).get();
    expect(fatal(ready.has_value()));
  }
  std::atomic<int> sent = 0;
  host of;

  // Runs `meanwhile` while the loop thread is busy, so that it hears of everything that happened only afterwards.
  void while_busy(const std::function<void()>& meanwhile) {
    struct meeting {
      std::promise<void> busy;
      std::promise<void> go_on;
    };
    const auto shared = std::make_shared<meeting>();
    of.call("nobody", {}, {}, [shared](const result<envelope>&) {
      shared->busy.set_value();
      shared->go_on.get_future().wait();
    });
    shared->busy.get_future().wait();
    meanwhile();
    shared->go_on.set_value();
  }

 private:
  static host_settings settings() {
    server_settings s{.name = "a"};
    s.transport = stdio_settings{.command = "/bin/sh", .args = {"-c", std::string{testing::shell_words} + "serve"}};
    s.protocol.era = protocol_choice::kind::legacy;
    s.ladder = {.after_stdin = 100ms, .after_sigterm = 100ms, .after_sigkill = 10s};
    host_settings all;
    all.servers.push_back(std::move(s));
    return all;
  }
  static hub_options counted(std::atomic<int>& sent) {
    hub_options options;
    options.trace = [&sent](std::string_view, std::string_view line) {
      if (line.find("\"method\":\"tools/call\"") != std::string_view::npos) ++sent;
    };
    return options;
  }
};

server_settings lazy_server() {
  server_settings s{.name = "far"};
  s.protocol.era = protocol_choice::kind::legacy;
  s.lazy = true;
  return s;
}

task<void> call_by_id(hub& of, server_id id, call_outcome& into, request_options settings) {
  auto answer = co_await of.call(id, "echo", "{}", std::move(settings));
  ++into.ends;
  if (!answer) into.failure = answer.error();
}

task<void> read_into(hub& of, call_outcome& into, request_options settings) {
  auto answer = co_await of.read_resource("far", "file:///a", std::move(settings));
  ++into.ends;
  if (!answer) into.failure = answer.error();
}

task<void> lazy_is_not_started(hub_fixture& h) {
  auto id = h.of.add_server(lazy_server(), h.far.connect());
  expect(fatal(id.has_value()));
  call_outcome got;
  call_outcome read;
  const request_options stopped{.stop = stopped_token()};
  co_await call_by_id(h.of, *id, got, stopped);
  co_await read_into(h.of, read, stopped);
  co_await hub_fixture::turns();
  expect(got.failed_with(errc::cancelled, execution::no)) << got.said();
  expect(read.failed_with(errc::cancelled, execution::no)) << read.said();
  expect(h.far.connections == 0_ul) << "nobody needs it";
}

task<void> stopped_while_starting(hub_fixture& h) {
  h.far.listed = [](std::string_view) { return std::string{}; };
  auto id = h.of.add_server(lazy_server(), h.far.connect());
  expect(fatal(id.has_value()));
  call_outcome got;
  call_outcome read;
  std::stop_source giving_up;
  scope calls{co_await this_context()};
  const request_options stoppable{.stop = giving_up.get_token()};
  calls.spawn(call_by_id(h.of, *id, got, stoppable));
  calls.spawn(read_into(h.of, read, stoppable));
  while (h.far.lists.empty()) co_await hub_fixture::turns(1);
  const time_point before = h.home.now();
  giving_up.request_stop();
  co_await calls.join();
  expect(h.home.now() == before) << "they do not wait for the server";
  expect(got.failed_with(errc::cancelled, execution::no)) << got.said();
  expect(read.failed_with(errc::cancelled, execution::no)) << read.said();
  h.far.answer(h.far.lists.front(), in_process_server::one_tool("echo"));
  co_await h.until("far", server_state::ready);
  co_await hub_fixture::turns();
  expect(h.far.calls.empty() && h.far.others.size() == 1_ul) << "only that it is initialized" << h.far.others.size();
}

// The first round has reached the server, whatever becomes of the next one.
task<void> stopped_between_rounds(hub_fixture& h) {
  h.far.modern = true;
  co_await h.add_in_process_server();
  std::stop_source giving_up;
  scope calls{co_await this_context()};
  call_outcome got;
  const request_options stoppable{.stop = giving_up.get_token()};
  calls.spawn(record_call(h.of, got, "far__echo", "{}", stoppable));
  const std::string request = co_await h.far.next_call();
  h.far.answer(request, R"({"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":)"
                        R"("elicitation/create","params":{"message":"?","requestedSchema":{"type":"object",)"
                        R"("properties":{}}}}}})");
  co_await hub_fixture::turns();
  giving_up.request_stop();
  co_await calls.join();
  expect(got.failed_with(errc::cancelled, execution::unknown)) << got.said();
}

const suite<"cancelled calls"> tests = [] {
  "CLM-6 a call with a token that is stopped already is not sent"_test = [] {
    counting_host h;
    for (int i = 0; i < 10; ++i) {
      expect(not_executed(h.of.call("a__echo", {}, {.stop = stopped_token()}).get()));
      expect(not_executed(h.of.tools().call("a__echo", {}, {.stop = stopped_token()}).get()));
      std::promise<bool> told;
      h.of.call("a__echo", {}, {.stop = stopped_token()},
                [&](const result<envelope>& answer) { told.set_value(not_executed(answer)); });
      expect(told.get_future().get());
    }
    expect(h.sent.load() == 0_i) << h.sent.load();
    expect(h.of.call("a__echo").get().has_value() && h.sent.load() == 1_i);
  };

  "CLM-6 a call that is cancelled before the loop has begun with it is not sent"_test = [] {
    counting_host h;
    std::vector<future<envelope>> handles;
    h.while_busy([&] {
      for (int i = 0; i < 10; ++i) {
        handles.push_back(h.of.call("a__echo"));
        handles.back().cancel();
        std::stop_source giving_up;
        handles.push_back(h.of.call("a__echo", {}, {.stop = giving_up.get_token()}));
        giving_up.request_stop();
      }
    });
    for (auto& one : handles) expect(not_executed(one.get()));
    expect(h.sent.load() == 0_i) << h.sent.load();
  };

  "CLM-6 a native tool is not called for a call that is cancelled already, nor later by the program's executor"_test =
      [] {
        std::atomic<int> called = 0;
        std::vector<std::function<void()>> waiting;
        hub_options options;
        options.callbacks = [&](std::function<void()> run) { waiting.push_back(std::move(run)); };
        host of{{}, options};
        auto added = of.add_tool({.name = "counts", .function = [&](const object&, reply<envelope> answer) {
                                    ++called;
                                    answer(envelope::of_text("done"));
                                  }});
        expect(added.has_value());
        expect(of.start().has_value());
        expect(not_executed(of.call("counts", {}, {.stop = stopped_token()}).get()));
        auto queued = of.call("counts");
        expect(!queued.wait_for(20ms));
        queued.cancel();
        expect(not_executed(queued.get()));
        of.stop();
        expect(waiting.size() == 1_ul);
        for (const auto& run : waiting) run();
        expect(called.load() == 0_i) << called.load();
      };

  "CLM-6 a native tool that was called before its call was cancelled may have been executed"_test = [] {
    std::vector<reply<envelope>> kept;
    std::promise<void> called;
    host of{{}};
    auto added = of.add_tool({.name = "thinks", .function = [&](const object&, reply<envelope> answer) {
                                kept.push_back(std::move(answer));
                                called.set_value();
                              }});
    expect(added.has_value());
    expect(of.start().has_value());
    auto handle = of.call("thinks");
    called.get_future().wait();
    handle.cancel();
    const auto answer = handle.get();
    expect(!answer && answer.error().code == errc::cancelled && answer.error().executed == execution::unknown);
    of.stop();
  };

  "CLM-6 a lazy server is not started for what is cancelled already"_test = [] { with_hub(lazy_is_not_started); };

  "CLM-6 a call that is cancelled between two rounds may have been executed"_test = [] {
    manual_clock clock;
    std::vector<reply<elicitation_answer>> forms;
    hub_options options;
    options.input.form = [&](const form_request&, reply<elicitation_answer> give) { forms.push_back(std::move(give)); };
    with_hub(stopped_between_rounds, {}, options, &clock);
    expect(forms.size() == 1_ul);
  };

  "CLM-6 what is cancelled while its server starts ends at once and is never sent"_test = [] {
    manual_clock clock;
    with_hub(stopped_while_starting, {}, {}, &clock);
  };
};

}  // namespace cancelled_calls_test
