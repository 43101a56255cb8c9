// SPDX-License-Identifier: MIT
#include "help.hpp"

#include <algorithm>
#include <array>

namespace hawser::bench {

namespace {

struct help_text {
  std::string_view question;
  std::string_view words;
};

constexpr std::array texts{
    help_text{
        "floor",
        "A message of 132 bytes goes to a child that echoes it, and comes back: by blocking read and write, which is\n"
        "the floor, by the least that an event loop does, and by Hawser's stream. Client and child share one core.\n"
        "Example: hawser-bench floor --rounds 50"},
    help_text{
        "dispatch",
        "A tools/call to a tiny server over stdio, with deadline, cancellation and scanning, against blocking system\n"
        "calls to the same server in the same rounds: from the loop's thread, from another thread, in memory, and\n"
        "with up to 256 in flight. --peers adds the TypeScript SDK and client, side by side with Hawser and the floor\n"
        "over stdio and HTTP; --peer 'name=command' any other client (bench/peers/README.md).\n"
        "Example: hawser-bench dispatch --quick --plot dispatch.svg"},
    help_text{
        "http",
        "A tools/call over HTTP and HTTPS against blocking keep-alive exchanges with the same server, 16 in flight,\n"
        "with a login, with heads of answers that differ each time, and a result of 5 MB against as many bytes "
        "through\n"
        "a socket pair.\n"
        "Example: hawser-bench http --json"},
    help_text{"large",
              "One result of 5 MB over stdio: as bytes and as a tree, against reading it with blocking system calls.\n"
              "Example: hawser-bench large --rounds 10"},
    help_text{"list",
              "From asking for 10,000 and 100,000 tools to the table in which they can be found.\n"
              "Example: hawser-bench list"},
    help_text{"start",
              "From the call that starts a child to its first answer: by the keeper, which ends whole process trees,\n"
              "against posix_spawn; one at a time, and a hundred at once.\n"
              "Example: hawser-bench start --rounds 5"},
    help_text{
        "cold",
        "A hundred servers from their settings to the last one's tools in the table, against posix_spawn and a bare\n"
        "handshake. Era detection and supervision are in the figure.\n"
        "Example: hawser-bench cold"},
    help_text{
        "memory",
        "What the host's process grows by for a server that is connected and has nothing to do, over stdio and HTTP.\n"
        "--rounds is the number of servers.\n"
        "Example: hawser-bench memory --rounds 50"},
    help_text{"cli",
              "`hawser list` and `hawser call` as their user waits for them: from exec to exit, with ten servers.\n"
              "Example: hawser-bench cli"},
    help_text{
        "registry",
        "Finding a tool among up to 100,000, and adding and removing a server's 20 tools, alone and while threads\n"
        "read. It pins its own threads.\n"
        "Example: hawser-bench registry --rounds 20"},
    help_text{
        "swap",
        "A tools/call to one stdio server through the hub, and a look into the table of tools, in rounds in which\n"
        "nothing changes and in rounds in which another server is added and removed again and again: one inside the\n"
        "program, a thousand times a second, which is Hawser's own cost, and one that is a process, as often as it\n"
        "can be started, whose start takes its share of the core.\n"
        "Example: hawser-bench swap --rounds 20"},
    help_text{
        "count",
        "A call and its answer in memory, our side of one over HTTP, or a lookup among 10,000 tools, --rounds times;\n"
        "nothing is measured or printed. The difference of two runs under callgrind is the cost of one, on however "
        "busy\n"
        "a machine.\n"
        "Example: valgrind --tool=callgrind hawser-bench count dispatch --rounds 3000"},
    help_text{
        "verdict",
        "Asks the other questions, each in a process of its own, and shows every goal from P1 to P10 with its figure,\n"
        "its bar and whether that is met. --results writes all tables and plots as a page. Minutes at full length,\n"
        "half of one with --quick, which judges nothing. P9 compares with other clients: it needs --peers.\n"
        "Example: hawser-bench verdict --peers --results results"},
    help_text{
        "server",
        "Starts your server, or connects to it, and calls one of its tools: one call after the other, then 1 to 256\n"
        "in flight (closed loop), then with calls that come at 25 to 90 % of the best rate whether or not the ones\n"
        "before were answered (open loop); there a call's time counts from when it should have been made, so a stall\n"
        "shows. Beside it: how long a start takes, memory of the server's process tree and of the host, and every\n"
        "error by its kind. A ping, or what the protocol's era has instead, is the floor of the calls.\n"
        "\n"
        "Without --tool a harmless one is chosen, and said: it is called very often. The server shares one core with\n"
        "the client, so that runs can be compared; --free gives it all cores. Put -- before the command. A login that\n"
        "`hawser auth` keeps for the address is used. Ctrl-C ends it and shows what was measured so far; no process "
        "of\n"
        "the server's is left, whatever happens. Calls that fail make the exit code 1, a server that cannot be\n"
        "measured to the end 2.\n"
        "Examples: hawser-bench server -- npx -y @modelcontextprotocol/server-everything\n"
        "          hawser-bench server --tool search --arguments '{\"query\":\"rope\"}' --env API_KEY -- ./my-server\n"
        "          hawser-bench server --url https://example.com/mcp --header 'Authorization: Bearer …' --seconds 60"},
};

}  // namespace

std::string help_of(std::string_view question) {
  const auto found = std::ranges::find(texts, question, &help_text::question);
  return found == texts.end() ? std::string{} : std::string{found->words};
}

}  // namespace hawser::bench
