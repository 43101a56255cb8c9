// SPDX-License-Identifier: MIT
// The benchmarks of this program. Each returns whether it could be measured; if not, it has printed why.
#pragma once

#include "../../host/config/settings.hpp"
#include "../report/report.hpp"

namespace hawser::bench {

/// The cost of one exchange with a child through `stream`, against blocking reads and writes.
bool floor(const settings& s, report& into);
/// The cost of starting a child, from the call to its first response, against posix_spawn.
bool start(const settings& s, report& into);
/// The cost of a tool lookup and of changing one server's tools among many, alone and with many reading threads.
bool look_up(const settings& s, report& into);
/// The cost of a tools/call, sequential and concurrent, against blocking reads and writes to the same server.
bool dispatch(const settings& s, report& into);
/// The same over HTTP and TLS, against blocking keep-alive exchanges.
bool http(const settings& s, report& into);
/// The cost of a result of 5 MB, as bytes and as a tree, against reading it from a socket pair.
bool large(const settings& s, report& into);
/// The time from a tools/list request to the published table.
bool list(const settings& s, report& into);
/// `count` instances of bench_mcp_server with `tools` tools each.
host_settings stdio_server_configs(int count, int tools);
/// `count` servers at this address.
host_settings http_server_configs(int count, int port);
/// Starts `count` of them by posix_spawn, with handshake and tools/list by blocking calls.
bool start_floor(int count, distribution& into);
/// The time until a hundred configured servers are ready, against posix_spawn and the same handshake.
bool cold(const settings& s, report& into);
/// The memory of the host per idle server.
bool memory(const settings& s, report& into);
/// The speed of a user's server, and its behaviour under load.
bool server(const settings& s, report& into);
/// The cost of a call while other servers are added and removed, against the same call when nothing changes.
bool swap(const settings& s, report& into);
/// The time of `hawser list` and `hawser call`, from exec to exit.
bool command_line(const settings& s, report& into);
/// Repeats one operation, for counting instructions.
bool count(const settings& s, report& into);
/// Whether the goals are met. Runs the other benchmarks.
bool verdict(const settings& s, report& into);

}  // namespace hawser::bench
