// SPDX-License-Identifier: MIT
#include "guarded_options.hpp"

#include "../../runtime/guarded.hpp"

namespace hawser::detail {

hub_options with_guards(hub_options options, loop& event_loop) {
  if (options.on_change) {
    options.on_change = [&event_loop, on_change = std::move(options.on_change)](const host_change& change) {
      call_guarded(event_loop.log(), "on_change", [&] { on_change(change); });
    };
  }
  if (options.trace) {
    options.trace = [&event_loop, trace = std::move(options.trace)](std::string_view server, std::string_view line) {
      call_guarded(event_loop.log(), "trace", [&] { trace(server, line); });
    };
  }
  return options;
}

}  // namespace hawser::detail
