// SPDX-License-Identifier: MIT
#include "errand.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "../runtime/core_files.hpp"
#include "../runtime/scope.hpp"
#include "../runtime/timeout.hpp"
#include "../runtime/when.hpp"
#include "../transports/json_text.hpp"
#include "config_file.hpp"
#include "dialogs.hpp"
#include "error_document.hpp"
#include "interruption.hpp"
#include "nearest_names.hpp"

namespace hawser::cli {

namespace {

// A command is done when it has its result, so servers get less time to exit than in a long-running host.
constexpr stop_ladder hurried{.after_stdin = std::chrono::milliseconds{500},
                              .after_sigterm = std::chrono::seconds{2},
                              .after_sigkill = std::chrono::seconds{1}};

hub_options options_for(terminal& screen, const common_options& options, const errand_plan& plan, dialogs& asking) {
  hub_options chosen;
  chosen.input = asking.handlers();
  // A command that ends by itself displays no states, so it prints why it waits for a busy server.
  const bool tells = plan.ends == errand_plan::ending::by_itself && !options.quiet && !options.json;
  chosen.on_change = [&screen, &plan, tells](const host_change& one) {
    if (tells && one.what == host_change::kind::delayed)
      screen.err.line({"hawser: server ", escaped(json_string(one.server)), ": ", escaped(one.text)});
    if (plan.on_change) plan.on_change(one);
  };
  chosen.memory_folder = memory_folder(options);
  chosen.login_file = default_store_path(process_variables());
  chosen.all_lazy = plan.starts == errand_plan::starting::what_is_needed;
  if (options.verbose) {
    chosen.trace = [&screen](std::string_view server, std::string_view line) {
      while (line.ends_with('\n')) line.remove_suffix(1);
      screen.err.line({in(ink::dim, escaped(server)), in(ink::dim, ": "), escaped_json(line)});
    };
  }
  return chosen;
}

log_level shown_level(const common_options& options) {
  if (options.verbose) return log_level::debug;
  return options.quiet ? log_level::error : log_level::warning;
}

// Prints log messages of the library to stderr, each of them once.
class remark_printer {
 public:
  explicit remark_printer(terminal& screen) : screen_(&screen) {}

  void operator()(const log_record& said) {
    constexpr std::size_t most = 1'000;  // bounds the memory if a server produces ever new messages
    const bool warning = said.level >= log_level::warning;
    if (warning) {
      if (printed_.size() == most) return;
      if (!printed_.insert(std::string{said.subject} + '\n' + std::string{said.text}).second) return;
    }
    screen_->err.line({warning ? in(ink::yellow, "hawser: warning: ") : in(ink::dim, ""),
                       in(ink::dim, escaped(said.subject)), in(ink::dim, ": "), escaped(said.text, whole_line)});
  }

