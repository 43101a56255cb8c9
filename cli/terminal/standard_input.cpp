// SPDX-License-Identifier: MIT
#include "standard_input.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace hawser::cli {

result<std::string> read_all(int descriptor) {
  constexpr std::size_t largest = std::size_t{16} << 20;
  std::string text;
  std::array<char, 16384> room{};
  while (text.size() <= largest) {
    const ssize_t count = ::read(descriptor, room.data(), room.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return error{.code = errc::io, .what = std::strerror(errno), .native = errno};
    if (count == 0) return text;
    text.append(room.data(), static_cast<std::size_t>(count));
  }
  return error{.code = errc::too_large, .what = "more than 16 MiB"};
}

result<std::string> read_standard_input() {
  auto text = read_all(STDIN_FILENO);
  if (!text) return prefixed("stdin", std::move(text).error());
  return text;
}

}  // namespace hawser::cli
