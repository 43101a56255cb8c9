// SPDX-License-Identifier: MIT
// The state of a hub: what its servers share, and the servers by slot.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../oauth/store/file_credential_store.hpp"
#include "../../oauth/store/guarded_credential_store.hpp"
#include "../../runtime/async/wait_group.hpp"
#include "../../runtime/io/guarded_resolver.hpp"
#include "../hub.hpp"
#include "../supervision/server.hpp"

namespace hawser::detail {

struct hub_core {
  hub_core(loop& l, host_settings s, hub_options o);

  struct entry {
    std::shared_ptr<server> instance{};  // shared with the calls in progress
    std::unique_ptr<scope> work{};
    bool removing = false;
  };

  loop& home;
  host_settings settings;
  hub_options options;
  loop_proxy_ptr proxy;
  client_profile client;
  input_dispatcher dispatcher;
  server_cache cache;
  keeper starter;
  semaphore starts;
  std::unique_ptr<guarded_resolver> given_names;  // wraps options.names, if set
  http_channel_factory channels;
  file_credential_store own_logins;
  std::unique_ptr<guarded_credential_store> given_logins;  // wraps options.logins, if set
  login_context logins;
  registry table;
  server_context shared_context;
  wait_group calls;
  event closing;
  event changed;  // a server's state or the table has changed
  bool open = false;
  wait_group closing_down;             // the one close() that does the work
  wait_group closers;                  // those that wait for it
  std::optional<result<void>> closed;  // what it returned
  std::vector<entry> entries;          // by slot; the first is that of native tools, and has no server
  std::vector<std::uint32_t> generations;
  std::map<std::string, std::shared_ptr<const native_tool>, std::less<>> native_tools;

  static constexpr server_id native_id{0, 1};

  void launch(entry& one);
  result<server_id> add(server_settings added, channel_maker connect);
  [[nodiscard]] std::shared_ptr<server> find(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<server> find(server_id id) const;
  result<std::shared_ptr<server>> find_named(std::string_view name) const;
  registry::outcome publish_natives();
  void emit_change(const host_change& one);
  [[nodiscard]] error too_many_calls() const;

  // Names that are not in the table: hub_names.cpp.
  [[nodiscard]] std::vector<std::shared_ptr<server>> possible_owners(std::string_view name) const;
  std::vector<std::shared_ptr<server>> starting_owners(std::string_view name);
  task<result<void>> owners_settled(std::string name);
  task<result<void>> owners_settled_within(duration bound, std::string name);
  task<result<void>> until_listed(std::string name, const request_options& caller_options);
  [[nodiscard]] error unknown_tool(const std::string& name) const;

  /// `began`: when the caller began to wait; the limits count from there.
  task<result<envelope>> dispatch(server_id id, tool_reference target, std::string arguments,
                                  request_options caller_options, time_point began);
  task<result<envelope>> call_native(std::string tool, std::string arguments);
  task<result<envelope>> call_native_in_time(std::string tool, std::string arguments, duration bound);
};

}  // namespace hawser::detail
