// SPDX-License-Identifier: MIT
#include "../../host/hub.hpp"

#include <uv.h>

#include <optional>

#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/loop/attached_loop.hpp"
#include "../support/aborts_with.hpp"
#include "../support/manual_clock.hpp"
#include "../support/run.hpp"
#include "../support/scripted_servers.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"

namespace hub_test {

using namespace hawser;
using testing::run;
using testing::scripted_server;
using testing::scripted_servers;
using testing::serving;
using testing::tool_named;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A hub with servers of the test, opened and settled around `inside`.
struct scene {
  scene(context where, host_settings settings, hub_options options)
      : fleet(where), servers(*where.loop, std::move(settings), std::move(options)) {}
  void add(std::string name, std::function<void(scripted_server&)> prepare, server_settings settings = {}) {
    settings.name = std::move(name);
    const auto added = servers.add_server(std::move(settings), fleet.connects(std::move(prepare)));
    expect(added.has_value());
  }
  task<void> open() {
    auto opened = co_await servers.open();
    auto settled = co_await servers.settled();
    expect(opened.has_value() && settled.has_value());
  }
  task<void> close() {
    auto closed = co_await servers.close();
    expect(closed.has_value());
    co_await fleet.close();
  }
  scripted_servers fleet;
  hub servers;
};

task<void> bounded_texts() {
  const std::string instructions = "be kind " + std::string(70'000, 'i');
  std::vector<host_change> told;
  hub_options options{.on_change = [&](const host_change& one) { told.push_back(one); }};
  scene s{co_await this_context(), {}, std::move(options)};
  s.add("files", [&](scripted_server& end) {
    serving(tool_named("read"))(end);
    end.on("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"},)"
                         R"("instructions":")" +
                             instructions + "\"}");
  });
  co_await s.open();
  const auto status = s.servers.status("files");
  expect(fatal(status.has_value()));
  const std::string& shown = status->negotiated.instructions;
  expect(shown.starts_with("be kind iii") && shown.size() <= (std::size_t{64} << 10) + 8) << shown.size();
  for (const std::size_t size : {std::size_t{1000}, std::size_t{300'000}})
    s.fleet.ends[0]->notify("notifications/message", R"({"level":"info","data":")" + std::string(size, 'm') + "\"}");
  for (int i = 0; i < 50; ++i) co_await yield();
  std::vector<std::string> messages;
  for (const host_change& one : told) {
    if (one.what == host_change::kind::log_message) messages.push_back(one.text);
  }
  expect(fatal(messages.size() == 2_ul));
  expect(messages[0].size() == 1002_ul) << messages[0].size();
  expect(messages[1] == R"("left out: 300002 bytes")") << messages[1].substr(0, 100);
  co_await s.close();
}

task<void> one_start() {
  scene s{co_await this_context(), {}, {}};
  s.add("files", serving(tool_named("read")));
  co_await s.open();
  expect(s.fleet.ends.size() == 1_ul);
  expect(s.fleet.ends[0]->order() == "server/discover initialize notifications/initialized tools/list");
  expect(s.fleet.ends[0]->all("initialize")[0].at({"params", "capabilities"}) == "{}") << "nothing was offered";
  co_await s.close();
}

task<void> names_and_schemas() {
  scene s{co_await this_context(), {}, {}};
  const std::string schema = R"({"type":"object","x-odd":  [1,2 ,3],"properties":{"n":{"type":"integer"}}})";
  s.add("files", serving(R"({"name":"read","inputSchema":)" + schema + '}'));
  co_await s.open();
  const table_ref tools = s.servers.tools();
  const tool_row* row = tools->find("files__read");
  expect((row != nullptr) >> fatal);
  expect(row->definition->input_schema == schema) << "byte for byte";
  auto answer = co_await s.servers.call("files__read", R"({"n":"no number"})");
  expect(answer.has_value()) << "its server judges arguments, not we";
  const auto calls = s.fleet.ends[0]->all("tools/call");
  expect((calls.size() == 1_ul) >> fatal);
  expect(calls[0].at({"params", "name"}) == "\"read\"") << "the server knows its own name only";
  expect(calls[0].at({"params", "arguments"}) == R"({"n":"no number"})");
  auto without = co_await s.servers.call("files__read", "");
  expect(without.has_value());
  expect(s.fleet.ends[0]->all("tools/call").back().at({"params", "arguments"}) == "{}") << "some servers insist";
  auto unknown = co_await s.servers.call("read", "{}");
  expect(unknown.has_error() && unknown.error().code == errc::tool_unknown);
  co_await s.close();
}

task<void> late_server() {
  scene s{co_await this_context(), {}, {}};
  co_await s.open();
  const table_ref before = s.servers.tools();
  expect(before->empty()) << "what is not configured does not run";
  s.add("late", serving(tool_named("one") + ',' + tool_named("two")));
  auto settled = co_await s.servers.settled();
  expect(settled.has_value());
  expect(before->empty()) << "a held table stays as it is";
  expect(s.servers.tools()->size() == 2_ul);
  auto removed = co_await s.servers.remove_server("late");
  expect(removed.has_value() && s.servers.tools()->empty());
  co_await s.close();
}

native_tool greeting() {
  return {.name = "greet", .function = [](const boost::json::object& arguments, reply<envelope> answer) {
            answer(envelope::of_text("hello " + std::string{arguments.at("name").as_string()}));
          }};
}

task<void> native() {
  scene s{co_await this_context(), {}, {}};
  s.add("files", serving(tool_named("read")));
  const auto added = s.servers.add_tool(greeting());
  const auto twice = s.servers.add_tool(greeting());
  expect(added.has_value() && twice.has_error()) << "the newcomer is refused";
  co_await s.open();
  expect(s.servers.tools()->size() == 2_ul);
  auto answer = co_await s.servers.call("greet", R"({"name":"Ahab"})");
  expect((answer.has_value()) >> fatal);
  expect(answer->text() == "hello Ahab");
  expect(s.servers.remove_tool("greet"));
  auto gone = co_await s.servers.call("greet", "{}");
  expect(gone.has_error() && gone.error().code == errc::tool_unknown);
  co_await s.close();
}

result<void> refused_tool(hub& of, native_tool added) {
  if (!added.function) added.function = [](const boost::json::object&, const reply<envelope>&) {};
  return of.add_tool(std::move(added));
}

task<void> unusable_native_tools() {
  scene s{co_await this_context(), {}, {}};
  for (const char* schema : {"[]", "true", "1", "null", "\"object\"", " [1]", "", "{", R"({"type":"string"})",
                             R"({"type":["object","null"]})"}) {
    const auto added = refused_tool(s.servers, {.name = "greet", .input_schema = schema});
    expect(added.has_error() && added.error().code == errc::config) << schema;
    expect(added.has_error() && contains(added.error().what, "input schema of the tool \"greet\"")) << schema;
  }
  for (const char* schema : {"[]", "true", "{", "x"}) {
    const auto added = refused_tool(s.servers, {.name = "greet", .output_schema = schema});
    expect(added.has_error() && contains(added.error().what, "output schema of the tool \"greet\"")) << schema;
  }
  for (const std::string& name : {std::string{"say hello"}, std::string{"größe"}, std::string{"a.b"},
                                  std::string{"report_20240101"}, std::string(65, 'x')}) {
    const auto added = refused_tool(s.servers, {.name = name});
    expect(added.has_error() && added.error().code == errc::config) << name;
    expect(added.has_error() && contains(added.error().what, name) && contains(added.error().what, "would be exposed"))
        << (added ? "" : added.error().what);
  }
  expect(s.servers.tools()->empty()) << "nothing that was refused is listed";
  const auto plain = refused_tool(s.servers, {.name = "say-hello_2", .input_schema = "\n {\"type\": \"object\"}"});
  const auto untyped = refused_tool(s.servers, {.name = "untyped", .input_schema = "{}", .output_schema = "{}"});
  expect(plain.has_value() && untyped.has_value());
  expect(s.servers.tools()->find("say-hello_2") != nullptr && s.servers.tools()->size() == 2_ul);
  co_await s.close();
}

task<void> call_named(hub& of, std::string name, std::optional<result<envelope>>& into, request_options settings = {}) {
  into.emplace(co_await of.call(std::move(name), "{}", std::move(settings)));
}

bool is_error(const std::optional<result<envelope>>& got, errc code) {
  return got && got->has_error() && got->error().code == code && got->error().executed == execution::no;
}

task<void> turns() {
  for (int turn = 0; turn < 50; ++turn) {
    auto slept = co_await sleep_for(duration::zero());  // timers that are due have their turn, too
    expect(slept.has_value());
  }
}

// A server that does not answer tools/list by itself; `made` is its end.
std::function<void(scripted_server&)> never_listing(scripted_server*& made) {
  return [&made](scripted_server& end) {
    serving(tool_named("read"))(end);
    end.stay_silent("tools/list");
    made = &end;
  };
}

task<void> called_while_starting() {
  scene s{co_await this_context(), {}, {}};
  scripted_server* files = nullptr;
  scripted_server* other = nullptr;
  s.add("files", never_listing(files));
  s.add("other", never_listing(other));
  auto opened = co_await s.servers.open();
  expect(opened.has_value());
  scope calls{co_await this_context()};
  std::optional<result<envelope>> read;
  std::optional<result<envelope>> missing;
  std::optional<result<envelope>> elsewhere;
  std::optional<result<envelope>> nobody;
  calls.spawn(call_named(s.servers, "other__read", elsewhere));
  calls.spawn(call_named(s.servers, "files__read", read));
  calls.spawn(call_named(s.servers, "files__write", missing));
  calls.spawn(call_named(s.servers, "third__read", nobody));
  co_await turns();
  expect(!read && !missing && !elsewhere) << "they wait";
  expect(is_error(nobody, errc::tool_unknown)) << "no server could have it";
  expect((files != nullptr) >> fatal);
  const auto request = co_await files->saw("tools/list");
  files->reply(request, scripted_server::result_of(R"({"tools":[)" + tool_named("read") + "]}"));
  for (int turn = 0; turn < 1000 && !(read && missing); ++turn) co_await yield();
  expect(read && read->has_value() && (*read)->text() == "done");
  expect(is_error(missing, errc::tool_unknown)) << "its server is ready, and has no such tool";
  expect(!elsewhere);
  auto closed = co_await s.servers.close();
  expect(closed.has_value());
  co_await calls.join();
  expect(is_error(elsewhere, errc::closed)) << "a stop ends the wait";
  co_await s.fleet.close();
}

task<void> waits_within_its_limit(testing::manual_clock& time) {
  scene s{co_await this_context(), {}, {}};
  scripted_server* files = nullptr;
  s.add("files", never_listing(files), {.timeout = std::chrono::seconds{20}});
  auto opened = co_await s.servers.open();
  expect(opened.has_value());
  scope calls{co_await this_context()};
  std::optional<result<envelope>> own;
  std::optional<result<envelope>> usual;
  std::optional<result<envelope>> stopped;
  std::stop_source giving_up;
  calls.spawn(call_named(s.servers, "files__read", own, {.timeout = std::chrono::seconds{5}}));
  calls.spawn(call_named(s.servers, "files__read", usual));
  calls.spawn(call_named(s.servers, "files__read", stopped, {.stop = giving_up.get_token()}));
  co_await turns();
  giving_up.request_stop();
  for (int turn = 0; turn < 100'000 && !stopped; ++turn) co_await yield();  // the token is another thread's
  expect(is_error(stopped, errc::cancelled));
  time.advance(std::chrono::milliseconds{4999});
  co_await turns();
  expect(!own && !usual);
  time.advance(std::chrono::milliseconds{1});
  co_await turns();
  expect(is_error(own, errc::timed_out) && own->error().server == "files" && own->error().phase == "start");
  expect(own && own->has_error() && contains(own->error().what, "5.0 s"));
  expect(!usual) << "it has the limit of its server";
  time.advance(std::chrono::seconds{15});
  co_await turns();
  expect(is_error(usual, errc::timed_out));
  co_await calls.join();
  co_await s.close();
}

task<void> why_there_is_no_such_tool() {
  host_settings settings;
  settings.servers.push_back({.name = "missing", .transport = stdio_settings{.command = "no-such-program-anywhere"}});
  scene s{co_await this_context(), std::move(settings), {}};
  auto opened = co_await s.servers.open();
  expect(opened.has_value());
  auto refused = co_await s.servers.call("missing__read", "{}");
  expect(refused.has_error() && refused.error().code == errc::tool_unknown && refused.error().server == "missing");
  expect(refused.has_error() && contains(refused.error().what, "no-such-program-anywhere"))
      << (refused ? "" : refused.error().what);
  co_await s.close();
}

task<void> lazy_without_memory() {
  scene s{co_await this_context(), {}, {.all_lazy = true}};
  s.add("files", serving(tool_named("read")));
  s.add("other", serving(tool_named("read")));
  co_await s.open();
  expect(s.fleet.ends.empty() && s.servers.tools()->empty());
  auto answer = co_await s.servers.call("files__read", "{}");
  expect(answer.has_value() && answer->text() == "done") << (answer ? "" : answer.error().what);
  expect(s.fleet.ends.size() == 1_ul) << "only the one that could have it";
  co_await s.close();
}

task<void> removed_while_awaited() {
  scene s{co_await this_context(), {}, {}};
  scripted_server* files = nullptr;
  s.add("files", never_listing(files));
  auto opened = co_await s.servers.open();
  expect(opened.has_value());
  scope calls{co_await this_context()};
  std::optional<result<envelope>> read;
  calls.spawn(call_named(s.servers, "files__read", read));
  co_await turns();
  expect(!read);
  auto removed = co_await s.servers.remove_server("files");
  expect(removed.has_value());
  co_await calls.join();
  expect(is_error(read, errc::tool_unknown));
  co_await s.close();
}

task<void> access_rules() {
  const std::string tools = tool_named("looks", R"(,"annotations":{"readOnlyHint":true})") + ',' +
                            tool_named("writes", R"(,"annotations":{"readOnlyHint":false})") + ',' +
                            tool_named("silent");
  scene s{co_await this_context(), {}, {}};
  s.add("any", serving(tools));
  s.add("careful", serving(tools), {.access = tool_access::not_declared_write});
  s.add("strict", serving(tools), {.access = tool_access::declared_read_only});
  s.add("some", serving(tools), {.tools = {"*", "!writes"}});
  co_await s.open();
  std::string names;
  for (const tool_row* row : *s.servers.tools()) names += std::string{row->name} + ' ';
  expect(names ==
         "any__looks any__silent any__writes careful__looks careful__silent some__looks some__silent strict__looks ");
  co_await s.close();
}

task<void> failing_neighbours() {
  host_settings settings;
  settings.servers.push_back({.name = "missing", .transport = stdio_settings{.command = "no-such-program-anywhere"}});
  scene s{co_await this_context(), std::move(settings), {}};
  s.add("files", serving(tool_named("read")));
  co_await s.open();
  const auto missing = s.servers.status("missing");
  expect((missing.has_value()) >> fatal);
  expect(missing->state == server_state::failed);
  expect(missing->reason.find("no-such-program-anywhere") != std::string::npos) << missing->reason;
  expect(!missing->advice.empty());
  auto answer = co_await s.servers.call("files__read", "{}");
  expect(answer.has_value());
  auto refused = co_await s.servers.ready("missing");
  expect(refused.has_error() && refused.error().executed == execution::no && refused.error().server == "missing");
  co_await s.close();
}

task<void> never_restarted() {
  scene s{co_await this_context(), {}, {}};
  s.add("once", serving(tool_named("read")), {.restart = restart_policy::never});
  s.add("other", serving(tool_named("read")));
  co_await s.open();
  s.fleet.ends[0]->end("it fell over");
  while (s.servers.status("once")->state == server_state::ready) co_await yield();
  expect(s.servers.status("once")->state == server_state::failed);
  expect(!s.servers.tools()->find("once__read")->available()) << "its rows stay for a while, marked";
  auto refused = co_await s.servers.call("once__read", "{}");
  expect(refused.has_error() && refused.error().executed == execution::no);
  auto answer = co_await s.servers.call("other__read", "{}");
  expect(answer.has_value());
  expect(s.fleet.ends.size() == 2_ul) << "nobody was started again";
  const auto again = s.servers.restart("once");
  expect(again.has_value());
  auto ready = co_await s.servers.ready("once");
  expect(ready.has_value() && s.fleet.ends.size() == 3_ul);
  co_await s.close();
}

task<void> lazy_start(std::string folder) {
  {
    scene first{co_await this_context(), {}, {.cache_folder = folder}};
    first.add("files", serving(tool_named("read")));
    co_await first.open();
    co_await first.close();
  }
  scene s{co_await this_context(), {}, {.cache_folder = folder, .all_lazy = true}};
  s.add("files", serving(tool_named("read")));
  co_await s.open();
  expect(s.fleet.ends.empty()) << "not started";
  expect(s.servers.status("files")->state == server_state::stopped);
  expect(s.servers.tools()->find("files__read") != nullptr) << "known from the last time";
  auto answer = co_await s.servers.call("files__read", "{}");
  expect(answer.has_value());
  expect((s.fleet.ends.size() == 1_ul) >> fatal);
  expect(s.fleet.ends[0]->all("server/discover").empty()) << "its era is remembered, too";
  co_await s.close();
}

task<void> record_call(hub& servers, int& answered) {
  auto answer = co_await servers.call("slow__work", "{}");
  if (answer) ++answered;
}

task<void> one_at_a_time() {
  scene s{co_await this_context(), {}, {}};
  s.add("slow", serving(tool_named("work")), {.concurrency = 1});
  co_await s.open();
  scripted_server& end = *s.fleet.ends[0];
  end.stay_silent("tools/call");
  int answered = 0;
  scope calls{co_await this_context()};
  for (int i = 0; i < 3; ++i) calls.spawn(record_call(s.servers, answered));
  for (std::size_t n = 1; n <= 3; ++n) {
    const auto request = co_await end.saw("tools/call", n);
    for (int turn = 0; turn < 20; ++turn) co_await yield();
    expect(end.all("tools/call").size() == n) << "the next one waits";
    end.reply(request, scripted_server::result_of(R"({"content":[]})"));
  }
  co_await calls.join();
  expect(answered == 3_i);
  co_await s.close();
}

task<void> no_processes() {
  host_settings settings;
  settings.servers.push_back({.name = "shell", .transport = stdio_settings{.command = "sh"}});
  settings.servers.push_back({.name = "off", .transport = stdio_settings{.command = "sh"}, .enabled = false});
  scene s{co_await this_context(), std::move(settings), {.allow_spawn = false}};
  co_await s.open();
  const auto all = s.servers.status();
  expect((all.size() == 2_ul) >> fatal);
  expect(all[0].state == server_state::failed && all[0].pid == 0);
  expect(all[1].state == server_state::stopped && all[1].reason == "disabled");
  const auto refused = s.servers.restart("off");
  expect(refused.has_error());
  co_await s.close();
}

task<void> close_and_count(hub& servers, int& closed) {
  auto done = co_await servers.close();
  expect(done.has_value());
  ++closed;
}

task<void> closed_by_two() {
  scene s{co_await this_context(), {}, {}};
  s.add("files", serving(tool_named("read")));
  co_await s.open();
  int closed = 0;
  scope closers{co_await this_context()};
  for (int i = 0; i < 3; ++i) closers.spawn(close_and_count(s.servers, closed));
  co_await closers.join();
  expect(closed == 3_i);
  co_await s.close();
}

task<void> settle_into(hub& servers, std::optional<result<void>>& outcome) {
  outcome.emplace(co_await servers.settled());
}

task<void> closed_unopened() {
  scene s{co_await this_context(), {}, {}};
  s.add("files", serving(tool_named("read")));
  std::optional<result<void>> settled;
  scope waiting{co_await this_context()};
  waiting.spawn(settle_into(s.servers, settled));
  for (int i = 0; i < 5; ++i) co_await yield();
  expect(!settled.has_value()) << "nothing starts before the hub is open";
  co_await s.close();
  co_await waiting.join();
  expect(settled.has_value());
}

const suite<"hub"> tests = [] {
  "S004 S035 S065 S066 a server is shaken hands with and listed once, at its start"_test = [] { run(one_start()); };
  "S006 S012 S013 S036 S069 a call has the server's own name for the tool, and what the caller said"_test = [] {
    run(names_and_schemas());
  };
  "S008 S048 S060 S081 only what is configured runs; what comes late is in the next table"_test = [] {
    run(late_server());
  };
  "S009 S038 a function of the program is a tool like any other, and its name is its own"_test = [] { run(native()); };
  "EMB-7 a native tool with an unusable schema or name is refused, and none is renamed"_test = [] {
    run(unusable_native_tools());
  };
  "EMB-6 a call waits while a server that may have the tool is starting, for no other and no longer"_test = [] {
    run(called_while_starting());
  };
  "EMB-6 a call waits for a starting server within its own limit, or that of the server"_test = [] {
    testing::manual_clock time{testing::manual_clock::when_idle::stand_still};
    run(time, waits_within_its_limit(time));
  };
  "EMB-6 a call of a server that did not start says why there is no such tool"_test = [] {
    run(why_there_is_no_such_tool());
  };
  "EMB-6 a call starts a lazy server whose tools are not known"_test = [] { run(lazy_without_memory()); };
  "EMB-6 a call that waits for a server ends when that is removed"_test = [] { run(removed_while_awaited()); };
  "EMB-10 a hub is closed by as many as like to, and by one that was never opened whoever waits is told"_test = [] {
    run(closed_by_two());
    run(closed_unopened());
  };
  "EMB-10 a loop that is detached before its hub is closed ends the process with a sentence"_test = [] {
    expect(testing::aborts_with("a loop was detached before the hub on it was closed", [] {
      uv_loop_t program{};
      uv_loop_init(&program);
      attached_loop attached{&program};
      hub open{attached.event_loop(), host_settings{}};
      attached.start(open.open(), [&](const result<void>&) { attached.detach({}); });
      uv_run(&program, UV_RUN_DEFAULT);
    }));
  };
  "S010 S011 S042 what says that it writes is left out by rule; what says nothing is not"_test = [] {
    run(access_rules());
  };
  "S015 S024 S025 S046 a server that cannot be started is reported, and the others serve"_test = [] {
    run(failing_neighbours());
  };
  "S044 a server that is never to be restarted is marked and left, until somebody restarts it"_test = [] {
    run(never_restarted());
  };
  "S064 a lazy server is listed from memory and started by its first call"_test = [] {
    const testing::temporary_folder folder;
    run(lazy_start(folder.path));
  };
  "instructions in a status and log messages are bounded in length"_test = [] { run(bounded_texts()); };
  "S071 with a concurrency of one, calls come one after the other"_test = [] { run(one_at_a_time()); };
  "S078 S082 a host that may not start processes starts none, and says so"_test = [] { run(no_processes()); };
};

}  // namespace hub_test
