// SPDX-License-Identifier: MIT
// HTTP/1.1 requests: connections are kept and used again, redirects are followed only where nothing can leak, proxies
// and TLS are seen to, and addresses are checked before anybody connects to them. Knows nothing of MCP.
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
  std::size_t max_connections = 32;    ///< who finds none waits
  std::size_t max_urgent = 8;          ///< more of them, for urgent requests; who finds none waits
  std::size_t max_idle = 32;
  int max_redirects = 3;
  /// Where names led at first; shared by clients that should remember it together. Null: this client remembers alone.
  std::shared_ptr<zone_memory> zones{};
  /// Called before a request leaves without TLS for another machine, or for a proxy, over a new connection.
  std::function<void(const http_url& to)> on_cleartext{};
};

/// A request that was sent and whose answer nobody waits for yet; empty: none.
struct http_started {
  std::unique_ptr<http_connection> over{};
  semaphore::permit place{};
};

class http_client;

/// The head of an answer, and its body as it arrives. Destroyed before it is complete, it closes its connection.
class http_answer {
 public:
  http_answer(http_client& from, std::unique_ptr<http_connection> over, semaphore::permit place,
              http_ticket* ticket) noexcept
      : client_(&from), connection_(std::move(over)), place_(std::move(place)), ticket_(ticket) {}
  http_answer(http_answer&&) noexcept = default;
  http_answer& operator=(http_answer&&) = delete;
  ~http_answer();

  [[nodiscard]] const http_head& head() const noexcept { return connection_->head(); }
  /// The next piece; empty at the end. Valid until the next call.
  task<result<std::string_view>> read_some();
  /// All that is left of it, or errc::too_large.
  task<result<byte_buffer>> read_all(std::size_t limit);
  [[nodiscard]] bool complete() const noexcept { return connection_->complete() && connection_->body().empty(); }
  /// Nobody reads the rest. Its place is free at once; its connection is used again if the answer ends soon.
  void settle() && noexcept;
  /// Nothing that follows on its connection is believed.
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
  /// `names` lives longer.
  http_client(loop& home, resolver& names, http_client_options options);
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;
  ~http_client();

  /// Sends it and waits for the head of the answer, whatever its status. What the request points to lives until then.
  /// `executed` of an error says whether any of it can have reached the server. Not bounded unless the patience is.
  task<result<http_answer>> ask(http_request what) { return ask(what, {}); }

  /// Sends it at once, without a coroutine, if a connection is idle that it can take; else nothing happens. Ends by
  /// ask() with what it returned, which goes on as if it had sent it itself, or by done(). Needs a ticket.
  [[nodiscard]] http_started start(const http_request& what, exchange_watcher& follows);
  task<result<http_answer>> ask(http_request what, http_started begun);
  /// The answer is complete and all has been taken of it; also from inside the watcher.
  void done(http_started begun, http_ticket& ticket) noexcept;

  /// Gives back memory that nobody needs just now.
  void rest() noexcept;
  /// Closes what is idle; every answer is gone by then.
  task<void> close();

 private:
  friend class http_answer;
  task<result<http_answer>> ask_in_time(http_request what, http_started begun);
  task<result<http_answer>> ask_following(http_request what, http_started begun);
  task<result<http_answer>> ask_once(const http_request& what, const http_url& to, http_started begun);
  // What an address may be, and after dial() what it is.
  struct route {
    const http_proxy* through = nullptr;
    network_zone innermost = network_zone::loopback;
    bool loopback_only = false;  // there are credentials, and no TLS
    bool on_loopback = false;    // it leads to this machine, and through no proxy
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
  std::shared_ptr<http_client*> self_;  // null inside when the client is gone
  bool sweeping_ = false;
  byte_buffer text_;                                        // of the request that is being sent; its memory is kept
  std::vector<std::unique_ptr<http_connection>> idle_;      // the one that was used last is used first
  std::vector<std::unique_ptr<http_connection>> settling_;  // whose answers nobody reads to their ends
};

}  // namespace hawser
