// SPDX-License-Identifier: MIT
#include "request_context.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol_table.hpp"

namespace hawser {

namespace {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

request_context::request_context(std::string params, std::shared_ptr<const client_description> client, peer& side,
                                 const responder& answer, const std::optional<severity>& threshold)
    : params_(std::move(params)), client_(std::move(client)), peer_(side), responder_(answer), threshold_(threshold) {
  std::string_view called = find_member(params_, "name");
  if (called.empty()) called = find_member(params_, "uri");
  name_ = text_of(called).value_or(std::string{});
  if (const std::string_view given = find_member(params_, "arguments"); !given.empty()) arguments_ = given;
  token_ = progress_token(params_);
}

std::string_view request_context::progress_token(std::string_view params) {
  const std::string_view token = find_member(find_member(params, protocol::meta::key), protocol::meta::progress_token);
  return is_number(token) || token.starts_with('"') ? token : std::string_view{};
}

std::string_view request_context::answer(std::string_view key) const { return find_member(answers_, key); }

void request_context::answered(std::string answers, std::string state) {
  answers_ = std::move(answers);
  state_ = std::move(state);
}

// Progress: only with a token, only increasing values, and nothing after the response.
void request_context::progress(double value, std::optional<double> total, std::string_view message) {
  if (token_.empty() || !responder_.wanted() || !std::isfinite(value)) return;
  if (last_progress_ && value <= *last_progress_) return;
  last_progress_ = value;
  object_writer params;
  params.member(protocol::meta::progress_token, token_).member("progress", number_text(value));
  if (total && std::isfinite(*total)) params.member("total", number_text(*total));
  if (!message.empty() && protocol::has(protocol::feature::progress_message, client_->revision))
    params.text("message", message);
  peer_.notify(protocol::notification::progress, params.done(), id());
}

void request_context::log(severity grave, std::string_view logger, std::string_view data) {
  if (!threshold_ || grave < *threshold_ || !responder_.wanted()) return;
  object_writer params;
  params.text("level", to_string(grave));
  if (!logger.empty()) params.text("logger", logger);
  params.member("data", data);
  peer_.notify(protocol::notification::message, params.done(), id());
}

}  // namespace hawser