 private:
  terminal* screen_;
  std::set<std::string> printed_;
};

logger remarks(terminal& screen, const common_options& options) {
  return logger{remark_printer{screen}, shown_level(options)};
}

task<result<exit_code>> bounded(errand& e, const errand_plan& plan) {
  if (plan.starts == errand_plan::starting::all) co_return co_await plan.work(e);
  // Makes the tool lists cached by earlier runs available.
  auto settled = co_await e.servers.settled();
  if (!settled) co_return std::move(settled).error();
  co_return co_await plan.work(e);
}

// Records the error of the stopped work: it names the server and phase that were waited for, which the timeout error
// does not.
task<result<exit_code>> noting_stop(errand& e, const errand_plan& plan, std::optional<error>& stopped) {
  auto outcome = co_await bounded(e, plan);
  if (!outcome) stopped = outcome.error();
  co_return outcome;
}

// What a starting server is waiting for, with the reason for the delay if known.
std::string what_is_awaited(const server_status& of) {
  return of.reason.empty() || of.phase.empty() ? of.phase : of.phase + ": " + of.reason;
}

// Adds the servers that the command was waiting for, and their phase.
error still_waiting(const errand& e, error why, const error& stopped) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> waited_for;
  for (const server_status& one : e.servers.status()) {
    if (one.state != server_state::starting) continue;
    waited_for.push_back(one.name + " (" + what_is_awaited(one) + ')');
    why.server = one.name;
  }
  if (waited_for.size() > 1) why.server.clear();
  if (waited_for.empty() && !stopped.server.empty()) {
    why.server = stopped.server;
    why.phase = stopped.phase;
    waited_for.push_back(stopped.server + " (" + stopped.phase + ')');
  }
  for (std::size_t i = 0; i < waited_for.size() && i < most_named; ++i)
    why.what.append(i == 0 ? "; still waiting for: " : ", ").append(waited_for[i]);
  if (waited_for.size() > most_named) why.what += " and " + std::to_string(waited_for.size() - most_named) + " more";
  return why;
}

task<result<exit_code>> within_time(errand& e, const errand_plan& plan) {
  const auto limit = e.options.timeout();
  if (!limit || e.deadline) co_return co_await bounded(e, plan);
  std::optional<error> stopped;
  auto outcome = co_await with_timeout(*limit, noting_stop(e, plan, stopped));
  const bool expired = outcome.has_error() && outcome.error().code == errc::timed_out && outcome.error().server.empty();
  if (!expired) co_return outcome;
  co_return still_waiting(e, outcome.error(), stopped.value_or(error{}));
}

task<result<void>> printed(output& to) { co_return co_await to.flush(); }

task<int> conduct(loop& home, terminal& screen, const common_options& options, errand_plan& plan,
                  const configured& config, host_settings settings) {
  constexpr auto last_words = std::chrono::seconds{1};
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) {
    complain(screen.err, signals.error());
    co_return static_cast<int>(exit_code::unreachable);
  }
  interruption stopping;
  progress waiting{home, screen, options.quiet ? progress::visibility::hidden : progress::visibility::shown};
  dialogs asking{screen, waiting, options.quiet ? dialogs::notices::suppressed : dialogs::notices::printed};
  scope beside{co_await this_context()};
  beside.spawn(stopping.listen(*signals));
  beside.spawn(asking.serve());

  hub servers{home, std::move(settings), options_for(screen, options, plan, asking)};
  auto outcome = result<exit_code>{exit_code::ok};
  auto opened = co_await servers.open();
  if (opened) {
    errand e{
        .options = options, .screen = screen, .waiting = waiting, .servers = servers, .home = home, .config = config};
    const auto limit = options.timeout();
    if (limit && plan.bounds == errand_plan::bounding::by_server) e.deadline = home.now() + *limit;
    outcome = co_await with_stop(stopping.token(), within_time(e, plan));
  } else {
    outcome = opened.error();
  }
  waiting.end();
  const bool stopped = stopping.signal() != 0;
  const bool regular = plan.ends == errand_plan::ending::by_interruption && stopping.signal() == SIGINT;
  // If an output failure ended the command, it is reported below.
  const bool unwritten = screen.out.failure().has_value();
  if (outcome.has_error() && !unwritten) {
    if (!stopped) complain(screen.err, outcome.error());
    if (options.json && !regular) print_error_document(screen.out, outcome.error());
  }
  auto shown = co_await with_stop(stopping.token(), printed(screen.out));
  auto closed = co_await servers.close();
  if (!closed) complain(screen.err, closed.error());
  if (auto failed = screen.out.failure(); failed && !screen.out.broken()) complain(screen.err, *failed);
  // Waits until the output was read, or Ctrl-C: -v promises complete messages.
  auto told = co_await with_stop(stopping.token(), printed(screen.err));
  if (!told && stopping.signal() != 0) told = co_await shield(last_words, printed(screen.err));
  ignore(told, "nobody is left to be told");
  beside.request_stop();
  co_await beside.join();
  if (screen.out.broken()) co_return static_cast<int>(exit_code::broken_pipe);
  // A signal that came too late to stop anything does not change the exit code.
  if (stopping.signal() != 0 && (outcome.has_error() || shown.has_error()))
    co_return regular ? 0 : stopping.exit_code();
  if (outcome.has_error() && !unwritten) co_return static_cast<int>(code_for(outcome.error()));
  co_return static_cast<int>(screen.out.failure() ? exit_code::not_written : *outcome);
}

