// SPDX-License-Identifier: MIT
// Servers of the older revisions that answer with streams of events, and calls to them.
#pragma once

#include "../../support/http_channel_fixture.hpp"

namespace hawser::testing::event_streams {

// A legacy server, but for what the test does itself.
inline scripted_http_server::script legacy(std::function<bool(scripted_connection&, const received_request&)> own) {
  return [own](scripted_connection& with) {
    while (auto asked = with.request()) {
      if (own(with, *asked)) return;
      if (!greets(with, *asked)) with.json(answer_to(*asked));
    }
  };
}

inline task<http_call_outcome> legacy_call(http_channel_fixture& fixture, call_options options = {}) {
  const http_call_outcome greeted = co_await fixture.initialize();
  expect(!greeted.failure.has_value()) << greeted.said();
  co_return co_await fixture.call("tools/call", R"({"name":"t"})", std::move(options));
}

inline std::string sse_event_text(std::string_view text, std::string_view id = {}) {
  return (id.empty() ? std::string{} : "id: " + std::string{id} + '\n') + "data: " + std::string{text} + "\n\n";
}

inline std::string note(std::string_view name) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{name} + "\"}";
}

}  // namespace hawser::testing::event_streams
