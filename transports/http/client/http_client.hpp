// SPDX-License-Identifier: MIT
// An HTTP/1.1 client: connection reuse, redirects where no credentials can leak, proxies, TLS, and an address check
// before every connect. Contains nothing specific to MCP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../../runtime/async/semaphore.hpp"
#include "../../../runtime/io/dns.hpp"
#include "../../tls/tls_context.hpp"
#include "../http_url.hpp"
#include "../network_zone.hpp"
#include "client_connection.hpp"
#include "client_request.hpp"
#include "http_connector.hpp"
#include "http_proxy.hpp"
#include "zone_cache.hpp"

namespace hawser {

struct http_client_options {
  http_limits limits{};
  http_timeouts timeouts{};
  proxy_rules proxies{};
  std::shared_ptr<tls_context> tls{};  ///< null: https is refused
  std::size_t max_connections = 32;    ///< requests beyond it wait
  std::size_t max_urgent = 8;          ///< additional connections for urgent requests; requests beyond it wait
  std::size_t max_idle = 32;
  int max_redirects = 3;
  /// The network zone of each host's first connection; clients that should remember it together share the object. Null:
  /// this client uses its own.
  std::shared_ptr<zone_cache> zones{};
  /// Called before a request is sent without TLS to another machine or to a proxy, over a new connection.
  std::function<void(const http_url& url)> on_cleartext{};
};

/// A request that was sent and whose response is not awaited yet; empty: none.
struct started_request {
  std::unique_ptr<client_connection> connection{};
  semaphore::permit slot{};
};

class http_client;

/// The head of a response, and its body as it arrives. Destroying it before it is complete closes its connection.
class client_response {
 public:
  client_response(http_client& client, std::unique_ptr<client_connection> connection, semaphore::permit slot,
                  request_handle* handle) noexcept
      : client_(&client), connection_(std::move(connection)), slot_(std::move(slot)), handle_(handle) {}
  client_response(client_response&&) noexcept = default;
  client_response& operator=(client_response&&) = delete;
  ~client_response();

  [[nodiscard]] const http_head& head() const noexcept { return connection_->head(); }
  /// The next piece of the body; empty at the end. Valid until the next call.
  task<result<std::string_view>> read_some();
  /// The rest of the body, or errc::too_large.
  task<result<byte_buffer>> read_all(std::size_t limit);
  [[nodiscard]] bool complete() const noexcept { return connection_->complete() && connection_->body().empty(); }
  /// Discards the rest of the response. Its connection slot is free at once; the connection is reused if the response
  /// ends soon.
  void discard_rest() && noexcept;
  /// Prevents reuse of the connection, because later data on it cannot be trusted.
  void forbid_reuse() noexcept { connection_->forbid_reuse(); }

 private:
  void release_handle() noexcept;

  http_client* client_;
  std::unique_ptr<client_connection> connection_;
  semaphore::permit slot_;
  request_handle* handle_;
  std::size_t shown_ = 0;
};

class http_client final : private connection_owner {
 public:
  /// `name_resolver` outlives the client.
  http_client(loop& event_loop, resolver& name_resolver, http_client_options options);
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;
  ~http_client();

  /// Sends the request and waits for the head of the response, whatever its status. What the request points to must
  /// live until then. For an error, `executed` says whether any of it may have reached the server. Unbounded unless
  /// http_timeouts sets a bound.
  task<result<client_response>> fetch(client_request request) { return fetch(request, {}); }

  /// Sends the request immediately, without a coroutine, if a suitable connection is idle; otherwise does nothing. To
  /// be finished either by fetch() with the returned value, which continues as if it had sent the request itself, or by
  /// done(). Needs a handle.
  [[nodiscard]] started_request start(const client_request& request, response_listener& listener);
  task<result<client_response>> fetch(client_request request, started_request started);
  /// The response is complete and fully consumed. May be called from inside the watcher.
  void done(started_request started, request_handle& handle) noexcept;

  /// Releases memory that is not in use.
  void trim() noexcept;
  /// Closes idle connections. Every response must have been destroyed before.
  task<void> close();

 private:
  friend class client_response;
  task<result<client_response>> fetch_in_time(client_request request, started_request started);
  task<result<client_response>> fetch_following_redirects(client_request request, started_request started);
  // Sets `refused` if client_request::check did not let the request be written.
  task<result<client_response>> fetch_once(const client_request& request, const http_url& url, started_request started,
                                           bool& refused);
  task<result<started_request>> obtain(const client_request& request, const http_url& url, const http_proxy* proxy,
                                       started_request held);
  void on_idle_connection_ended() noexcept override;
  semaphore& slots_for(const client_request& request) noexcept { return request.urgent ? urgent_slots_ : slots_; }
  std::unique_ptr<client_connection> take_idle(const client_request& request, const http_url& url);
  void give_back(std::unique_ptr<client_connection> connection);
  void discard_rest(std::unique_ptr<client_connection> connection) noexcept;
  void collect_discarded();
  void send(client_connection& connection, const client_request& request, const http_url& url, const http_proxy* proxy);
  void sweep_soon() noexcept;
  result<http_url> redirected(const client_request& request, const http_url& url, const http_head& head) const;

  loop& loop_;
  http_client_options options_;
  http_connector connector_;
  semaphore slots_;
  semaphore urgent_slots_;
  std::shared_ptr<http_client*> self_;  // points to null after destruction
  bool sweeping_ = false;
  byte_buffer text_;                                            // the request being sent; its memory is reused
  std::vector<std::unique_ptr<client_connection>> idle_;        // the most recently used one is reused first
  std::vector<std::unique_ptr<client_connection>> discarding_;  // whose responses are being discarded
};

}  // namespace hawser
