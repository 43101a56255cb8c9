// SPDX-License-Identifier: MIT
#include "demo_server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "../gateway/serving_session.hpp"
#include "../runtime/signals.hpp"
#include "../runtime/when.hpp"
#include "../transports/own_stdio_channel.hpp"
#include "demo_service.hpp"

namespace hawser::cli {

namespace {

constexpr int failed = 1;
constexpr int wrong_usage = 2;

int complain(const error& e, int code) {
  std::fprintf(stderr, "hawser demo-server: %s\n", e.what.c_str());
  return code;
}

result<serving_options> read(const demo_server_options& options) {
  serving_options serving;
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

task<result<int>> interrupted(signal_set& signals) { co_return co_await signals.next(); }

task<int> serve(loop& home, const demo_server_options& options) {
  auto serving = read(options);
  if (!serving) co_return complain(serving.error(), wrong_usage);
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) co_return complain(signals.error(), failed);
  demo_service what{options.name};
  own_stdio_channel wire;
  serving_session session{home, what, wire, std::move(*serving)};
  auto first = co_await when_any(session.run(), interrupted(*signals));
  const result<void>& served = std::get<0>(first.values);
  if (!served) co_return complain(served.error(), failed);
  co_return 0;
}

}  // namespace

int demo_server(const demo_server_options& options) {
  loop home;
  return home.run(serve(home, options));
}

}  // namespace hawser::cli
