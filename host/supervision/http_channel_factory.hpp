// SPDX-License-Identifier: MIT
// Shared by all HTTP servers: DNS resolver, trusted certificates and proxies. Makes their channels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "../../runtime/io/dns.hpp"
#include "../../transports/http/client/http_client.hpp"
#include "../../transports/http/client/http_proxy.hpp"
#include "../../transports/jsonrpc/channel.hpp"
#include "../../transports/streamable_http/authorizer.hpp"
#include "../../transports/tls/tls_context.hpp"
#include "../config/settings.hpp"

namespace hawser {

class http_channel_factory {
 public:
  /// `names` null: the system's DNS servers. Otherwise it must outlive this object.
  explicit http_channel_factory(loop& event_loop, resolver* names = nullptr);

  /// Does not connect yet. errc::config says which setting is invalid. `login` null: no credentials are sent; otherwise
  /// it must outlive the channel. `server_name` is for the log; `on_busy` as in http_channel_options.
  using busy_listener = std::function<void(std::string_view method, int status, duration pause)>;
  task<result<std::unique_ptr<channel>>> make_channel(const http_settings& server, const host_limits& limits,
                                                      authorizer* login, std::string server_name,
                                                      busy_listener on_busy);
  /// Proxies, and certificates if TLS is used, for that server.
  task<result<http_client_options>> client_options(const http_settings& server, bool tls);
  /// The same for the authorization servers of that server. The server's client certificate is not sent to them; they
  /// get the one in the OAuth settings, if any.
  task<result<http_client_options>> login_client_options(http_settings server);
  [[nodiscard]] resolver& names() const noexcept { return names_; }

 private:
  task<result<std::shared_ptr<tls_context>>> certificates(tls_settings files);
  void warn_of_cleartext(const std::string& server_name, const http_settings& server, const http_url& destination);

  loop& loop_;
  ares_resolver own_names_;
  resolver& names_;
  proxy_rules environment_;
  // Shared by all channels: a restarted server is not a new name.
  std::shared_ptr<zone_cache> zones_ = std::make_shared<zone_cache>();
  std::set<std::string> warned_;  // servers already warned about headers sent without TLS
  struct tls_context_entry {
    std::string state{};  // of the files when they were loaded
    std::shared_ptr<tls_context> context{};
  };
  // Keyed by all settings that affect a context; shared because a trust store takes a megabyte.
  std::map<tls_settings, tls_context_entry> contexts_;
};

}  // namespace hawser
