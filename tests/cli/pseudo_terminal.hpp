// SPDX-License-Identifier: MIT
// A terminal for tests: what is written to `user` is read from `main`, and the other way round.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "../support/ut.hpp"

namespace hawser::testing {

struct pseudo_terminal {
  explicit pseudo_terminal(unsigned short columns) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    expect(openpty(&main, &user, nullptr, nullptr, &size) == 0);
    fcntl(main, F_SETFL, O_NONBLOCK);
    fcntl(main, F_SETFD, FD_CLOEXEC);
    fcntl(user, F_SETFD, FD_CLOEXEC);
  }
  pseudo_terminal(const pseudo_terminal&) = delete;
  pseudo_terminal& operator=(const pseudo_terminal&) = delete;
  ~pseudo_terminal() {
    close(main);
    close(user);
  }

  /// What was written since the last time; empty if nothing.
  [[nodiscard]] std::string text() const {
    std::string all(1 << 16, '\0');
    const ssize_t count = read(main, all.data(), all.size());
    all.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return all;
  }

  int main = -1;
  int user = -1;
};

}  // namespace hawser::testing
