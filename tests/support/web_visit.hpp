// SPDX-License-Identifier: MIT
// A `web` for the duration of a test body.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../oauth/web.hpp"
#include "web_script.hpp"

namespace hawser::testing {

/// Resolves every name to one address.
class one_address final : public resolver {
 public:
  explicit one_address(ip_address all) : all_(all) {}
  task<result<std::vector<ip_address>>> resolve(std::string /*host*/) override { co_return std::vector{all_}; }

 private:
  ip_address all_;
};

struct web_visit_options {
  network_zone innermost = network_zone::loopback;
  duration bound = std::chrono::seconds{15};
  proxy_rules proxies{};
  resolver* names = nullptr;  ///< null: the default one
};

using asks_web = std::function<task<void>(web& over)>;

inline task<void> visiting_web_of(loop& l, asks_web what, web_visit_options options = {}) {
  ares_resolver usual;
  http_client_options client;
  client.proxies = std::move(options.proxies);
  web over{l, options.names != nullptr ? *options.names : usual, std::move(client), options.innermost, options.bound};
  co_await what(over);
  co_await over.close();
}

inline void visit_web(asks_web what, web_visit_options options = {}) {
  loop l;
  l.run(visiting_web_of(l, std::move(what), std::move(options)));
}

}  // namespace hawser::testing