task<result<void>> ready_of(errand& e, std::string name, readiness wanted) {
  hub& servers = e.servers;
  auto waiting = wanted == readiness::listed ? servers.listed(name) : servers.ready(name);
  const auto bound = time_left(e);
  if (!bound) co_return co_await std::move(waiting);
  auto outcome = co_await with_timeout(*bound, std::move(waiting));
  if (!outcome && outcome.error().code == errc::timed_out && outcome.error().server.empty())
    co_return out_of_time(e, name, wanted == readiness::listed ? "its tools were not listed" : "it was not ready");
  co_return outcome;
}

error left_out_error(const configured& config, const std::string& server) {
  return error{.code = errc::config,
               .what = "server " + json_string(server) +
                       " is left out, since its configuration has errors: " + config.why_refused(server),
               .server = server};
}

// Prints the problems that concern the command; with --verbose, all of them.
void print_problems(output& to, const common_options& options, const command_subject& about, const configured& read) {
  for (const config_problem& one : read.problems) {
    if (options.quiet && one.how == config_problem::kind::warning) continue;
    // The error of a command about a refused server already quotes the first problem of its entry.
    if (about.is_specific() && !options.verbose && &one == read.first_error_of(one.server)) continue;
    if (one.server.empty() || options.verbose || about.includes(read.settings.names, one.server))
      print_problem(to, one);
  }
}

}  // namespace

void complain(output& to, const error& why) { to.line({in(ink::red, "hawser: "), escaped(why.what, some_lines)}); }

int finished(terminal& screen, exit_code code) {
  if (auto written = screen.out.flush_blocking(); !written && screen.out.broken()) {
    code = exit_code::broken_pipe;
  } else if (!written) {
    complain(screen.err, written.error());
    if (code == exit_code::ok) code = exit_code::not_written;
  }
  return static_cast<int>(code);
}

exit_code refuse_usage(terminal& screen, const common_options& options, const error& why) {
  complain(screen.err, why);
  if (options.json) print_error_document(screen.out, why);
  return exit_code::usage;
}

std::optional<error> why_not_raw(const terminal& screen, const common_options& options) {
  if (options.json) return error{.code = errc::parse, .what = "--raw and --json exclude each other"};
  if (screen.out.is_terminal())
    return error{.code = errc::parse, .what = "--raw: raw bytes go to files and other programs, not to a terminal"};
  return std::nullopt;
}

void note_failure(errand& e, error why) {
  complain(e.screen.err, why);
  e.failures.push_back(std::move(why));
}

void note_refused(errand& e) {
  for (const std::string& one : e.config.refused) e.failures.push_back(left_out_error(e.config, one));
}

void print_document(errand& e, std::string object) {
  e.screen.out.line(escaped_json(with_failures(std::move(object), e.failures)));
}

int run_errand(terminal& screen, const common_options& options, errand_plan plan) {
  configured read = read_configuration(options, screen.err);
  if (!read.usable) {
    if (options.json) print_error_document(screen.out, read.failure);
    return finished(screen, exit_code::config);
  }
  print_problems(screen.err, options, plan.about, read);
  for (server_settings& one : read.settings.servers) {
    one.ladder = hurried;
    // Such a command ends before a restart would happen: no server is restarted, and no restart is announced.
    if (plan.ends == errand_plan::ending::by_itself) one.restart = restart_policy::never;
  }
  forbid_core_files();  // T-30: any command may have tokens in its memory
  loop home{loop::options{.log = remarks(screen, options)}};
  host_settings settings = std::move(read.settings);
  read.settings.names = settings.names;
  return home.run(conduct(home, screen, options, plan, read, std::move(settings)));
}

bool command_subject::includes(const naming& names, std::string_view server) const {
  switch (of) {
    case kind::all: return true;
    case kind::server: return server == name;
    case kind::tool: return !server.empty() && could_expose(names, server, name);
    case kind::nothing: break;
  }
  return false;
}

