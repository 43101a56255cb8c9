// SPDX-License-Identifier: MIT
// `hawser demo-server --http`, and other commands of hawser as its clients.
#include <csignal>

#include "../../../transports/json/json_text.hpp"
#include "../../../transports/json/json_validator.hpp"
#include "../../support/contains.hpp"
#include "../hawser_program.hpp"

namespace demo_server_http_test {

using namespace hawser;
using namespace hawser::testing;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A server that runs, and a cli_fixture whose configuration leads to it.
struct http_demo {
  explicit http_demo(std::vector<std::string> more = {}, std::string_view members = {}) {
    std::vector<std::string> words{"demo-server", "--http"};
    words.insert(words.end(), more.begin(), more.end());
    server = at.start(words);
    expect(server->says("/mcp\n")) << server->err();
    url = first_line(server->out());
    at.write("mcp.json", R"({"mcpServers":{"far":{"url":")" + url + '"' + std::string{members} + "}}}");
  }
  cli_fixture at{{}};
  std::unique_ptr<running_program> server;
  std::string url;
};

constexpr std::string_view legacy = R"(,"protocol":"legacy")";
constexpr std::string_view modern = R"(,"protocol":"modern")";

const suite<"demo_server_http"> tests = [] {
  "its first line is its URL, and the tools are called there, in both eras"_test = [] {
    for (const std::string_view era : {std::string_view{}, legacy, modern}) {
      const http_demo demo{{}, era};
      expect(demo.url.starts_with("http://127.0.0.1:") && demo.url.ends_with("/mcp")) << demo.url;
      const auto sum = demo.at.run({"call", "far__add", "a=1.5", "b=2"});
      expect(sum.code == 0_i && contains(sum.out, "3.5")) << sum.out << sum.err << era;
      const auto slow = demo.at.run({"call", "far__slow", "seconds=0.2"});
      expect(slow.code == 0_i && contains(slow.out, "took 0.2 s")) << slow.out << slow.err << era;
      const auto large = demo.at.run({"call", "far__large", "bytes=1000000"});
      expect(large.code == 0_i && large.out.size() >= 1'000'000_ul) << large.err << era;
    }
  };
  "it can be held to one era, and a client finds out"_test = [] {
    const http_demo old{{"--legacy-only"}};
    const auto legacy_revision = old.at.run({"get", "far"});
    expect(legacy_revision.code == 0_i && contains(legacy_revision.out, "2025-11-25")) << legacy_revision.out;
    const http_demo young{{"--modern-only"}};
    const auto modern_revision = young.at.run({"get", "far"});
    expect(modern_revision.code == 0_i && contains(modern_revision.out, "2026-07-28")) << modern_revision.out;
  };
  "Ctrl-C and SIGTERM end it with 0, also in the middle of a call"_test = [] {
    for (const int signal : {SIGINT, SIGTERM}) {
      const http_demo demo;
      const auto client = demo.at.start({"call", "far__slow", "seconds=600", "-v"});
      expect(client->says("tools/call")) << client->err();
      demo.server->signal(signal);
      const auto ended = demo.server->wait();
      expect(ended.code == 0_i && ended.err.empty()) << ended.err;
      client->signal(SIGKILL);
      client->wait();
    }
  };
  "programs get the URL as JSON"_test = [] {
    const cli_fixture w{{}};
    const auto server = w.start({"demo-server", "--http", "--json"});
    expect(server->says("}\n"));
    const std::string line = first_line(server->out());
    expect(validate_json(line).has_value() && text_of(find_member(line, "url"))->starts_with("http://127.0.0.1:"));
    server->signal(SIGTERM);
    expect(server->wait().code == 0_i);
  };
  "a port in use is said, and a port without --http is no usage"_test = [] {
    const http_demo demo;
    const std::string port = demo.url.substr(17, demo.url.find('/', 17) - 17);
    const auto second = demo.at.run({"demo-server", "--http", "--port", port});
    expect(second.code == 1_i && second.out.empty() && contains(second.err, port)) << second.err;
    expect(demo.at.run({"demo-server", "--port", "8080"}).code == 2_i);
    expect(demo.at.run({"demo-server", "--http", "--port", "70000"}).code == 2_i);
  };
};

}  // namespace demo_server_http_test
