// SPDX-License-Identifier: MIT
// A terminal for tests: what is written to `user` is read from `main`, and the other way round.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

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

  /// What was written since the last time, up to `end`, which is waited for: the kernel hands it on in its own time.
  [[nodiscard]] std::string text(std::string_view end = {}) const {
    std::string all;
    for (int i = 0; i < 2'000; ++i) {
      std::string more(1 << 16, '\0');
      const ssize_t count = read(main, more.data(), more.size());
      all += more.substr(0, count > 0 ? static_cast<std::size_t>(count) : 0);
      if (all.ends_with(end)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return all;
  }
  /// The same for a text that must be exactly this.
  [[nodiscard]] bool shows(std::string_view exactly) const { return text(exactly) == exactly; }

  int main = -1;
  int user = -1;
};

}  // namespace hawser::testing
