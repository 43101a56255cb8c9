// SPDX-License-Identifier: MIT
// The floor of everything with a child: posix_spawn, two pipes, blocking reads and writes. No Hawser in it.
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
  /// Ends its input and waits for it.
  ~blocking_child();

  /// Sends a message and reads as many bytes back.
  bool exchange(std::string_view message);
  /// The same with an epoll_wait before each read: the least that any event loop has to do.
  bool exchange_by_epoll(std::string_view message);
  /// Sends a line and reads until the line of the answer has ended, into memory that is kept.
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
