// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "../async/detail/wait_for.hpp"
#include "../async/timeout.hpp"
#include "detail/child_core.hpp"
#include "detail/keeper_process.hpp"

namespace hawser {

using keeper_protocol::report;
using keeper_protocol::report_kind;
using keeper_protocol::start_step;

std::string exit_status::to_string() const {
  if (signal == 0) return "exited with " + std::to_string(code);
  const char* name = sigdescr_np(signal);
  return "ended by signal " + std::to_string(signal) + (name != nullptr ? std::string{" ("} + name + ')' : "");
}

namespace detail {

namespace {

// Advice for errors whose errno text does not suggest a fix.
const char* remedy(int number) {
  switch (number) {
    case EISDIR: return "; name a program";
    case EACCES: return "; the file must be executable: chmod +x, or run it by its interpreter";
    case ENOEXEC: return "; it is no program for this machine, and a script needs a first line such as #!/bin/sh";
    default: return "";
  }
}

error start_failure(const report& r, const child_core& of) {
  const auto step = static_cast<start_step>(r.detail);
  std::string what = "spawn \"" + of.program + "\": ";
  if (step == start_step::fork) what += "fork: ";
  if (step == start_step::directory)
    what += of.directory.empty() ? "working directory: " : "working directory \"" + of.directory + "\": ";
  if (step == start_step::interpreter) {
    what += "the file is there, but not its interpreter, which the first line of a script names";
  } else {
    what += std::strerror(r.number);
  }
  if (step == start_step::execute) what += remedy(r.number);
  return error{.code = errc::spawn, .what = std::move(what), .native = r.number, .phase = "start"};
}

}  // namespace

void child_deleter::operator()(child_core* core) const noexcept {
  require(core->gone.is_set() || core->failure, "a child was destroyed before it was shut down");
  core->poll.reset();
  hang_up(core->control);
  delete core;
}

result<void> child_core::listen(unique_fd socket) {
  control = std::move(socket);
  int made = 0;
  poll = make_handle<uv_poll_t>(event_loop, made, uv_poll_init, control.get());
  if (!poll) return from_uv(made, "spawn \"" + program + "\": watch the child");
  poll->data = this;
  uv_poll_start(poll.get(), UV_READABLE, [](uv_poll_t* handle, int, int) {
    if (handle->data != nullptr) static_cast<child_core*>(handle->data)->on_readable();
  });
  return {};
}

void child_core::send_command(char what) const noexcept {
  // If the send fails, the warden has exited; its last report is still readable.
  if (control) send(control.get(), &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void child_core::on_readable() noexcept {
  while (!gone.is_set()) {
    report r{};
    const ssize_t size = recv(control.get(), &r, sizeof r, MSG_DONTWAIT);
    // If the warden exited without reading a command, recv returns ECONNRESET first; its reports follow.
    if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size == sizeof r) {
      on_report(r);
    } else {
      on_disconnect();
    }
  }
  poll.reset();
  hang_up(control);
}

void child_core::on_report(const report& r) {
  switch (r.kind) {
    case report_kind::started:
      pid = r.number;
      started.set();
      break;
    case report_kind::failed:
      failure = start_failure(r, *this);
      failed_step = static_cast<start_step>(r.detail);
      started.set();
      gone.set();
      break;
    case report_kind::exited:
      status = WIFSIGNALED(r.number) ? exit_status{.code = 0, .signal = WTERMSIG(r.number)}
                                     : exit_status{.code = WEXITSTATUS(r.number), .signal = 0};
      exited.set();
      break;
    case report_kind::stray: {
      const std::string who =
          std::string{r.name, strnlen(r.name, sizeof r.name)} + " (" + std::to_string(r.number) + ')';
      (r.detail == 0 ? strays : unkillable).push_back(who);
      event_loop.log().write(
          log_level::warning, program,
          (r.detail == 0 ? "killed a process that had left its group: " : "could not kill a process: ") + who);
      break;
    }
    case report_kind::gone: gone.set(); break;
  }
}

// The socket was closed without a final report: the request was dropped, or the warden was killed. In that case the
// keeper kills the processes that the warden left behind.
void child_core::on_disconnect() {
  if (!started.is_set()) {
    failure = error{.code = errc::closed, .what = "spawn \"" + program + "\": the keeper is gone", .phase = "start"};
    started.set();
  } else {
    event_loop.log().write(log_level::error, program, "the process that watched over it was killed");
  }
  exited.set();
  gone.set();
}

}  // namespace detail

stream& child::input() noexcept { return *core_->input; }
stream& child::output() noexcept { return *core_->output; }
stream& child::errors() noexcept { return *core_->errors; }
int child::pid() const noexcept { return core_->pid; }
const std::vector<std::string>& child::strays() const noexcept { return core_->strays; }

namespace {

result<exit_status> outcome_of(const detail::child_core& core) {
  if (core.status) return *core.status;
  return error{.code = errc::closed, .what = core.program + ": its end was not seen"};
}

task<result<void>> run_shutdown_steps(detail::child_core& core, shutdown_timeouts ladder) {
  if (core.input) co_await core.input->close();
  // If the process exits in time while others of its tree still run, do not wait longer.
  auto ended = co_await with_timeout(ladder.after_stdin, detail::wait_for(core.exited));
  ignore(ended, "the next step follows in any case");
  if (!core.gone.is_set()) {
    core.send_command(keeper_protocol::command_terminate);
    auto terminated = co_await with_timeout(ladder.after_sigterm, detail::wait_for(core.gone));
    ignore(terminated, "the next step follows in any case");
  }
  if (!core.gone.is_set()) core.send_command(keeper_protocol::command_kill);
  co_return co_await with_timeout(ladder.after_sigkill, detail::wait_for(core.gone));
}

}  // namespace

task<result<exit_status>> child::exited() {
  detail::child_core& core = *core_;
  auto seen = co_await core.exited.wait();
  if (!seen) co_return seen.error();
  co_return outcome_of(core);
}

task<result<exit_status>> child::shutdown(shutdown_timeouts ladder) {
  detail::child_core& core = *core_;
  const duration bound = ladder.after_stdin + ladder.after_sigterm + ladder.after_sigkill + std::chrono::seconds{1};
  auto shut_down = co_await shield(bound, run_shutdown_steps(core, ladder));
  if (!shut_down) {
    std::string who;
    for (const std::string& name : core.unkillable) who += (who.empty() ? "" : ", ") + name;
    core.exited.set();
    core.gone.set();  // give up; the warden keeps trying
    core.poll.reset();
    hang_up(core.control);
    co_return error{
        .code = errc::timed_out,
        .what = core.program + ": processes are left that cannot be killed: " + (who.empty() ? "unknown" : who)};
  }
  co_return outcome_of(core);
}

}  // namespace hawser
