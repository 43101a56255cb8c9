// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include "../runtime/sleep.hpp"
#include "../runtime/timeout.hpp"
#include "served_connection.hpp"
#include "tls_stream.hpp"

namespace hawser {

namespace {

// So many are told at once that there are too many; the next ones find a closed door.
constexpr std::size_t max_turned_away = 16;
// Without descriptors left the same connection knocks again at once.
constexpr duration breath = std::chrono::milliseconds{50};

task<void> serve_one(stream over, const http_server_options& options, const answer_request& with) {
  std::unique_ptr<byte_stream> bytes;
  if (options.tls) {
    auto shaken = co_await with_timeout(options.head_deadline, tls_accept(std::move(over), options.tls));
    if (!shaken) co_return;
    bytes = std::move(*shaken);
  } else {
    bytes = plain_stream(std::move(over));
  }
  served_connection connection{std::move(bytes), options};
  co_await connection.run(with);
}

task<void> turn_away(stream over, const http_server_options& options) {
  served_connection connection{plain_stream(std::move(over)), options};
  co_await connection.turn_away();
}

}  // namespace

http_server::http_server(tcp_listener listener, http_server_options options) noexcept
    : listener_(std::move(listener)), options_(std::move(options)) {}

result<http_server> http_server::listen(loop& home, http_server_options options) {
  auto listener = tcp_listener::listen(home, options.where, options.port);
  if (!listener) return std::move(listener).error();
  return http_server{std::move(*listener), std::move(options)};
}

task<void> http_server::serve(answer_request with) {
  const context where = co_await this_context();
  scope served{where};
  scope turned_away{where};
  while (!where.stop_requested()) {
    auto accepted = co_await listener_.accept();
    if (!accepted) {
      auto paused = co_await sleep_for(breath);
      ignore(paused, "a stop is seen above");
    } else if (served.live() < options_.max_connections) {
      served.spawn(serve_one(std::move(*accepted), options_, with));
    } else if (!options_.tls && turned_away.live() < max_turned_away) {
      turned_away.spawn(turn_away(std::move(*accepted), options_));
    }
  }
  served.request_stop();
  turned_away.request_stop();
  co_await served.join();
  co_await turned_away.join();
}

}  // namespace hawser
