// SPDX-License-Identifier: MIT
// Two connected streams, and data to send.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "../../runtime/io/stream.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct stream_pair {
  stream a;
  stream b;
};

inline stream_pair socket_pair(loop& l, stream_limits limits = {}) {
  int fds[2];
  expect(fatal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0));
  auto a = stream::adopt(l, fds[0], limits);
  auto b = stream::adopt(l, fds[1], limits);
  return {std::move(*a), std::move(*b)};
}

/// `a` is the end to write to.
inline stream_pair pipe_pair(loop& l, stream_limits limits = {}) {
  int fds[2];
  expect(fatal(pipe2(fds, O_CLOEXEC) == 0));
  auto a = stream::adopt(l, fds[1], limits);
  auto b = stream::adopt(l, fds[0], limits);
  return {std::move(*a), std::move(*b)};
}

/// A text with few repetitions.
inline std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}

}  // namespace hawser::testing
