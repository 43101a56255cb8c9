// SPDX-License-Identifier: MIT
// What the servers of a hub share, without a hub: for tests of the classes that a server consists of.
#pragma once

#include <memory>
#include <vector>

#include "../../host/supervision/server_context.hpp"
#include "../../oauth/store/memory_credential_store.hpp"

namespace hawser::testing {

struct server_context_fixture {
  explicit server_context_fixture(loop& event_loop)
      : proxy(std::make_shared<loop_proxy>(event_loop)),
        dispatcher(proxy, executor{}, input_handlers{}),
        starter(event_loop),
        channels(event_loop),
        logins{.event_loop = event_loop, .store = store, .names = channels.names()},
        shared{.session = {.home = event_loop, .client = client, .dispatcher = dispatcher, .limits = settings.limits},
               .settings = settings,
               .starter = starter,
               .starts = starts,
               .tools = table,
               .cache = cache,
               .channels = channels,
               .logins = logins,
               .on_change = [this](const host_change& change) { changes.push_back(change); }} {}

  host_settings settings{};
  std::vector<host_change> changes{};
  loop_proxy_ptr proxy;
  client_profile client{implementation{}, input_handlers{}};
  input_dispatcher dispatcher;
  server_cache cache{""};
  keeper starter;
  semaphore starts{1};
  memory_credential_store store{};
  http_channel_factory channels;
  login_context logins;
  registry table{};
  server_context shared;
};

}  // namespace hawser::testing
