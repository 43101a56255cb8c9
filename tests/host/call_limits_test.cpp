// SPDX-License-Identifier: MIT
// How long a call may take: in all, and without a sign of life; whoever it waits for meanwhile.
#include "../../host/hub.hpp"
#include "../support/hub_fixture.hpp"

namespace call_limits_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::in_process_server;
using testing::manual_clock;
using testing::record_call;
using testing::with_hub;

constexpr const char* fine = R"({"content":[{"type":"text","text":"fine"}]})";

std::string progress_of(std::string_view request, int value) {
  return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
         in_process_server::id_of(request) + R"(,"progress":)" + std::to_string(value) + "}}";
}

std::vector<reply<elicitation_answer>> forms;  // that a person has in front of him
std::vector<reply<envelope>> unanswered;       // by the native tool "thinks"

hub_options with_person() {
  forms.clear();
  hub_options options;
  options.input.form = [](const form_request&, reply<elicitation_answer> give) { forms.push_back(std::move(give)); };
  return options;
}

void fill_in() {
  for (auto& one : forms) one({.what = elicitation_answer::action::accept});
  forms.clear();
}

constexpr const char* form = R"("method":"elicitation/create","params":{"message":"who?",)"
                             R"("requestedSchema":{"type":"object","properties":{}}}})";
std::string asks_by_request() { return std::string{R"({"jsonrpc":"2.0","id":"form",)"} + form; }
std::string asks_by_result() {
  return std::string{R"({"resultType":"input_required","requestState":"s","inputRequests":{"a":{)"} + form + "}}";
}

task<void> passes(duration time) {
  auto slept = co_await sleep_for(time);
  expect(slept.has_value());
}

task<void> total_in_spite_of_progress(hub_fixture& h) {
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  const time_point begin = h.home.now();
  calls.spawn(record_call(h.of, got, "far__echo", "{}", request_options{.timeout = 5s}));
  const std::string request = co_await h.far.next_call();
  for (int i = 1; got.ends == 0 && i < 100; ++i) {
    h.far.say(progress_of(request, i));
    co_await passes(1s);
  }
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin <= 6s && contains(got.said(), "5000 ms")) << got.said();
}

// How long a call without an answer takes, with progress every second for so long.
task<duration> time_of_a_call(hub_fixture& h, request_options settings, int progress = 0) {
  scope calls{co_await this_context()};
  call_outcome got;
  const time_point begin = h.home.now();
  calls.spawn(record_call(h.of, got, "far__echo", "{}", std::move(settings)));
  const std::string request = co_await h.far.next_call();
  for (int i = 1; i <= progress; ++i) {
    co_await passes(1s);
    h.far.say(progress_of(request, i));
  }
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  co_return h.home.now() - begin;
}

task<void> add_in_process_server_with(hub_fixture& h, std::optional<duration> timeout,
                                      std::optional<duration> silence) {
  server_settings s{.name = "far"};
  s.protocol.era = protocol_choice::kind::legacy;
  s.timeout = timeout;
  s.silence = silence;
  auto id = h.of.add_server(std::move(s), h.far.connect());
  expect(id.has_value());
  co_await h.until("far", server_state::ready);
}

// Requests that are refused at once are no sign of life of a call.
task<void> silence_in_spite_of_requests(hub_fixture& h) {
  co_await add_in_process_server_with(h, std::nullopt, std::nullopt);
  scope calls{co_await this_context()};
  call_outcome got;
  const time_point begin = h.home.now();
  calls.spawn(record_call(h.of, got, "far__echo", "{}", request_options{.timeout = 100s, .silence = 10s}));
  const std::string request = co_await h.far.next_call();
  for (int i = 1; got.ends == 0 && i < 90; ++i) {
    const std::string id = R"({"jsonrpc":"2.0","id":"r)" + std::to_string(i) + R"(",)";
    h.far.say(id + (i % 2 == 0 ? R"("method":"no/such"})" : R"("method":"elicitation/create","params":{}})"));
    co_await passes(1s);
  }
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin <= 12s) << got.said();
}

task<void> silence_and_total(hub_fixture& h) {
  co_await add_in_process_server_with(h, std::nullopt, std::nullopt);
  const duration usual = co_await time_of_a_call(h, {});
  expect(usual == 60s);
  const duration silent = co_await time_of_a_call(h, request_options{.silence = 10s}, 25);
  expect(silent == 35s) << "progress begins the silence anew";
  const duration both = co_await time_of_a_call(h, request_options{.timeout = 30s, .silence = 10s}, 25);
  expect(both == 30s);
  const duration patient = co_await time_of_a_call(h, request_options{.timeout = 5min});
  expect(patient == 5min) << "who allows a time allows the silence";
  const duration silent_for_long = co_await time_of_a_call(h, request_options{.silence = 2h});
  expect(silent_for_long == 2h) << "and the other way round";
}