result<std::vector<std::string>> wanted_servers(const errand& e, const std::string& only) {
  std::vector<std::string> names;
  if (!only.empty()) {
    const auto one = e.servers.status(only);
    if (!one && e.config.refuses(only)) return left_out_error(e.config, only);
    if (!one) {
      nearest_names near{only};
      for (const server_status& other : e.servers.status()) near.consider(other.name);
      return error{.code = errc::tool_unknown,
                   .what = "no server is named " + json_string(only) + suggestion(near.best()) +
                           (e.config.file.empty() ? "; " + no_servers_text(e) : "")};
    }
    names.push_back(only);
    return names;
  }
  for (const server_status& one : e.servers.status()) {
    if (one.enabled) names.push_back(one.name);
  }
  if (!names.empty()) return names;
  return error{.code = errc::config, .what = no_servers_text(e)};
}

std::string no_servers_text(const errand& e) {
  if (e.config.file.empty())
    return "no server is configured: neither --config nor HAWSER_CONFIG nor MCP_CONFIG_PATH names a configuration file";
  if (!e.servers.status().empty())
    return "every server in " + e.config.file +
           R"( is disabled; to enable one, remove "disabled": true or "enabled": false)";
  if (!e.config.refused.empty())
    return "no server in " + e.config.file +
           " can be used, since their configuration has errors: " + e.config.why_refused(e.config.refused.front());
  return "no server is configured: " + e.config.file + R"( has none under "mcpServers")";
}

std::optional<duration> time_left(const errand& e) {
  if (!e.deadline) return std::nullopt;
  return std::max(duration{1}, *e.deadline - e.home.now());
}

error out_of_time(const errand& e, const std::string& server, std::string_view what) {
  const auto now = e.servers.status(server);
  const std::string waited_for = now && !now->phase.empty() ? "; still waiting for: " + what_is_awaited(*now) : "";
  return error{.code = errc::timed_out,
               .what = "server " + json_string(server) + ": " + std::string{what} + " within the " +
                       readable(e.options.timeout().value_or(duration{})) + " of --timeout" + waited_for,
               .server = server};
}

namespace {

task<result<void>> ready_then(errand& e, std::string name, readiness wanted, server_step then) {
  auto ready = co_await ready_of(e, name, wanted);
  if (!ready || !then) co_return ready;
  co_return co_await then(std::move(name));
}

}  // namespace

task<result<std::vector<result<void>>>> start_all(errand& e, std::vector<std::string> names, readiness wanted,
                                                  server_step then) {
  safe_text who{"starting"};
  for (const std::string& name : names) who += safe_text{" ", escaped(name)};
  e.waiting.show(std::move(who));
  std::vector<task<result<void>>> starts;
  starts.reserve(names.size());
  for (const std::string& name : names) starts.push_back(ready_then(e, name, wanted, then));
  auto outcomes = co_await when_all(std::move(starts));
  e.waiting.end();
  for (const auto& one : outcomes) {
    if (!one && one.error().code == errc::cancelled) co_return one.error();
  }
  co_return outcomes;
}

namespace {

void add_outcomes(errand& e, started_servers& to, const std::vector<std::string>& names,
                  const std::vector<result<void>>& outcomes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& one = outcomes[i];
    if (one) {
      to.ready.push_back(names[i]);
    } else {
      note_failure(e, one.error());
      to.code = combined(to.code, code_for_server(one.error()));
    }
  }
}

}  // namespace

started_servers noted(errand& e, const std::vector<std::string>& names, const std::vector<result<void>>& outcomes) {
  started_servers all;
  if (!e.config.refused.empty()) all.code = exit_code::config;
  note_refused(e);
  add_outcomes(e, all, names, outcomes);
  return all;
}

task<result<started_servers>> started(errand& e, std::string only, readiness wanted, server_step then) {
  const auto names = wanted_servers(e, only);
  if (!names) co_return names.error();
  const auto outcomes = co_await start_all(e, *names, wanted, std::move(then));
  if (!outcomes) co_return outcomes.error();
  if (only.empty()) co_return noted(e, *names, *outcomes);
  started_servers one;
  add_outcomes(e, one, *names, *outcomes);
  co_return one;
}

}  // namespace hawser::cli
