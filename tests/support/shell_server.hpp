// SPDX-License-Identifier: MIT
// A legacy MCP server as a short shell script: starts fast and is easy to make misbehave.
#pragma once

#include <string_view>

namespace hawser::testing {

// Functions of every shell server: `request` reads the next request, `answer JSON` responds to it, `usual` handles
// the requests that any server gets, `begin` does so until the tools are listed, and `serve` then responds to every
// call with $result.
inline constexpr std::string_view shell_words = R"sh(
request() { while IFS= read -r line; do case $line in *'"id":'*) id=${line##*'"id":'}; id=${id%\}}; return 0;; esac; done; exit 0; }
say() { printf '%s\n' "$1"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
tools='{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}'
can='{"tools":{"listChanged":true}}'
result='{"content":[{"type":"text","text":"ok"}]}'
usual() { case $line in
  *'"method":"initialize"'*) answer '{"protocolVersion":"2025-06-18","capabilities":'"$can"',"serverInfo":{"name":"sh","version":"1"}}';;
  *'"method":"tools/list"'*) answer "$tools";;
  *'"method":"ping"'*) answer '{}';;
  *) return 1;; esac; }
begin() { request; usual; request; usual; }
serve() { while request; do usual || answer "$result"; done; }
)sh";

}  // namespace hawser::testing
