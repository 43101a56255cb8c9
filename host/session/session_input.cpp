// SPDX-License-Identifier: MIT
// Input that a server needs before it can answer: server-to-client requests in the legacy era, `input_required` results
// (MRTR) in the modern era.
#include <algorithm>
#include <functional>
#include <optional>

#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../status.hpp"
#include "session.hpp"

namespace hawser {

namespace {

constexpr std::size_t largest_state = std::size_t{64} * 1024;
constexpr std::size_t most_inputs = 64;
// Of one request of a server, as JSON values; and what a value takes in a tree.
constexpr std::size_t most_request_values = 100'000;
constexpr std::size_t value_bytes = 48;
// Not every server says when the user is done at a page.
// For the server's word that the user is done there, which not every server gives: then the call is made again.
constexpr duration longest_visit = std::chrono::seconds{30};
// Pause before retrying a call whose result required no input, to avoid a tight loop.
constexpr duration pause_between_rounds = std::chrono::milliseconds{250};

error unusable(std::string what) {
  return error{.code = errc::protocol, .what = std::move(what), .executed = execution::unknown};
}

// On a timeout between two rounds it is unknown what the earlier rounds executed.
error too_late(duration bound) {
  return error{.code = errc::timed_out,
               .what = "no result within " + format_duration(bound) + ", with the input that was asked for",
               .executed = execution::unknown};
}
// For any failure between two rounds or in a later round: it is unknown what the earlier rounds executed.
error after_a_round(error why) {
  why.executed = execution::unknown;
  return why;
}
error in_time(error why, duration bound) {
  return why.code == errc::timed_out ? too_late(bound) : after_a_round(std::move(why));
}

struct wanted_input {
  std::string key;  // JSON text, with its quotes
  std::string method;
  std::string params;
  std::string answer{};
};

}  // namespace

// Room for two messages, and for one with as many values as fit in it: each has at least two bytes.
std::size_t session::most_held(const host_limits& limits) noexcept {
  const std::size_t values = std::min(most_request_values, limits.max_message / 2);
  return limits.max_message + std::max(limits.max_message, values * value_bytes);
}

// Counts the text and the tree that is made of it. One request alone always has room.
result<byte_budget::share> session::room_for_request(std::string_view params) {
  std::size_t values = 0;
  if (!params.empty()) {
    json_validator counted{params.data() + params.size(), {.max_values = most_request_values}};
    const bool whole = counted.value(counted.space(params.data()), 0) != nullptr;
    values = counted.values();
    if (!whole && values > most_request_values)
      return error{.code = errc::too_large,
                   .what = "the params have more than " + std::to_string(most_request_values) + " values"};
  }
  auto held = requests_held_.take(params.size() + values * value_bytes);
  if (!held) return error{.code = errc::too_large, .what = "too many bytes of requests are unanswered"};
  return *std::move(held);
}

void session::on_request(std::string_view method, std::string_view params, responder answer) {
  if (!early_requests_ && method == protocol::method::ping) {
    answer.result("{}");
    return;
  }
  if (!early_requests_ && is_closed()) return;
  auto held = room_for_request(params);
  if (!held) {
    answer.fail(protocol::code::invalid_request, held.error().what);
    return;
  }
  server_request request{std::string{method}, std::string{params}, std::move(answer), *std::move(held)};
  if (early_requests_) {
    early_requests_->push_back(std::move(request));
  } else {
    begin_request(std::move(request));
  }
}

void session::begin_request(server_request request) {
  if (request.method == protocol::method::ping) {
    request.answer.result("{}");
  } else if (!is_closed()) {
    work_->spawn(answer_request(*this, std::move(request)));
  }
}

void session::answer_early_requests() {
  auto early = std::exchange(early_requests_, std::nullopt);
  for (server_request& one : *early) begin_request(std::move(one));
}

namespace {

// Stops a scope when the peer cancels its request.
class cancellation final : public stop_callback {
 public:
  cancellation(stop_source& by, scope& stops) noexcept : stops_(stops) {
    if (by.stop_requested()) {
      stops_.request_stop();
    } else {
      by.link(*this);
    }
  }
  cancellation(const cancellation&) = delete;
  cancellation& operator=(const cancellation&) = delete;
  ~cancellation() { unlink(); }

