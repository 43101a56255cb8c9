// SPDX-License-Identifier: MIT
// Showing a page in the user's browser: by whichever program of the desktop takes the address, as one argument, without
// a shell. The browser is the user's and lives on when we end. Who calls this prints the address, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../runtime/launched.hpp"
#include "../transports/http_url.hpp"

namespace hawser {

/// An address that may be handed to other programs: https, or http on this machine; at most 8 KiB; no user name, and no
/// character that means something to anybody but a browser. Whatever else it was, its text() is that.
result<http_url> openable_url(std::string_view url);

/// What programs of a desktop need to find it, and nothing else of our environment: the rest may hold secrets.
environment desktop_environment();

class browser {
 public:
  /// Everything it goes by stands in `env`: BROWSER, a list of commands between colons in which %s is the address (else
  /// it is appended), PATH, and whether there is a display; without one only BROWSER is tried.
  explicit browser(loop& home, environment env = desktop_environment());

  /// Says who took it: who ended with 0, or still ran after half a second. errc::spawn when nobody did, and who was
  /// tried; errc::protocol for an address that may not be opened. A stop takes back nothing.
  task<result<std::string>> open(std::string url);

 private:
  task<result<void>> offer(command what);

  loop& loop_;
  environment env_;
  std::vector<launched> running_;  // looked after, so that they leave no zombies
};

}  // namespace hawser
