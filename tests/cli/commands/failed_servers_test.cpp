// SPDX-License-Identifier: MIT
// Commands about several servers of which some fail: what the others say is printed, who failed is named with the
// cause, and the exit code says so. And what is wrong with the configuration of servers that a command has nothing to
// do with.
#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../../support/shell_server.hpp"
#include "../hawser_program.hpp"

namespace failed_servers_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
using hawser::testing::shell_words;
using hawser::testing::survivors;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

// Servers of the legacy era; each is a script of its own, because a configuration has its own use for `${`.
struct shell_shop : cli_fixture {
  shell_shop() : cli_fixture{{}} {}

  // One that does this when it is asked for a list of `method`.
  json::object with_list(const std::string& action, const std::string& method = "tools/list") {
    const std::string name = "server-" + std::to_string(++scripts);
    write(name, std::string{shell_words} + "can='{\"tools\":{},\"resources\":{}}'\n" +
                    "while request; do case $line in *'\"method\":\"" + method + "\"'*) " + action +
                    ";; *'\"method\":\"resources/'*) answer '{\"resources\":[],\"resourceTemplates\":[]}';; " +
                    "*) usual || answer \"$result\";; esac; done\n");
    return {{"command", "/bin/sh"}, {"args", json::array{folder / name, token()}}, {"protocol", "legacy"}};
  }
  void configure(json::object servers) const {
    write("mcp.json", json::serialize(json::object{{"mcpServers", std::move(servers)}}));
  }
  int scripts = 0;
};

const std::string refuses =
    R"sh(printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no disk"}}\n' "$id")sh";
