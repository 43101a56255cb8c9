# An MCP server over stdio with one tool, read_file, for the first program of README.md. A request ends with its id.
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  case $line in *'"id":'*) id=${line##*'"id":'} id=${id%\}} ;; *) continue ;; esac
  case $line in
    *'"method":"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer '"result":{"tools":[{"name":"read_file","inputSchema":{"type":"object"}}]}' ;;
    *'"path":"notes.txt"'*) answer '"result":{"content":[{"type":"text","text":"the text of notes.txt"}]}' ;;
    *) answer '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
