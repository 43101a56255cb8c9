// SPDX-License-Identifier: MIT
// The neutral server of the dispatch benchmarks: as small and fast as possible, so that the client's cost dominates.
// It answers tools/call with 117 bytes, or with a text of `--result N` bytes, and tools/list with `--tools N` tools
// of about 200 bytes, `--page M` to a page. It implements the handshake of 2025-11-25 and no later revision.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "request_fields.hpp"

namespace {

using hawser::bench::id_of;
using hawser::bench::method_of;

const std::string head = R"({"jsonrpc":"2.0","id":)";
std::string call_tail = R"(,"result":{"content":[{"type":"text","text":"four score and seven"}],"isError":false}})";
const std::string initialize_tail =
    R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}})"
    "\n";
const std::string discover_tail = R"(,"error":{"code":-32601,"message":"no such method"}})"
                                  "\n";
int tools = 0;
int page = 1;

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(1, bytes.data(), bytes.size());
    if (count <= 0) _exit(0);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Pages are built once at the start, so that building them is not measured.
std::string make_page(int begin) {
  std::string text = R"(,"result":{"tools":[)";
  const int end = begin + page < tools ? begin + page : tools;
  char tool[512];
  for (int i = begin; i < end; ++i) {
    // Multiplying by a number coprime to the count gives an unsorted order.
    const int name = static_cast<int>(static_cast<long long>(i) * 7919 % tools);
    const int size = snprintf(
        tool, sizeof tool,
        R"(%s{"name":"tool_%06d","description":"Looks up record number %d and tells what it knows.",)"
        R"("inputSchema":{"type":"object","properties":{"key":{"type":"string"},"limit":{"type":"integer"}},"required":["key"]}})",
        i == begin ? "" : ",", name, name);
    text.append(tool, static_cast<size_t>(size));
  }
  text += ']';
  if (end < tools) text += R"(,"nextCursor":")" + std::to_string(end) + '"';
  return text + "}}\n";
}

size_t page_asked_for(std::string_view line) {
  const size_t cursor = line.find(R"("cursor":")");
  return cursor == std::string_view::npos
             ? 0
             : static_cast<size_t>(atol(line.data() + cursor + 10)) / static_cast<size_t>(page);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const int value = atoi(argv[i + 1]);
    if (option == "--result")
      call_tail = R"(,"result":{"content":[{"type":"text","text":")" + std::string(static_cast<size_t>(value), 'r') +
                  R"("}],"isError":false}})";
    if (option == "--tools") tools = page = value;
    if (option == "--page") page = value;
  }
  call_tail += '\n';
  const int page_count = tools > 0 ? (tools + page - 1) / page : 1;
  std::vector<std::string> pages;
  pages.reserve(static_cast<size_t>(page_count));
  for (int i = 0; i < page_count; ++i) pages.push_back(make_page(i * page));

  static char bytes[1 << 20];
  size_t filled = 0;
  std::string out;
  while (true) {
    const ssize_t count = read(0, bytes + filled, sizeof bytes - filled);
    if (count <= 0) return 0;
    filled += static_cast<size_t>(count);
    const char* line = bytes;
    out.clear();
    while (const void* feed = memchr(line, '\n', filled - static_cast<size_t>(line - bytes))) {
      const char* end = static_cast<const char*>(feed);
      const std::string_view text{line, static_cast<size_t>(end - line)};
      line = end + 1;
      const std::string_view method = method_of(text);
      if (method.starts_with("notifications/")) continue;
      const std::string& tail = method.starts_with("tools/call")   ? call_tail
                                : method.starts_with("tools/list") ? pages[page_asked_for(text)]
                                : method.starts_with("initialize") ? initialize_tail
                                                                   : discover_tail;
      out += head;
      out += id_of(text);
      if (tail.size() > 65536) {  // avoids a copy
        write_all(out);
        out.clear();
        write_all(tail);
      } else {
        out += tail;
      }
    }
    filled -= static_cast<size_t>(line - bytes);
    memmove(bytes, line, filled);
    write_all(out);
  }
}
