// SPDX-License-Identifier: MIT
// The speed of a user's MCP server, and its behaviour under load. It is started or reached through the hub, like any
// server of Hawser, and its process tree ends with this process, however that ends.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "../../host/config/config.hpp"
#include "../../oauth/display_text.hpp"
#include "../../oauth/store/file_credential_store.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/loop/signal_set.hpp"
#include "../../runtime/process/core_dumps.hpp"
#include "questions.hpp"
#include "server_measurement.hpp"

namespace hawser::bench {

namespace {

constexpr double usual_seconds = 20;
constexpr double quick_seconds = 4;
constexpr std::size_t last_lines = 5;

// The first signal ends the measurement; the second one ends the program, and the keeper ends the server.
struct interruption {
  std::stop_source stop{};
  int signal = 0;
};

task<void> listen(interruption& to, signal_set& signals) {
  while (true) {
    auto number = co_await signals.next();
    if (!number) co_return;
    if (to.signal != 0) _exit(128 + *number);
    to.signal = *number;
    to.stop.request_stop();
  }
}

// The options always set a timeout.
duration longest_call(const server_settings& of) { return of.timeout.value_or(host_limits{}.hard_timeout); }

struct outcome {
  std::optional<error> failure{};
  std::string stderr_tail{};  // the end of its stderr
  bool needs_login = false;
  int signal = 0;
};

task<outcome> measure_server(loop& home, const settings& s, server_settings server, server_results& into) {
  outcome ended;
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) {
    ended.failure = signals.error();
    co_return ended;
  }
  interruption stopping;
  scope beside{co_await this_context()};
  beside.spawn(listen(stopping, *signals));
  hub_options options;
  options.login_file = default_store_path(process_variables());
  hub servers{home, host_settings{}, std::move(options)};
  auto opened = co_await servers.open();
  ignore(opened, "a new hub can be opened");
  const double seconds = s.server.seconds > 0 ? s.server.seconds : s.quick ? quick_seconds : usual_seconds;
  const measurement_time budget{.length = std::chrono::duration_cast<duration>(std::chrono::duration<double>{seconds}),
                                .grace = std::min<duration>(longest_call(server), std::chrono::seconds{2})};
  const std::string name = server.name;
  server_measurement run{servers, std::move(server), s.server, budget, into};
  auto done = co_await with_stop(stopping.stop.get_token(), run.run());
  if (!done && stopping.signal == 0) ended.failure = done.error();
  const auto now = servers.status(name);
  ended.needs_login = now && now->state == server_state::needs_auth;
  ended.stderr_tail = servers.stderr_tail(name);
  auto closed = co_await servers.close();
  if (!closed && !ended.failure) ended.failure = closed.error();
  ended.signal = stopping.signal;
  beside.request_stop();
  co_await beside.join();
  co_return ended;
}

// The last few lines, each cut short: they are untrusted.
std::string last_lines_of(const std::string& text) {
  std::istringstream lines{text};
  std::vector<std::string> kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (kept.size() == last_lines) kept.erase(kept.begin());
    kept.push_back(display_text(line, 300));
  }
  std::string joined;
  for (const std::string& line : kept) joined += (joined.empty() ? "" : " | ") + line;
  return joined;
}

std::string placing(const settings& s, const server_results& found) {
  if (s.free) return "nobody is pinned; the cores' waking up is in the figures";
  if (!s.server.url.empty()) return "the client is pinned to one core; the server runs where it was started";
  std::string text = "client and server share one core, so that runs can be compared";
  if (found.most.threads > 1)
    text += "; its " + std::to_string(found.most.threads) + " threads do, too: --free gives it all cores";
  return text;
}

void describe(const settings& s, const server_settings& of, const server_results& found, report& into) {
  const implementation& who = found.negotiated.server;
  std::string server = s.server.url.empty() ? "" : url_without_query(s.server.url);
  for (const std::string& word : s.server.command) server += (server.empty() ? "" : " ") + display_text(word);
  if (!found.negotiated.revision.empty())
    server += " (" + display_text(who.name) + ' ' + display_text(who.version) + ", " + found.negotiated.revision + ')';
  into.note("server", server);
  if (!found.chosen.tool.empty()) {
    std::string tool = display_text(found.chosen.tool) + ' ' + display_text(found.chosen.arguments);
    if (!found.chosen.why.empty()) tool += " (chosen: " + found.chosen.why + "; --tool and --arguments say otherwise)";
    into.note("tool", tool);
  }
  into.note("placing", placing(s, found));
  into.note("limits", "a call may take " + format_duration(longest_call(of)));
}

