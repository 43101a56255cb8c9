// SPDX-License-Identifier: MIT
// The floor (baseline) for everything with a child process: posix_spawn, two pipes, blocking reads and writes. Uses
// nothing of Hawser.
#pragma once

#include <spawn.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::bench {

class blocking_child {
 public:
  enum class session : bool { ours, own };
  enum class wire : bool { pipes, socket };
  static std::optional<blocking_child> start(const std::string& program, session where = session::own,
                                             std::vector<std::string> arguments = {}, wire over = wire::pipes);
  blocking_child(blocking_child&& other) noexcept;
  blocking_child& operator=(blocking_child&&) = delete;
  /// Closes its stdin and waits for it.
  ~blocking_child();

  /// Sends a message and reads as many bytes back.
  bool exchange(std::string_view message);
  /// The same with an epoll_wait before each read: the minimum for any event loop.
  bool exchange_by_epoll(std::string_view message);
  /// Sends a line and reads the line of the response, into memory that is reused.
  bool exchange_line(std::string_view line);

 private:
  blocking_child(pid_t pid, int in, int out) : pid_(pid), in_(in), out_(out) {}
  pid_t pid_;
  bool read_back(std::size_t size, int epoll);
  int in_;
  int out_;
  int epoll_ = -1;
  std::vector<char> answer_;
};

}  // namespace hawser::bench
