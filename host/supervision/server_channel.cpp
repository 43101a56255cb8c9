// SPDX-License-Identifier: MIT
#include "server_channel.hpp"

#include "../../runtime/guarded.hpp"
#include "../../transports/jsonrpc/guarded_channel.hpp"
#include "../../transports/testing/recording_channel.hpp"

namespace hawser {

namespace {

std::unique_ptr<stdio_channel> make_process_channel(const configured_server& server, const stdio_settings& child) {
  stdio_channel_options options{.ladder = server.settings().ladder};
  options.limits.max_message = server.limits().max_message;
  options.limits.size_advice = host_limits::max_message_advice;
  options.what = {
      .program = child.command,
      .arguments = child.args,
      .directory = child.cwd,
      .env = {.from = child.inherit_env ? environment::base::inherit : environment::base::safe, .set = child.env}};
  return std::make_unique<stdio_channel>(server.shared().starter, std::move(options));
}

}  // namespace

task<result<server_channel>> make_server_channel(const configured_server& server,
                                                 http_channel_factory::busy_listener on_busy) {
  server_channel made;
  if (server.connect()) {
    auto connected = guarded("connect", server.connect());
    if (!connected) co_return connected.error();
    if (*connected == nullptr) co_return error{.code = errc::closed, .what = "the program has no connection to it"};
    made.stream = std::make_unique<guarded_channel>(server.event_loop(), *std::move(connected));
  } else if (const auto* child = std::get_if<stdio_settings>(&server.settings().transport)) {
    if (!server.shared().allow_spawn)
      co_return error{.code = errc::config, .what = "this program does not start processes for servers"};
    auto process = make_process_channel(server, *child);
    made.process = process.get();
    made.stream = std::move(process);
  } else {
    if (!server.shared().allow_network)
      co_return error{.code = errc::config, .what = "this program does not connect to servers on the network"};
    auto remote = co_await server.shared().channels.make_channel(std::get<http_settings>(server.settings().transport),
                                                                 server.limits(), server.login(), server.name(),
                                                                 std::move(on_busy));
    if (!remote) co_return remote.error();
    made.stream = *std::move(remote);
  }
  if (!server.shared().trace) co_return made;
  auto write = [trace = server.shared().trace, name = server.name()](std::string_view line) { trace(name, line); };
  made.stream = std::make_unique<recording_channel>(server.event_loop(), std::move(made.stream), std::move(write));
  co_return made;
}

}  // namespace hawser
