// SPDX-License-Identifier: MIT
// The redirect endpoint of one login: listens on loopback, accepts one redirect with the right `state`, and closes.
// Serves constant pages that contain nothing from the request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../transports/http/server/http_server.hpp"
#include "authorization_response.hpp"

namespace hawser {

struct callback_options {
  std::uint16_t port = 0;  ///< 0: any free port
  std::string path{};      ///< empty: a random path
};

class callback_server {
 public:
  /// Upper bound of any login.
  static constexpr duration longest_wait = std::chrono::minutes{5};

  /// Binds at once, so that the registered redirect URI is the one in use; 127.0.0.1 only. errc::config for an invalid
  /// path, errc::io if the port is taken.
  static result<callback_server> listen(loop& home, callback_options where = {});

  /// `http://127.0.0.1:PORT/callback/RANDOM`, or with the given path.
  [[nodiscard]] const std::string& redirect_uri() const noexcept { return redirect_uri_; }

  /// Waits for the redirect with that state; other requests get 400 and do not end the wait. May be called once; the
  /// port is closed on return. errc::timed_out if no redirect came, errc::protocol if it had neither a code nor an
  /// error.
  task<result<authorization_response>> wait(secret state, duration bound = longest_wait);

 private:
  callback_server(http_server server, const std::string& path);

  std::optional<http_server> server_;
  std::string host_;
  std::string path_;
  std::string redirect_uri_;
};

}  // namespace hawser
