// SPDX-License-Identifier: MIT
// One HTTP client, one scripted server, and what came of a request.
#pragma once

#include "../../../../transports/http/client/http_client.hpp"
#include "../../../support/run.hpp"
#include "../../../support/scripted_http_server.hpp"

namespace hawser::testing::http_client_fixture {

struct outcome {
  int status = 0;
  std::string body{};
  std::optional<error> failure{};
  [[nodiscard]] bool failed_with(errc code, execution executed) const {
    return failure && failure->code == code && failure->executed == executed;
  }
  [[nodiscard]] std::string said() const { return failure ? failure->what : std::to_string(status) + ' ' + body; }
};

inline task<outcome> ask(http_client& client, client_request what) {
  auto answer = co_await client.fetch(std::move(what));
  if (!answer) co_return outcome{.failure = answer.error()};
  outcome got{.status = answer->head().status};
  auto body = co_await answer->read_all(1 << 20);
  if (!body) {
    got.failure = body.error();
  } else {
    got.body = body->view();
  }
  co_return got;
}

using visit = std::function<task<void>(http_client& client, const http_url& to)>;

struct client_context {
  http_client_options options{};
  resolver* names = nullptr;
  std::string path = "/mcp";
};

inline task<void> visiting(loop& l, const scripted_http_server& server, visit what, client_context around) {
  ares_resolver usual;
  http_client client{l, around.names != nullptr ? *around.names : usual, around.options};
  const http_url to = server.url(around.path);
  co_await what(client, to);
  co_await client.close();
}

inline void with_server(scripted_http_server::script each, visit what, const client_context& around = {}) {
  scripted_http_server server{std::move(each)};
  loop l;
  l.run(visiting(l, server, std::move(what), around));
}

inline task<void> one_post(http_client& client, const http_url& to, outcome* into) {
  client_request post{.to = &to, .body = "{}"};
  *into = co_await ask(client, std::move(post));
}

inline outcome answer_of(scripted_http_server::script each, const client_context& around = {}) {
  outcome got;
  with_server(
      std::move(each), [&](http_client& client, const http_url& to) { return one_post(client, to, &got); }, around);
  return got;
}

inline void bytes(scripted_connection& with, std::string_view answer) {
  if (with.request()) with.say(answer);
  with.hang();
}

inline outcome answer_to_bytes(std::string answer) {
  return answer_of([answer](scripted_connection& with) { bytes(with, answer); });
}

inline bool mentions(const outcome& got, std::string_view part) { return got.said().find(part) != std::string::npos; }

}  // namespace hawser::testing::http_client_fixture
