// SPDX-License-Identifier: MIT
// The questions this program can answer; each returns its exit code: 0 met, 1 missed, 2 could not measure.
#pragma once

#include "../host/settings.hpp"
#include "harness.hpp"

namespace hawser::bench {

/// What does one exchange with a child cost through `stream`, against blocking reads and writes?
int floor(const settings& s);
/// What does starting a child cost, from the call to its first answer, against posix_spawn?
int start(const settings& s);
/// What does finding a tool cost, and changing one server's tools among many, alone and while many threads read?
int look_up(const settings& s);
/// What does a tools/call cost, alone and in a crowd, against blocking reads and writes to the same server?
int dispatch(const settings& s);
/// The same over HTTP and TLS, against blocking keep-alive exchanges.
int http(const settings& s);
/// What does a result of 5 MB cost, as bytes and as a tree, against reading it from a socket pair?
int large(const settings& s);
/// How long does it take from asking for a list of tools to the published table?
int list(const settings& s);
/// So many of our small server, with so many tools each.
host_settings bench_servers(int count, int tools);
/// So many servers at this address.
host_settings web_servers(int count, int port);
/// So many of it by posix_spawn, shaken hands with and listed by blocking calls.
bool start_floor(int count, distribution& into);
/// How long until a hundred configured servers are ready, against posix_spawn and the same handshake?
int cold(const settings& s);
/// What does a server that does nothing cost in the host's memory?
int memory(const settings& s);
/// How long do `hawser list` and `hawser call` take, from exec to exit?
int command_line(const settings& s);

}  // namespace hawser::bench
