// SPDX-License-Identifier: MIT
#include "guarded_options.hpp"

#include "../../runtime/guarded.hpp"

namespace hawser::detail {

hub_options with_guards(hub_options options, loop& home) {
  if (options.on_change) {
    options.on_change = [&home, tell = std::move(options.on_change)](const host_change& change) {
      call_guarded(home.log(), "on_change", [&] { tell(change); });
    };
  }
  if (options.trace) {
    options.trace = [&home, trace = std::move(options.trace)](std::string_view server, std::string_view line) {
      call_guarded(home.log(), "trace", [&] { trace(server, line); });
    };
  }
  return options;
}

}  // namespace hawser::detail
