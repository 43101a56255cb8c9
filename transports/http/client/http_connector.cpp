// SPDX-License-Identifier: MIT
#include "http_connector.hpp"

#include <algorithm>
#include <optional>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/crypto.hpp"
#include "../../../runtime/io/tcp.hpp"
#include "../../tls/plain_stream.hpp"
#include "../../tls/tls_handshake.hpp"
#include "../http_fields.hpp"
#include "http_client.hpp"

namespace hawser {

namespace {

// SSRF: every address is checked, and only checked addresses are connected to, because resolving the name again may
// return others. `earlier` is the zone of the first connection to the name, where that matters.
result<std::vector<ip_address>> checked(const std::vector<ip_address>& addresses, const http_url& url,
                                        network_zone innermost, std::optional<network_zone> earlier) {
  std::vector<ip_address> allowed;
  bool rebound = false;
  for (const ip_address& address : addresses) {
    const network_zone zone = zone_of(address);
    if (zone == network_zone::refused || zone > innermost) continue;
    if (earlier && zone > *earlier) {
      rebound = true;
    } else {
      allowed.push_back(address);
    }
  }
  if (!allowed.empty()) return allowed;
  std::string why = " lies in a network further inward than the url that was configured";
  if (rebound) {
    why = " lies in a network further inward than at the first connection, which was to a " +
          std::string{to_string(*earlier)} +
          " address (DNS rebinding); use https, or restart this program if the server has moved";
  } else if (zone_of(addresses.front()) == network_zone::refused) {
    why = " is link-local or otherwise no server's";
  }
  return error{.code = errc::protocol,
               .what = "the address of " + url.host + " is refused: " + addresses.front().to_string() + why};
}

error sent_in_clear(const std::string& destination) {
  return error{.code = errc::config,
               .what = "a login's token is not sent over plain http " + destination +
                       ", where others could read it: use an https url"};
}

bool is_loopback_address(const ip_address& address) { return zone_of(address) == network_zone::loopback; }

// The response to CONNECT; only its head matters.
class connect_response final : public http_listener {
 public:
  void on_head(const http_head& head) noexcept override { status = head.status; }
  void on_body(std::string_view /*piece*/) noexcept override {}
  void on_complete() noexcept override {}
  int status = 0;
};

}  // namespace

task<result<http_connector::connected>> http_connector::connect(const http_url& url, route chosen) {
  auto opened = co_await with_timeout(options_.timeouts.connect, dial(url, chosen));
  if (!opened) co_return prefixed("connecting", opened.error());
  connected made{.on_loopback = opened->on_loopback};
  if (url.tls) {
    if (!options_.tls) co_return error{.code = errc::config, .what = "https is not set up in this program"};
    auto secured = co_await with_timeout(options_.timeouts.handshake,
                                         tls_connect(std::move(opened->connection), options_.tls, url.host, url.port));
    if (!secured) co_return prefixed("TLS", secured.error());
    made.stream = *std::move(secured);
  } else {
    if (!made.on_loopback && options_.on_cleartext) options_.on_cleartext(url);
    made.stream = make_plain_stream(std::move(opened->connection));
  }
  co_return made;
}

task<result<http_connector::dialled>> http_connector::dial(const http_url& url, route chosen) {
  const bool direct = chosen.proxy == nullptr;
  const http_url& first = direct ? url : chosen.proxy->at;
  if (!direct && chosen.loopback_only) co_return sent_in_clear("through the proxy " + first.authority());
  auto addresses = co_await resolver_.resolve(first.host);
  if (!addresses) co_return addresses.error();
  // Addresses behind a proxy are not checked: the proxy resolves the name.
  const bool remembers = direct && !url.tls;
  const auto earlier = remembers ? options_.zones->first(url.host) : std::nullopt;
  auto allowed = checked(*addresses, first, direct ? chosen.innermost : network_zone::loopback, earlier);
  if (!allowed) co_return allowed.error();
  if (chosen.loopback_only) {
    const std::string outside = allowed->front().to_string();
    std::erase_if(*allowed, [](const ip_address& address) { return !is_loopback_address(address); });
    if (allowed->empty()) co_return sent_in_clear("to " + outside);
  }
  // The innermost zone of all candidates, because a different one may accept the connection next time.
  network_zone reached = network_zone::open;
  std::vector<endpoint> candidates;
  for (const ip_address& address : *allowed) {
    reached = std::max(reached, zone_of(address));
    candidates.push_back({address, first.port});
  }
  auto connection = co_await tcp_connect(std::move(candidates));
  if (!connection) co_return connection.error();
  if (remembers) options_.zones->note(url.host, reached);
  dialled made{.connection = *std::move(connection),
               .on_loopback = direct && std::all_of(allowed->begin(), allowed->end(), is_loopback_address)};
  if (!direct && url.tls) {
    auto open = co_await tunnel(made.connection, url, *chosen.proxy);
    if (!open) co_return open.error();
  }
  co_return made;
}

task<result<void>> http_connector::tunnel(stream& connection, const http_url& url, const http_proxy& proxy) {
  const std::string host =
      (url.host.find(':') == url.host.npos ? url.host : '[' + url.host + ']') + ':' + std::to_string(url.port);
  std::string request = "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n";
  proxy.append_login(request);
  request += "\r\n";
  connection.write(request);
  cleanse(request.data(), request.size());
  http_parser parser{http_parser::side::response, options_.limits};
  parser.expect_no_body();
  connect_response response;
  while (response.status == 0) {
    auto bytes = co_await connection.read_some();
    if (!bytes) co_return prefixed("proxy " + proxy.at.authority(), bytes.error());
    auto taken = parser.feed(*bytes, response);
    if (!taken) co_return prefixed("proxy " + proxy.at.authority(), taken.error());
    connection.consume(*taken);
  }
  if (response.status >= 200 && response.status < 300) co_return {};
  std::string why =
      "proxy " + proxy.at.authority() + " refuses a tunnel to " + host + ": status " + std::to_string(response.status);
  if (response.status == 407) why += ", it wants a login: put one into the proxy's url";
  co_return error{.code = errc::io, .what = std::move(why), .native = response.status};
}

}  // namespace hawser
