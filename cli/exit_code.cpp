// SPDX-License-Identifier: MIT
#include "exit_code.hpp"

namespace hawser::cli {

exit_code exit_code_for(const error& why) noexcept {
  switch (why.code) {
    case errc::cancelled: return exit_code::interrupted;
    case errc::timed_out: return exit_code::timed_out;
    case errc::config: return exit_code::config;
    case errc::tool_unknown: return exit_code::failure;
    case errc::parse:
    case errc::too_large:
    case errc::protocol:
    case errc::remote: return exit_code::refused;
    case errc::closed:
    case errc::io:
    case errc::spawn:
    case errc::auth:
    case errc::server_gone: break;
  }
  return why.executed == execution::unknown ? exit_code::outcome_unknown : exit_code::unreachable;
}

exit_code exit_code_for_server(const error& why) noexcept {
  return why.phase == "start" ? exit_code::unreachable : exit_code_for(why);
}

exit_code combine_exit_codes(exit_code one, exit_code other) noexcept {
  if (one == exit_code::ok || one == other) return other;
  return other == exit_code::ok ? one : exit_code::unreachable;
}

}  // namespace hawser::cli
