// SPDX-License-Identifier: MIT
#include "log.hpp"

#include "guarded.hpp"

namespace hawser {

std::string_view to_string(log_level level) noexcept {
  switch (level) {
    case log_level::trace: return "trace";
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
    case log_level::off: return "off";
  }
  return "unknown";
}

void logger::write(log_level level, std::string_view subject, std::string_view text) const noexcept {
  if (!wants(level)) return;
  auto written = guarded("the log sink", [&] { sink_(log_record{level, subject, text}); });
  ignore(written, "there is nowhere to say so: this is where it would be said");
}

}  // namespace hawser
