// SPDX-License-Identifier: MIT
// Servers that talk too much: progress, changes of their lists, questions of their own.
#include <set>

#include "../support/hub_fixture.hpp"

namespace dialogue_faults_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::in_process_server;
using testing::manual_clock;
using testing::record_call;
using testing::with_hub;
using state = server_state;

std::string progress_of(const std::string& token, const std::string& value) {
  return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
         R"(,"progress":)" + value + "}}";
}

std::string token_of(std::string_view request) {
  return std::string{find_member(find_member(find_member(request, "params"), "_meta"), "progressToken")};
}

task<void> progress(hub_fixture& h) {
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  std::vector<double> heard;
  request_options settings{.silence = 5s};
  settings.on_progress = [&](const progress_update& update) { heard.push_back(update.progress); };
  calls.spawn(record_call(h.of, got, "far__echo", "{}", settings));
  const std::string request = co_await h.far.next_call();
  const std::string token = token_of(request);
  for (const char* value : {"1", "3", "2", "3", "\"4\"", "4"}) h.far.say(progress_of(token, value));
  h.far.say(progress_of("999999", "5"));
  h.far.say(progress_of("\"x\"", "5"));
  co_await hub_fixture::turns();
  expect(heard == std::vector<double>{1, 3, 4});
  for (int i = 0; i < 100'000; ++i) h.far.say(progress_of(token, std::to_string(100 + i)));
  co_await hub_fixture::turns();
  expect(heard.size() <= 1'000_ul) << "at most a thousand in a second";
  // It goes on for ever: only the hard limit ends the call.
  const time_point begin = h.home.now();
  for (int i = 0; got.ends == 0 && i < 1'000; ++i) {
    h.far.say(progress_of(token, std::to_string(1'000'000 + i)));
    auto slept = co_await sleep_for(2s);
    expect(slept.has_value());
  }
  co_await calls.join();
  expect(got.failed_with(errc::timed_out, execution::unknown)) << got.said();
  expect(h.home.now() - begin >= 58s && h.home.now() - begin <= 64s);
}

std::string version(std::size_t n) { return in_process_server::one_tool("v" + std::to_string(n)); }

task<void> burst(hub_fixture& h) {
  std::size_t now = 0;
  h.far.listed = [&](std::string_view) { return version(now); };
  co_await h.add_in_process_server();
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 100; ++k) {
      ++now;
      h.far.change_list();
    }
    auto slept = co_await sleep_for(10ms);
    expect(slept.has_value());
  }
  auto quiet = co_await sleep_for(5s);
  expect(quiet.has_value());
  expect(h.far.lists.size() >= 2_ul && h.far.lists.size() <= 3_ul) << h.far.lists.size() - 1 << "lists were fetched";
  expect(h.of.tools()->find("far__v10000") != nullptr) << "the last change is lost";
  // One that never pauses is read all the same, though not often.
  const std::size_t before = h.far.lists.size();
  for (int i = 0; i < 1'000; ++i) {
    ++now;
    h.far.change_list();
    auto slept = co_await sleep_for(10ms);
    expect(slept.has_value());
  }
  expect(h.far.lists.size() > before && h.far.lists.size() - before <= 10_ul) << h.far.lists.size() - before;
}

task<void> change_while_listing(hub_fixture& h) {
  co_await h.add_in_process_server();
  h.far.listed = [](std::string_view) { return std::string{}; };  // it takes its time
  h.far.change_list();
  while (h.far.lists.size() < 2) {
    auto slept = co_await sleep_for(50ms);
    expect(slept.has_value());
  }
  h.far.change_list();
  h.far.change_list();
  h.far.listed = [](std::string_view) { return version(2); };
  h.far.answer(h.far.lists.back(), version(1));
  auto quiet = co_await sleep_for(5s);
  expect(quiet.has_value());
  expect(h.far.lists.size() == 3_ul && h.of.tools()->find("far__v2") != nullptr) << h.far.lists.size();
}

