// SPDX-License-Identifier: MIT
// Servers of the older revisions that answer with streams of events, and calls to them.
#pragma once

#include "../support/web_house.hpp"

namespace hawser::testing::event_streams {

// A legacy server, but for what the test does itself.
inline web_script::script legacy(std::function<bool(web_peer&, const web_request&)> own) {
  return [own](web_peer& with) {
    while (auto asked = with.request()) {
      if (own(with, *asked)) return;
      if (!greets(with, *asked)) with.json(answer_to(*asked));
    }
  };
}

inline task<web_outcome> legacy_call(web_house& house, call_options options = {}) {
  const web_outcome greeted = co_await house.initialize();
  expect(!greeted.failure.has_value()) << greeted.said();
  co_return co_await house.call("tools/call", R"({"name":"t"})", std::move(options));
}

inline std::string an_event(std::string_view text, std::string_view id = {}) {
  return (id.empty() ? std::string{} : "id: " + std::string{id} + '\n') + "data: " + std::string{text} + "\n\n";
}

inline std::string note(std::string_view name) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{name} + "\"}";
}

}  // namespace hawser::testing::event_streams