void tell_figures(const server_results& found, report& into) {
  if (found.starts_ms.empty()) return;  // it never started
  std::vector<goal> all;
  const auto add = [&](std::string name, double figure, const char* unit) {
    all.push_back({.name = std::move(name), .figure = figure, .unit = unit});
  };
  if (!found.starts_ms.empty()) add("first start, to its tools", found.starts_ms.front(), "ms");
  if (found.starts_ms.size() > 1) {
    const std::vector<double> later(found.starts_ms.begin() + 1, found.starts_ms.end());
    add("start, median of " + std::to_string(later.size()) + " more", median(later), "ms");
  }
  if (found.idle.processes > 0) {
    add("server's processes", found.most.processes, "");
    add("server's threads", found.most.threads, "");
    add("server's memory after its first answer, RSS", found.idle.rss_kb * 1.024 / 1000, "MB");
    add("server's memory after its first answer, PSS", found.idle.pss_kb * 1.024 / 1000, "MB");
    add("server's memory, most that was seen, RSS", found.most.rss_kb * 1.024 / 1000, "MB");
    add("server's memory, most that was seen, PSS", found.most.pss_kb * 1.024 / 1000, "MB");
  }
  if (found.host.processes > 0)
    add("host's memory after the first answer, PSS", found.host.pss_kb * 1.024 / 1000, "MB");
  add("calls answered", static_cast<double>(found.ends.answered()), "calls");
  all.push_back({.name = "calls failed",
                 .figure = static_cast<double>(found.ends.failed()),
                 .unit = "calls",
                 .bar = 0});  // also if nothing else is judged
  add("calls of which nobody knows whether they ran", static_cast<double>(found.ends.unknown()), "calls");
  into.add(figure_list{"server", std::move(all)});
}

void tell_errors(const server_results& found, report& into) {
  for (std::size_t i = 1; i < call_end::kinds; ++i) {
    const auto how = static_cast<call_end::kind>(i);
    const tally::row& row = found.ends.of(how);
    if (row.count == 0) continue;
    std::string text = std::to_string(row.count) + (row.count == 1 ? " call: " : " calls: ") + to_string(how);
    if (how == call_end::kind::given_up) {
      into.note("given up", text);
      continue;
    }
    if (!row.example.empty()) text += ", e.g. " + display_text(row.example, 400);
    into.fail(text);
  }
}

void tell_missing(const server_results& found, report& into) {
  if (found.missing.empty()) return;
  std::string all;
  for (const std::string& what : found.missing) all += (all.empty() ? "" : "; ") + what;
  into.warn("no time was left for: " + all + "; --seconds gives more");
}

std::string login_text(const settings& s) {
  return "the server wants a login: put {\"mcpServers\":{\"it\":{\"url\":\"" + url_without_query(s.server.url) +
         "\"}}} into a file, log in with `hawser auth it --config FILE`, and measure again; or pass "
         "--header 'Authorization: Bearer TOKEN'";
}

}  // namespace

bool server(const settings& s, report& into) {
  auto chosen = settings_for(s.server);
  if (!chosen) {
    into.fail(chosen.error().what);
    return false;
  }
  disable_core_dumps();  // headers and logins are in memory
  server_results found;
  outcome ended;
  {
    loop home;
    ended = home.run(measure_server(home, s, *chosen, found));
  }
  describe(s, *chosen, found, into);
  std::vector<candidate> rows;
  if (found.cheapest.latency.count() > 0) rows.push_back(std::move(found.cheapest));
  if (found.calls.latency.count() > 0) rows.push_back(std::move(found.calls));
  if (!rows.empty()) into.add(latency_table{"one call after the other", std::move(rows)});
  curve_list load{.title = "throughput"};
  if (!found.closed.points.empty()) load.all.push_back(found.closed);
  if (!found.open.points.empty()) load.all.push_back(found.open);
  if (!load.all.empty()) into.add(std::move(load));
  tell_figures(found, into);
  const bool said_below = ended.failure && found.ends.failed() == 1;
  if (!said_below) tell_errors(found, into);
  tell_missing(found, into);
  if (ended.signal != 0) {
    into.stopped_by(ended.signal);
    into.fail("stopped while it was at: " + found.phase + "; what was measured until then is above");
    return false;
  }
  if (!ended.failure) return true;
  into.fail("it failed at: " + found.phase + ": " + display_text(ended.failure->what, 2'000));
  if (ended.needs_login) into.fail(login_text(s));
  if (const std::string words = last_lines_of(ended.stderr_tail); !words.empty())
    into.fail("its last words on stderr: " + words);
  return false;
}

}  // namespace hawser::bench
