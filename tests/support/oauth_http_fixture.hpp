// SPDX-License-Identifier: MIT
// A `oauth_http` for the duration of a test body.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../oauth/oauth_http.hpp"
#include "scripted_http_server.hpp"

namespace hawser::testing {

/// Resolves every name to one address.
class one_address final : public resolver {
 public:
  explicit one_address(ip_address all) : all_(all) {}
  task<result<std::vector<ip_address>>> resolve(std::string /*host*/) override { co_return std::vector{all_}; }

 private:
  ip_address all_;
};

struct oauth_http_fixture_options {
  network_zone innermost = network_zone::loopback;
  duration bound = std::chrono::seconds{15};
  proxy_rules proxies{};
  resolver* names = nullptr;  ///< null: the default one
};

using oauth_http_body = std::function<task<void>(oauth_http& over)>;

inline task<void> run_with_oauth_http(loop& l, oauth_http_body what, oauth_http_fixture_options options = {}) {
  ares_resolver usual;
  http_client_options client;
  client.proxies = std::move(options.proxies);
  oauth_http over{l, options.names != nullptr ? *options.names : usual, std::move(client), options.innermost,
                  options.bound};
  co_await what(over);
  co_await over.close();
}

inline void with_oauth_http(oauth_http_body what, oauth_http_fixture_options options = {}) {
  loop l;
  l.run(run_with_oauth_http(l, std::move(what), std::move(options)));
}

}  // namespace hawser::testing