 private:
  void on_stop() noexcept override { stops_.request_stop(); }
  scope& stops_;
};

task<void> answer_through_dispatcher(const input_dispatcher& dispatcher, const std::string& server, std::string method,
                                     std::string params, responder& answer, std::function<void()> asking) {
  auto got = co_await dispatcher.answer(server, std::move(method), std::move(params), std::move(asking));
  if (got) {
    answer.result(*got);
  } else if (got.error().code == errc::remote) {
    answer.fail(got.error().native, got.error().what);
  }
}

}  // namespace

task<void> session::answer_request(session& self, server_request request) {
  // Only while somebody is asked: a request that is refused at once does not excuse the silence about calls.
  std::optional<peer::idle_timeout_pause> waits_for_us;
  scope asking{co_await this_context()};
  const cancellation bridge{request.answer.stop(), asking};
  std::function<void()> begins = [&] { waits_for_us.emplace(self.peer_); };
  asking.spawn(answer_through_dispatcher(self.context_.dispatcher, self.server_, std::move(request.method),
                                         std::move(request.params), request.answer, std::move(begins)));
  co_await asking.join();
}

namespace {

task<void> fill_in(const input_dispatcher& dispatcher, const std::string& server, wanted_input& wanted,
                   std::optional<error>& failed, scope& others) {
  auto got = co_await dispatcher.answer(server, wanted.method, wanted.params);
  if (got) {
    wanted.answer = *std::move(got);
  } else if (!failed) {
    failed = got.error();
    others.request_stop();
  }
}

task<result<std::string>> until_answered(const input_dispatcher& dispatcher, const std::string& server,
                                         std::vector<wanted_input>& wanted) {
  std::optional<error> failed;
  scope asking{co_await this_context()};
  for (wanted_input& one : wanted) asking.spawn(fill_in(dispatcher, server, one, failed, asking));
  co_await asking.join();
  if (failed && failed->code == errc::remote)
    co_return unusable("the server asked for input that it does not get: " + failed->what);
  if (failed) co_return *failed;
  std::string members;
  for (const wanted_input& one : wanted) {
    if (!members.empty()) members += ',';
    members += one.key + ':' + one.answer;
  }
  co_return '{' + members + '}';
}

template <class T>
task<result<T>> until_closed(event& closing) {
  auto waited = co_await closing.wait();
  if (!waited) co_return waited.error();
  co_return error{
      .code = errc::closed, .what = "the server ended while its questions were open", .executed = execution::unknown};
}

// Input from a person has no time limit of its own, but ends with the session.
template <class T>
task<result<T>> unless_closed(event& closing, task<result<T>> inner) {
  auto first = co_await when_any(std::move(inner), until_closed<T>(closing));
  if (first.winner == 0) co_return std::move(std::get<0>(first.values));
  co_return std::move(std::get<1>(first.values));
}

}  // namespace

// A new session must not be waited for: this one cannot end before its calls have.
task<result<void>> session::admits_retry(std::string tool) {
  co_return co_await unless_closed(closing_, listener_.admits_retry(std::move(tool)));
}

// MRTR: the inputs of one round are requested concurrently.
task<result<std::string>> session::input_responses(std::string_view requests) {
  std::vector<wanted_input> wanted;
  bool sound = true;
  for_each_member(requests, [&](std::string_view key, std::string_view value) {
    const bool object = value.front() == '{';
    auto method = object ? text_of(find_member(value, "method")) : std::nullopt;
    sound = method.has_value() && wanted.size() < most_inputs;
    if (sound)
      wanted.push_back({'"' + std::string{key} + '"', *std::move(method), std::string{find_member(value, "params")}});
    return sound;
  });
  if (!sound) co_return unusable("the server asks for input in a way that cannot be understood");
  co_return co_await unless_closed(closing_, until_answered(context_.dispatcher, server_, wanted));
}

task<result<raw_json>> session::call_with_input(std::string method, std::string members, const call_options& options,
                                                time_point began, std::optional<result<raw_json>> first,
                                                std::string tool) {
  // The bound of a call is one for all its rounds, and for the people who answer in between.
  const auto spent = [&] { return options.elapsed_before + (context_.home.now() - began); };
  const auto left = [&] { return std::max(duration::zero(), options.hard_timeout - spent()); };
  std::string extra;
  for (int round = 0;; ++round) {
    std::optional<result<raw_json>> answer = std::exchange(first, std::nullopt);
    if (!answer) {
      const prepared_request request = prepare_request(method, members + extra);
      call_options rest = options;
      rest.elapsed_before = spent();
      if (round > 0 && left() == duration::zero()) co_return too_late(options.hard_timeout);
      if (round > 0 && !tool.empty()) {  // a person may have taken minutes, and the tool have changed
        std::string same = tool;
        auto asking = admits_retry(std::move(same));
        auto admitted = co_await with_timeout(left(), std::move(asking));
        if (!admitted) co_return in_time(admitted.error(), options.hard_timeout);
      }
      answer.emplace(co_await peer_.call(request, {}, rest));
    }
    if (!answer->has_value()) {
      const error& e = answer->error();
      const bool pages_first = e.code == errc::remote && e.native == protocol::code::url_elicitation_required &&
                               !negotiated_.modern() && round == 0;
      // The error of this round cannot claim `executed: no`, because earlier rounds may have had effects.
      if (!pages_first) co_return round > 0 ? after_a_round(e) : e;
      auto visited = co_await with_timeout(left(), visit_pages(e));
      if (!visited) co_return in_time(visited.error(), options.hard_timeout);
      continue;
    }
    if (!negotiated_.modern()) co_return *std::move(answer);
    const raw_json& got = **answer;
    if (auto valid = got.check(); !valid) co_return unusable("the result is no JSON: " + valid.error().what);
    if (got.text().front() != '{') co_return unusable("the result is no object");
    const std::string_view type = find_member(got.text(), "resultType");
    const std::string kind = type.empty() ? "complete" : text_of(type).value_or(std::string{});
    if (kind == "complete") co_return *std::move(answer);
    if (kind != "input_required")
      co_return unusable("the result is of an unknown type: " + context_.home.redactions()->apply_truncated(type, 100));
    if (round == context_.limits.input_rounds)
      co_return error{.code = errc::too_large,
                      .what = "the server asked for input " + std::to_string(round) + " times and still has no result",
                      .executed = execution::unknown};
    const std::string_view requests = find_member(got.text(), "inputRequests");
    const std::string_view state = find_member(got.text(), "requestState");
    const bool asks = requests.find('"') != std::string_view::npos;  // an empty object requests nothing
    const bool sound = requests.starts_with('{') || (requests.empty() && !state.empty());
    if (!sound || (!asks && state.empty())) co_return unusable("the server wants input and does not say which");
    if (state.size() > largest_state) co_return unusable("the state that the server wants back is too large");
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

task<result<void>> session::wait_for_visit(std::string id) {
  while (std::find(completed_elicitations_.begin(), completed_elicitations_.end(), id) ==
         completed_elicitations_.end()) {
    elicitation_completed_.reset();
    auto waited = co_await elicitation_completed_.wait();
    if (!waited) co_return waited;
  }
  co_return {};
}

// URL elicitation of 2025-11-25: the call may be retried after the user has visited these pages.
task<result<void>> session::visit_pages(const error& required) {
  const std::string_view pages =
      required.data.empty() ? std::string_view{} : find_member(required.data, "elicitations");
  std::vector<std::pair<url_request, std::string>> visits;
  if (!pages.empty() && pages.front() == '[') {
    for_each_element(pages, [&](std::string_view json) {
      if (json.front() != '{') return true;
      const auto text = [&](std::string_view name) { return text_of(find_member(json, name)).value_or(""); };
      visits.push_back(
          {url_request{.server = server_, .message = text("message"), .url = text("url")}, text("elicitationId")});
      return visits.size() < most_inputs;
    });
  }
  if (visits.empty()) co_return required;
  for (auto& [request, id] : visits) {
    url_request copy = request;
    auto agreed = co_await unless_closed(closing_, context_.dispatcher.consent(std::move(copy)));
    if (!agreed) co_return agreed.error().code == errc::remote ? required : agreed.error();
    if (*agreed != elicitation_answer::action::accept) co_return required;
    if (id.empty()) continue;
    std::string wanted = id;
    auto waited = co_await with_timeout(longest_visit, unless_closed(closing_, wait_for_visit(std::move(wanted))));
    if (!waited && waited.error().code != errc::timed_out) co_return waited.error();
  }
  co_return {};
}

}  // namespace hawser
