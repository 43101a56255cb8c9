// SPDX-License-Identifier: MIT
// What the program says of servers and configurations that cannot be used: the cause, and what to do.
#include <chrono>
#include <csignal>
#include <string>

#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../../support/scripted_http_server.hpp"
#include "../hawser_program.hpp"

namespace error_texts_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
using hawser::testing::scripted_connection;
using hawser::testing::scripted_http_server;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

std::string setting_of(std::size_t bytes) { return R"("hawser": {"max_message": )" + std::to_string(bytes) + "}, "; }

// A server over HTTP that answers calls with a text of so many bytes, as JSON or as an event.
scripted_http_server::script answers_with(std::size_t bytes, bool as_event) {
  return [=](scripted_connection& with) {
    while (const auto asked = with.request()) {
      const auto answer = [&](const std::string& result) {
        return R"({"jsonrpc":"2.0","id":)" + asked->id() + R"(,"result":)" + result + '}';
      };
      if (asked->asks("initialize")) {
        with.json(answer(
            R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}})"));
      } else if (asked->asks("tools/list")) {
        with.json(answer(R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})"));
      } else if (asked->asks("tools/call")) {
        const std::string large =
            answer(R"({"content":[{"type":"text","text":")" + std::string(bytes, 'x') + R"("}]})");
        if (as_event) {
          with.events();
          with.say("data: " + large + "\n\n");
          return;
        }
        with.json(large);
      } else if (asked->is("POST")) {
        with.reply("202 Accepted", "text/plain", "");
      } else {
        with.reply("405 Method Not Allowed", "text/plain", "");
      }
    }
  };
}

