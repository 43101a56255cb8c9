// SPDX-License-Identifier: MIT
#include "blocking_child.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace hawser::bench {

std::optional<blocking_child> blocking_child::start(const std::string& program, session where,
                                                    std::vector<std::string> arguments, wire over) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0) return std::nullopt;
  const bool socket = over == wire::socket;
  if ((socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out.data()) : pipe2(out.data(), O_CLOEXEC)) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  // A session of its own, as for every child of Hawser: the kernel schedules sessions as groups (autogroup), and a
  // switch between groups costs more than one within a group.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (where == session::own) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int status = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  close(out[1]);
  if (status == 0) return blocking_child{pid, in[1], out[0]};
  close(in[1]);
  close(out[0]);
  return std::nullopt;
}

blocking_child::blocking_child(blocking_child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      in_(other.in_),
      out_(other.out_),
      epoll_(std::exchange(other.epoll_, -1)),
      answer_(std::move(other.answer_)) {}

blocking_child::~blocking_child() {
  if (pid_ == 0) return;
  if (epoll_ >= 0) close(epoll_);
  close(in_);
  close(out_);
  waitpid(pid_, nullptr, 0);
}

bool blocking_child::read_back(std::size_t size, int epoll) {
  std::array<char, 4096> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (std::size_t got = 0; got < size;) {
    epoll_event happened{};
    if (epoll >= 0 && epoll_wait(epoll, &happened, 1, -1) != 1) return false;
    const ssize_t count = read(out_, piece.data(), piece.size());
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

bool blocking_child::exchange(std::string_view message) {
  if (write(in_, message.data(), message.size()) != static_cast<ssize_t>(message.size())) return false;
  return read_back(message.size(), -1);
}

bool blocking_child::exchange_line(std::string_view line) {
  if (write(in_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return false;
  for (std::size_t got = 0; got == 0 || answer_[got - 1] != '\n';) {
    if (answer_.size() - got < 4096) answer_.resize(answer_.size() * 2 + 4096);
    const ssize_t count = read(out_, answer_.data() + got, answer_.size() - got);
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

bool blocking_child::exchange_by_epoll(std::string_view message) {
  if (epoll_ < 0) {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    epoll_event readable{.events = EPOLLIN, .data = {}};
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, out_, &readable) != 0) return false;
  }
  if (write(in_, message.data(), message.size()) != static_cast<ssize_t>(message.size())) return false;
  return read_back(message.size(), epoll_);
}

}  // namespace hawser::bench
