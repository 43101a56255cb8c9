// SPDX-License-Identifier: MIT
#include "errand.hpp"

#include <chrono>
#include <csignal>

#include "../runtime/core_files.hpp"
#include "../runtime/scope.hpp"
#include "../runtime/timeout.hpp"
#include "../runtime/when.hpp"
#include "config_file.hpp"
#include "dialogs.hpp"
#include "interruption.hpp"

namespace hawser::cli {

namespace {

// A command is over when its answer is there: a server that does not end by itself is told so sooner than by a host
// that has time.
constexpr stop_ladder hurried{.after_stdin = std::chrono::milliseconds{500},
                              .after_sigterm = std::chrono::seconds{2},
                              .after_sigkill = std::chrono::seconds{1}};

hub_options options_for(terminal& screen, const common_options& options, const errand_plan& plan, dialogs& asking) {
  hub_options chosen;
  chosen.input = asking.handlers();
  chosen.on_change = plan.on_change;
  chosen.memory_folder = memory_folder(options);
  chosen.login_file = default_store_path(process_variables());
  chosen.all_lazy = plan.starts == errand_plan::starting::what_is_needed;
  if (options.verbose) {
    chosen.trace = [&screen](std::string_view server, std::string_view line) {
      while (line.ends_with('\n')) line.remove_suffix(1);
      screen.err.line({in(ink::dim, escaped(server)), in(ink::dim, ": "), escaped(line)});
    };
  }
  return chosen;
}

logger remarks(terminal& screen, const common_options& options) {
  return logger{[&screen](const log_record& said) {
                  screen.err.line({in(ink::dim, escaped(said.subject)), in(ink::dim, ": "), escaped(said.text)});
                },
                options.verbose ? log_level::debug : log_level::off};
}

task<result<exit_code>> bounded(errand& e, const errand_plan& plan) {
  if (plan.starts == errand_plan::starting::all) co_return co_await plan.work(e);
  // Lists that were learned earlier are there from now on.
  auto settled = co_await e.servers.settled();
  if (!settled) co_return std::move(settled).error();
  co_return co_await plan.work(e);
}

task<result<exit_code>> within_time(errand& e, const errand_plan& plan) {
  const auto limit = e.options.timeout();
  if (!limit) co_return co_await bounded(e, plan);
  co_return co_await with_timeout(*limit, bounded(e, plan));
}

task<result<void>> printed(output& to) { co_return co_await to.flush(); }

task<int> conduct(loop& home, terminal& screen, const common_options& options, errand_plan& plan,
                  host_settings settings) {
  constexpr auto last_words = std::chrono::seconds{1};
  auto signals = signal_set::start(home, {SIGINT, SIGTERM, SIGHUP});
  if (!signals) {
    complain(screen.err, signals.error());
    co_return static_cast<int>(exit_code::unreachable);
  }
  interruption stopping;
  progress waiting{home, screen};
  dialogs asking{screen, waiting};
  scope beside{co_await this_context()};
  beside.spawn(stopping.listen(*signals));
  beside.spawn(asking.serve());

  hub servers{home, std::move(settings), options_for(screen, options, plan, asking)};
  auto outcome = result<exit_code>{exit_code::ok};
  auto opened = co_await servers.open();
  if (opened) {
    errand e{.options = options, .screen = screen, .waiting = waiting, .servers = servers};
    outcome = co_await with_stop(stopping.token(), within_time(e, plan));
  } else {
    outcome = opened.error();
  }
  waiting.end();
  if (outcome.has_error() && stopping.signal() == 0) {
    complain(screen.err, outcome.error());
    if (plan.on_error) plan.on_error(outcome.error());
  }
  auto shown = co_await with_stop(stopping.token(), printed(screen.out));
  auto closed = co_await servers.close();
  if (!closed) complain(screen.err, closed.error());
  beside.request_stop();
  co_await beside.join();
  auto told = co_await shield(last_words, printed(screen.err));
  ignore(told, "nobody is left to be told");
  if (screen.out.broken()) co_return static_cast<int>(exit_code::broken_pipe);
  // A signal that came too late to stop anything changes nothing.
  if (stopping.signal() != 0 && (outcome.has_error() || shown.has_error())) {
    const bool regular = plan.ends == errand_plan::ending::by_interruption && stopping.signal() == SIGINT;
    co_return regular ? 0 : stopping.exit_code();
  }
  if (!shown) complain(screen.err, shown.error());
  if (!shown) co_return static_cast<int>(exit_code::no);
  co_return static_cast<int>(outcome ? *outcome : code_for(outcome.error()));
}

task<result<void>> ready_of(hub& servers, std::string name) { co_return co_await servers.ready(std::move(name)); }

}  // namespace

void complain(output& to, const error& why) { to.line({in(ink::red, "hawser: "), escaped(why.what, some_lines)}); }

int run_errand(terminal& screen, const common_options& options, errand_plan plan) {
  configured read = read_configuration(options, screen.err);
  if (!read.usable) return static_cast<int>(exit_code::config);
  for (server_settings& one : read.settings.servers) one.ladder = hurried;
  forbid_core_files();  // T-30: any command may have tokens in its memory
  loop home{loop::options{.log = remarks(screen, options)}};
  return home.run(conduct(home, screen, options, plan, std::move(read.settings)));
}

result<std::vector<std::string>> wanted_servers(const errand& e, const std::string& only) {
  std::vector<std::string> names;
  if (!only.empty()) {
    const auto one = e.servers.status(only);
    if (!one) return error{.code = errc::tool_unknown, .what = "no server is named \"" + only + "\""};
    names.push_back(only);
    return names;
  }
  for (const server_status& one : e.servers.status()) {
    if (one.enabled) names.push_back(one.name);
  }
  if (!names.empty()) return names;
  return error{.code = errc::config, .what = "no server is configured; name a file with --config, or in HAWSER_CONFIG"};
}

task<result<std::vector<std::string>>> started(errand& e, std::vector<std::string> names) {
  safe_text who{"starting"};
  for (const std::string& name : names) who += safe_text{" ", escaped(name)};
  e.waiting.show(std::move(who));
  std::vector<task<result<void>>> starts;
  starts.reserve(names.size());
  for (const std::string& name : names) starts.push_back(ready_of(e.servers, name));
  const auto outcomes = co_await when_all(std::move(starts));
  e.waiting.end();
  std::vector<std::string> ready;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (outcomes[i]) {
      ready.push_back(names[i]);
    } else if (outcomes[i].error().code == errc::cancelled) {
      co_return outcomes[i].error();
    } else {
      complain(e.screen.err, outcomes[i].error());
    }
  }
  co_return ready;
}

}  // namespace hawser::cli
