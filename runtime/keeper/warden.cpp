// SPDX-License-Identifier: MIT
// One warden per server. It is the subreaper of the server's process tree: every process that loses its parent,
// including daemons, becomes its child, so the whole tree can be killed. It only signals its own unreaped children, and
// only it reaps them, so a recycled pid is never signalled.
#include "warden.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "launch.hpp"
#include "tree.hpp"

namespace hawser {

namespace {

using namespace keeper_protocol;

// The time between SIGTERM and SIGKILL after the host has died. The server's stdin has been closed as well.
constexpr long orphan_grace_ms = 500;
// The interval for repeating SIGKILL, to catch processes forked meanwhile.
constexpr int kill_interval_ms = 10;
// A process that survives SIGKILL for this long cannot be killed by us (it belongs to another user, or is stuck in the
// kernel). It is reported to the host before the host gives up, which it does after one second.
constexpr long unkillable_after_ms = 500;
// After that, SIGKILL is repeated at this longer interval.
constexpr int unkillable_interval_ms = 1000;

long now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Processes that have already been handled. If it overflows, some are handled again.
class pid_set {
 public:
  /// True if `pid` was not in the set.
  bool add(pid_t pid) {
    for (unsigned i = 0; i < count_; ++i) {
      if (pids_[i] == pid) return false;
    }
    if (count_ < sizeof pids_ / sizeof *pids_) pids_[count_++] = pid;
    return true;
  }

 private:
  pid_t pids_[64] = {};
  unsigned count_ = 0;
};

class warden {
 public:
  warden(int control, pid_t leader) : control_(control), leader_(leader), group_(leader) {}

  [[noreturn]] void watch(int child_signals);

 private:
  enum class phase { running, terminating, killing };

  void send_report(report_kind kind, int number, int detail = 0, pid_t named = 0, int flags = 0) const;
  void reap();
  void read_command();
  void on_host_gone();
  void signal_tree(int number);
  void signal_child(pid_t child, int number);
  [[nodiscard]] int poll_timeout() const;
  void step();
  void report_unkillable();

