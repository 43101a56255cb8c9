// SPDX-License-Identifier: MIT
// One start of a server: its channel, its session, and the choice of the era.
#include <algorithm>

#include "../../runtime/async/timeout.hpp"
#include "../../runtime/guarded.hpp"
#include "../../transports/jsonrpc/guarded_channel.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../../transports/testing/recording_channel.hpp"
#include "server.hpp"

namespace hawser {

task<result<std::unique_ptr<channel>>> server::make_channel() {
  std::unique_ptr<channel> made;
  if (connect_) {
    auto connected_to = guarded("connect", connect_);
    if (!connected_to) co_return connected_to.error();
    if (*connected_to == nullptr) co_return error{.code = errc::closed, .what = "the program has no connection to it"};
    made = std::make_unique<guarded_channel>(context_.session.home, *std::move(connected_to));
  } else if (const auto* child = std::get_if<stdio_settings>(&settings_.transport)) {
    if (!context_.allow_spawn)
      co_return error{.code = errc::config, .what = "this program does not start processes for servers"};
    stdio_channel_options options{.ladder = settings_.ladder};
    options.limits.max_message = context_.settings.limits.max_message;
    options.limits.size_advice = host_limits::max_message_advice;
    options.what = {
        .program = child->command,
        .arguments = child->args,
        .directory = child->cwd,
        .env = {.from = child->inherit_env ? environment::base::inherit : environment::base::safe, .set = child->env}};
    auto process = std::make_unique<stdio_channel>(context_.starter, std::move(options));
    process_ = process.get();
    made = std::move(process);
  } else {
    if (!context_.allow_network)
      co_return error{.code = errc::config, .what = "this program does not connect to servers on the network"};
    http_channel_factory::busy_listener busy = [this](std::string_view method, int status, duration pause) {
      on_busy(method, status, pause);
    };
    auto remote =
        co_await context_.channels.make_channel(std::get<http_settings>(settings_.transport), context_.settings.limits,
                                                login_.get(), settings_.name, std::move(busy));
    if (!remote) co_return remote.error();
    made = *std::move(remote);
  }
  if (!context_.trace) co_return made;
  auto write = [trace = context_.trace, name = settings_.name](std::string_view line) { trace(name, line); };
  co_return std::make_unique<recording_channel>(context_.session.home, std::move(made), std::move(write));
}

session::open_mode server::choose_open_mode() const {
  switch (settings_.protocol.era) {
    case protocol_choice::kind::legacy: return session::open_mode::legacy;
    case protocol_choice::kind::modern: return session::open_mode::modern;
    case protocol_choice::kind::automatic: break;
  }
  // A cached legacy era expires, because the server may have been upgraded. A cached modern era needs no expiry,
  // because every start probes for it.
  const bool legacy = legacy_since_ && server_cache::is_recent({.last_probed = *legacy_since_}, server_cache::now());
  return legacy ? session::open_mode::legacy : session::open_mode::probe;
}

// The era is as old as the probe that determined it. A start without a probe does not refresh it; otherwise a server
// used daily would never be probed again. A probe timeout (silence) is valid for this process only.
void server::note_era() {
  const session::evidence by = session_->era_evidence();
  if (by == session::evidence::none) return;
  const std::int64_t now = server_cache::now();
  last_probed_ = by == session::evidence::answer ? now : 0;
  legacy_since_ = negotiated_.modern() ? std::nullopt : std::optional{now};
}

task<result<void>> server::open_session(session::open_mode how) {
  auto over = co_await make_channel();
  if (!over) co_return over.error();
  ended_.reset();
  session_listener& me = *this;
  session_ = std::make_unique<session>(context_.session, settings_.name, *std::move(over), me);
  const duration left = std::max(duration::zero(), start_due_ - context_.session.home.now());
  session::open_options options{.how = how, .revision = settings_.protocol.revision, .timeout = left};
  auto opened = co_await with_timeout(left, session_->open(std::move(options)));
  if (opened) co_return opened;
  error why = opened.error();
  if (why.code == errc::timed_out && why.phase.empty()) {
    why.what = "it did not answer within " + format_duration(settings_.startup_timeout) +
               " of its start; still waiting for: " + std::string{session_->phase()};
    if (process_ != nullptr) why.what += process_->explanation();
    why.what += "; set a longer \"startup_timeout\" if it needs more time";
    why.phase = "start";
  }
  co_return why;
}

// Opens a session and negotiates the revision. A wrong era assumption is corrected once.
task<result<void>> server::start() {
  const session::open_mode how = choose_open_mode();
  auto opened = co_await open_session(how);
  if (opened || settings_.protocol.era != protocol_choice::kind::automatic) co_return opened;
  const bool killed = how == session::open_mode::probe && session_ && session_->exited_on_probe();
  const bool upgraded = how == session::open_mode::legacy && opened.error().code == errc::remote &&
                        opened.error().native == protocol::code::unsupported_version;
  const context where = co_await this_context();
  if ((!killed && !upgraded) || where.stop_requested()) co_return opened;
  co_await end_session();
  legacy_since_ = killed ? std::optional{server_cache::now()} : std::nullopt;
  if (killed) last_probed_ = *legacy_since_;  // exiting on the probe counts as its answer
  co_return co_await open_session(choose_open_mode());
}

task<void> server::end_session() {
  accepts_ = false;
  if (!session_) co_return;
  auto closed = co_await session_->close();
  if (!closed) context_.session.home.log().write(log_level::warning, settings_.name, closed.error().what);
  if (process_ != nullptr) {
    last_errors_ = process_->stderr_tail();
    last_noise_ = process_->reader().noise();
    process_ = nullptr;
  }
  session_.reset();
}

}  // namespace hawser
