// SPDX-License-Identifier: MIT
// mcp-proxy, which makes a server on the network of any stdio server: of both eras on one endpoint, and of the old
// HTTP+SSE transport on another.
#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace http_proxy_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
using testing::interop_server_config;
namespace interop = testing::interop;

// In front of server-everything, whose first argument is the transport.
interop_server_config proxied(protocol_choice protocol, std::string path, http_settings::kind type) {
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

task<void> answers(interop_fixture& fixture) {
  const std::string echo = co_await fixture.call("far__echo", R"({"message":"over there"})");
  expect(echo == "Echo: over there") << echo;
  auto bad = co_await fixture.at().call("far__get-sum", R"({"a":"one"})");
  expect(fatal(bad.has_value()));
  expect(bad->is_error() and contains(bad->text(), "Input validation error")) << bad->text();
  auto prompts = co_await fixture.at().list("far", list_kind::prompts);
  expect(prompts.has_value() and prompts->size() == 4_ul);
  auto document = co_await fixture.at().read_resource("far", "demo://resource/static/document/features.md");
  expect(document.has_value() and contains(document->text(), "features.md"));
}

task<void> is_modern(interop_fixture& fixture) {
  expect(fixture.of("far").negotiated.revision == "2026-07-28") << fixture.of("far").negotiated.revision;
  expect(fixture.sent("far", R"("method":"initialize")") == 0_ul);
  co_return;
}

task<void> is_legacy(interop_fixture& fixture) {
  expect(fixture.of("far").negotiated.revision == "2025-11-25") << fixture.of("far").negotiated.revision;
  expect(fixture.sent("far", R"("method":"initialize")") == 1_ul);
  co_return;
}

task<void> reports_progress(interop_fixture& fixture) {
  int steps = 0;
  request_options settings;
  settings.on_progress = [&](const progress_update&) { ++steps; };
  auto answer = co_await fixture.at().call("far__trigger-long-running-operation", R"({"duration":0.4,"steps":4})",
                                           std::move(settings));
  expect(fatal(answer.has_value()));
  expect(contains(answer->text(), "Long running operation completed")) << answer->text();
}

const suite<"interop http: mcp-proxy of the modern era"> modern = [] {
  interop_fixture fixture{{proxied({}, "/mcp", http_settings::kind::automatic)}};
  "it is found to speak 2026-07-28, without a handshake"_test = [&] { fixture.run(is_modern); };
  "it answers, says no, lists and reads"_test = [&] { fixture.run(answers); };
  "a call that takes long is answered"_test = [&] { fixture.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { fixture.stop(); };
};

const suite<"interop http: mcp-proxy of the legacy era"> legacy = [] {
  interop_fixture fixture{{proxied({.era = protocol_choice::kind::legacy}, "/mcp", http_settings::kind::streamable)}};
  "it speaks 2025-11-25 with a session"_test = [&] { fixture.run(is_legacy); };
  "it answers, says no, lists and reads"_test = [&] { fixture.run(answers); };
  "a call that takes long is answered"_test = [&] { fixture.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { fixture.stop(); };
};

const suite<"interop sse: mcp-proxy"> sse = [] {
  interop_fixture fixture{{proxied({}, "/sse", http_settings::kind::automatic)}};
  "it is found to speak the transport of 2024-11-05"_test = [&] { fixture.run(is_legacy); };
  "it answers, says no, lists and reads"_test = [&] { fixture.run(answers); };
  "a call that takes long is answered"_test = [&] { fixture.run(reports_progress); };
  "closing it leaves nothing behind"_test = [&] { fixture.stop(); };
};

}  // namespace http_proxy_test
