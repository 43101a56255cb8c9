// SPDX-License-Identifier: MIT
#include "keeper_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <vector>

#include "../../keeper/protocol.hpp"
#include "../../loop/detail/loop_core.hpp"
#include "keeper_image.hpp"

namespace hawser::detail {

namespace {

using keeper_protocol::host_process;
using keeper_protocol::host_socket;
using keeper_protocol::own_image;

constexpr int above_those_of_the_keeper = 16;

unique_fd pidfd_of(pid_t pid) { return unique_fd{static_cast<int>(syscall(SYS_pidfd_open, pid, 0))}; }

// Moves a descriptor above the numbers that the keeper uses. Invalid stays invalid, with errno set.
unique_fd moved_up(unique_fd fd) {
  if (!fd) return fd;
  unique_fd moved{fcntl(fd.get(), F_DUPFD_CLOEXEC, above_those_of_the_keeper)};
  if (!moved && errno == EINVAL)
    errno = EMFILE;  // F_DUPFD returns EINVAL if the descriptor limit is not above this number
  return moved;
}

// Invalid if the system does not allow it, with errno set.
unique_fd image_in_memory() {
  unique_fd file{memfd_create("hawser-keeper", MFD_CLOEXEC)};
  if (!file) return file;
  for (std::string_view rest = keeper_image(); !rest.empty();) {
    const ssize_t count = ::write(file.get(), rest.data(), rest.size());
    if (count <= 0) return {};
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return moved_up(std::move(file));
}

// Any other way to start the program would fail for the same reason; retrying later may help.
bool is_short_of_something(int number) {
  return number == EMFILE || number == ENFILE || number == ENOMEM || number == EAGAIN;
}

error cannot_start(int number, const std::string& tried) {
  error why = from_errno(number, "cannot start the keeper" + (tried.empty() ? "" : " (tried " + tried + ')'));
  why.code = errc::spawn;
  why.native = number;  // an errno, like every other start failure
  return why;
}

std::string folder_of_this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string text{path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
  return text.substr(0, text.rfind('/') + 1);
}

class spawn_plan {
 public:
  spawn_plan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;
  ~spawn_plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  /// Returns an errno: without one of these file actions, the process must not be started.
  [[nodiscard]] int describe(int socket, int host, int image) {
    int failed = 0;
    const auto add = [&failed](int status) { failed = failed == 0 ? status : failed; };
    for (const int fd : {0, 1, 2}) add(posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0));
    add(posix_spawn_file_actions_adddup2(&actions_, socket, host_socket));
    add(posix_spawn_file_actions_adddup2(&actions_, host, host_process));
    if (image >= 0) add(posix_spawn_file_actions_adddup2(&actions_, image, own_image));
    // Closes every other descriptor that any thread of the embedding program has open.
    add(posix_spawn_file_actions_addclosefrom_np(&actions_, image >= 0 ? own_image + 1 : own_image));
    sigset_t all{};
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &all);  // the keeper unblocks the signals it needs
    // A separate session: no controlling terminal, and no Ctrl-C meant for the host program.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    return failed;
  }

  int run(const std::string& path, pid_t& pid) {
    std::string name = "hawser-keeper";
    std::array<char*, 2> arguments{name.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    return posix_spawn(&pid, path.c_str(), &actions_, &attributes_, arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

void hang_up(unique_fd& socket) noexcept {
  if (socket) ::shutdown(socket.get(), SHUT_RDWR);
  socket.reset();
}

result<std::shared_ptr<keeper_process>> keeper_process::start(loop& event_loop, const std::string& path) {
  std::array<int, 2> pair{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) return cannot_start(errno, "");
  auto made = std::make_shared<keeper_process>();
  made->socket.reset(pair[0]);
  const unique_fd theirs = moved_up(unique_fd{pair[1]});
  const unique_fd host = moved_up(pidfd_of(getpid()));
  if (!theirs || !host) return cannot_start(errno, "");

  std::vector<std::string> candidates;
  unique_fd image;
  if (!path.empty()) {
    candidates = {path};
  } else {
    image = image_in_memory();
    if (!image && is_short_of_something(errno)) return cannot_start(errno, "");
    if (image) candidates.push_back("/proc/self/fd/" + std::to_string(own_image));
    // If the folder is unknown, skip these: a relative path would search the working directory, which may belong to
    // anyone.
    if (const std::string folder = folder_of_this_program(); !folder.empty()) {
      candidates.push_back(folder + "hawser-keeper");
      candidates.push_back(folder + "../libexec/hawser/hawser-keeper");
    }
  }
  spawn_plan plan;
  if (const int failed = plan.describe(theirs.get(), host.get(), image.get()); failed != 0)
    return cannot_start(failed, "");
  std::string tried;
  int status = ENOENT;
  for (const std::string& candidate : candidates) {
    pid_t pid = 0;
    status = plan.run(candidate, pid);
    if (status == 0) {
      made->process = pidfd_of(pid);
      auto watched = made->process ? made->watch(event_loop) : from_errno(errno, "keeper: descriptors");
      if (watched) return made;
      hang_up(made->socket);  // it has started nothing yet and exits at once
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
      return watched.error();
    }
    tried += (tried.empty() ? "" : ", ") + candidate;
    if (is_short_of_something(status)) break;
  }
  return cannot_start(status, tried);
}

result<void> keeper_process::watch(loop& event_loop) {
  int made = 0;
  poll = make_handle<uv_poll_t>(event_loop, made, uv_poll_init, process.get());
  if (!poll) return from_uv(made, "watch the keeper");
  poll->data = this;
  uv_poll_start(poll.get(), UV_READABLE, [](uv_poll_t* handle, int, int) {
    if (handle->data == nullptr) return;
    auto& self = *static_cast<keeper_process*>(handle->data);
    self.poll.reset();
    self.ended.set();
  });
  return {};
}

void keeper_process::kill() noexcept {
  killed = true;
  syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

void keeper_process::reap() noexcept {
  if (!process) return;
  siginfo_t how{};
  while (waitid(P_PIDFD, static_cast<id_t>(process.get()), &how, WEXITED | WNOHANG) != 0 && errno == EINTR) {
  }
}

}  // namespace hawser::detail
