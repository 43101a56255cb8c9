// SPDX-License-Identifier: MIT
// Establishes the connections of an http_client: name resolution, address check, TCP, proxy, TLS.
#pragma once

#include <memory>

#include "../../../runtime/io/dns.hpp"
#include "../../tls/byte_stream.hpp"
#include "../http_url.hpp"
#include "../network_zone.hpp"
#include "http_proxy.hpp"

namespace hawser {

struct http_client_options;

class http_connector {
 public:
  /// Both outlive this object.
  http_connector(resolver& name_resolver, const http_client_options& options) noexcept
      : resolver_(name_resolver), options_(options) {}

  /// What a connection must satisfy.
  struct route {
    const http_proxy* proxy = nullptr;  ///< null: a direct connection
    network_zone innermost = network_zone::loopback;
    bool loopback_only = false;  ///< credentials would be sent without TLS
  };
  struct connected {
    std::unique_ptr<byte_stream> stream{};
    bool on_loopback = false;  ///< a direct connection to this machine
  };
  /// Bounded by http_timeouts::connect and http_timeouts::handshake.
  task<result<connected>> connect(const http_url& url, route chosen);

 private:
  struct dialled {
    stream connection;
    bool on_loopback = false;
  };
  task<result<dialled>> dial(const http_url& url, route chosen);
  task<result<void>> tunnel(stream& connection, const http_url& url, const http_proxy& proxy);

  resolver& resolver_;
  const http_client_options& options_;
};

}  // namespace hawser
