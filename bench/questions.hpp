// SPDX-License-Identifier: MIT
// The questions this program can answer; each returns whether it could be measured, and has said why not.
#pragma once

#include "../host/settings.hpp"
#include "report.hpp"

namespace hawser::bench {

/// What does one exchange with a child cost through `stream`, against blocking reads and writes?
bool floor(const settings& s, report& into);
/// What does starting a child cost, from the call to its first answer, against posix_spawn?
bool start(const settings& s, report& into);
/// What does finding a tool cost, and changing one server's tools among many, alone and while many threads read?
bool look_up(const settings& s, report& into);
/// What does a tools/call cost, alone and in a crowd, against blocking reads and writes to the same server?
bool dispatch(const settings& s, report& into);
/// The same over HTTP and TLS, against blocking keep-alive exchanges.
bool http(const settings& s, report& into);
/// What does a result of 5 MB cost, as bytes and as a tree, against reading it from a socket pair?
bool large(const settings& s, report& into);
/// How long does it take from asking for a list of tools to the published table?
bool list(const settings& s, report& into);
/// So many of our small server, with so many tools each.
host_settings bench_servers(int count, int tools);
/// So many servers at this address.
host_settings web_servers(int count, int port);
/// So many of it by posix_spawn, shaken hands with and listed by blocking calls.
bool start_floor(int count, distribution& into);
/// How long until a hundred configured servers are ready, against posix_spawn and the same handshake?
bool cold(const settings& s, report& into);
/// What does a server that does nothing cost in the host's memory?
bool memory(const settings& s, report& into);
/// How fast is a server of the user's, and what becomes of it under load?
bool server(const settings& s, report& into);
/// What does a call cost while other servers come and go, against when nothing changes?
bool swap(const settings& s, report& into);
/// How long do `hawser list` and `hawser call` take, from exec to exit?
bool command_line(const settings& s, report& into);
/// Does one thing so many times, for who counts instructions.
bool count(const settings& s, report& into);
/// Are the goals met? Asks the other questions.
bool verdict(const settings& s, report& into);

}  // namespace hawser::bench
