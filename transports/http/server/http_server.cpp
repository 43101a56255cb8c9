// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../tls/plain_stream.hpp"
#include "../../tls/tls_handshake.hpp"
#include "server_connection.hpp"

namespace hawser {

namespace {

// At most this many connections get a 503 at the same time; further ones are closed without a response.
constexpr std::size_t max_rejected = 16;
// If no file descriptors are left, accepting the same connection fails again at once.
constexpr duration accept_retry_delay = std::chrono::milliseconds{50};

class connection_entry;

// The connections that are being served.
class connection_table {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  void add(connection_entry& one) { all_.push_back(&one); }
  void remove(connection_entry& one) noexcept { std::erase(all_, &one); }
  /// Closes the connection whose loss matters least; false if all of them are answering.
  bool evict_one() noexcept;

 private:
  std::vector<connection_entry*> all_;
};

// One of them, registered when it is accepted.
class connection_entry {
 public:
  connection_entry(connection_table& among, time_point accepted) : among_(among), accepted_(accepted) {
    among_.add(*this);
  }
  connection_entry(const connection_entry&) = delete;
  connection_entry& operator=(const connection_entry&) = delete;
  ~connection_entry() { among_.remove(*this); }

  using rank = std::pair<server_connection::eviction_priority, time_point>;
  [[nodiscard]] rank order() const noexcept {
    return connection == nullptr ? rank{server_connection::eviction_priority::unused, accepted_}
                                 : rank{connection->priority(), connection->waiting_since()};
  }
  scope* running = nullptr;                       // null until serve_one() has started
  const server_connection* connection = nullptr;  // null until the TLS handshake is done

 private:
  connection_table& among_;
  time_point accepted_;
};

bool connection_table::evict_one() noexcept {
  connection_entry* least = nullptr;
  for (connection_entry* one : all_) {
    const bool free = one->running != nullptr && one->order().first != server_connection::eviction_priority::answering;
    if (free && (least == nullptr || one->order() < least->order())) least = one;
  }
  if (least == nullptr) return false;
  remove(*least);
  least->running->request_stop();
  return true;
}

task<void> serve_stream(stream over, http_server_state& all, connection_entry& here) {
  const http_server_options& options = all.options;
  std::unique_ptr<byte_stream> bytes;
  if (options.tls) {
    auto shaken = co_await with_timeout(options.head_deadline, tls_accept(std::move(over), options.tls));
    if (!shaken) co_return;
    bytes = std::move(*shaken);
  } else {
    bytes = make_plain_stream(std::move(over));
  }
  server_connection connection{std::move(bytes), all};
  here.connection = &connection;
  co_await connection.run();
  here.connection = nullptr;
}

task<void> serve_one(stream over, http_server_state& all, std::unique_ptr<connection_entry> here) {
  scope own{co_await this_context()};
  here->running = &own;
  own.spawn(serve_stream(std::move(over), all, *here));
  co_await own.join();
}

task<void> reject(stream over, http_server_state& all) {
  server_connection connection{make_plain_stream(std::move(over)), all};
  co_await connection.reject();
}

}  // namespace

http_server::http_server(tcp_listener listener, http_server_options options) noexcept
    : listener_(std::move(listener)), options_(std::move(options)) {}

result<http_server> http_server::listen(loop& home, http_server_options options) {
  auto listener = tcp_listener::listen(home, options.where, options.port);
  if (!listener) return std::move(listener).error();
  return http_server{std::move(*listener), std::move(options)};
}

task<void> http_server::serve(request_handler with, head_check judge) {
  const context where = co_await this_context();
  http_server_state all{.home = *where.loop, .options = options_, .with = with, .judge = judge};
  connection_table taken;
  scope served{where};
  scope rejected{where};
  while (!where.stop_requested()) {
    auto accepted = co_await listener_.accept();
    if (!accepted) {
      auto paused = co_await sleep_for(accept_retry_delay);
      ignore(paused, "a stop is seen above");
    } else if (taken.size() < options_.max_connections || taken.evict_one()) {
      auto here = std::make_unique<connection_entry>(taken, where.loop->now());
      served.spawn(serve_one(std::move(*accepted), all, std::move(here)));
    } else if (!options_.tls && rejected.task_count() < max_rejected) {
      rejected.spawn(reject(std::move(*accepted), all));
    }
  }
  served.request_stop();
  rejected.request_stop();
  co_await served.join();
  co_await rejected.join();
}

}  // namespace hawser
