// SPDX-License-Identifier: MIT
// That servers of other people start, answer and end at all: the wire alone, one server of each era.
#include "../support/interop_servers.hpp"
#include "../../host/session/tool_page.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../../transports/stdio/stdio_channel.hpp"
#include "../support/fixture.hpp"
#include "../support/run.hpp"
#include "../support/temporary_folder.hpp"

namespace interop_servers_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::interop_server;
using testing::new_token;
using testing::survivors;
using testing::temporary_folder;
namespace interop = testing::interop;

// A node that starts on a busy machine takes seconds until its first answer.
const call_options patient{.idle_timeout = 30s, .hard_timeout = 30s};

class nobody final : public peer_listener {};

// What a server answered, or nothing and a failure of the test.
task<std::string> ask(peer& server, const prepared_request& what) {
  auto answer = co_await server.call(what, {}, patient);
  expect(answer.has_value()) << (answer ? "" : answer.error().what);
  if (!answer) co_return std::string{};
  const auto valid = answer->check();
  expect(valid.has_value());
  co_return valid ? std::string{answer->text()} : std::string{};
}

// The number of tools on the only page.
std::size_t tools_in(const std::string& answer) {
  tool_list tools;
  const auto page = read_tool_page(raw_json{answer}, tools, 1000);
  expect(page.has_value()) << (page ? "" : page.error().what);
  if (!page) return 0;
  expect(!page->next_cursor.has_value() and page->skipped_count == 0_ul);
  return tools.size();
}

std::string member(const std::string& object, std::string_view name) {
  return object.empty() ? std::string{} : std::string{find_member(object, name)};
}

using body = task<void> (*)(peer&);

task<void> with_peer(loop& l, command server, body inside) {
  keeper k{l};
  {
    nobody listener;
    stdio_channel wire{k, stdio_channel_options{.what = std::move(server)}};
    peer side{l, wire, listener};
    auto opened = co_await wire.open(side);
    expect(opened.has_value()) << (opened ? "" : opened.error().what);
    if (opened) co_await inside(side);
    auto closed = co_await wire.close();
    expect(closed.has_value()) << (closed ? "" : closed.error().what);
    expect(side.counters().malformed == 0_ul and wire.reader().noise() == 0_ul) << wire.stderr_tail();
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
}

// The last argument, which no server of ours reads, is what its processes are found by.
void run_server(command server, body inside) {
  const std::string token = new_token();
  server.arguments.push_back(token);
  loop l;
  l.run(with_peer(l, std::move(server), inside));
  expect(survivors(token, 1000).empty());
}

task<void> memory_answers(peer& server) {
  const prepared_request initialize = prepared_request::verbatim(
      protocol::method::initialize,
      R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hawser-test","version":"0"}})");
  const std::string greeting = co_await ask(server, initialize);
  expect(member(greeting, "protocolVersion") == "\"2025-11-25\"") << greeting;
  server.notify(protocol::notification::initialized);
  const prepared_request list = prepared_request::verbatim(protocol::method::tools_list, "{}");
  const std::string tools = co_await ask(server, list);
  expect(tools_in(tools) == 9_ul) << tools.substr(0, 300);
}

task<void> modern_answers(peer& server) {
  const std::string params = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                             R"("io.modelcontextprotocol/clientCapabilities":{},)"
                             R"("io.modelcontextprotocol/clientInfo":{"name":"hawser-test","version":"0"}}})";
  const prepared_request discover = prepared_request::verbatim(protocol::method::discover, params);
  const std::string found = co_await ask(server, discover);
  expect(member(found, "supportedVersions") == R"(["2026-07-28"])") << found;
  expect(member(found, "resultType") == "\"complete\"" and member(found, "ttlMs") == "0") << found;
  const prepared_request list = prepared_request::verbatim(protocol::method::tools_list, params);
  const std::string tools = co_await ask(server, list);
  expect(tools_in(tools) == 11_ul) << tools.substr(0, 300);
  expect(member(tools, "ttlMs") == "30000" and member(tools, "cacheScope") == "\"public\"");
}

const suite<"interop plumbing"> tests = [] {
  "server-memory answers initialize and tools/list and leaves nobody behind"_test = [] {
    const temporary_folder folder;
    auto server = interop_server(interop::memory);
    if (!server) return;
    server->env.set["MEMORY_FILE_PATH"] = folder / "memory.jsonl";  // else it writes beside its own code
    run_server(std::move(*server), memory_answers);
  };

  "a server of the 2026-07-28 era answers server/discover and tools/list and leaves nobody behind"_test = [] {
    auto server = interop_server(interop::modern, {"--modern-only"});
    if (server) run_server(std::move(*server), modern_answers);
  };
};

}  // namespace interop_servers_test
