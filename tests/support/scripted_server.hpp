// SPDX-License-Identifier: MIT
// The far end of a memory channel that plays a server: it responds by method from a table, records every message it
// received, and sends further messages on request of the test.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/testing/memory_channel.hpp"

namespace hawser::testing {

class scripted_server final : public receiver {
 public:
  /// From the text of a request to the member of its response: `"result":…`, `"error":…`, or empty for no response.
  using answer = std::function<std::string(std::string_view request)>;
  struct message {
    message_kind kind;
    std::string method;  ///< empty: a response
    std::string id;      ///< as JSON; empty: a notification
    std::string text;
    /// A member by its path, as JSON; empty if there is none.
    [[nodiscard]] std::string at(std::initializer_list<std::string_view> way) const {
      std::string_view json = text;
      for (const std::string_view name : way) json = json.starts_with('{') ? find_member(json, name) : "";
      return std::string{json};
    }
  };

  explicit scripted_server(std::unique_ptr<memory_channel> own) : own_(std::move(own)) {}

  static std::string result_of(std::string_view json) { return R"("result":)" + std::string{json}; }
  static std::string error_of(int code, std::string_view text = "no", std::string_view data = {}) {
    std::string json = R"("error":{"code":)" + std::to_string(code) + R"(,"message":)" + json_string(text);
    if (!data.empty()) json += R"(,"data":)" + std::string{data};
    return json + '}';
  }

  void on(std::string method, answer how) { table_[std::move(method)] = std::move(how); }
  void on(std::string method, std::string result) {
    on(std::move(method), answer{[json = result_of(result)](std::string_view) { return json; }});
  }
  void on_error(std::string method, int code, std::string_view data = {}) {
    on(std::move(method), answer{[json = error_of(code, "no", data)](std::string_view) { return json; }});
  }
  void stay_silent(std::string method) {
    on(std::move(method), answer{[](std::string_view) { return std::string{}; }});
  }

  task<result<void>> open() { return own_->open(*this); }
  /// Waits until the other side has closed, unless end() was called.
  task<result<void>> close() {
    while (!closed && !ended_) {
      arrived_.reset();
      auto more = co_await with_timeout(std::chrono::seconds{5}, wait(arrived_));
      if (!more) break;
    }
    co_return co_await own_->close();
  }
  /// Like a process that exits.
  void end(std::string_view why = "it ended") {
    ended_ = true;
    own_->end(error{.code = errc::closed, .what = std::string{why}});
  }
  /// Sends one line; line feeds in it are replaced.
  void say(std::string line) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    own_->send_bytes(line + '\n');
  }
  void notify(std::string_view method, std::string_view params) { say(notification_line(method, params, "")); }
  void ask(std::string_view id, std::string_view method, std::string_view params) {
    say(notification_line(method, params, R"(,"id":)" + std::string{id}));
  }
  /// Responds to a request that was left unanswered.
  void reply(const message& to, std::string_view member) {
    say(R"({"jsonrpc":"2.0","id":)" + to.id + ',' + std::string{member} + '}');
  }

  [[nodiscard]] std::vector<message> all(std::string_view method) const {
    std::vector<message> some;
    for (const message& one : seen) {
      if (one.method == method) some.push_back(one);
    }
    return some;
  }
  /// All methods in the order received, responses as "-".
  [[nodiscard]] std::string order() const {
    std::string names;
    for (const message& one : seen) names += (names.empty() ? "" : " ") + (one.method.empty() ? "-" : one.method);
    return names;
  }
  /// Waits for the nth message of this method; an empty one on timeout. An empty method means a response.
  task<message> saw(std::string method, std::size_t nth = 1) {
    for (;;) {
      auto some = all(method);
      if (some.size() >= nth) co_return std::move(some[nth - 1]);
      arrived_.reset();
      auto more = co_await with_timeout(std::chrono::seconds{5}, wait(arrived_));
      if (!more || closed) co_return message{message_kind::unusable, {}, {}, {}};
    }
  }

  std::vector<message> seen;
  bool closed = false;

 private:
  static task<result<void>> wait(event& e) { co_return co_await e.wait(); }
  static std::string notification_line(std::string_view method, std::string_view params, const std::string& id) {
    std::string line = R"({"jsonrpc":"2.0","method":)" + json_string(method) + id;
    if (!params.empty()) line += R"(,"params":)" + std::string{params};
    return line + '}';
  }

  void on_message(const message_view& view) noexcept override {
    seen.push_back({view.kind, std::string{view.method}, std::string{view.id}, std::string{view.bytes}});
    arrived_.set();
    if (view.kind != message_kind::request) return;
    const message kept = seen.back();
    const auto known = table_.find(kept.method);
    const std::string member = known == table_.end() ? error_of(-32601, "no such method") : known->second(kept.text);
    if (!member.empty()) reply(kept, member);
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error /*why*/) noexcept override {
    closed = true;
    arrived_.set();
  }

  std::unique_ptr<memory_channel> own_;
  std::map<std::string, answer, std::less<>> table_;
  event arrived_;
  bool ended_ = false;  // by end(): then nothing more is received
};

}  // namespace hawser::testing
