// SPDX-License-Identifier: MIT
#include "pending_inputs.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <vector>

#include "../runtime/crypto.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/jsonrpc/message.hpp"
#include "service.hpp"

namespace hawser {

namespace {

constexpr std::size_t name_bytes = 18;
// A parsed tree needs many times the memory of its text. Larger arguments are compared as text without whitespace, so
// for them the order of members matters.
constexpr std::size_t largest_tree = std::size_t{64} << 10;

void append_sorted(std::string& to, const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    std::vector<const boost::json::key_value_pair*> members;
    for (const auto& member : *object) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    to += '{';
    for (const auto* member : members) {
      append_quoted(to, {member->key().data(), member->key().size()});
      to += ':';
      append_sorted(to, member->value());
      to += ',';
    }
    to += '}';
  } else if (const auto* array = value.if_array()) {
    to += '[';
    for (const auto& element : *array) {
      append_sorted(to, element);
      to += ',';
    }
    to += ']';
  } else {
    to += boost::json::serialize(value);
  }
}

std::string without_spaces(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  const char* end = json.data() + json.size();
  for (const char* p = json.data(); p != end;) {
    if (*p == '"') {
      const char* behind = detail::skip_string(p + 1, end);
      text.append(p, behind);
      p = behind;
    } else {
      if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') text += *p;
      ++p;
    }
  }
  return text;
}

// A client may repeat the same arguments with different whitespace or member order.
std::string comparable(std::string_view json) {
  if (json.size() > largest_tree) return without_spaces(json);
  const auto tree = raw_json{json}.parse();
  if (!tree) return without_spaces(json);
  std::string text;
  append_sorted(text, *tree);
  return text;
}

error no_room(std::string_view whose) {
  return error{.code = errc::too_large,
               .what = "too many questions " + std::string{whose} + " are unanswered; come again later"};
}

}  // namespace

text_digest pending_inputs::subject_of(std::string_view method, std::string_view name, std::string_view arguments) {
  // Concatenates fixed-size digests, so that no bytes can shift from one part to the next.
  std::string all;
  for (const text_digest& part : {digest_of(method), digest_of(name), digest_of(comparable(arguments))})
    all.append(part.begin(), part.end());
  return digest_of(all);
}

void pending_inputs::forget_old(time_point now) {
  while (!entries_.empty() && entries_.front().expires <= now) forget(entries_.begin());
}

void pending_inputs::forget(place which) {
  const auto client = by_client_.find(which->client);
  client->second.bytes -= which->bytes;
  if (--client->second.waiting == 0) by_client_.erase(client);
  bytes_ -= which->bytes;
  by_name_.erase(which->name);
  entries_.erase(which);
}

result<std::string> pending_inputs::add(const text_digest& client, const text_digest& subject, round current,
                                        time_point now) {
  if (current.number > limits_.max_rounds)
    return error{
        .code = errc::too_large,
        .what = "the client was asked " + std::to_string(limits_.max_rounds) + " times, and that is the limit"};
  forget_old(now);
  const std::size_t size = current.state.size();
  const auto known = by_client_.find(client);
  const usage own = known == by_client_.end() ? usage{} : known->second;
  if (own.waiting >= limits_.max_waiting_per_client || own.bytes + size > limits_.max_bytes_per_client)
    return no_room("to this client");
  if (entries_.size() >= limits_.max_waiting || bytes_ + size > limits_.max_bytes) return no_room("to all clients");
  std::string name = base64url(random_bytes(name_bytes));
  entries_.push_back({digest_of(name), client, subject, std::move(current), size, now + limits_.patience});
  by_name_.emplace(entries_.back().name, std::prev(entries_.end()));
  usage& more = by_client_[client];
  ++more.waiting;
  more.bytes += size;
  bytes_ += size;
  return name;
}

// request_state is untrusted input.
result<pending_inputs::round> pending_inputs::resume(std::string_view request_state, const text_digest& subject,
                                                     time_point now) {
  const auto found = by_name_.find(digest_of(request_state));
  if (found == by_name_.end() || found->second->expires <= now)
    return invalid_params("this requestState is unknown, was used before or has expired");
  if (found->second->subject != subject) return invalid_params("this requestState belongs to another request");
  round current = std::move(found->second->current);
  forget(found->second);
  return current;
}

}  // namespace hawser
