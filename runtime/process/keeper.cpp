// SPDX-License-Identifier: MIT
#include "keeper.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "../async/detail/wait_for.hpp"
#include "../async/timeout.hpp"
#include "detail/child_core.hpp"
#include "detail/keeper_process.hpp"
#include "detail/keeper_request.hpp"

namespace hawser {

using detail::unique_fd;

namespace {

std::string searched_path(const command& what) {
  for (const std::string& variable : what.env.compose()) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

// Generous: with a hundred starts at once on a busy machine, fork and exec take long.
constexpr std::chrono::seconds start_bound{30};

bool has_unread_requests(const detail::keeper_process& keeper) {
  int untaken = 0;
  return keeper.socket && ioctl(keeper.socket.get(), SIOCOUTQ, &untaken) == 0 && untaken > 0;
}

// The keeper only forks for each start, so requests that stay unread for as long as a start may take will never be
// read. This is measured per keeper, not per spawn: an earlier caller may have had a shorter timeout.
bool is_hung(const detail::keeper_process& keeper, time_point now) {
  return keeper.killed || (has_unread_requests(keeper) && now - keeper.last_responsive_at >= start_bound);
}

error kill_hung_keeper(detail::keeper_process& keeper) {
  keeper.kill();
  return error{.code = errc::closed, .what = "the keeper hangs"};
}

bool hung_up(const unique_fd& socket) {
  pollfd looked{.fd = socket.get(), .events = 0, .revents = 0};
  return !socket || (::poll(&looked, 1, 0) == 1 && (looked.revents & (POLLHUP | POLLERR)) != 0);
}

result<void> adopt(loop& event_loop, detail::child_ends& e, std::optional<stream>& into) {
  if (!e.ours) return {};
  auto made = stream::adopt(event_loop, e.ours.release());
  if (!made) return made.error();
  into = std::move(*made);
  return {};
}

}  // namespace

// Counts a pending spawn. close() waits for these; they must not start another keeper meanwhile.
class keeper::pending_spawn {
 public:
  explicit pending_spawn(keeper& of) : of_(of) { ++of_.pending_spawns_; }
  pending_spawn(const pending_spawn&) = delete;
  pending_spawn& operator=(const pending_spawn&) = delete;
  ~pending_spawn() {
    if (--of_.pending_spawns_ == 0) of_.no_pending_spawns_.set();
  }

