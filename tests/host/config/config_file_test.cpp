// SPDX-License-Identifier: MIT
// A configuration as a file: which one is read, what is no JSON, what of it is left when something is wrong.
#include <fstream>

#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "config_texts.hpp"

namespace config_file_test {

using namespace hawser;
using namespace hawser::testing::configs;
using namespace std::chrono_literals;
using testing::contains;
using testing::run;

const suite<"config"> tests = [] {
  "CMD-11 a file in TOML or YAML is said to be that, and that JSON is expected"_test = [] {
    for (const char* toml : {"[mcp_servers.files]\ncommand = \"npx\"\n", "# mine\n\n  [[servers]]\nname = 'a'\n",
                             "model = \"o3\"\n[mcp_servers]\n", "[mcp_servers.\"a b\"]\r\ncommand='x'\r\n"}) {
      const auto config = parse(toml);
      expect(not config.usable and
             contains(problems_of(config), "not JSON: it looks like TOML, and JSON is expected: {"))
          << problems_of(config);
    }
    for (const char* yaml : {"mcpServers:\n  files:\n    command: npx\n", "---\nmcpServers: {}\n",
                             "# mine\n- name: a\n", "version: 1\n"}) {
      const auto config = parse(yaml);
      expect(not config.usable and
             contains(problems_of(config), "not JSON: it looks like YAML, and JSON is expected: {"))
          << problems_of(config);
    }
    for (const char* neither :
         {"[1 2]", "[true, x]", "{a = 1}", "#", "# only\n# comments", "nonsense", "=", ":", "\"a\" 1"}) {
      const auto config = parse(neither);
      expect(not config.usable and not contains(problems_of(config), "looks like")) << problems_of(config);
    }
  };

  "G01 what is not JSON is told by line and column, and starts nothing"_test = [] {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "mcp.json:1:1: error: not JSON: a value is missing"},
        {" \n ", "mcp.json:2:2: error: not JSON: a value is missing"},
        {"{\n  \"mcpServers\": {\n    \"a\": { \"command\": 'x' }\n  }\n}", "mcp.json:3:23: error: not JSON: "},
        {"{\n  \"a\": 1\n  \"b\": 2\n}", "mcp.json:3:3: error: not JSON: expected `,` or `}`"},
        {"{\"\xC3\xBC\xC3\xBC\" 1}", "mcp.json:1:7: error: not JSON: expected `:`"},
        {"{a: 1}", "mcp.json:1:2: error: not JSON: expected a name in double quotes"},
        {"{\"a\":}", "mcp.json:1:6: error: not JSON: "},
        {"{\"a\":", "mcp.json:1:6: error: not JSON: a value is missing"},
        {"{\n\"a\": [\n1,", "mcp.json:3:3: error: not JSON: the text ends, and the `[` of line 2 is not closed"},
        {"{\n\"a", "mcp.json:2:1: error: not JSON: "},
        {"{} x", "mcp.json:1:4: error: not JSON: something stands behind the value"},
        {"{}\n}", "mcp.json:2:1: error: not JSON: something stands behind the value"},
        {"[1,,2]", "mcp.json:1:4: error: not JSON: "},
        {"[,]", "mcp.json:1:2: error: not JSON: "},
        {"{,}", "mcp.json:1:2: error: not JSON: expected a name"},
        {"[1 2]", "mcp.json:1:4: error: not JSON: expected `,` or `]`"},
        {"{\"a\":tru}", "mcp.json:1:6: error: not JSON: "},
        {"{\"a\":01}", "mcp.json:1:7: error: not JSON: "},
        {"{\n /* never\n ends", "mcp.json:2:2: error: not JSON: a comment begins here and never ends"},
        {"{} / /", "mcp.json:1:4: error: not JSON: "},
        {"\"\xFF\"", "mcp.json:1:1: error: not JSON: not UTF-8"},
        {std::string(200, '['), "mcp.json:1:129: error: not JSON: nested too deeply"},
        {"\xFF\xFE{\0}\0", "mcp.json:1:1: error: is in UTF-16: save it as UTF-8"},
    };
    for (const auto& [text, told] : cases) {
      const auto config = parse(text);
      expect(!config.usable and config.settings.servers.empty() and config.problems.size() == 1_ul) << text;
      expect(problems_of(config).starts_with(told)) << text << problems_of(config);
    }
  };
  "G01 a BOM, line breaks of Windows and 100 MB"_test = [] {
    const auto config = parse("\xEF\xBB\xBF{\r\n\"mcpServers\":{\r\n\"a\":{\"command\":7}}}\r\n");
    expect(config.usable and problems_of(config) == "mcp.json:3:16: error: /mcpServers/a/command: must be a text\n")
        << problems_of(config);
    const auto large = parse(std::string(100'000'000, ' '));
    expect(!large.usable and problems_of(large) == "mcp.json: error: larger than 1 MiB: this is no settings file\n");
  };
  "G01 a bad entry is left out, the others stay in the order of the file"_test = [] {
    const auto config = parse_servers(R"("z":{"command":"1"},"b":{},"y":7,"m":{"url":"x"},"a":{"command":"2"})");
    expect(config.usable and config.problems.size() == 3_ul and config.settings.servers.size() == 2_ul);
    expect(config.settings.servers[0].name == "z" and config.settings.servers[1].name == "a");
    expect(problems_of(config) ==
           "mcp.json:1:37: error: /mcpServers/b: has neither \"command\" nor \"url\"\n"
           "mcp.json:1:47: error: /mcpServers/y: must be an object with the settings of a server\n"
           "mcp.json:1:60: error: /mcpServers/m/url: must begin with http:// or https://\n")
        << problems_of(config);
  };
  "G01 of two servers of one name the first one stays, and both lines are told"_test = [] {
    const auto config = parse(
        "{\"mcpServers\":{\n\"a\":{\"command\":\"1\"},\n\"\\u0061\":{\"command\":\"2\"}},\n"
        "\"servers\":{\"a\":{\"command\":\"3\"},\"b\":{\"command\":\"4\"}}}");
    expect(config.settings.servers.size() == 2_ul and config.problems.size() == 2_ul) << problems_of(config);
    expect(std::get<stdio_settings>(config.settings.servers[0].transport).command == "1");
    expect(problems_of(config) ==
           "mcp.json:3:2: error: /mcpServers/a: is there twice: the first one is in line 2\n"
           "mcp.json:4:13: error: /servers/a: is the name of another server, too: the one in line 2 stays\n")
        << problems_of(config);
  };
  "a file of another shape says so"_test = [] {
    for (const char* text : {"[]", "7", "\"x\"", "null", R"({"mcpServers":[]})", R"({"servers":null})"}) {
      const auto config = parse(text);
      expect(!config.usable and config.problems.size() == 1_ul and config.settings.servers.empty()) << text;
    }
    const auto empty = parse("{}");
    expect(empty.usable and empty.problems.empty() and empty.settings.servers.empty());
    const auto other = parse(R"({"mcpserver":{"a":{"command":"x"}}})");
    expect(other.usable and
           problems_of(other) == "mcp.json:1:1: warning: has no \"mcpServers\", so there are no servers in it\n");
  };
  "the report of a file of nothing but mistakes is bounded"_test = [] {
    std::string entries;
    for (int i = 0; i < 1000; ++i) entries += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
    const auto config = parse_servers(entries);
    expect(config.problems.size() == 101_ul and config.problems.back().what == "there are more problems than these");
  };
  "what is about the host stands in an object of its own"_test = [] {
    const auto config = parse(R"({"hawser":{"separator":"_","name_limit":128,"max_message":2048,"max_result":1000,
      "keep_rows":"5s","starting_at_once":2},"mcpServers":{}})");
    const auto& s = config.settings;
    expect(config.problems.empty() and s.names.separator == "_" and s.names.limit == 128_ul) << problems_of(config);
    expect(s.limits.max_message == 2048_ul and s.limits.max_result == 1000_ul and s.limits.starting_at_once == 2_ul);
    expect(s.keep_rows == 5s and parse(R"({"hawser":{"keep_rows":0}})").settings.keep_rows == 0s);
    const auto bad = parse(R"({"hawser":{"separator":"/","name_limit":5,"keep_rows":-1,"starting_at_once":0,"x":1}})");
    expect(bad.usable and bad.problems.size() == 5_ul and bad.settings.names.separator == "__") << problems_of(bad);
    expect(bad.settings.names.limit == 64_ul and bad.settings.keep_rows == 30s);
    expect(!parse(R"({"hawser":[]})").problems.empty());
    expect(s.resources == resource_form::text) << "S018 what is not said";
    expect(parse(R"({"hawser":{"resources":"json"}})").settings.resources == resource_form::json);
    expect(contains(problems_of(parse(R"({"hawser":{"resources":"xml"}})")), "must be \"text\" or \"json\""));
  };
  "S003 S027 S028 which file is read: the option, then the variables, else none"_test = [] {
    std::map<std::string, std::string, std::less<>> environment;
    const variable_lookup env = [&](std::string_view name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional{found->second};
    };
    expect(!choose_config("", env).has_value());
    environment = {{"MCP_CONFIG_PATH", "m"}};
    expect(choose_config("", env)->path == "m" and choose_config("", env)->source == "MCP_CONFIG_PATH");
    environment["HAWSER_CONFIG"] = "h";
    expect(choose_config("", env)->path == "h" and choose_config("", env)->source == "HAWSER_CONFIG");
    expect(choose_config("o", env)->path == "o" and choose_config("o", env)->source == "--config");
    environment["HAWSER_CONFIG"] = "";
    expect(choose_config("", env)->path == "m");
  };
  "a file is loaded, and one that is not there is named"_test = [] {
    const testing::temporary_folder folder;
    const std::string path = folder / "mcp.json";
    std::ofstream{path} << R"({"mcpServers":{"a":{"command":"${HOST}"}}})";
    const auto loaded = run(load_config(path, variable));
    expect(loaded.usable and loaded.problems.empty() and loaded.settings.servers.size() == 1_ul);
    expect(loaded.settings.servers[0].origin == path + ":1");
    const auto missing = run(load_config(folder / "none.json", variable));
    expect(!missing.usable and missing.problems.size() == 1_ul);
    expect(missing.problems[0].text().starts_with(folder / "none.json" + ": error: open: ")) << problems_of(missing);
    const auto no_file = run(load_config(folder / ".", variable));
    expect(!no_file.usable and contains(problems_of(no_file), "not a regular file")) << problems_of(no_file);
  };
};

}  // namespace config_file_test
