// SPDX-License-Identifier: MIT
#include "command_context.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "../../oauth/store/file_credential_store.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/process/core_dumps.hpp"
#include "../../transports/json/json_text.hpp"
#include "../config_file.hpp"
#include "../terminal/dialogs.hpp"
#include "error_document.hpp"
#include "interrupt_handler.hpp"
#include "nearest_names.hpp"

namespace hawser::cli {

namespace {

// A command is done when it has its result, so servers get less time to exit than in a long-running host.
constexpr shutdown_timeouts command_shutdown_timeouts{.after_stdin = std::chrono::milliseconds{500},
                                                      .after_sigterm = std::chrono::seconds{2},
                                                      .after_sigkill = std::chrono::seconds{1}};

hub_options options_for(terminal& screen, const common_options& options, const command_plan& plan, dialogs& asking) {
  hub_options chosen;
  chosen.input = asking.handlers();
  // A command that ends by itself displays no states, so it prints why it waits for a busy server.
  const bool tells = plan.ends == command_plan::ending::on_completion && !options.quiet && !options.json;
  chosen.on_change = [&screen, &plan, tells](const host_change& one) {
    if (tells && one.what == host_change::kind::delayed)
      screen.err.line({"hawser: server ", escaped(json_string(one.server)), ": ", escaped(one.text)});
    if (plan.on_change) plan.on_change(one);
  };
  chosen.cache_folder = cache_folder(options);
  chosen.login_file = default_store_path(process_variables());
  chosen.all_lazy = plan.starts == command_plan::server_start::on_demand;
  if (options.verbose) {
    chosen.trace = [&screen](std::string_view server, std::string_view line) {
      while (line.ends_with('\n')) line.remove_suffix(1);
      screen.err.line({styled(text_style::dim, escaped(server)), styled(text_style::dim, ": "), escaped_json(line)});
    };
  }
  return chosen;
}

log_level shown_level(const common_options& options) {
  if (options.verbose) return log_level::debug;
  return options.quiet ? log_level::error : log_level::warning;
}

// Prints log messages of the library to stderr, each of them once.
class log_printer {
 public:
  explicit log_printer(terminal& screen) : screen_(&screen) {}

  void operator()(const log_record& said) {
    constexpr std::size_t most = 1'000;  // bounds the memory if a server produces ever new messages
    const bool warning = said.level >= log_level::warning;
    if (warning) {
      if (printed_.size() == most) return;
      if (!printed_.insert(std::string{said.subject} + '\n' + std::string{said.text}).second) return;
    }
    screen_->err.line({warning ? styled(text_style::yellow, "hawser: warning: ") : styled(text_style::dim, ""),
                       styled(text_style::dim, escaped(said.subject)), styled(text_style::dim, ": "),
                       escaped(said.text, whole_line)});
  }