 private:
  keeper& of_;
};

keeper::keeper(loop& event_loop) : keeper(event_loop, options{}) {}
keeper::keeper(loop& event_loop, options o) : loop_(event_loop), options_(std::move(o)) {}
keeper::~keeper() {
  detail::require(!process_ || closing_, "a keeper was destroyed before it was closed");
  if (!process_) return;
  process_->kill();  // close() has failed; the keeper may be stopped (SIGSTOP)
  pollfd dying{.fd = process_->process.get(), .events = POLLIN, .revents = 0};
  ::poll(&dying, 1, 100);  // gives it a moment to exit
  process_->reap();
}

result<void> keeper::start() {
  auto made = detail::keeper_process::start(loop_, options_.path);
  if (!made) return made.error();
  process_ = *std::move(made);
  return {};
}

task<result<child>> keeper::spawn(command what) {
  if (auto sound = what.check(); !sound) co_return sound.error();
  const pending_spawn noted{*this};
  process used;
  auto made = co_await spawn_once(what, used);
  if (made || made.error().code != errc::closed || closing_ || !used) co_return made;
  if (!used->ended.is_set() && !used->killed && !hung_up(used->socket)) {
    // Only this request was lost: the keeper had no free descriptors for it, or the warden was killed.
    co_return error{
        .code = errc::spawn,
        .what = "spawn \"" + what.program + "\": the keeper could not take the request (out of descriptors?)",
        .phase = "start"};
  }
  // The keeper was killed. Its children keep running under their wardens. Its sockets close slightly before its pidfd
  // becomes readable. Of several spawns that detect this, the first replaces the keeper.
  if (process_ == used) {
    auto ended = co_await with_timeout(std::chrono::seconds{5}, detail::wait_for(used->ended));
    if (!ended) co_return prefixed("spawn \"" + what.program + "\": the end of the keeper", ended.error());
  }
  if (closing_) co_return made;
  if (process_ == used) {
    loop_.log().write(log_level::warning, "keeper",
                      used->killed ? "the keeper hung and was killed; starting another one"
                                   : "the keeper was killed; starting another one");
    used->reap();
    process_.reset();
  }
  co_return co_await spawn_once(what, used);
}

task<result<child>> keeper::spawn_once(const command& what, process& used) {
  // Requests are sent one at a time: spawns that wait for socket space wait here, hold no descriptors yet, and are
  // served in order. The wait is bounded: the spawn that holds the permit times out, and it fails when the keeper dies.
  auto turn = co_await request_permit_.acquire();
  if (!turn) co_return prefixed("spawn \"" + what.program + '"', turn.error());
  if (closing_) co_return error{.code = errc::closed, .what = "spawn \"" + what.program + "\": its keeper is closing"};
  if (!process_) {
    if (auto begun = start(); !begun) co_return begun.error();
  }
  used = process_;
  if (!used->same_user()) {
    co_return error{.code = errc::spawn,
                    .what = "spawn \"" + what.program +
                            "\": this program has changed its user or group since its keeper was started, and would "
                            "start processes as who it was before; close the keeper before such a change",
                    .phase = "start"};
  }
  if (!has_unread_requests(*used)) used->last_responsive_at = loop_.now();
  if (is_hung(*used, loop_.now())) co_return prefixed("spawn \"" + what.program + '"', kill_hung_keeper(*used));
  keeper_protocol::start_request header{};
  auto payload = detail::make_payload(what, header);
  if (!payload) co_return prefixed("spawn \"" + what.program + '"', payload.error());
  auto input = detail::make_ends(what.input, STDIN_FILENO);
  auto output = detail::make_ends(what.output, STDOUT_FILENO);
  auto errors = detail::make_ends(what.errors, STDERR_FILENO);
  for (const auto* e : {&input, &output, &errors}) {
    if (!*e) co_return prefixed("spawn \"" + what.program + '"', e->error());
  }
  std::array<int, 2> control{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0) {
    co_return detail::from_errno(errno, "spawn \"" + what.program + "\": socketpair");
  }
  unique_fd ours{control[0]};
  unique_fd wardens{control[1]};

  const detail::request_attachments attached{payload->get(), input->child.get(), output->child.get(),
                                             errors->child.get(), wardens.get()};
  auto asked = co_await with_timeout(start_bound, detail::send_start_request(*used, header, attached));
  turn->release();
  if (!asked && asked.error().code == errc::timed_out) {
    const bool busy = has_unread_requests(*used);
    asked = is_hung(*used, loop_.now())
                ? kill_hung_keeper(*used)
                : error{.code = errc::spawn,
                        .what = busy ? "the keeper is busy with other starts"
                                     : "programs of this user have too many descriptors on their way"};
  }
  if (!asked) co_return prefixed("spawn \"" + what.program + '"', asked.error());
  // From here on, closing the control socket ends whatever the keeper starts.
  child made{new detail::child_core{loop_, what.program}};
  detail::child_core& core = *made.core_;
  core.directory = what.directory;
  if (auto listening = core.listen(std::move(ours)); !listening) {
    core.failure = listening.error();
    co_return listening.error();
  }
  // Close our copies of the child's ends; otherwise the child's closing them would not be seen as end-of-file.
  for (unique_fd* given : {&*payload, &input->child, &output->child, &errors->child, &wardens}) given->reset();

  auto outcome = co_await with_timeout(start_bound, detail::wait_for(core.started));
  if (outcome) used->last_responsive_at = loop_.now();
  if (outcome && !core.failure) {
    for (auto [from, to] : {std::pair{&*input, &core.input}, {&*output, &core.output}, {&*errors, &core.errors}}) {
      auto adopted = adopt(loop_, *from, *to);
      if (!adopted && !core.failure) core.failure = prefixed("spawn \"" + what.program + '"', adopted.error());
    }
  }
  if (outcome && !core.failure) co_return made;
  if (!core.failure) core.failure = prefixed("spawn \"" + what.program + '"', outcome.error());
  if (!outcome && outcome.error().code == errc::timed_out && is_hung(*used, loop_.now()))
    co_return prefixed("spawn \"" + what.program + '"', kill_hung_keeper(*used));
  error why = *core.failure;
  const bool not_found = core.failed_step == keeper_protocol::start_step::execute && why.native == ENOENT;
  if (not_found && what.program.find('/') == std::string::npos)
    why.what += " (looked in PATH=" + searched_path(what) + ')';
  co_return why;
}

task<result<void>> keeper::close() {
  closing_ = true;
  if (const process ending = process_) {
    detail::hang_up(ending->socket);  // the keeper exits after its wardens
    auto ended = co_await shield(std::chrono::seconds{5}, detail::wait_for(ending->ended));
    if (!ended) {  // perhaps it sleeps; nothing of it may stay on the loop
      ending->kill();
      auto killed = co_await shield(std::chrono::seconds{1}, detail::wait_for(ending->ended));
      ignore(killed, "the error says that it did not end by itself");
    }
    ending->reap();
    if (process_ == ending) process_.reset();
    if (!ended) co_return prefixed("keeper", ended.error());
  }
  while (pending_spawns_ > 0) {
    no_pending_spawns_.reset();
    auto ended = co_await shield(std::chrono::seconds{5}, detail::wait_for(no_pending_spawns_));
    if (!ended) co_return prefixed("keeper: starts that are under way", ended.error());
  }
  closing_ = false;
  co_return result<void>{};
}

}  // namespace hawser
