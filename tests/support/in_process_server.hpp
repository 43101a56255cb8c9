// SPDX-License-Identifier: MIT
// A server on the test's own loop, for a hub: it does the handshake and lists its tools by itself, and leaves every
// call to the test, which responds with any bytes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/testing/memory_channel.hpp"
#include "ut.hpp"

namespace hawser::testing {

class in_process_server final : private receiver {
 public:
  explicit in_process_server(loop& home) : home_(home), work_(context{&home, nullptr}) {}

  bool modern = false;
  /// The result of each tools/list; an empty text leaves it unanswered.
  std::function<std::string(std::string_view request)> listed = [](std::string_view) { return one_tool("echo"); };
  std::size_t connections = 0;
  std::vector<std::string> lists{};   ///< every tools/list request received
  std::deque<std::string> calls{};    ///< every tools/call request that the test has not taken yet
  std::vector<std::string> others{};  ///< every other request, except the handshake

  static std::string one_tool(std::string_view name, std::string_view more = {}) {
    return R"({"tools":[{"name":)" + json_string(name) + R"(,"inputSchema":{"type":"object"})" + std::string{more} +
           "}]}";
  }
  static std::string id_of(std::string_view message) { return std::string{find_member(message, "id")}; }

  /// For hub::add_server; a new connection each time.
  std::function<std::unique_ptr<channel>()> connect() {
    return [this]() -> std::unique_ptr<channel> {
      auto both = memory_channel::make(home_);
      ends_.push_back(std::move(both.second));  // an old one may not have seen its close yet
      own_ = ends_.back().get();
      ++connections;
      work_.spawn(open(*this));
      return std::move(both.first);
    };
  }
  task<std::string> next_call() {
    while (calls.empty()) {
      arrived_.reset();
      auto more = co_await arrived_.wait();
      if (!more) co_return std::string{};
    }
    std::string first = std::move(calls.front());
    calls.pop_front();
    co_return first;
  }
  /// Sends a line; every ID in it is replaced by the id of that request.
  void say(std::string line, std::string_view request = {}) {
    if (!request.empty()) {
      for (std::size_t at = 0; (at = line.find("ID", at)) != std::string::npos;) line.replace(at, 2, id_of(request));
    }
    own_->send_bytes(line + '\n');
  }
  void answer(std::string_view request, std::string_view result) {
    own_->send_bytes(R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":)" + std::string{result} + "}\n");
  }
  void change_list() { say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"); }
  void end() { own_->end(error{.code = errc::closed, .what = "it ended"}); }
  /// To be awaited after the hub was closed.
  task<void> closed() { co_await work_.join(); }

 private:
  static task<void> open(in_process_server& self) {
    auto opened = co_await self.own_->open(self);
    expect(opened.has_value());
  }
  void on_message(const message_view& message) noexcept override {
    const std::string_view text = message.bytes;
    if (message.method == "server/discover" && modern) {
      answer(text, R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" + can_ +
                       R"(,"serverInfo":{"name":"far","version":"1"}})");
    } else if (message.method == "initialize" && !modern) {
      answer(text, R"({"protocolVersion":"2025-11-25","capabilities":)" + can_ +
                       R"(,"serverInfo":{"name":"far","version":"1"}})");
    } else if (message.method == "tools/list") {
      lists.emplace_back(text);
      if (const std::string result = listed(text); !result.empty()) answer(text, result);
    } else if (message.method == "ping") {
      answer(text, "{}");
    } else if (message.method == "tools/call") {
      calls.emplace_back(text);
    } else {
      others.emplace_back(text);
    }
    arrived_.set();
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error /*why*/) noexcept override {}

  loop& home_;
  std::vector<std::unique_ptr<memory_channel>> ends_;
  memory_channel* own_ = nullptr;  // the last of them
  scope work_;
  event arrived_;
  std::string can_ = R"({"tools":{"listChanged":true}})";
};

}  // namespace hawser::testing
