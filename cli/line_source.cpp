// SPDX-License-Identifier: MIT
#include "line_source.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hawser::cli {

result<stream> terminal_lines::open(loop& home) {
  const int descriptor = ::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return error{
        .code = errc::io, .what = std::string{"the terminal cannot be read: "} + std::strerror(errno), .native = errno};
  }
  tcflush(descriptor, TCIFLUSH);
  return stream::adopt(home, descriptor);
}

task<result<std::string>> terminal_lines::next() {
  while (true) {
    const std::string_view typed = from_.unread();
    if (const std::size_t end = typed.find('\n'); end != std::string_view::npos) {
      std::string line{typed.substr(0, end)};
      from_.consume(end + 1);
      co_return line;
    }
    auto more = co_await from_.read_some();
    if (!more) co_return std::move(more).error();
  }
}

}  // namespace hawser::cli
