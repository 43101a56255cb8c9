// SPDX-License-Identifier: MIT
// An HTTP/1.1 client: connection reuse, redirects where no credentials can leak, proxies, TLS, and an address check
// before every connect. Contains nothing specific to MCP.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../runtime/dns.hpp"
#include "../runtime/semaphore.hpp"
#include "http_connection.hpp"
#include "http_proxy.hpp"
#include "http_request.hpp"
#include "http_url.hpp"
#include "network_zone.hpp"
#include "tls_context.hpp"
#include "zone_memory.hpp"

namespace hawser {

struct http_client_options {
  http_limits limits{};
  http_patience patience{};
  proxy_rules proxies{};
  std::shared_ptr<tls_context> tls{};  ///< null: https is refused
  std::size_t max_connections = 32;    ///< requests beyond it wait
  std::size_t max_urgent = 8;          ///< additional connections for urgent requests; requests beyond it wait
  std::size_t max_idle = 32;
  int max_redirects = 3;
  /// The network zone of each host's first connection; clients that should remember it together share the object. Null:
  /// this client uses its own.
  std::shared_ptr<zone_memory> zones{};
  /// Called before a request is sent without TLS to another machine or to a proxy, over a new connection.
  std::function<void(const http_url& to)> on_cleartext{};
};

/// A request that was sent and whose response is not awaited yet; empty: none.
struct http_started {
  std::unique_ptr<http_connection> over{};
  semaphore::permit place{};
};

class http_client;

/// The head of a response, and its body as it arrives. Destroying it before it is complete closes its connection.
class http_answer {
 public:
  http_answer(http_client& from, std::unique_ptr<http_connection> over, semaphore::permit place,
              http_ticket* ticket) noexcept
      : client_(&from), connection_(std::move(over)), place_(std::move(place)), ticket_(ticket) {}
  http_answer(http_answer&&) noexcept = default;
  http_answer& operator=(http_answer&&) = delete;
  ~http_answer();

  [[nodiscard]] const http_head& head() const noexcept { return connection_->head(); }
  /// The next piece of the body; empty at the end. Valid until the next call.
  task<result<std::string_view>> read_some();
  /// The rest of the body, or errc::too_large.
  task<result<byte_buffer>> read_all(std::size_t limit);
  [[nodiscard]] bool complete() const noexcept { return connection_->complete() && connection_->body().empty(); }
  /// Discards the rest of the response. Its connection slot is free at once; the connection is reused if the response
  /// ends soon.
  void settle() && noexcept;
  /// Prevents reuse of the connection, because later data on it cannot be trusted.
  void distrust() noexcept { connection_->distrust(); }

 private:
  void release_ticket() noexcept;

  http_client* client_;
  std::unique_ptr<http_connection> connection_;
  semaphore::permit place_;
  http_ticket* ticket_;
  std::size_t shown_ = 0;
};

class http_client final : private idle_keeper {
 public:
  /// `names` outlives the client.
  http_client(loop& home, resolver& names, http_client_options options);
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;
  ~http_client();

  /// Sends the request and waits for the head of the response, whatever its status. What the request points to must
  /// live until then. For an error, `executed` says whether any of it may have reached the server. Unbounded unless
  /// http_patience sets a bound.
  task<result<http_answer>> ask(http_request what) { return ask(what, {}); }

  /// Sends the request immediately, without a coroutine, if a suitable connection is idle; otherwise does nothing. To
  /// be finished either by ask() with the returned value, which continues as if it had sent the request itself, or by
  /// done(). Needs a ticket.
  [[nodiscard]] http_started start(const http_request& what, exchange_watcher& follows);
  task<result<http_answer>> ask(http_request what, http_started begun);
  /// The response is complete and fully consumed. May be called from inside the watcher.
  void done(http_started begun, http_ticket& ticket) noexcept;

  /// Releases memory that is not in use.
  void rest() noexcept;
  /// Closes idle connections. Every response must have been destroyed before.
  task<void> close();

 private:
  friend class http_answer;
  task<result<http_answer>> ask_in_time(http_request what, http_started begun);
  task<result<http_answer>> ask_following(http_request what, http_started begun);
  task<result<http_answer>> ask_once(const http_request& what, const http_url& to, http_started begun);
  // Constraints on the address, and after dial() its properties.
  struct route {
    const http_proxy* through = nullptr;
    network_zone innermost = network_zone::loopback;
    bool loopback_only = false;  // credentials would be sent without TLS
    bool on_loopback = false;    // a direct connection to this machine
  };
  task<result<http_started>> obtain(const http_request& what, const http_url& to, const http_proxy* through,
                                    http_started held);
  task<result<std::unique_ptr<http_connection>>> connect(const http_url& to, route by);
  task<result<stream>> dial(const http_url& to, route& by);
  task<result<void>> tunnel(stream& over, const http_url& to, const http_proxy& through);
  void idle_ended() noexcept override;
  semaphore& places_for(const http_request& what) noexcept { return what.urgent ? urgent_places_ : places_; }
  std::unique_ptr<http_connection> take_idle(const http_request& what, const http_url& to);
  void give_back(std::unique_ptr<http_connection> over);
  void settle(std::unique_ptr<http_connection> over) noexcept;
  void collect_settled();
  void send(http_connection& over, const http_request& what, const http_url& to, const http_proxy* through);
  void sweep_soon() noexcept;
  result<http_url> redirected(const http_request& what, const http_url& from, const http_head& head) const;

  loop& loop_;
  resolver& names_;
  http_client_options options_;
  semaphore places_;
  semaphore urgent_places_;
  std::shared_ptr<http_client*> self_;  // points to null after destruction
  bool sweeping_ = false;
  byte_buffer text_;                                        // the request being sent; its memory is reused
  std::vector<std::unique_ptr<http_connection>> idle_;      // the most recently used one is reused first
  std::vector<std::unique_ptr<http_connection>> settling_;  // whose responses are being discarded
};

}  // namespace hawser
