// SPDX-License-Identifier: MIT
// mcp-proxy, which makes a server on the network of any stdio server: of both eras on one endpoint, and of the old
// HTTP+SSE transport on another.
#include "../support/contains.hpp"
#include "../support/interop_house.hpp"

namespace http_proxy_test {

using namespace hawser;
using testing::contains;
using testing::interop_guest;
using testing::interop_house;
namespace interop = testing::interop;

// In front of server-everything, whose first argument is the transport.
interop_guest proxied(protocol_choice protocol, std::string path, http_settings::kind type) {
  const auto server = testing::interop_server(interop::everything);
  std::vector<std::string> more{"--host", "127.0.0.1", "--port", "8080", "--"};
  if (server) {
    more.push_back(server->program);
    more.insert(more.end(), server->arguments.begin(), server->arguments.end());
    more.emplace_back("stdio");
  }
  return {.name = "far",
          .script = interop::proxy,
          .more = std::move(more),
          .protocol = std::move(protocol),
          .path = std::move(path),
          .type = type};
}

task<void> answers(interop_house& house) {
  const std::string echo = co_await house.call("far__echo", R"({"message":"over there"})");
  expect(echo == "Echo: over there") << echo;
  auto bad = co_await house.at().call("far__get-sum", R"({"a":"one"})");
  expect(fatal(bad.has_value()));
  expect(bad->is_error() and contains(bad->text(), "Input validation error")) << bad->text();
  auto prompts = co_await house.at().list("far", list_kind::prompts);
  expect(prompts.has_value() and prompts->size() == 4_ul);
  auto document = co_await house.at().read_resource("far", "demo://resource/static/document/features.md");
  expect(document.has_value() and contains(document->text(), "features.md"));
}

task<void> is_modern(interop_house& house) {
  expect(house.of("far").agreed.revision == "2026-07-28") << house.of("far").agreed.revision;
  expect(house.sent("far", R"("method":"initialize")") == 0_ul);
  co_return;
}

task<void> is_legacy(interop_house& house) {
  expect(house.of("far").agreed.revision == "2025-11-25") << house.of("far").agreed.revision;
  expect(house.sent("far", R"("method":"initialize")") == 1_ul);
  co_return;
}

task<void> reports_progress(interop_house& house) {
  int steps = 0;
  call_settings settings;
  settings.on_progress = [&](const progress_update&) { ++steps; };
  auto answer = co_await house.at().call("far__trigger-long-running-operation", R"({"duration":0.4,"steps":4})",
                                         std::move(settings));
  expect(fatal(answer.has_value()));
  expect(contains(answer->text(), "Long running operation completed")) << answer->text();
}

const suite<"interop http: mcp-proxy of the modern era"> modern = [] {
  interop_house house{{proxied({}, "/mcp", http_settings::kind::automatic)}};
  "it is found to speak 2026-07-28, without a handshake"_test = [&] { house.run(is_modern); };
  "it answers, says no, lists and reads"_test = [&] { house.run(answers); };
  "a call that takes long is answered"_test = [&] { house.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { house.stop(); };
};

const suite<"interop http: mcp-proxy of the legacy era"> legacy = [] {
  interop_house house{{proxied({.era = protocol_choice::kind::legacy}, "/mcp", http_settings::kind::streamable)}};
  "it speaks 2025-11-25 with a session"_test = [&] { house.run(is_legacy); };
  "it answers, says no, lists and reads"_test = [&] { house.run(answers); };
  "a call that takes long is answered"_test = [&] { house.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { house.stop(); };
};

const suite<"interop sse: mcp-proxy"> sse = [] {
  interop_house house{{proxied({}, "/sse", http_settings::kind::automatic)}};
  "it is found to speak the transport of 2024-11-05"_test = [&] { house.run(is_legacy); };
  "it answers, says no, lists and reads"_test = [&] { house.run(answers); };
  "a call that takes long is answered"_test = [&] { house.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { house.stop(); };
};

}  // namespace http_proxy_test
