// SPDX-License-Identifier: MIT
// Opens a page in the user's browser, through a desktop opener that gets the URL as one argument, without a shell. The
// browser keeps running when this program ends. The caller should also print the URL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../runtime/process/detached_process.hpp"
#include "../transports/http/http_url.hpp"

namespace hawser {

/// A URL that may be passed to other programs: https, or http on this machine; at most 8 KiB; no user name, and no
/// characters with a meaning for shells or terminals. Use the text() of the result.
result<http_url> parse_browser_url(std::string_view url);

/// The environment variables that desktop programs need. All others are left out, as they may hold secrets.
environment desktop_environment();

class browser {
 public:
  /// Uses only `env`: BROWSER, a colon-separated list of commands in which %s is the URL (appended if absent); PATH;
  /// and the display variables. Without a display only BROWSER is tried.
  explicit browser(loop& home, environment env = desktop_environment());

  /// Returns the opener that accepted the URL: it exited with 0 or was still running after half a second. errc::spawn
  /// with the openers tried if none did; errc::protocol for a URL that may not be opened. A stop does not undo
  /// anything.
  task<result<std::string>> open(std::string url);

 private:
  task<result<void>> try_opener(command what);

  loop& loop_;
  environment env_;
  std::vector<detached_process> running_;  // kept so that they are reaped
};

}  // namespace hawser
