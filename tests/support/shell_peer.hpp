// SPDX-License-Identifier: MIT
// A client of hawser-bench's peer protocol as a short shell script: it makes no calls and is easy to make misbehave.
#pragma once

#include <string>

namespace hawser::testing {

/// `ready` and `times` are the commands for connecting and running; $count and $in_flight are those of the run.
inline std::string shell_peer(const std::string& ready = R"(echo '{"ready":"7"}')",
                              const std::string& times = "usual") {
  return R"sh(
usual() { each=$(printf ',1000%.0s' $(seq $count)); echo "{\"took\":$((count * 1000)),\"nanoseconds\":[${each#,}]}"; }
while read -r line; do case $line in
  '{"connect":'*) )sh" +
         ready + R"sh( ;;
  '{"run":'*) count=${line#*:}; count=${count%%,*}; in_flight=${line##*:}; in_flight=${in_flight%\}}; )sh" +
         times + R"sh( ;;
esac; done)sh";
}

}  // namespace hawser::testing
