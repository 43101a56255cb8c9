// SPDX-License-Identifier: MIT
// How http_client establishes a connection: name resolution, address check, TCP, proxy, TLS.
#include <algorithm>
#include <optional>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/io/tcp.hpp"
#include "../../tls/tls_handshake.hpp"
#include "../http_fields.hpp"
#include "http_client.hpp"

namespace hawser {

namespace {

// SSRF: every address is checked, and only checked addresses are connected to, because resolving the name again may
// return others. `earlier` is the zone of the first connection to the name, where that matters.
result<std::vector<ip_address>> checked(const std::vector<ip_address>& addresses, const http_url& to,
                                        network_zone innermost, std::optional<network_zone> earlier) {
  std::vector<ip_address> allowed;
  bool rebound = false;
  for (const ip_address& one : addresses) {
    const network_zone zone = zone_of(one);
    if (zone == network_zone::refused || zone > innermost) continue;
    if (earlier && zone > *earlier) {
      rebound = true;
    } else {
      allowed.push_back(one);
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
               .what = "the address of " + to.host + " is refused: " + addresses.front().to_string() + why};
}

error sent_in_clear(const std::string& where) {
  return error{.code = errc::config,
               .what = "a login's token is not sent over plain http " + where +
                       ", where others could read it: use an https url"};
}

bool is_loopback_address(const ip_address& one) { return zone_of(one) == network_zone::loopback; }

// The response to CONNECT; only its head matters.
class connect_response final : public http_listener {
 public:
  void on_head(const http_head& head) noexcept override { status = head.status; }
  void on_body(std::string_view /*piece*/) noexcept override {}
  void on_complete() noexcept override {}
  int status = 0;
};

}  // namespace

task<result<stream>> http_client::dial(const http_url& to, route& by) {
  const bool direct = by.through == nullptr;
  const http_url& first = direct ? to : by.through->at;
  if (!direct && by.loopback_only) co_return sent_in_clear("through the proxy " + first.authority());
  auto addresses = co_await names_.resolve(first.host);
  if (!addresses) co_return addresses.error();
  // Addresses behind a proxy are not checked: the proxy resolves the name.
  const bool remembers = direct && !to.tls;
  const auto earlier = remembers ? options_.zones->first(to.host) : std::nullopt;
  auto allowed = checked(*addresses, first, direct ? by.innermost : network_zone::loopback, earlier);
  if (!allowed) co_return allowed.error();
  if (by.loopback_only) {
    const std::string outside = allowed->front().to_string();
    std::erase_if(*allowed, [](const ip_address& one) { return !is_loopback_address(one); });
    if (allowed->empty()) co_return sent_in_clear("to " + outside);
  }
  by.on_loopback = direct && std::all_of(allowed->begin(), allowed->end(), is_loopback_address);
  // The innermost zone of all candidates, because a different one may accept the connection next time.
  network_zone reached = network_zone::open;
  std::vector<endpoint> candidates;
  for (const ip_address& one : *allowed) {
    reached = std::max(reached, zone_of(one));
    candidates.push_back({one, first.port});
  }
  auto made = co_await tcp_connect(std::move(candidates));
  if (!made) co_return made.error();
  if (remembers) options_.zones->note(to.host, reached);
  stream over = *std::move(made);
  if (!direct && to.tls) {
    auto open = co_await tunnel(over, to, *by.through);
    if (!open) co_return open.error();
  }
  co_return std::move(over);
}

task<result<void>> http_client::tunnel(stream& over, const http_url& to, const http_proxy& through) {
  const std::string host =
      (to.host.find(':') == to.host.npos ? to.host : '[' + to.host + ']') + ':' + std::to_string(to.port);
  std::string request = "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n";
  through.append_login(request);
  request += "\r\n";
  over.write(request);
  cleanse(request.data(), request.size());
  http_parser parser{http_parser::side::response, options_.limits};
  parser.expect_no_body();
  connect_response answer;
  while (answer.status == 0) {
    auto bytes = co_await over.read_some();
    if (!bytes) co_return prefixed("proxy " + through.at.authority(), bytes.error());
    auto taken = parser.feed(*bytes, answer);
    if (!taken) co_return prefixed("proxy " + through.at.authority(), taken.error());
    over.consume(*taken);
  }
  if (answer.status >= 200 && answer.status < 300) co_return {};
  std::string why =
      "proxy " + through.at.authority() + " refuses a tunnel to " + host + ": status " + std::to_string(answer.status);
  if (answer.status == 407) why += ", it wants a login: put one into the proxy's url";
  co_return error{.code = errc::io, .what = std::move(why), .native = answer.status};
}

task<result<std::unique_ptr<client_connection>>> http_client::connect(const http_url& to, route by) {
  auto dialled = co_await with_timeout(options_.timeouts.connect, dial(to, by));
  if (!dialled) co_return prefixed("connecting", dialled.error());
  std::unique_ptr<byte_stream> over;
  if (to.tls) {
    if (!options_.tls) co_return error{.code = errc::config, .what = "https is not set up in this program"};
    auto secured = co_await with_timeout(options_.timeouts.handshake,
                                         tls_connect(*std::move(dialled), options_.tls, to.host, to.port));
    if (!secured) co_return prefixed("TLS", secured.error());
    over = *std::move(secured);
  } else {
    if (!by.on_loopback && options_.on_cleartext) options_.on_cleartext(to);
    over = make_plain_stream(*std::move(dialled));
  }
  connection_owner& owner = *this;
  auto made =
      std::make_unique<client_connection>(loop_, to, std::move(over), options_.limits, options_.timeouts, owner);
  made->set_on_loopback(by.on_loopback);
  co_return made;
}

}  // namespace hawser