const suite<"error texts"> tests = [] {
  "CMD-11 a command says which sources name no configuration, or what its file lacks"_test = [] {
    cli_fixture w{{}};
    w.environment = {"HAWSER_CONFIG="};
    for (const auto& words : std::vector<std::vector<std::string>>{{"tools"}, {"get", "x"}, {"call", "x__y"}}) {
      const auto r = w.run(words);
      expect(r.code != 0_i and contains(r.err, "neither --config nor HAWSER_CONFIG nor MCP_CONFIG_PATH names a"))
          << told(r);
    }
    w.environment = {};
    const auto empty = w.run({"tools"});
    expect(empty.code == 3_i and contains(empty.err, "mcp.json has none under \"mcpServers\"")) << told(empty);
    const cli_fixture off{{"off"}};
    const auto disabled = off.run({"tools"});
    expect(disabled.code == 3_i and contains(disabled.err, "mcp.json is disabled; to enable one, remove"))
        << told(disabled);
    w.environment = {"HAWSER_CONFIG=" + (w.folder / "none.json")};
    const auto missing = w.run({"tools"});
    expect(missing.code == 3_i and
           contains(missing.err, "none.json: No such file or directory (named by HAWSER_CONFIG)"))
        << told(missing);
  };

  "CMD-11 a disabled server is said to be that, with its place and the keys"_test = [] {
    const cli_fixture w{{"off", "demo"}};
    const std::string how =
        R"(remove "disabled": true or "enabled": false from its configuration ()" + (w.folder / "mcp.json");
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"call", "off__echo"}, {"call", "--server", "off", "echo"}, {"tools", "off"}, {"resources", "off"}}) {
      const auto r = w.run(words);
      expect(r.code != 0_i and contains(r.err, "disabled") and contains(r.err, how)) << told(r);
    }
    const auto get = w.run({"get", "off"});
    expect(contains(get.out, "disabled") and contains(get.out, how)) << told(get);
  };

  "CMD-11 a server whose entry was refused is told with the error of the entry"_test = [] {
    const cli_fixture w{{}};
    w.write("mcp.json", "{\"mcpServers\": {\n \"bad\": {\"command\": 7}}}");
    const std::string why = "mcp.json:2:21: error: /mcpServers/bad/command: must be a text";
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"get", "bad"}, {"tools", "bad"}, {"tools"}, {"call", "--server", "bad", "x"}}) {
      const auto r = w.run(words);
      expect(r.code == 3_i and contains(r.err, "hawser: ")) << told(r);
      const std::size_t said = r.err.find("hawser: ");
      expect(contains(std::string_view{r.err}.substr(std::min(said, r.err.size())), why)) << told(r);
    }
  };

  "CMD-11 a command that runs out of time names whom it waits for, and for what"_test = [] {
    const cli_fixture w{{"mute", "demo"}};
    for (const auto& words : std::vector<std::vector<std::string>>{{"call", "mute__tool", "--timeout", "4"},
                                                                   {"get", "mute", "--timeout", "4"},
                                                                   {"resources", "mute", "--timeout", "4"}}) {
      const auto r = w.run(words);
      // Which of the two it waits for depends on how much of the time was left for the first one.
      const bool named = contains(r.err, "initialize") or contains(r.err, "server/discover");
      expect(r.code == 5_i and contains(r.err, "still waiting for: ") and contains(r.err, "mute") and named) << told(r);
    }
    const auto slow = w.run({"call", "demo__slow", "seconds=60", "--timeout", "2"});
    expect(slow.code == 5_i and contains(slow.err, "timed out after 2 s; still waiting for: demo (call)"))
        << told(slow);
  };

  "CMD-11 a command that is over announces no restart"_test = [] {
    const cli_fixture w{{}};
    w.write("mcp.json",
            R"({"mcpServers": {"dies": {"command": "/bin/sh", "args": ["-c", "echo 'Error: no key' >&2; exit 1"]}}})");
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"get", "dies"}, {"tools"}, {"call", "dies__x"}, {"get", "dies", "--json"}}) {
      const auto r = w.run(words);
      expect(r.code != 0_i and contains(r.err, "its stderr: \"Error: no key\"")) << told(r);
      expect(not contains(r.err + r.out, "started again") and not contains(r.err + r.out, "restart it")) << told(r);
    }
  };

  "CMD-11 an answer that is too large names the setting that allows it, which works"_test = [] {
    const std::string advice = R"({"hawser": {"max_message": BYTES}} in the configuration sets another limit)";
    const scripted_http_server as_json{answers_with(30'000, false)};
    const scripted_http_server as_event{answers_with(30'000, true)};
    const std::string servers = R"("mcpServers": {"demo": {"command": ")" + hawser::testing::program("hawser") +
                                R"(", "args": ["demo-server"]}, "body": {"protocol": "legacy", "url": ")" +
                                as_json.origin() + R"(/mcp"}, "event": {"protocol": "legacy", "url": ")" +
                                as_event.origin() + R"(/mcp"}}})";
    using words = std::vector<std::string>;
    for (const words& call :
         {words{"call", "demo__large", "bytes=30000"}, words{"call", "body__t"}, words{"call", "event__t"}}) {
      const cli_fixture w{{}};
      w.write("mcp.json", "{" + setting_of(20'000) + servers);
      const auto refused = w.run(call);
      expect(refused.code == 6_i and contains(refused.err, advice) and contains(refused.err, "20000 bytes"))
          << told(refused);
      w.write("mcp.json", "{" + setting_of(200'000) + servers);
      const auto taken = w.run(call);
      expect(taken.code == 0_i and taken.out.size() == 30'001_ul) << told(taken);
    }
  };

  "CMD-13 a server that is too busy at its start is named while it is waited for, and --timeout holds"_test = [] {
    const scripted_http_server busy{[](scripted_connection& with) {
      while (with.request()) with.reply("429 Too Many Requests", "text/html", "<html>", "Retry-After: 9\r\n");
    }};
    const cli_fixture w{{}};
    w.write("mcp.json", R"({"mcpServers": {"busy": {"url": ")" + busy.origin() + R"(/mcp"}}})");
    const std::string notice =
        "hawser: server \"busy\": too many requests: the server answered with status 429; "
        "server/discover is sent again in 9.0 s\n";
    const auto running = w.start({"tools"});
    expect(fatal(running->says(notice))) << running->err();
    running->signal(SIGINT);
    expect(running->wait().code == 130_i);
    using words = std::vector<std::string>;
    for (const words& command : {words{"tools"}, words{"call", "busy__x"}, words{"read", "x:y"}}) {
      words all = command;
      all.insert(all.end(), {"--timeout", "2"});
      const auto begin = std::chrono::steady_clock::now();
      const auto r = w.run(all);
      expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds{6}) << told(r);
      expect(r.code == 5_i and contains(r.err, notice)) << told(r);
      expect(contains(r.err, "server/discover: too many requests: the server answered with status 429")) << told(r);
    }
    for (const char* option : {"-q", "--json"}) {
      const auto r = w.run({"tools", "--timeout", "2", option});
      expect(r.code == 5_i and not contains(r.err, notice)) << option << told(r);
    }
  };

  "CMD-11 a page for people at the url, and 429, are explained by every command"_test = [] {
    const scripted_http_server page{[](scripted_connection& with) {
      while (with.request()) with.reply("200 OK", "text/html", "<html>\x1b[2J");
    }};
    const scripted_http_server busy{[](scripted_connection& with) {
      while (with.request()) with.reply("429 Too Many Requests", "text/plain", "", "Retry-After: 90\r\n");
    }};
    const cli_fixture w{{}};
    w.write("mcp.json", R"({"mcpServers": {"page": {"url": ")" + page.origin() + R"(/"}, "busy": {"url": ")" +
                            busy.origin() + R"(/mcp"}}})");
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"get", "page"}, {"call", "page__x"}, {"resources", "page"}}) {
      const auto r = w.run(words);
      expect(r.code != 0_i and contains(r.err, "text/html") and contains(r.err, "no MCP endpoint")) << told(r);
      expect(contains(r.err, "often /mcp") and not contains(r.err + r.out, "\x1b")) << told(r);
    }
    const auto later = w.run({"call", "busy__x"});
    expect(later.code != 0_i and contains(later.err, "too many requests") and contains(later.err, "retry after 90 s"))
        << told(later);
  };
};

}  // namespace error_texts_test
