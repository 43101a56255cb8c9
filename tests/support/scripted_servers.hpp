// SPDX-License-Identifier: MIT
// Servers for a hub that live in the test itself: each start creates a new scripted end.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../host/hub.hpp"
#include "../../runtime/async/scope.hpp"
#include "scripted_server.hpp"

namespace hawser::testing {

class scripted_servers {
 public:
  explicit scripted_servers(context where) : home_(*where.loop), work_(where) {}

  /// For `hub::add_server`: `prepare` gets each new end before it receives anything.
  std::function<std::unique_ptr<channel>()> connects(std::function<void(scripted_server&)> prepare) {
    return [this, prepare = std::move(prepare)]() -> std::unique_ptr<channel> {
      auto both = memory_channel::make(home_);
      scripted_server& made = *ends.emplace_back(std::make_unique<scripted_server>(std::move(both.second)));
      prepare(made);
      work_.spawn(open(made));
      return std::move(both.first);
    };
  }
  /// To be awaited after the hub was closed.
  task<void> close() {
    co_await work_.join();
    for (const auto& one : ends) {
      auto closed = co_await one->close();
      ignore(closed, "the hub is gone already");
    }
  }

  std::vector<std::unique_ptr<scripted_server>> ends;  ///< in the order of the starts

 private:
  static task<void> open(scripted_server& end) {
    auto opened = co_await end.open();
    ignore(opened, "a memory channel always opens");
  }
  loop& home_;
  scope work_;
};

/// A server of 2025-11-25 with these tools, given as JSON objects.
inline std::function<void(scripted_server&)> serving(std::string tools, std::string capabilities = R"({"tools":{}})") {
  return [tools = std::move(tools), capabilities = std::move(capabilities)](scripted_server& end) {
    end.on_error("server/discover", -32601);
    end.on("initialize", R"({"protocolVersion":"2025-11-25","capabilities":)" + capabilities +
                             R"(,"serverInfo":{"name":"scripted","version":"1"}})");
    end.on("tools/list", R"({"tools":[)" + tools + "]}");
    end.on("tools/call", R"({"content":[{"type":"text","text":"done"}]})");
    end.on("ping", "{}");
  };
}

inline std::string tool_named(const std::string& name, const std::string& more = {}) {
  return R"({"name":")" + name + R"(","inputSchema":{"type":"object"})" + more + '}';
}

}  // namespace hawser::testing
