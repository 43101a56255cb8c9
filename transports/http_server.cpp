// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "../runtime/sleep.hpp"
#include "../runtime/timeout.hpp"
#include "served_connection.hpp"
#include "tls_stream.hpp"

namespace hawser {

namespace {

// At most this many connections get a 503 at the same time; further ones are closed without a response.
constexpr std::size_t max_turned_away = 16;
// If no file descriptors are left, accepting the same connection fails again at once.
constexpr duration breath = std::chrono::milliseconds{50};

class place;

// The connections that are being served.
class places {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  void add(place& one) { all_.push_back(&one); }
  void remove(place& one) noexcept { std::erase(all_, &one); }
  /// Closes the connection whose loss matters least; false if all of them are answering.
  bool make_room() noexcept;

 private:
  std::vector<place*> all_;
};

// One of them, registered when it is accepted.
class place {
 public:
  place(places& among, time_point accepted) : among_(among), accepted_(accepted) { among_.add(*this); }
  place(const place&) = delete;
  place& operator=(const place&) = delete;
  ~place() { among_.remove(*this); }

  using rank = std::pair<served_connection::standing, time_point>;
  [[nodiscard]] rank order() const noexcept {
    return connection == nullptr ? rank{served_connection::standing::unused, accepted_}
                                 : rank{connection->how(), connection->since()};
  }
  scope* running = nullptr;                       // null until serve_one() has started
  const served_connection* connection = nullptr;  // null until the TLS handshake is done

 private:
  places& among_;
  time_point accepted_;
};

bool places::make_room() noexcept {
  place* least = nullptr;
  for (place* one : all_) {
    const bool free = one->running != nullptr && one->order().first != served_connection::standing::answering;
    if (free && (least == nullptr || one->order() < least->order())) least = one;
  }
  if (least == nullptr) return false;
  remove(*least);
  least->running->request_stop();
  return true;
}

task<void> converse(stream over, http_serving& all, place& here) {
  const http_server_options& options = all.options;
  std::unique_ptr<byte_stream> bytes;
  if (options.tls) {
    auto shaken = co_await with_timeout(options.head_deadline, tls_accept(std::move(over), options.tls));
    if (!shaken) co_return;
    bytes = std::move(*shaken);
  } else {
    bytes = plain_stream(std::move(over));
  }
  served_connection connection{std::move(bytes), all};
  here.connection = &connection;
  co_await connection.run();
  here.connection = nullptr;
}

task<void> serve_one(stream over, http_serving& all, std::unique_ptr<place> here) {
  scope own{co_await this_context()};
  here->running = &own;
  own.spawn(converse(std::move(over), all, *here));
  co_await own.join();
}

task<void> turn_away(stream over, http_serving& all) {
  served_connection connection{plain_stream(std::move(over)), all};
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

task<void> http_server::serve(answer_request with, judge_head judge) {
  const context where = co_await this_context();
  http_serving all{.home = *where.loop, .options = options_, .with = with, .judge = judge};
  places taken;
  scope served{where};
  scope turned_away{where};
  while (!where.stop_requested()) {
    auto accepted = co_await listener_.accept();
    if (!accepted) {
      auto paused = co_await sleep_for(breath);
      ignore(paused, "a stop is seen above");
    } else if (taken.size() < options_.max_connections || taken.make_room()) {
      auto here = std::make_unique<place>(taken, where.loop->now());
      served.spawn(serve_one(std::move(*accepted), all, std::move(here)));
    } else if (!options_.tls && turned_away.live() < max_turned_away) {
      turned_away.spawn(turn_away(std::move(*accepted), all));
    }
  }
  served.request_stop();
  turned_away.request_stop();
  co_await served.join();
  co_await turned_away.join();
}

}  // namespace hawser
