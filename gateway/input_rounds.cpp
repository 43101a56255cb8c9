// SPDX-License-Identifier: MIT
#include "input_rounds.hpp"

#include <algorithm>
#include <boost/json/value.hpp>

#include "../runtime/crypto.hpp"
#include "../transports/message.hpp"
#include "service.hpp"

namespace hawser {

namespace {

constexpr std::size_t name_bytes = 18;

// A client may write the same arguments with other spaces.
bool same_json(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto one = raw_json{a}.parse();
  const auto other = raw_json{b}.parse();
  return one && other && *one == *other;
}

bool same(const input_rounds::subject& a, const input_rounds::subject& b) {
  return a.method == b.method && a.name == b.name && same_json(a.arguments, b.arguments);
}

}  // namespace

void input_rounds::forget_old(time_point now) {
  while (!entries_.empty() && (entries_.front().expires <= now || entries_.size() >= limits_.max_waiting))
    entries_.pop_front();
}

result<std::string> input_rounds::wait(subject about, round current, time_point now) {
  if (current.number > limits_.max_rounds)
    return error{
        .code = errc::too_large,
        .what = "the client was asked " + std::to_string(limits_.max_rounds) + " times, and that is the limit"};
  forget_old(now);
  std::string name = base64url(random_bytes(name_bytes));
  entries_.push_back({name, std::move(about), std::move(current), now + limits_.patience});
  return name;
}

// requestState is whatever the client likes to send.
result<input_rounds::round> input_rounds::resume(std::string_view request_state, const subject& about, time_point now) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const entry& e) { return equal_in_constant_time(e.name, request_state); });
  if (found == entries_.end() || found->expires <= now)
    return invalid_params("this requestState is unknown, was used before or has expired");
  if (!same(found->about, about)) return invalid_params("this requestState belongs to another request");
  round current = std::move(found->current);
  entries_.erase(found);
  return current;
}

}  // namespace hawser