// The same with a real process, in both eras.
task<void> burst_of_a_process(hub_fixture& h) {
  for (const std::string era : {"--legacy-only", "--modern-only"}) {
    server_settings s = h.fixture_server("f", {era, "--list-changed-burst", "10000"});
    s.protocol = {};
    h.add(std::move(s));
    co_await h.until("f", state::ready);
    const call_outcome got = co_await h.call("f__burst");
    expect(got.text == "announced") << era << got.said();
    auto quiet = co_await sleep_for(1s);
    expect(quiet.has_value() && h.of.status("f")->state == state::ready);
    const call_outcome after = co_await h.call("f__echo", R"({"text":"still there"})");
    expect(after.text == "still there") << era << after.said();
    auto removed = co_await h.of.remove_server("f");
    expect(removed.has_value());
  }
}

constexpr const char* nosy[] = {R"("sampling/createMessage","params":{"messages":[],"maxTokens":1})", R"("roots/list")",
                                R"("elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}})"};

task<void> asks_the_unasked(hub_fixture& h) {
  co_await h.add_in_process_server();
  for (std::size_t i = 0; i < std::size(nosy); ++i)
    h.far.say(R"({"jsonrpc":"2.0","id":"q)" + std::to_string(i) + R"(","method":)" + nosy[i] + "}");
  co_await hub_fixture::turns();
  std::size_t refused = 0;
  for (const std::string& other : h.far.others)
    refused += contains(other, R"("id":"q)") && contains(other, "-32601") ? 1 : 0;
  expect(refused == (h.far.modern ? 0U : 3U)) << refused;
  expect(h.of.status("far")->state == state::ready);
}

task<void> asks_what_is_forbidden(hub_fixture& h) {
  h.far.modern = true;
  co_await asks_the_unasked(h);
}

task<void> never_satisfied(hub_fixture& h) {
  h.far.modern = true;
  co_await h.add_in_process_server();
  scope calls{co_await this_context()};
  call_outcome got;
  calls.spawn(record_call(h.of, got, "far__echo", R"({"text":"hi"})"));
  std::vector<std::string> ids;
  while (got.ends == 0) {
    const std::string request = co_await h.far.next_call();
    ids.push_back(in_process_server::id_of(request));
    expect(contains(request, R"("text":"hi")"));
    if (ids.size() > 1)
      expect(contains(request, R"("requestState":"s)" + std::to_string(ids.size() - 1) + '"')) << request;
    h.far.answer(request, R"({"resultType":"input_required","requestState":"s)" + std::to_string(ids.size()) +
                              R"(","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form",)" +
                              R"("message":"?","requestedSchema":{"type":"object","properties":{}}}}}})");
    if (ids.size() == 9) co_await calls.join();
  }
  expect(ids.size() == 9_ul && got.failed_with(errc::too_large, execution::unknown)) << ids.size() << got.said();
  expect(std::set<std::string>(ids.begin(), ids.end()).size() == 9_ul) << "each round has an id of its own";
}

void with_far(testing::hub_body inside, host_settings settings = {}, hub_options options = {}) {
  manual_clock clock;
  with_hub(inside, std::move(settings), std::move(options), &clock);
}

const suite<"dialogue faults"> tests = [] {
  "B19 progress of nothing or backwards is ignored, a flood is thinned out, and the hard limit holds"_test = [] {
    host_settings settings;
    settings.limits.hard_timeout = 60s;
    with_far(progress, settings);
  };
  "B20 ten thousand changes in a second are two fetches at most, and the last one counts"_test = [] {
    with_far(burst);
  };
  "B20 a change while the list is fetched is not lost"_test = [] { with_far(change_while_listing); };
  "B20 ten thousand changes of a real server at once disturb no call"_test = [] { with_hub(burst_of_a_process); };
  "B21 questions that nobody offered to answer are refused, in the legacy era"_test = [] {
    with_far(asks_the_unasked);
  };
  "B21 questions by request are not answered in the modern era"_test = [] { with_far(asks_what_is_forbidden); };
  "B22 a server that asks for input for ever is given up after eight rounds"_test = [] {
    std::size_t asked = 0;
    hub_options options;
    options.input.form = [&](const form_request&, reply<elicitation_answer> answer) {
      ++asked;
      answer({.what = elicitation_answer::action::accept});
    };
    with_far(never_satisfied, {}, options);
    expect(asked == 8_ul) << asked;
  };
};

}  // namespace dialogue_faults_test