  int control_;
  pid_t leader_;  // 0 after it was reaped
  pid_t group_;
  phase phase_ = phase::running;
  bool host_lives_ = true;
  bool group_signalled_ = false;
  pid_set sent_sigterm_;  // strays that were sent SIGTERM; some programs treat a second SIGTERM as "exit immediately"
  pid_set reported_;      // strays that were reported to the host
  long kill_at_ = -1;
  long killing_since_ = -1;
  bool unkillable_reported_ = false;
};

void warden::send_report(report_kind kind, int number, int detail, pid_t named, int flags) const {
  if (!host_lives_) return;  // another process may hold a copy of the host's end of the socket and never read it
  report r{kind, number, detail, {}};
  if (named != 0) process_name(named, r.name, sizeof r.name);
  ssize_t sent = 0;
  do {
    sent = send(control_, &r, sizeof r, MSG_NOSIGNAL | flags);
  } while (sent < 0 && errno == EINTR);
}

void warden::reap() {
  while (true) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return;
    if (pid < 0) {
      send_report(report_kind::gone, 0);
      _exit(0);
    }
    if (pid == leader_) {
      leader_ = 0;
      send_report(report_kind::exited, status);
    }
  }
}

void warden::signal_child(pid_t child, int number) {
  // The group is signalled as a whole, once per round, and only while an unreaped child of ours is in it: then the
  // group id cannot have been recycled.
  if (getpgid(child) == group_) {
    if (group_signalled_) return;
    group_signalled_ = true;
    kill(-group_, number);
    if (number == SIGTERM) kill(-group_, SIGCONT);  // a stopped process would not handle SIGTERM
    return;
  }
  if (number == SIGTERM && !sent_sigterm_.add(child)) return;
  const bool ended = has_ended(child);  // a zombie: nothing is killed
  const bool kept = kill(child, number) == 0;
  if (number == SIGTERM) kill(child, SIGCONT);
  // Reports of strays may be dropped if the host does not read them; other reports may not.
  if (number == SIGKILL && !ended && reported_.add(child))
    send_report(report_kind::stray, child, kept ? 0 : 1, child, MSG_DONTWAIT);
}

void warden::signal_tree(int number) {
  if (number == SIGKILL) group_signalled_ = false;  // SIGKILL is repeated; SIGTERM is sent once
  struct request {
    warden* self;
    int number;
  } with{this, number};
  const auto visit = [](pid_t child, void* argument) {
    auto& r = *static_cast<request*>(argument);
    r.self->signal_child(child, r.number);
  };
  // Without /proc only the leader's group can be signalled, and only until the leader is reaped.
  if (!for_each_child(visit, &with) && leader_ != 0) signal_child(leader_, number);
}

void warden::on_host_gone() {
  host_lives_ = false;
  if (phase_ == phase::killing) return;
  phase_ = phase::terminating;
  signal_tree(SIGTERM);
  kill_at_ = now_ms() + orphan_grace_ms;
}

void warden::read_command() {
  char command = 0;
  const ssize_t size = recv(control_, &command, 1, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    on_host_gone();
  } else if (command == command_terminate && phase_ == phase::running) {
    phase_ = phase::terminating;
    signal_tree(SIGTERM);
  } else if (command == command_kill) {
    phase_ = phase::killing;
  }
}

int warden::poll_timeout() const {
  if (phase_ == phase::killing) return unkillable_reported_ ? unkillable_interval_ms : kill_interval_ms;
  if (kill_at_ < 0) return -1;
  const long left = kill_at_ - now_ms();
  return left > 0 ? static_cast<int>(left) : 0;
}

// The actions due after an event: the transition from terminating to killing, and the next round of SIGKILL.
void warden::step() {
  if (kill_at_ >= 0 && now_ms() >= kill_at_) phase_ = phase::killing;
  if (phase_ != phase::killing) return;
  report_unkillable();  // before the next round, so that processes had time to die from the last one
  signal_tree(SIGKILL);
  if (killing_since_ < 0) killing_since_ = now_ms();
}

void warden::report_unkillable() {
  if (unkillable_reported_ || killing_since_ < 0 || now_ms() - killing_since_ < unkillable_after_ms) return;
  unkillable_reported_ = true;
  for_each_child(
      [](pid_t child, void* self) {
        static_cast<warden*>(self)->send_report(report_kind::stray, child, 1, child, MSG_DONTWAIT);
      },
      this);
}

void warden::watch(int child_signals) {
  while (true) {
    pollfd watched[] = {{child_signals, POLLIN, 0},
                        {host_lives_ ? control_ : -1, POLLIN, 0},
                        {host_lives_ ? host_process : -1, POLLIN, 0}};
    poll(watched, 3, poll_timeout());
    signalfd_siginfo drained{};
    while (read(child_signals, &drained, sizeof drained) > 0) {
    }
    if (watched[1].revents != 0) read_command();
    if (host_lives_ && (watched[2].revents & POLLIN) != 0) on_host_gone();
    reap();
    // Processes that were reparented to the warden during termination get SIGTERM, too.
    if (phase_ == phase::terminating && (watched[0].revents & POLLIN) != 0) signal_tree(SIGTERM);
    step();
  }
}

}  // namespace

void run_warden(const start_request& request, const int (&fds)[request_descriptors], int child_signals) {
  prctl(PR_SET_NAME, "hawser-warden");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int standard[3] = {fds[1], fds[2], fds[3]};
  const int control = fds[4];
  const launch_result server = launch(request, fds[0], standard);
  for (int i = 0; i < 4; ++i) close(fds[i]);  // only the server may hold the pipe ends, so that end-of-file is seen
  const report first{server.error == 0 ? report_kind::started : report_kind::failed,
                     server.error == 0 ? server.pid : server.error,
                     static_cast<std::int32_t>(server.step),
                     {}};
  send(control, &first, sizeof first, MSG_NOSIGNAL);
  if (server.error != 0) _exit(0);
  warden{control, server.pid}.watch(child_signals);
}

}  // namespace hawser