 private:
  terminal* screen_;
  std::set<std::string> printed_;
};

logger make_logger(terminal& screen, const common_options& options) {
  return logger{log_printer{screen}, shown_level(options)};
}

task<result<exit_code>> run_plan(command_context& e, const command_plan& plan) {
  if (plan.starts == command_plan::server_start::all) co_return co_await plan.work(e);
  // Makes the tool lists cached by earlier runs available.
  auto settled = co_await e.servers.settled();
  if (!settled) co_return std::move(settled).error();
  co_return co_await plan.work(e);
}

// Records the error of the stopped work: it names the server and phase that were waited for, which the timeout error
// does not.
task<result<exit_code>> record_stop_error(command_context& e, const command_plan& plan, std::optional<error>& stopped) {
  auto outcome = co_await run_plan(e, plan);
  if (!outcome) stopped = outcome.error();
  co_return outcome;
}

// What a starting server is waiting for, with the reason for the delay if known.
std::string what_is_awaited(const server_status& of) {
  return of.reason.empty() || of.phase.empty() ? of.phase : of.phase + ": " + of.reason;
}

// Adds the servers that the command was waiting for, and their phase.
error add_awaited_servers(const command_context& e, error why, const error& stopped) {
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

task<result<exit_code>> run_within_timeout(command_context& e, const command_plan& plan) {
  const auto limit = e.options.timeout();
  if (!limit || e.deadline) co_return co_await run_plan(e, plan);
  std::optional<error> stopped;
  auto outcome = co_await with_timeout(*limit, record_stop_error(e, plan, stopped));
  const bool expired = outcome.has_error() && outcome.error().code == errc::timed_out && outcome.error().server.empty();
  if (!expired) co_return outcome;
  co_return add_awaited_servers(e, outcome.error(), stopped.value_or(error{}));
}

task<result<void>> flush_output(output& to) { co_return co_await to.flush(); }

task<int> run_with_hub(loop& home, terminal& screen, const common_options& options, command_plan& plan,
                       const loaded_settings& config, host_settings settings) {
  constexpr auto last_words = std::chrono::seconds{1};
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) {
    print_error(screen.err, signals.error());
    co_return static_cast<int>(exit_code::unreachable);
  }
  interrupt_handler stopping;
  progress_line waiting{home, screen,
                        options.quiet ? progress_line::visibility::hidden : progress_line::visibility::shown};
  dialogs asking{screen, waiting, options.quiet ? dialogs::notices::suppressed : dialogs::notices::printed};
  scope beside{co_await this_context()};
  beside.spawn(stopping.listen(*signals));
  beside.spawn(asking.serve());

  hub servers{home, std::move(settings), options_for(screen, options, plan, asking)};
  auto outcome = result<exit_code>{exit_code::ok};
  auto opened = co_await servers.open();
  if (opened) {
    command_context e{
        .options = options, .screen = screen, .progress = waiting, .servers = servers, .home = home, .config = config};
    const auto limit = options.timeout();
    if (limit && plan.timeout_applies_to == command_plan::timeout_scope::each_server) e.deadline = home.now() + *limit;
    outcome = co_await with_stop(stopping.token(), run_within_timeout(e, plan));
  } else {
    outcome = opened.error();
  }
  waiting.end();
  const bool stopped = stopping.signal() != 0;
  const bool regular = plan.ends == command_plan::ending::on_interrupt && stopping.signal() == SIGINT;
  // If an output failure ended the command, it is reported below.
  const bool unwritten = screen.out.failure().has_value();
  if (outcome.has_error() && !unwritten) {
    if (!stopped) print_error(screen.err, outcome.error());
    if (options.json && !regular) print_error_document(screen.out, outcome.error());
  }
  auto shown = co_await with_stop(stopping.token(), flush_output(screen.out));
  auto closed = co_await servers.close();
  if (!closed) print_error(screen.err, closed.error());
  if (auto failed = screen.out.failure(); failed && !screen.out.broken()) print_error(screen.err, *failed);
  // Waits until the output was read, or Ctrl-C: -v promises complete messages.
  auto told = co_await with_stop(stopping.token(), flush_output(screen.err));
  if (!told && stopping.signal() != 0) told = co_await shield(last_words, flush_output(screen.err));
  ignore(told, "nobody is left to be told");
  beside.request_stop();
  co_await beside.join();
  if (screen.out.broken()) co_return static_cast<int>(exit_code::broken_pipe);
  // A signal that came too late to stop anything does not change the exit code.
  if (stopping.signal() != 0 && (outcome.has_error() || shown.has_error()))
    co_return regular ? 0 : stopping.exit_code();
  if (outcome.has_error() && !unwritten) co_return static_cast<int>(exit_code_for(outcome.error()));
  co_return static_cast<int>(screen.out.failure() ? exit_code::not_written : *outcome);
}

task<result<void>> ready_of(command_context& e, std::string name, readiness wanted) {
  hub& servers = e.servers;
  auto waiting = wanted == readiness::listed ? servers.listed(name) : servers.ready(name);
  const auto bound = time_left(e);
  if (!bound) co_return co_await std::move(waiting);
  auto outcome = co_await with_timeout(*bound, std::move(waiting));
  if (!outcome && outcome.error().code == errc::timed_out && outcome.error().server.empty())
    co_return timeout_error(e, name, wanted == readiness::listed ? "its tools were not listed" : "it was not ready");
  co_return outcome;
}

error left_out_error(const loaded_settings& config, const std::string& server) {
  return error{.code = errc::config,
               .what = "server " + json_string(server) +
                       " is left out, since its configuration has errors: " + config.refusal_reason(server),
               .server = server};
}

// Prints the problems that concern the command; with --verbose, all of them.
void print_problems(output& to, const common_options& options, const command_subject& about,
                    const loaded_settings& read) {
  for (const config_problem& one : read.problems) {
    if (options.quiet && one.severity == config_problem::kind::warning) continue;
    // The error of a command about a refused server already quotes the first problem of its entry.
    if (about.is_specific() && !options.verbose && &one == read.first_error_of(one.server)) continue;
    if (one.server.empty() || options.verbose || about.includes(read.settings.names, one.server))
      print_problem(to, one);
  }
}

}  // namespace

void print_error(output& to, const error& why) {
  to.line({styled(text_style::red, "hawser: "), escaped(why.what, some_lines)});
}

int finish_output(terminal& screen, exit_code code) {
  if (auto written = screen.out.flush_blocking(); !written && screen.out.broken()) {
    code = exit_code::broken_pipe;
  } else if (!written) {
    print_error(screen.err, written.error());
    if (code == exit_code::ok) code = exit_code::not_written;
  }
  return static_cast<int>(code);
}

exit_code print_usage_error(terminal& screen, const common_options& options, const error& why) {
  print_error(screen.err, why);
  if (options.json) print_error_document(screen.out, why);
  return exit_code::usage;
}

std::optional<error> raw_output_error(const terminal& screen, const common_options& options) {
  if (options.json) return error{.code = errc::parse, .what = "--raw and --json exclude each other"};
  if (screen.out.is_terminal())
    return error{.code = errc::parse, .what = "--raw: raw bytes go to files and other programs, not to a terminal"};
  return std::nullopt;
}

void report_failure(command_context& e, error why) {
  print_error(e.screen.err, why);
  e.failures.push_back(std::move(why));
}

void record_refused_servers(command_context& e) {
  for (const std::string& one : e.config.refused_servers) e.failures.push_back(left_out_error(e.config, one));
}

void print_document(command_context& e, std::string object) {
  e.screen.out.line(escaped_json(with_failures(std::move(object), e.failures)));
}

int run_command(terminal& screen, const common_options& options, command_plan plan) {
  loaded_settings read = read_configuration(options, screen.err);
  if (!read.usable) {
    if (options.json) print_error_document(screen.out, read.failure);
    return finish_output(screen, exit_code::config);
  }
  print_problems(screen.err, options, plan.subject, read);
  for (server_settings& one : read.settings.servers) {
    one.ladder = command_shutdown_timeouts;
    // Such a command ends before a restart would happen: no server is restarted, and no restart is announced.
    if (plan.ends == command_plan::ending::on_completion) one.restart = restart_policy::never;
  }
  disable_core_dumps();  // T-30: any command may have tokens in its memory
  loop home{loop::options{.log = make_logger(screen, options)}};
  host_settings settings = std::move(read.settings);
  read.settings.names = settings.names;
  return home.run(run_with_hub(home, screen, options, plan, read, std::move(settings)));
}

bool command_subject::includes(const naming_options& names, std::string_view server) const {
  switch (type) {
    case kind::all: return true;
    case kind::server: return server == name;
    case kind::tool: return !server.empty() && could_expose(names, server, name);
    case kind::nothing: break;
  }
  return false;
}

result<std::vector<std::string>> select_servers(const command_context& e, const std::string& only) {
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

std::string no_servers_text(const command_context& e) {
  if (e.config.file.empty())
    return "no server is configured: neither --config nor HAWSER_CONFIG nor MCP_CONFIG_PATH names a configuration file";
  if (!e.servers.status().empty())
    return "every server in " + e.config.file +
           R"( is disabled; to enable one, remove "disabled": true or "enabled": false)";
  if (!e.config.refused_servers.empty())
    return "no server in " + e.config.file + " can be used, since their configuration has errors: " +
           e.config.refusal_reason(e.config.refused_servers.front());
  return "no server is configured: " + e.config.file + R"( has none under "mcpServers")";
}

std::optional<duration> time_left(const command_context& e) {
  if (!e.deadline) return std::nullopt;
  return std::max(duration{1}, *e.deadline - e.home.now());
}

error timeout_error(const command_context& e, const std::string& server, std::string_view what) {
  const auto now = e.servers.status(server);
  const std::string waited_for = now && !now->phase.empty() ? "; still waiting for: " + what_is_awaited(*now) : "";
  return error{.code = errc::timed_out,
               .what = "server " + json_string(server) + ": " + std::string{what} + " within the " +
                       format_duration(e.options.timeout().value_or(duration{})) + " of --timeout" + waited_for,
               .server = server};
}

namespace {

task<result<void>> ready_then(command_context& e, std::string name, readiness wanted, server_step then) {
  auto ready = co_await ready_of(e, name, wanted);
  if (!ready || !then) co_return ready;
  co_return co_await then(std::move(name));
}

}  // namespace

task<result<std::vector<result<void>>>> start_servers(command_context& e, std::vector<std::string> names,
                                                      readiness wanted, server_step then) {
  safe_text who{"starting"};
  for (const std::string& name : names) who += safe_text{" ", escaped(name)};
  e.progress.show(std::move(who));
  std::vector<task<result<void>>> starts;
  starts.reserve(names.size());
  for (const std::string& name : names) starts.push_back(ready_then(e, name, wanted, then));
  auto outcomes = co_await when_all(std::move(starts));
  e.progress.end();
  for (const auto& one : outcomes) {
    if (!one && one.error().code == errc::cancelled) co_return one.error();
  }
  co_return outcomes;
}

namespace {

void add_outcomes(command_context& e, start_report& to, const std::vector<std::string>& names,
                  const std::vector<result<void>>& outcomes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& one = outcomes[i];
    if (one) {
      to.ready.push_back(names[i]);
    } else {
      report_failure(e, one.error());
      to.code = combine_exit_codes(to.code, exit_code_for_server(one.error()));
    }
  }
}

}  // namespace

start_report report_outcomes(command_context& e, const std::vector<std::string>& names,
                             const std::vector<result<void>>& outcomes) {
  start_report all;
  if (!e.config.refused_servers.empty()) all.code = exit_code::config;
  record_refused_servers(e);
  add_outcomes(e, all, names, outcomes);
  return all;
}

task<result<start_report>> start_and_report(command_context& e, std::string only, readiness wanted, server_step then) {
  const auto names = select_servers(e, only);
  if (!names) co_return names.error();
  const auto outcomes = co_await start_servers(e, *names, wanted, std::move(then));
  if (!outcomes) co_return outcomes.error();
  if (only.empty()) co_return report_outcomes(e, *names, *outcomes);
  start_report one;
  add_outcomes(e, one, *names, *outcomes);
  co_return one;
}

}  // namespace hawser::cli