const std::string malformed = R"sh(answer '{"tools":7}')sh";
const std::string loops = R"sh(answer '{"tools":[],"nextCursor":"again"}')sh";
const std::string hangs = ":";
const std::string healthy = R"sh(answer "$tools")sh";
// No schema, a name that comes twice, and one that can be used.
const std::string spoiled =
    R"sh(answer '{"tools":[{"name":"bare"},{"name":"twin","inputSchema":{"type":"object"}},)sh"
    R"sh({"name":"twin","inputSchema":{"type":"object"}},{"name":"\u001b[31m","inputSchema":{}}]}')sh";

const suite<"failed servers"> tests = [] {
  "CMD-4 tools names a server whose list fails, is malformed or never ends, and lists the others"_test = [] {
    for (const auto& [action, cause] :
         {std::pair{refuses, "no disk"}, std::pair{malformed, "\"tools\" is not an array"},
          std::pair{loops, "repeats a cursor"}}) {
      shell_shop w;
      w.configure({{"bad", w.with_list(action)}, {"good", w.with_list(healthy)}});
      const auto all = w.run({"tools"});
      expect(all.code == 6_i && contains(all.out, "good__echo")) << told(all);
      expect(contains(all.err, "server \"bad\"") && contains(all.err, cause)) << told(all);
      expect(!contains(all.err, "good")) << told(all);
      const auto one = w.run({"tools", "bad", "--json"});
      expect(one.code == 6_i && contains(one.err, cause)) << told(one);
      expect(w.run({"tools", "good"}).code == 0_i);
      const auto got = w.run({"get", "bad"});
      expect(got.code == 6_i && contains(got.out, "degraded") && contains(got.out, cause)) << told(got);
      const auto called = w.run({"call", "bad__echo"});
      expect(called.code == 6_i && contains(called.err, cause)) << told(called);
    }
  };

  "CMD-4 --timeout names the server that hangs, and keeps what the others said"_test = [] {
    shell_shop w;
    w.configure({{"stuck", w.with_list(hangs)}, {"good", w.with_list(healthy)}});
    const auto as_json = w.run({"tools", "--timeout", "6", "--json"});
    expect(contains(as_json.err, "server \"stuck\"") &&
           contains(as_json.err, "its tools were not listed within the 6.0 s of --timeout"))
        << told(as_json);
    boost::system::error_code bad;
    const json::value document = json::parse(as_json.out, bad);
    expect(fatal(!bad)) << told(as_json);
    expect(document.at("tools").as_array().size() == 1_u && as_json.code == 5_i) << told(as_json);
    const auto got = w.run({"get", "stuck", "--timeout", "1"});
    expect(got.code == 5_i && contains(got.out, "stuck")) << told(got);
  };

  "CMD-4 resources names a server whose list fails, once, and lists the others"_test = [] {
    shell_shop w;
    const std::string none = R"sh(printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"?"}}\n' "$id")sh";
    const json::object demo{{"command", hawser::testing::program("hawser")}, {"args", json::array{"demo-server"}}};
    w.configure({{"bad", w.with_list(refuses, "resources/list")}, {"demo", demo}, {"gone", {{"command", "/nowhere"}}}});
    const auto all = w.run({"resources"});
    expect(all.code == 4_i && contains(all.out, "demo://text")) << "two failed in different ways" << told(all);
    expect(contains(all.err, "no disk") && contains(all.err, "/nowhere")) << told(all);
    expect(all.err.find("/nowhere") == all.err.rfind("/nowhere")) << "once each" << told(all);
    w.configure({{"plain", w.with_list(none, "resources/templates/list")}});
    const auto plain = w.run({"resources"});
    expect(plain.code == 0_i && plain.err.empty()) << "nobody has to have templates" << told(plain);
  };

  "CMD-4 tools that cannot be used are named with the reason"_test = [] {
    shell_shop w;
    w.configure({{"odd", w.with_list(spoiled)}});
    const auto all = w.run({"tools"});
    expect(all.code == 0_i && contains(all.out, "odd__twin") && !contains(all.out, "bare")) << told(all);
    expect(contains(all.err, "\"bare\": it has no inputSchema")) << told(all);
    expect(contains(all.err, "\"twin\" is in the list twice")) << told(all);
    expect(contains(all.err, "its name has control characters") && !contains(all.err, "\x1b")) << told(all);
    const auto got = w.run({"get", "odd"});
    expect(got.code == 0_i && contains(got.out, "it has no inputSchema")) << told(got);
    boost::system::error_code bad;
    const auto as_json = w.run({"tools", "--json"});
    const json::value document = json::parse(as_json.out, bad);
    expect(fatal(!bad)) << told(as_json);
    expect(document.at("left_out").as_array().size() == 3_u) << told(as_json);
    const auto other = w.run({"call", "odd__twin"});
    expect(other.code == 0_i && other.err.empty()) << "they do not concern calls of others" << told(other);
    const auto unusable = w.run({"call", "--server", "odd", "bare"});
    expect(unusable.code == 1_i && contains(unusable.err, "it has no inputSchema")) << told(unusable);
    expect(survivors(w.token(), 5000).empty());
  };

  "CMD-3 a table in a pipe has its cells whole, and a long one does not widen the others"_test = [] {
    shell_shop w;
    const std::string words(5'000, 'd');
    w.write("tools.json",
            R"({"tools":[{"name":"a","description":"short","inputSchema":{}},{"name":"b","description":")" + words +
                R"(","inputSchema":{}}]})");
    w.write("resources.json", R"({"resources":[{"uri":"a:b","name":"first"},{"uri":"c:)" + words +
                                  R"(","name":"second"}],"resourceTemplates":[]})");
    const std::string from = "answer \"$(cat " + (w.folder / "tools.json") + ")\"";
    w.configure({{"s", w.with_list(from)}});
    const auto tools = w.run({"tools"});
    expect(tools.code == 0_i && contains(tools.out, "  " + words + "\n")) << tools.out.size();
    w.configure({{"s", w.with_list("answer \"$(cat " + (w.folder / "resources.json") + ")\"", "resources/list")}});
    const auto resources = w.run({"resources"});
    expect(resources.code == 0_i && contains(resources.out, "c:" + words + "  s")) << resources.out.size();
    expect(resources.out.size() < 2 * words.size()) << resources.out.size();
  };

  "CMD-4 what is remembered of a server that fails is not listed"_test = [] {
    shell_shop w;
    w.write("action", "");
    const std::string by_file =
        "if [ -e " + (w.folder / "action") + " ]; then answer \"$tools\"; else " + refuses + "; fi";
    w.configure({{"fickle", w.with_list(by_file)}});
    expect(contains(w.run({"tools"}).out, "fickle__echo"));
    std::filesystem::remove(w.folder / "action");
    const auto now = w.run({"tools"});
    expect(now.code == 6_i && now.out.empty()) << told(now);
  };

  "CMD-14 a variable that is not set is no failure of a disabled server, which is listed"_test = [] {
    shell_shop w;
    w.configure({{"good", w.with_list(healthy)},
                 {"off", json::object{{"url", "https://${NO_SUCH_HOST}/mcp"},
                                      {"headers", json::object{{"Authorization", "Bearer ${NO_SUCH_TOKEN}"}}},
                                      {"disabled", true}}}});
    const auto tools = w.run({"tools"});
    expect(tools.code == 0_i && tools.err.empty() && contains(tools.out, "good__echo")) << told(tools);
    const auto listed = w.run({"list"});
    expect(listed.code == 0_i && listed.err.empty() && contains(listed.out, "off   disabled  -      http"))
        << told(listed);
    expect(contains(listed.out, "https://${NO_SUCH_HOST}/mcp")) << told(listed);
    const auto got = w.run({"get", "off"});
    expect(got.code == 0_i && contains(got.out, "disabled")) << told(got);
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"tools", "off"}, {"call", "off__x"}, {"auth", "off", "--no-browser"}, {"logout", "off"}}) {
      const auto r = w.run(words);
      expect(!contains(r.err, "NO_SUCH")) << words.front() << told(r);
    }
  };

  "CMD-4 list shows an entry that is refused with its problem, and ends with 3"_test = [] {
    const cli_fixture w{{}};
    w.write("mcp.json", "{\"mcpServers\": {\n \"bad\": {\"command\": 7}}}");
    const std::string why = "mcp.json:2:21: error: /mcpServers/bad/command: must be a text";
    const auto listed = w.run({"list"});
    expect(listed.code == 3_i && contains(listed.err, why)) << told(listed);
    expect(contains(listed.out, "bad   invalid  -      -          ") && contains(listed.out, why)) << told(listed);
    const auto as_json = w.run({"--json", "list"});
    boost::system::error_code bad;
    const json::value document = json::parse(as_json.out, bad);
    expect(fatal(!bad && as_json.code == 3_i)) << told(as_json);
    expect(fatal(document.at("servers").as_array().size() == 1_u)) << told(as_json);
    const json::object& entry = document.at("servers").at(0).as_object();
    expect(entry.at("name") == "bad" && entry.at("state") == "invalid") << told(as_json);
    expect(contains(std::string{entry.at("reason").as_string()}, why)) << told(as_json);
    expect(document.at("error").at("code") == "config" && document.at("error").at("server") == "bad") << told(as_json);
  };

  "CMD-4 a bad entry is named by the commands that it concerns, and by no other"_test = [] {
    shell_shop w;
    const json::object bad{{"command", 7}};
    w.configure({{"good", w.with_list(healthy)}, {"bad", bad}});
    const auto about_it = [](const ended_program& of) { return contains(of.err, "/mcpServers/bad/command"); };
    const auto listed = w.run({"list"});
    expect(listed.code == 3_i && about_it(listed)) << told(listed);
    const auto tools = w.run({"tools"});
    expect(tools.code == 3_i && contains(tools.out, "good__echo") && about_it(tools)) << told(tools);
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"call", "good__echo"}, {"call", "--server", "good", "echo"}, {"tools", "good"}, {"get", "good"}}) {
      const auto r = w.run(words);
      expect(r.code == 0_i && r.err.empty()) << words.front() << told(r);
    }
    expect(about_it(w.run({"call", "good__echo", "-v"})));
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"get", "bad"}, {"tools", "bad"}, {"call", "bad__tool"}, {"call", "--server", "bad", "tool"}}) {
      const auto r = w.run(words);
      expect(r.code == 3_i && about_it(r)) << words.front() << told(r);
      expect(r.err.find("/mcpServers/bad/command") == r.err.rfind("/mcpServers/bad/command")) << told(r);
    }
  };
};

}  // namespace failed_servers_test
