// SPDX-License-Identifier: MIT
// The keeper: a small single-threaded process that starts servers for a host, independent of the host's threads, locks
// and descriptors. It forks one warden per server (warden.cpp) and cleans up after a warden that was killed. When the
// host ends, the wardens end their process trees, and then the keeper exits. No standard library.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tree.hpp"
#include "warden.hpp"

namespace {

using namespace hawser::keeper_protocol;

// The pids of the wardens, to distinguish them from orphans of a killed warden.
class warden_list {
 public:
  /// Call before add().
  bool make_room() {
    if (count_ < room_) return true;
    const unsigned larger = room_ == 0 ? 16 : room_ * 2;
    void* grown = realloc(pids_, larger * sizeof(pid_t));
    if (grown == nullptr) return false;
    pids_ = static_cast<pid_t*>(grown);
    room_ = larger;
    return true;
  }
  void add(pid_t pid) { pids_[count_++] = pid; }
  void remove(pid_t pid) {
    for (unsigned i = 0; i < count_; ++i) {
      if (pids_[i] == pid) pids_[i] = pids_[--count_];
    }
  }
  [[nodiscard]] bool has(pid_t pid) const {
    for (unsigned i = 0; i < count_; ++i) {
      if (pids_[i] == pid) return true;
    }
    return false;
  }

 private:
  pid_t* pids_ = nullptr;
  unsigned count_ = 0;
  unsigned room_ = 0;
};

enum class receive_outcome { request, nothing, end };

receive_outcome receive(start_request& request, int (&fds)[request_descriptors]) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)];
  iovec body{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    size = recvmsg(host_socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    poll(nullptr, 0, 10);  // some resource is exhausted; if the host is gone, the next poll reports it
    return receive_outcome::nothing;
  }
  if (size != sizeof request) return receive_outcome::end;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  const size_t arrived =
      header == nullptr || header->cmsg_type != SCM_RIGHTS ? 0 : (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (arrived > 0) memcpy(fds, CMSG_DATA(header), arrived * sizeof(int));
  if (arrived == request_descriptors) return receive_outcome::request;
  // Out of descriptors: the request is dropped. The host notices because its control socket is closed.
  for (size_t i = 0; i < arrived; ++i) close(fds[i]);
  return receive_outcome::nothing;
}

// False if the host has closed its end of the control socket, so that the child would not be used.
bool control_is_open(int control) {
  pollfd asker{control, 0, 0};
  return poll(&asker, 1, 0) == 0;
}

void start_warden(const start_request& request, const int (&fds)[request_descriptors], warden_list& wardens,
                  int child_signals) {
  const int control = fds[request_descriptors - 1];
  if (control_is_open(control)) {
    const pid_t pid = wardens.make_room() ? fork() : -1;
    if (pid == 0) {
      close(host_socket);
      hawser::run_warden(request, fds, child_signals);
    }
    if (pid > 0) {
      wardens.add(pid);
    } else {
      const report sorry{report_kind::failed, errno, static_cast<std::int32_t>(start_step::fork), {}};
      send(control, &sorry, sizeof sorry, MSG_NOSIGNAL);
    }
  }
  for (const int fd : fds) close(fd);
}

// Reaps every child that has exited. Returns false if no child is left.
bool reap(warden_list& wardens) {
  bool any = false;
  pid_t pid = 0;
  while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
    wardens.remove(pid);
    any = true;
  }
  // A warden exits after its process tree. The tree of a killed warden is reparented to the keeper.
  if (any) {
    hawser::for_each_child(
        [](pid_t child, void* list) {
          if (!static_cast<warden_list*>(list)->has(child)) kill(child, SIGKILL);
        },
        &wardens);
  }
  return pid == 0;
}

// A service manager that stops a service, or a system shutdown, sends SIGTERM to every process. The keeper and the
// wardens must outlive the process trees in order to end them, so they block all signals, except those for faults of
// their own. Programs started by a warden get an empty mask.
void block_signals() {
  sigset_t all{};
  sigfillset(&all);
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  for (const int fault : faults) sigdelset(&all, fault);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

int main() {
  close(own_image);
  fcntl(host_socket, F_SETFD, FD_CLOEXEC);
  fcntl(host_process, F_SETFD, FD_CLOEXEC);
  prctl(PR_SET_NAME, "hawser-keeper");  // started from a memory file, it would be named after a descriptor
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (chdir("/") != 0) return 1;  // do not keep any folder from being removed or unmounted
  block_signals();
  sigset_t child{};
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int child_signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  if (child_signals < 0) return 1;
  warden_list wardens;
  bool host_lives = true;
  while (true) {
    pollfd watched[] = {{child_signals, POLLIN, 0},
                        {host_lives ? host_socket : -1, POLLIN, 0},
                        {host_lives ? host_process : -1, POLLIN, 0}};
    if (poll(watched, 3, -1) < 0 && errno != EINTR) return 1;
    const bool had_host = host_lives;
    // Requests may still be queued, but their results are no longer needed.
    if ((watched[2].revents & POLLIN) != 0 || (watched[1].revents & ~POLLIN) != 0) {
      host_lives = false;
    } else if (watched[1].revents != 0) {
      start_request request{};
      int fds[request_descriptors];
      const receive_outcome what = receive(request, fds);
      if (what == receive_outcome::request) start_warden(request, fds, wardens, child_signals);
      host_lives = what != receive_outcome::end;
    }
    signalfd_siginfo drained{};
    while (read(child_signals, &drained, sizeof drained) > 0) {
    }
    if (had_host && !host_lives) close(host_socket);  // a host that still runs must see that nothing is read
    // The wardens detect the end of the host themselves; the keeper stays until the last of them has exited.
    if (!reap(wardens) && !host_lives) return 0;
  }
}
