// SPDX-License-Identifier: MIT
// Where the browser comes back to: a port on loopback that is open for one login, takes the one redirect that knows its
// state, and closes. It shows constant pages and nothing of what it was sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../transports/http_server.hpp"
#include "callback_answer.hpp"

namespace hawser {

struct callback_place {
  std::uint16_t port = 0;  ///< 0: any that is free
  std::string path{};      ///< empty: one that nobody can guess
};

class callback_server {
 public:
  /// No login takes longer, whatever is asked for.
  static constexpr duration longest_wait = std::chrono::minutes{5};

  /// Bound from now on, so that what is registered is what is listened at; 127.0.0.1 and no other address. errc::config
  /// for a path that is none, errc::io where the port is taken.
  static result<callback_server> listen(loop& home, callback_place where = {});

  /// `http://127.0.0.1:PORT/callback/RANDOM`, or with the path that was given.
  [[nodiscard]] const std::string& redirect_uri() const noexcept { return redirect_uri_; }

  /// The one redirect with that state; others hear 400 and are waited past. Once: on every path out of it the port is
  /// free. errc::timed_out when nobody came, errc::protocol when the right one brought nothing.
  task<result<callback_answer>> wait(secret state, duration bound = longest_wait);

 private:
  callback_server(http_server server, const std::string& path);

  std::optional<http_server> server_;
  std::string host_;
  std::string path_;
  std::string redirect_uri_;
};

}  // namespace hawser
