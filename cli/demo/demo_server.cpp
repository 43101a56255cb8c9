// SPDX-License-Identifier: MIT
#include "demo_server.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "../../runtime/async/when.hpp"
#include "../../runtime/loop/signal_set.hpp"
#include "../../server/http/streamable_http_handler.hpp"
#include "../../transports/json/object_writer.hpp"
#include "../../transports/stdio/stdio_server_channel.hpp"
#include "../commands/interrupt_handler.hpp"
#include "../terminal/output.hpp"
#include "demo_service.hpp"

namespace hawser::cli {

namespace {

constexpr int exit_failed = 1;
constexpr int exit_not_written = 8;  // as for all commands, exit_code.hpp
constexpr int wrong_usage = 2;

int print_server_error(const error& e, int code) {
  output err{STDERR_FILENO};
  err.line({"hawser demo-server: ", escaped(e.what)});
  err.finish();
  return code;
}

result<server_session_options> read(const demo_server_options& options) {
  server_session_options serving;
  serving.max_requests = 1'024;  // clients are tested with many concurrent calls
  auto& revisions = serving.revisions;
  if (options.legacy_only) std::erase_if(revisions, [](std::string_view one) { return protocol::modern(one); });
  if (options.modern_only) std::erase_if(revisions, [](std::string_view one) { return !protocol::modern(one); });
  if (!options.revision.empty())
    std::erase_if(revisions, [&](std::string_view one) { return one != options.revision; });
  if (!revisions.empty()) return serving;
  std::string known;
  for (const std::string_view one : protocol::revision::all) known += ' ' + std::string{one};
  return error{.code = errc::config, .what = "no revision is left to speak; these are known:" + known};
}

task<int> serve_http(loop& home, const demo_server_options& options, server_session_options serving,
                     signal_set& signals) {
  auto server = http_server::listen(home, {.port = options.port});
  if (!server) co_return print_server_error(server.error(), exit_failed);
  demo_service what{options.name};
  streamable_http_options how;
  how.session = std::move(serving);
  const std::string url = "http://" + server->local().to_string() + how.path;
  object_writer object;
  output out{STDOUT_FILENO};
  out.line(options.json ? escaped_json(object.text("url", url).done()) : escaped(url));
  // A program may be waiting for the URL at the other end of a pipe. If it cannot be written, the server is of no
  // use.
  if (auto written = out.flush_blocking(); !written) co_return print_server_error(written.error(), exit_not_written);
  streamable_http_handler serves{home, what, std::move(how)};
  co_await when_any(serves.run(*server), next_signal(signals));
  co_return 0;
}

task<int> serve(loop& home, const demo_server_options& options) {
  auto serving = read(options);
  if (!serving) co_return print_server_error(serving.error(), wrong_usage);
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) co_return print_server_error(signals.error(), exit_failed);
  if (options.http) co_return co_await serve_http(home, options, std::move(*serving), *signals);
  demo_service what{options.name};
  stdio_server_channel wire;
  server_session session{home, what, wire, std::move(*serving)};
  auto first = co_await when_any(session.run(), next_signal(*signals));
  const result<void>& served = std::get<0>(first.values);
  if (!served) co_return print_server_error(served.error(), exit_failed);
  co_return 0;
}

}  // namespace

int demo_server(const demo_server_options& options) {
  loop home;
  return home.run(serve(home, options));
}

}  // namespace hawser::cli