task<void> limits_of_a_server(hub_fixture& h) {
  co_await add_in_process_server_with(h, 90s, std::nullopt);
  const duration by_server = co_await time_of_a_call(h, {});
  expect(by_server == 90s);
  const duration by_call = co_await time_of_a_call(h, request_options{.timeout = 120s});
  expect(by_call == 120s);
}

task<void> silence_of_a_server(hub_fixture& h) {
  co_await add_in_process_server_with(h, 90s, 20s);
  const duration silent = co_await time_of_a_call(h, {});
  expect(silent == 20s);
  const duration whole = co_await time_of_a_call(h, {}, 85);
  expect(whole == 90s);
  const duration by_server = co_await time_of_a_call(h, request_options{.timeout = 5min});
  expect(by_server == 20s) << "what is said of the silence holds";
}

task<void> total_of_a_request(hub_fixture& h) {
  h.far.listed = [](std::string_view) { return std::string{}; };
  server_settings lazy{.name = "far"};
  lazy.protocol.era = protocol_choice::kind::legacy;
  lazy.lazy = true;
  auto id = h.of.add_server(std::move(lazy), h.far.connect());
  expect(fatal(id.has_value()));
  const time_point begin = h.home.now();
  auto read = co_await h.of.read_resource("far", "file:///a", request_options{.timeout = 3s});
  expect(read.has_error() && read.error().code == errc::timed_out && read.error().executed == execution::no)
      << (read ? "" : read.error().what);
  expect(h.home.now() - begin == 3s) << "the time in which the server starts counts";
}

task<void> answer_first_list_later(hub_fixture& h) {
  while (h.far.lists.empty()) co_await hub_fixture::turns(1);
  co_await passes(2s);
  h.far.answer(h.far.lists.front(), in_process_server::one_tool("echo"));
}

task<void> call_by_id(hub& of, server_id id, call_outcome& into, request_options settings) {
  auto answer = co_await of.call(id, "echo", "{}", std::move(settings));
  ++into.ends;
  if (!answer) into.failure = answer.error();
}

task<void> total_with_the_start(hub_fixture& h) {
  h.far.listed = [](std::string_view) { return std::string{}; };
  server_settings lazy{.name = "far"};
  lazy.protocol.era = protocol_choice::kind::legacy;
  lazy.lazy = true;
  auto id = h.of.add_server(std::move(lazy), h.far.connect());
  expect(fatal(id.has_value()));
  const time_point begin = h.home.now();
  scope calls{co_await this_context()};
  call_outcome got;
  calls.spawn(answer_first_list_later(h));
  calls.spawn(call_by_id(h.of, *id, got, request_options{.timeout = 3s}));
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin == 3s && contains(got.said(), "3000 ms")) << got.said();
  expect(h.far.calls.size() == 1_ul) << "it was sent after the start";
}

void add_thinking_tool(hub_fixture& h) {
  unanswered.clear();
  auto added = h.of.add_tool({.name = "thinks", .function = [](const boost::json::object&, reply<envelope> answer) {
                                unanswered.push_back(std::move(answer));
                              }});
  expect(added.has_value());
}

task<call_outcome> bounded_call(hub_fixture& h, std::string tool, request_options settings) {
  call_outcome got;
  auto answer = co_await with_timeout(1h, h.of.call(std::move(tool), "{}", std::move(settings)));
  ++got.ends;
  if (answer) {
    got.text = answer->text();
  } else {
    got.failure = answer.error();
  }
  co_return got;
}

task<void> native_total(hub_fixture& h) {
  add_thinking_tool(h);
  const time_point begin = h.home.now();
  const call_outcome got = co_await bounded_call(h, "thinks", request_options{.timeout = 2s});
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin == 2s);
  unanswered.clear();
}

task<void> native_silence(hub_fixture& h) {
  add_thinking_tool(h);
  const time_point begin = h.home.now();
  const call_outcome got = co_await bounded_call(h, "thinks", request_options{.timeout = 5s, .silence = 2s});
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin == 2s && contains(got.said(), "\"thinks\"")) << got.said();
  unanswered.clear();
}

