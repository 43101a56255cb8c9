// SPDX-License-Identifier: MIT
#include "multi_round_trip.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol_table.hpp"
#include "../status.hpp"
#include "detail/unless_closed.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_request_state = std::size_t{64} * 1024;
constexpr std::size_t max_input_requests = 64;
// Pause before retrying a call whose result required no input, to avoid a tight loop.
constexpr duration pause_between_rounds = std::chrono::milliseconds{250};

error unusable(std::string reason) {
  return error{.code = errc::protocol, .what = std::move(reason), .executed = execution::unknown};
}

// On a timeout between two rounds it is unknown what the earlier rounds executed.
error too_late(duration limit) {
  return error{.code = errc::timed_out,
               .what = "no result within " + format_duration(limit) + ", with the input that was asked for",
               .executed = execution::unknown};
}
// For any failure between two rounds or in a later round: it is unknown what the earlier rounds executed.
error after_a_round(error failure) {
  failure.executed = execution::unknown;
  return failure;
}
error in_time(error failure, duration limit) {
  return failure.code == errc::timed_out ? too_late(limit) : after_a_round(std::move(failure));
}

struct input_question {
  std::string key;  // JSON text, with its quotes
  std::string method;
  std::string params;
  std::string response{};
};

task<void> ask(const input_dispatcher& dispatcher, const std::string& server_name, input_question& question,
               std::optional<error>& failed, scope& all_questions) {
  auto got = co_await dispatcher.answer(server_name, question.method, question.params);
  if (got) {
    question.response = *std::move(got);
  } else if (!failed) {
    failed = got.error();
    all_questions.request_stop();
  }
}

// Asks all questions concurrently. Returns the object `inputResponses`.
task<result<std::string>> ask_all(const input_dispatcher& dispatcher, const std::string& server_name,
                                  std::vector<input_question>& questions) {
  std::optional<error> failed;
  scope asking{co_await this_context()};
  for (input_question& question : questions) asking.spawn(ask(dispatcher, server_name, question, failed, asking));
  co_await asking.join();
  if (failed && failed->code == errc::remote)
    co_return unusable("the server asked for input that it does not get: " + failed->what);
  if (failed) co_return *failed;
  std::string members;
  for (const input_question& question : questions) {
    if (!members.empty()) members += ',';
    members += question.key + ':' + question.response;
  }
  co_return '{' + members + '}';
}

}  // namespace

task<result<std::string>> multi_round_trip::input_responses(std::string_view requests) {
  std::vector<input_question> questions;
  bool sound = true;
  for_each_member(requests, [&](std::string_view key, std::string_view value) {
    const bool object = value.front() == '{';
    auto method = object ? text_of(find_member(value, "method")) : std::nullopt;
    sound = method.has_value() && questions.size() < max_input_requests;
    if (sound)
      questions.push_back(
          {'"' + std::string{key} + '"', *std::move(method), std::string{find_member(value, "params")}});
    return sound;
  });
  if (!sound) co_return unusable("the server asks for input in a way that cannot be understood");
  co_return co_await detail::unless_closed(lent_.closing,
                                           ask_all(lent_.context.dispatcher, lent_.server_name, questions));
}

task<result<raw_json>> multi_round_trip::call(std::string method, std::string members, const call_options& options,
                                              time_point began, std::optional<result<raw_json>> first,
                                              std::string tool) {
  loop& event_loop = lent_.context.home;
  // One time limit for all rounds, and for the people who answer in between.
  const auto spent = [&] { return options.elapsed_before + (event_loop.now() - began); };
  const auto left = [&] { return std::max(duration::zero(), options.hard_timeout - spent()); };
  std::string extra;
  for (int round = 0;; ++round) {
    std::optional<result<raw_json>> answer = std::exchange(first, std::nullopt);
    if (!answer) {
      const std::string all_members = members + extra;
      const prepared_request request{{.method = method, .members = all_members, .meta = lent_.meta}};
      call_options rest = options;
      rest.elapsed_before = spent();
      if (round > 0 && left() == duration::zero()) co_return too_late(options.hard_timeout);
      if (round > 0 && !tool.empty()) {  // a person may have taken minutes, and the tool have changed
        std::string same_tool = tool;
        auto asking = detail::unless_closed(lent_.closing, lent_.listener.admits_retry(std::move(same_tool)));
        auto admitted = co_await with_timeout(left(), std::move(asking));
        if (!admitted) co_return in_time(admitted.error(), options.hard_timeout);
      }
      answer.emplace(co_await lent_.connection.call(request, {}, rest));
    }
    if (!answer->has_value()) {
      const error& e = answer->error();
      const bool pages_first = e.code == errc::remote && e.native == protocol::code::url_elicitation_required &&
                               protocol::has_error(e.native, lent_.negotiated.revision) && round == 0;
      // The error of this round cannot claim `executed: no`, because earlier rounds may have had effects.
      if (!pages_first) co_return round > 0 ? after_a_round(e) : e;
      auto visited = co_await with_timeout(left(), lent_.pages.visit(e));
      if (!visited) co_return in_time(visited.error(), options.hard_timeout);
      continue;
    }
    if (!protocol::has(protocol::feature::input_required, lent_.negotiated.revision)) co_return *std::move(answer);
    const raw_json& got = **answer;
    if (auto valid = got.check(); !valid) co_return unusable("the result is no JSON: " + valid.error().what);
    if (got.text().front() != '{') co_return unusable("the result is no object");
    const std::string_view type = find_member(got.text(), "resultType");
    const std::string kind = type.empty() ? "complete" : text_of(type).value_or(std::string{});
    if (kind == "complete") co_return *std::move(answer);
    if (kind != "input_required")
      co_return unusable("the result is of an unknown type: " + event_loop.redactions()->apply_truncated(type, 100));
    if (round == lent_.context.limits.input_rounds)
      co_return error{.code = errc::too_large,
                      .what = "the server asked for input " + std::to_string(round) + " times and still has no result",
                      .executed = execution::unknown};
    const std::string_view requests = find_member(got.text(), "inputRequests");
    const std::string_view state = find_member(got.text(), "requestState");
    const bool asks = requests.find('"') != std::string_view::npos;  // an empty object requests nothing
    const bool sound = requests.starts_with('{') || (requests.empty() && !state.empty());
    if (!sound || (!asks && state.empty())) co_return unusable("the server wants input and does not say which");
    if (state.size() > max_request_state) co_return unusable("the state that the server wants back is too large");
    extra.clear();
    if (!state.empty()) extra = R"(,"requestState":)" + std::string{state};  // returned byte for byte
    if (!asks) {
      const duration pause = std::min(pause_between_rounds, left());
      auto slept = co_await sleep_for(pause);
      if (!slept) co_return after_a_round(slept.error());
      continue;
    }
    auto responses = co_await with_timeout(left(), input_responses(requests));
    if (!responses) co_return in_time(responses.error(), options.hard_timeout);
    extra += R"(,"inputResponses":)" + *responses;
  }
}

}  // namespace hawser
