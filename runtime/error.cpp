// SPDX-License-Identifier: MIT
#include "error.hpp"

namespace hawser {

std::string_view to_string(errc code) noexcept {
  switch (code) {
    case errc::cancelled: return "cancelled";
    case errc::timed_out: return "timed_out";
    case errc::closed: return "closed";
    case errc::io: return "io";
    case errc::spawn: return "spawn";
    case errc::parse: return "parse";
    case errc::too_large: return "too_large";
    case errc::protocol: return "protocol";
    case errc::remote: return "remote";
    case errc::auth: return "auth";
    case errc::config: return "config";
    case errc::tool_unknown: return "tool_unknown";
    case errc::server_gone: return "server_gone";
  }
  return "unknown";
}

error prefixed(std::string_view subject, error e) {
  std::string text{subject};
  text += ": ";
  text += e.what;
  e.what = std::move(text);
  return e;
}

error cancelled_error() { return error{.code = errc::cancelled, .what = "cancelled"}; }

void throw_exception_from_error(const error& e, const boost::source_location& /*where*/) { throw unchecked_error{e}; }

}  // namespace hawser