task<void> native_by_default(hub_fixture& h) {
  add_thinking_tool(h);
  const time_point begin = h.home.now();
  const call_outcome got = co_await bounded_call(h, "thinks", {});
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin == 30min) << "as long as any call";
  unanswered.clear();
}

// A person needs five minutes for a form. Until it is filled in, the server can say nothing.
task<void> form_of_a_request(hub_fixture& h) {
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  call_outcome silent;
  calls.spawn(record_call(h.of, got, "far__echo", "{}"));
  const std::string request = co_await h.far.next_call();
  calls.spawn(record_call(h.of, silent, "far__echo", "{}"));
  const std::string other = co_await h.far.next_call();
  h.far.say(asks_by_request());
  co_await passes(5min);
  expect(fatal(forms.size() == 1_ul));
  fill_in();
  co_await passes(30s);
  const time_point answered = h.home.now() - 30s;
  expect(got.ends == 0_i) << got.said();
  h.far.answer(request, fine);
  co_await calls.join();
  expect(got.text == "fine") << got.said();
  expect(silent.failed_with(errc::timed_out, execution::unknown)) << silent.said();
  expect(h.home.now() - answered == 60s) << "silence begins anew when the form is filled in";
}

task<void> form_of_a_result(hub_fixture& h) {
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  calls.spawn(record_call(h.of, got, "far__echo", "{}"));
  const std::string first = co_await h.far.next_call();
  h.far.answer(first, asks_by_result());
  co_await passes(5min);
  expect(fatal(forms.size() == 1_ul));
  fill_in();
  const std::string second = co_await h.far.next_call();
  co_await passes(50s);
  h.far.answer(second, R"({"resultType":"complete","content":[{"type":"text","text":"fine"}]})");
  co_await calls.join();
  expect(got.text == "fine") << got.said();
}

task<void> total_in_spite_of_a_form(hub_fixture& h) {
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  const time_point begin = h.home.now();
  calls.spawn(record_call(h.of, got, "far__echo", "{}", request_options{.timeout = 100s}));
  const std::string request = co_await h.far.next_call();
  if (h.far.modern) {
    h.far.answer(request, asks_by_result());
  } else {
    h.far.say(asks_by_request());
  }
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin == 100s);
  forms.clear();
}

task<void> modern_form_of_a_result(hub_fixture& h) {
  h.far.modern = true;
  co_await form_of_a_result(h);
}
task<void> modern_total_in_spite_of_a_form(hub_fixture& h) {
  h.far.modern = true;
  co_await total_in_spite_of_a_form(h);
}

void with_time(testing::hub_body inside, hub_options options = {}, host_settings settings = {}) {
  manual_clock clock;
  with_hub(inside, std::move(settings), std::move(options), &clock);
}

const suite<"call limits"> tests = [] {
  "CLM-7 a call ends at its timeout however much progress arrives"_test = [] { with_time(total_in_spite_of_progress); };
  "CLM-7 requests of the server that are refused at once do not excuse its silence"_test = [] {
    with_time(silence_in_spite_of_requests, with_person());
  };
  "CLM-7 a call has a limit in all and one without progress"_test = [] { with_time(silence_and_total); };
  "CLM-7 the timeout of a server is that of every call that has none"_test = [] { with_time(limits_of_a_server); };
  "CLM-7 the silence of a server holds for calls with and without a timeout"_test = [] {
    with_time(silence_of_a_server);
  };
  "CLM-7 the timeout of a request includes the start of its server"_test = [] { with_time(total_of_a_request); };
  "CLM-7 the timeout of a call includes the start of its server"_test = [] { with_time(total_with_the_start); };
  "CLM-7 a native tool obeys the timeout of its call"_test = [] { with_time(native_total); };
  "CLM-7 a native tool, which reports no progress, obeys the silence of its call"_test = [] {
    with_time(native_silence);
  };
  "CLM-7 a native tool obeys the longest time of any call"_test = [] { with_time(native_by_default); };
  "CLM-7 a person who fills in a form is no silence of the server, in the legacy era"_test = [] {
    with_time(form_of_a_request, with_person());
  };
  "CLM-7 a person who fills in a form is no silence of the server, in the modern era"_test = [] {
    with_time(modern_form_of_a_result, with_person());
  };
  "CLM-7 the timeout of a call holds while a person fills in a form, in the legacy era"_test = [] {
    with_time(total_in_spite_of_a_form, with_person());
  };
  "CLM-7 the timeout of a call holds while a person fills in a form, in the modern era"_test = [] {
    with_time(modern_total_in_spite_of_a_form, with_person());
  };
};

}  // namespace call_limits_test
