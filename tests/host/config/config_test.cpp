// SPDX-License-Identifier: MIT
// What an entry of a server may say, in the shapes of several hosts, and what is refused.
#include <ctime>

#include "config_texts.hpp"

namespace config_test {

using namespace hawser;
using namespace hawser::testing::configs;
using namespace std::chrono_literals;
using testing::contains;

// What is wrong with an entry of this, as it is told; the entry must be gone.
std::string fault_of(const std::string& members) {
  const auto config = parse_entry(members);
  expect(config.usable and config.settings.servers.empty()) << members << problems_of(config);
  expect(config.problems.size() == 1_ul) << members << problems_of(config);
  if (config.problems.empty()) return "";
  expect(config.problems.front().severity == config_problem::kind::error) << members;
  return config.problems.front().pointer + ' ' + config.problems.front().what;
}

// What remains of an entry that has nothing wrong with it.
server_settings good(const std::string& members) {
  auto config = parse_entry(members);
  expect(config.usable and config.problems.empty()) << members << problems_of(config);
  expect(fatal(config.settings.servers.size() == 1_ul)) << members;
  return config.settings.servers.front();
}
stdio_settings program(const std::string& members) {
  const auto server = good(members);
  expect(fatal(std::holds_alternative<stdio_settings>(server.transport))) << members;
  return std::get<stdio_settings>(server.transport);
}
http_settings address(const std::string& members) {
  const auto server = good(members);
  expect(fatal(std::holds_alternative<http_settings>(server.transport))) << members;
  return std::get<http_settings>(server.transport);
}

const suite<"config"> tests = [] {
  "S029 S061 S107 a program with arguments and environment, and an address with headers"_test = [] {
    const auto config = parse(R"({
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-filesystem", "/tmp"], "env": {"A": "1"}, "cwd": "/srv" },
    "context7": { "type": "http", "url": "https://mcp.context7.com/mcp", "headers": {"Authorization": "Bearer x"} }
  }
})");
    expect(config.usable and config.problems.empty() and config.settings.servers.size() == 2_ul) << problems_of(config);
    const auto& files = config.settings.servers[0];
    const auto& child = std::get<stdio_settings>(files.transport);
    expect(files.name == "files" and files.origin == "mcp.json:3" and files.enabled);
    expect(child.command == "npx" and child.args == std::vector<std::string>{"-y", "server-filesystem", "/tmp"});
    expect(child.env.at("A") == "1" and child.cwd == "/srv" and !child.inherit_env);
    expect(!files.timeout and !files.silence and files.startup_timeout == 30s and
           files.restart == restart_policy::with_backoff);
    const auto& remote = std::get<http_settings>(config.settings.servers[1].transport);
    expect(remote.url == "https://mcp.context7.com/mcp" and remote.type == http_settings::kind::streamable);
    expect(remote.headers.at("Authorization") == "Bearer x" and config.settings.servers[1].origin == "mcp.json:4");
  };
  "every setting of a server is read"_test = [] {
    const auto s = good(R"("command":"x","inherit_env":true,"timeout":1.5,"startup_timeout":"2m","restart":"never",
      "lazy":true,"concurrency":1,"tools":["read_*","!read_all"],"access":"declared-read-only","protocol":"legacy")");
    expect(std::get<stdio_settings>(s.transport).inherit_env and s.timeout == 1500ms and s.startup_timeout == 2min);
    expect(s.restart == restart_policy::never and s.lazy and s.concurrency == 1_ul);
    expect(s.tools == std::vector<std::string>{"read_*", "!read_all"} and s.access == tool_access::declared_read_only);
    expect(s.protocol.era == protocol_choice::kind::legacy and s.protocol.revision.empty());
    expect(good(R"("command":"x","timeout":"500ms")").timeout == 500ms);
    expect(good(R"("command":"x","timeout":"30s","restart":true)").timeout == 30s);
    expect(good(R"("command":"x","silence":"2m")").silence == 2min);
    expect(good(R"("command":"x","restart":false)").restart == restart_policy::never);
    const auto dated = good(R"("command":"x","protocol":"2025-06-18")").protocol;
    expect(dated.era == protocol_choice::kind::legacy and dated.revision == "2025-06-18");
    expect(good(R"("command":"x","protocol":"2026-07-28")").protocol.era == protocol_choice::kind::modern);
    expect(good(R"("command":"x","protocol":"auto")").protocol.era == protocol_choice::kind::automatic);
  };
  "a value of the wrong kind is told with its key"_test = [] {
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"("command":7)", "/mcpServers/a/command must be a text"},
        {R"("command":"")", "/mcpServers/a/command is empty"},
        {R"("command":[])", "/mcpServers/a/command is empty"},
        {R"("command":{"args":[]})", "/mcpServers/a/command needs a \"path\""},
        {R"("command":"x","args":"y")", "/mcpServers/a/args must be a list of texts"},
        {R"("command":"x","args":["y",8080])", "/mcpServers/a/args/1 must be a text"},
        {R"("command":"x","env":[])", "/mcpServers/a/env must be an object of texts"},
        {R"("command":"x","env":{"P":1})", "/mcpServers/a/env/P must be a text"},
        {R"("command":"x","env":{"A=B":"1"})", "/mcpServers/a/env/A=B the name of a variable has"},
        {R"("command":"x","env":{"":"1"})", "/mcpServers/a/env/ the name of a variable is empty"},
        {R"("command":"x","lazy":"yes")", "/mcpServers/a/lazy must be true or false"},
        {R"("command":"x","lazy":false,"timeout":0)", "/mcpServers/a/timeout must be more than 0 and at most a day"},
        {R"("command":"x","lazy":false,"timeout":-1)", "/mcpServers/a/timeout must be more than 0"},
        {R"("command":"x","lazy":false,"timeout":600000)",
         "/mcpServers/a/timeout must be more than 0 and at most a day: a plain "
         "number is seconds"},
        {R"("command":"x","lazy":false,"timeout":1e300)", "/mcpServers/a/timeout must be more than 0"},
        {R"("command":"x","lazy":false,"timeout":"5")", "/mcpServers/a/timeout must be a number of seconds, or a text"},
        {R"("command":"x","lazy":false,"timeout":"nan s")", "/mcpServers/a/timeout must be a number of seconds"},
        {R"("command":"x","lazy":false,"timeout":"infs")", "/mcpServers/a/timeout must be "},
        {R"("command":"x","startup_timeout":null)", "/mcpServers/a/startup_timeout must be a number of seconds"},
        {R"("command":"x","restart":"always")", "/mcpServers/a/restart must be \"backoff\" or \"never\""},
        {R"("command":"x","concurrency":-1)", "/mcpServers/a/concurrency must be a whole number from 0 to"},
        {R"("command":"x","concurrency":1.5)", "/mcpServers/a/concurrency must be a whole number from 0 to"},
        {R"("command":"x","tools":["a?"])", "/mcpServers/a/tools has a pattern that could never match"},
        {R"("command":"x","access":"some")", "/mcpServers/a/access must be \"any\""},
        {R"("command":"x","protocol":"1999-01-01")", "/mcpServers/a/protocol must be \"auto\""},
        {R"("command":"x","type":"carrier-pigeon")", "/mcpServers/a/type is not a transport"},
        {R"("command":"x","command":"y")", "/mcpServers/a/command is there twice: the first one is in line 1"},
        {R"("command":"x","env":{},"environment":{})", "/mcpServers/a/environment says the same as \"env\" in line 1"},
        {R"("command":"a\u0000b")", "/mcpServers/a/command has a NUL character"},
        {R"("url":"ftp://a")", "/mcpServers/a/url must begin with http:// or https://"},
        {R"("url":"https:///mcp")", "/mcpServers/a/url has no host"},
        {R"("url":"https://a/ b")", "/mcpServers/a/url has a space or a control character"},
        {R"("url":"https://a/\r\nX: 1")", "/mcpServers/a/url has a space or a control character"},
    };
    for (const auto& [members, told] : cases)
      expect(fault_of(members).starts_with(told)) << members << fault_of(members);
  };
  "S110 a program or an address: both, neither, or not what the type says"_test = [] {
    expect(contains(fault_of(R"("command":"x","url":"http://a")"), R"(/mcpServers/a has both "command" and "url")"));
    expect(contains(fault_of(R"("type":"stdio","command":"x","url":"http://a")"), "has both"));
    expect(contains(fault_of(R"("args":[])"), R"(has neither "command" nor "url")"));
    expect(contains(fault_of(R"("type":"stdio")"), R"(has no "command")"));
    expect(contains(fault_of(R"("type":"sse")"), R"(has no "url")"));
    expect(contains(fault_of(R"("type":"http","command":"x")"), R"(has a "command", but its type is one for a "url")"));
    expect(contains(fault_of(R"("type":"stdio","url":"http://a")"),
                    R"(has a "url", but its type is the one for a "command")"));
    expect(program(R"("type":"stdio","command":"x")").command == "x");
    expect(address(R"("url":"http://a")").type == http_settings::kind::automatic);
  };
  "S032 S033 every name of a transport is known"_test = [] {
    for (const char* word : {"http", "streamableHttp", "streamable-http"})
      expect(address("\"url\":\"http://a\",\"type\":\"" + std::string{word} + '"').type ==
             http_settings::kind::streamable)
          << word;
    expect(address(R"("url":"http://a","type":"sse")").type == http_settings::kind::sse);
    expect(address(R"("url":"http://a","type":"auto")").type == http_settings::kind::automatic);
    expect(address(R"("httpUrl":"http://a")").type == http_settings::kind::streamable);
  };
  "S030 S063 enabled and disabled say the same, or the entry is refused"_test = [] {
    expect(good(R"("command":"x","enabled":true)").enabled and good(R"("command":"x","disabled":false)").enabled);
    expect(!good(R"("command":"x","enabled":false)").enabled and !good(R"("command":"x","disabled":true)").enabled);
    expect(!good(R"("command":"x","enabled":false,"disabled":true)").enabled);
    expect(contains(fault_of(R"("command":"x","enabled":true,"disabled":true)"), "contradict each other"));
    expect(contains(fault_of(R"("command":"x","enabled":false,"disabled":false)"), "contradict each other"));
  };
  "S056 S062 the shape of Dispatch and VS Code, comments and all"_test = [] {
    const auto config = parse(R"({
  // one line
  "inputs": [ { "id": "k", "password": true, }, ],
  "servers": { /* several
     lines, "with": { quotes } */
    "a": { "transport": "http", "url": "http://a//b/*c*/", },
    "b": { "type": "stdio", "command": "x", "args": ["//no comment", "/* nor this */", ",]",], }, // last
  },
})");
    expect(config.problems.empty() and config.settings.servers.size() == 2_ul) << problems_of(config);
    const auto& a = std::get<http_settings>(config.settings.servers[0].transport);
    expect(a.url == "http://a//b/*c*/" and a.type == http_settings::kind::streamable);
    expect(std::get<stdio_settings>(config.settings.servers[1].transport).args ==
           std::vector<std::string>{"//no comment", "/* nor this */", ",]"});
    expect(config.settings.servers[1].origin == "mcp.json:7");
  };
  "S057 the shape of opencode"_test = [] {
    const auto config = parse(R"({"$schema":"https://opencode.ai/config.json","model":"m","mcp":{
      "a":{"type":"local","command":["npx","-y","s"],"environment":{"A":"1"},"enabled":false,"timeout":5000},
      "b":{"type":"remote","url":"https://b.test/mcp","headers":{"X-A":"1"}}}})");
    expect(config.problems.empty() and config.settings.servers.size() == 2_ul) << problems_of(config);
    const auto& a = config.settings.servers[0];
    const auto& child = std::get<stdio_settings>(a.transport);
    expect(child.command == "npx" and child.args == std::vector<std::string>{"-y", "s"} and child.env.at("A") == "1");
    expect(!a.enabled and a.startup_timeout == 5s and !a.timeout);
    expect(std::get<http_settings>(config.settings.servers[1].transport).type == http_settings::kind::automatic);
  };
  "the shape of Zed, both of its forms, and of VS Code's own settings"_test = [] {
    const auto zed = parse(R"({"theme":"x","context_servers":{
      "old":{"command":{"path":"p","args":["a"],"env":{"A":"1"}},"settings":{}},
      "new":{"source":"custom","command":"q","args":["b"],"env":null}}})");
    expect(zed.problems.size() == 1_ul and zed.settings.servers.size() == 1_ul) << "env may not be null";
    const auto& old = std::get<stdio_settings>(zed.settings.servers[0].transport);
    expect(old.command == "p" and old.args == std::vector<std::string>{"a"} and old.env.at("A") == "1");
    const auto code =
        parse(R"({"editor.fontSize":12,"mcp":{"inputs":[],"servers":{"a":{"command":"x","timeout":"5s"}}}})");
    expect(code.problems.empty() and code.settings.servers.size() == 1_ul) << problems_of(code);
    expect(code.settings.servers[0].timeout == 5s);
    const auto named_servers = parse(R"({"mcp":{"servers":{"type":"local","command":["x"]}}})");
    expect(named_servers.problems.empty() and named_servers.settings.servers[0].name == "servers");
  };
  "CMD-7 a plain timeout counts by whose file it is, and is refused where nothing shows that"_test = [] {
    const auto in = [](const std::string& text) {
      const auto config = parse(text);
      expect(fatal(config.settings.servers.size() == 1_ul)) << text << problems_of(config);
      return config.settings.servers.front();
    };
    expect(good(R"("httpUrl":"http://g.test/mcp","timeout":2000)").timeout == 2s) << "Gemini";
    expect(good(R"("command":"x","trust":true,"timeout":2000)").timeout == 2s) << "Gemini";
    expect(in(R"({"mcp":{"allowed":["a"]},"mcpServers":{"a":{"command":"x","timeout":2000}}})").timeout == 2s);
    expect(in(R"({"numStartups":3,"mcpServers":{"a":{"command":"x","timeout":2000}}})").timeout == 2s) << "Claude";
    expect(good(R"("command":"x","startup_timeout":5,"timeout":2000)").timeout == 2000s) << "Hawser";
    expect(in(R"({"hawser":{},"mcpServers":{"a":{"command":"x","timeout":2}}})").timeout == 2s);
    expect(good(R"("command":"x","timeout":"2s")").timeout == 2s) << "a unit is always understood";
    const auto opencode = in(R"({"mcp":{"a":{"type":"local","command":["x"],"timeout":2000}}})");
    expect(opencode.startup_timeout == 2s and !opencode.timeout);
    const auto newer =
        in(R"({"mcp":{"servers":{"a":{"type":"remote","url":"http://a","timeout":{"startup":2000,"request":3000}}}}})");
    expect(newer.startup_timeout == 2s and newer.timeout == 3s);
    const auto neighbour =
        parse_servers(R"("a":{"command":"x","timeout":2000},"b":{"command":"y","includeTools":["z"]})");
    expect(fatal(neighbour.settings.servers.size() == 2_ul)) << problems_of(neighbour);
    expect(neighbour.settings.servers[0].timeout == 2s) << "a file is of one host";

    for (const char* members : {R"("command":"x","timeout":2000)", R"("command":"x","timeout":5)",
                                R"("command":"x","lazy":true,"trust":true,"timeout":5)"}) {
      const std::string fault = fault_of(members);
      expect(fault.starts_with("/mcpServers/a/timeout is a plain number")) << fault;
      expect(contains(fault, R"(write a text with its unit like "500ms", "30s", "2m")")) << fault;
    }
    expect(contains(problems_of(parse_entry(R"("command":"x","timeout":2000)")), "mcp.json:1:")) << "file and line";
    const auto code = parse(R"({"mcp":{"inputs":[],"servers":{"a":{"command":"x","timeout":5}}}})");
    expect(code.settings.servers.empty() and code.refused == std::vector<std::string>{"a"}) << problems_of(code);
  };
  "CMD-7 the variables of Gemini and opencode are put in in their files, and not sent as they stand in others"_test =
      [] {
        const auto gemini =
            address(R"("httpUrl":"http://a/$HOST","headers":{"Authorization":"Bearer $TOKEN","X":"a$ $5"})");
        expect(gemini.headers.at("Authorization") == "Bearer s3cret" and gemini.url == "http://a/a.test");
        expect(gemini.headers.at("X") == "a$ $5");
        const auto child =
            program(R"("command":"x","trust":false,"args":["--key=$TOKEN"],"env":{"K":"${TOKEN}$HOST."})");
        expect(child.args == std::vector<std::string>{"--key=s3cret"} and child.env.at("K") == "s3creta.test.");
        expect(fault_of(R"("httpUrl":"http://a","headers":{"X":"$NONE"})") ==
               "/mcpServers/a/headers/X needs the variable NONE, which is not set");
        const auto opencode =
            parse(R"({"mcp":{"a":{"type":"remote","url":"http://a","headers":{"X":"Bearer {env:TOKEN}"}},
      "b":{"type":"local","command":["x","{env:HOST}/{env:}"],"environment":{"K":"{env:TOKEN}"}}}})");
        expect(fatal(opencode.settings.servers.size() == 2_ul)) << problems_of(opencode);
        expect(std::get<http_settings>(opencode.settings.servers[0].transport).headers.at("X") == "Bearer s3cret");
        const auto& local = std::get<stdio_settings>(opencode.settings.servers[1].transport);
        expect(local.env.at("K") == "s3cret" and local.args == std::vector<std::string>{"a.test/{env:}"});
        expect(opencode.settings.servers[0].expansions == std::vector<std::string>{"s3cret"}) << "hidden like others";
        const auto file = parse(R"({"mcp":{"a":{"type":"remote","url":"http://a","headers":{"X":"{file:~/.key}"}}}})");
        expect(file.settings.servers.empty() and
               contains(problems_of(file), "put what the file holds into a variable"));

        expect(contains(fault_of(R"("url":"http://a","headers":{"X":"Bearer {env:TOKEN}"})"), "write `${TOKEN}`"));
        expect(contains(fault_of(R"("command":"x","args":["--key={env:TOKEN}"])"), "write `${TOKEN}`"));
        for (const char* members : {R"("url":"http://a","headers":{"Authorization":"Bearer $TOKEN"})",
                                    R"("command":"x","env":{"K":"$TOKEN"})", R"("url":"http://a/$TOKEN")",
                                    R"("url":"http://a","headers":{"X":"{file:key}"})"})
          expect(contains(fault_of(members), "write `${NAME}`")) << members;
        expect(program(R"("command":"x","env":{"K":"pa$word a$ $1"})").env.at("K") == "pa$word a$ $1");
        expect(program(R"("command":"sh","args":["-c","exec $0"])").args.size() == 2_ul) << "a shell's own";
        const auto passed_on = parse_entry(R"("command":"x","args":["--header","Authorization: $TOKEN"])");
        expect(passed_on.settings.servers.size() == 1_ul and
               contains(problems_of(passed_on), "is passed on as it stands"));
      };
  "CMD-7 a text of nothing but beginnings of variables costs its size"_test = [] {
    std::string many;
    while (many.size() < 1'000'000) many += "{env:{file:$ ";
    const std::string text = R"({"mcp":{"a":{"type":"local","command":["x",")" + many + "\"]}}}";
    const std::clock_t before = std::clock();
    const auto config = parse(text);
    expect(config.settings.servers.size() == 1_ul) << problems_of(config);
    expect(std::clock() - before < (testing::instrumented ? 20 : 2) * CLOCKS_PER_SEC);
  };
  "S109 G05 variables are put in once, and a missing one is named with its key"_test = [] {
    const auto child =
        program(R"("command":"${HOST}/x","args":["${TOKEN}-${NONE:-d}","${NESTED}","-c","$HOME","a$","${EMPTY}"],
      "env":{"${HOST}":"${env:TOKEN}","B":"${EMPTY:-e}${NONE:-}"},"cwd":"/${HOST:-/x}")");
    expect(child.command == "a.test/x" and child.cwd == "/a.test");
    expect(child.args == std::vector<std::string>{"s3cret-d", "${TOKEN}", "-c", "$HOME", "a$", ""});
    expect(child.env.at("${HOST}") == "s3cret" and child.env.at("B") == "e") << "names are taken as they are";
    const auto remote = address(R"("url":"https://${HOST}/mcp","headers":{"Authorization":"Bearer ${TOKEN}"})");
    expect(remote.url == "https://a.test/mcp" and remote.headers.at("Authorization") == "Bearer s3cret");

    expect(fault_of(R"("command":"x","env":{"K":"${NONE}"})") ==
           "/mcpServers/a/env/K needs the variable NONE, which is not set");
    expect(fault_of(R"("command":"x","args":["-k","${NONE}"])") ==
           "/mcpServers/a/args/1 needs the variable NONE, which is not set");
    expect(contains(fault_of(R"("command":"${HOST")"), "has a `${` without its `}`"));
    expect(contains(fault_of(R"("command":"${}")"), "has a `${…}` that is not `${NAME}`"));
    expect(contains(fault_of(R"("command":"${input:key}")"), "has a `${…}` that is not `${NAME}`"));
    expect(contains(fault_of(R"("command":"${NONE:-${TOKEN}}")"), "a variable in the default of NONE"));
    expect(contains(fault_of(R"("command":"${ZERO}")"), "has a NUL character"));
  };
  "CMD-14 in the entry of a disabled server a variable that is not set stays as it stands"_test = [] {
    const auto child = good(
        R"("args":["-k","${NONE}","${TOKEN}"],"env":{"K":"a${env:NONE}"},"command":"${NONE}/x","cwd":"${NONE}","disabled":true)");
    expect(not child.enabled);
    const auto& program = std::get<stdio_settings>(child.transport);
    expect(program.command == "${NONE}/x" and program.args == std::vector<std::string>{"-k", "${NONE}", "s3cret"});
    expect(program.env.at("K") == "a${env:NONE}" and program.cwd == "${NONE}");
    expect(child.expansions == std::vector<std::string>{"s3cret"}) << "what is set is a secret all the same";
    const auto remote = good(
        R"("enabled":false,"url":"https://${NONE}:${NONE}/mcp","headers":{"A":"Bearer ${NONE}"},"proxy":"${NONE}",
        "oauth":{"client_id":"${NONE}","issuer":"${NONE}","callback_path":"${NONE}","auth_method":"${NONE}"})");
    const auto& address = std::get<http_settings>(remote.transport);
    expect(not remote.enabled and address.url == "https://${NONE}:${NONE}/mcp" and address.proxy == "${NONE}");
    expect(address.headers.at("A") == "Bearer ${NONE}" and address.oauth.issuer == "${NONE}");
    expect(not good(R"("httpUrl":"http://a/$NONE","headers":{"X":"$NONE"},"disabled":true)").enabled) << "Gemini's";
    const auto opencode = parse(R"({"mcp":{"a":{"type":"local","command":["x","{env:NONE}"],"enabled":false}}})");
    expect(opencode.problems.empty() and opencode.settings.servers.size() == 1_ul) << problems_of(opencode);

    expect(contains(fault_of(R"("command":"x","args":["${NONE}"],"disabled":false)"), "needs the variable NONE"));
    expect(contains(fault_of(R"("command":"x","args":["${NONE}"],"enabled":true)"), "needs the variable NONE"));
    expect(contains(fault_of(R"("command":"${","disabled":true)"), "has a `${` without its `}`"))
        << "other faults stay";
    expect(contains(fault_of(R"("url":"nonsense","disabled":true)"), "url"));
    const auto both = parse_servers(R"("a":{"command":"${NONE}","disabled":true},"b":{"command":"${NONE}"})");
    expect(both.refused == std::vector<std::string>{"b"}) << problems_of(both);
  };
  "G05 what variables add up to is bounded"_test = [] {
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "${TOKEN_OF_64}";
    const auto config = parse_config("{\"mcpServers\":{\"a\":{\"command\":\"" + many + "\"}}}", "f",
                                     [](std::string_view) { return std::string(64, 'x'); });
    expect(config.settings.servers.empty() and contains(problems_of(config), "longer than 1 MiB"))
        << problems_of(config);
  };
  "G06 no header brings a line of its own, nor one that the transport writes"_test = [] {
    const auto header = [](const std::string& name, const std::string& value) {
      return fault_of("\"url\":\"http://a\",\"headers\":{\"" + name + "\":\"" + value + "\"}");
    };
    expect(header("X", "${LINES}") == "/mcpServers/a/headers/X has a line break, which no header may have");
    expect(contains(header("X", "a\\nb"), "line break") and contains(header("X", "a\\rb"), "line break"));
    expect(contains(header("X", "a\\u0000b"), "NUL") and contains(header("X", "${ZERO}"), "NUL"));
    expect(contains(header("X", "a\\u001bb"), "control character") and
           contains(header("X", "a\\u007fb"), "control character"));
    expect(contains(header("X", "${UMLAUT}"), "beyond ASCII") and contains(header("X", "\\u0100"), "beyond ASCII"));
    for (const char* name : {"a b", "a:", "a\\nb", "\xC3\xBC", "(a)"})
      expect(contains(header(name, "v"), "has a character that no header's name has")) << name;
    expect(contains(header("", "v"), "is empty"));
    for (const char* name : {"Host", "content-length", "Transfer-Encoding", "CONNECTION", "Content-Type", "accept"})
      expect(contains(header(name, "v"), "the transport writes itself")) << name;
    for (const char* name : {"Mcp-Session-Id", "MCP-Protocol-Version", "mcp-x"})
      expect(contains(header(name, "v"), "of the protocol itself")) << name;
    expect(
        contains(fault_of(R"("url":"http://a","headers":{"X-A":"1","x-a":"2"})"), "is there twice but for its case"));
    expect(address(R"("url":"http://a","headers":{"authorization":"Basic x","McpX":"~ a"})").headers.size() == 2_ul);
  };
  "certificates and a proxy belong to an address, and are checked when they are read"_test = [] {
    const auto all = address(
        R"("url":"https://a","tls":{"ca":"/ca.pem","cert":"/me.pem","key":"/me.key"},"proxy":"http://u:p@proxy:3128")");
    expect(all.tls.ca_file == "/ca.pem" and all.tls.certificate_file == "/me.pem" and all.tls.key_file == "/me.key");
    expect(all.proxy == "http://u:p@proxy:3128" and address(R"("url":"http://a","proxy":"none")").proxy == "none");
    expect(contains(fault_of(R"("url":"https://a","tls":{"cert":"/me.pem"})"), "together"));
    expect(contains(fault_of(R"("url":"https://a","tls":{"verify":false})"), "is no key of"));
    expect(contains(fault_of(R"("url":"https://a","tls":true)"), "must be an object"));
    expect(contains(fault_of(R"("url":"https://a","proxy":"socks5://p:1")"), "proxy"));
    const std::string bad = fault_of(R"("url":"https://a","proxy":"https://u:hunter2@p:1")");
    expect(contains(bad, "proxy") and !contains(bad, "hunter2")) << bad;
    expect(contains(fault_of(R"("url":"http://0x7f.1/mcp")"), "0x7f.1") and
           contains(fault_of(R"("url":"http://u:hunter2@a/")"), "url"));
    expect(!contains(fault_of(R"("url":"http://u:hunter2@a/")"), "hunter2"));
  };
  "S083 a problem never repeats a value"_test = [] {
    const std::string secret = "hunter2";
    for (const char* members :
         {R"("command":"x","env":{"A":["hunter2"]})", R"("url":"hunter2")", R"("command":"x","type":"hunter2")",
          R"("command":"x","access":"hunter2")", R"("command":"x","protocol":"hunter2")", R"("command":"${hunter2!}")",
          R"("command":"x","tools":["hunter2?"])", R"("command":"x","timeout":"hunter2")",
          R"("url":"http://a","headers":{"X":"hunter2\n"})", R"("command":"x","unknown":"hunter2")"}) {
      const auto config = parse_entry(members);
      expect(config.problems.size() == 1_ul and !contains(problems_of(config), secret))
          << members << problems_of(config);
    }
  };
  "SEC-3 what variables were expanded to is known, to be hidden, but for what errors have to show"_test = [] {
    using texts = std::vector<std::string>;
    expect(good(R"("command":"x","args":["--key=${TOKEN}","${HOME}/a"])").expansions == texts{"s3cret"});
    expect(good(R"("url":"https://a.test/${TOKEN}/mcp")").expansions == texts{"s3cret"});
    expect(good(R"("command":"x","env":{"A":"${TOKEN}"},"cwd":"${HOST}")").expansions == texts{"s3cret", "a.test"});
    expect(good(R"("command":"x","args":["${EMPTY:-plain default}"])").expansions.empty()) << "it stands in the file";
    expect(good(R"("command":"x","args":["${NONE:-ghp_4f2a9bC7dE1fA2b3C4d5}"])").expansions.size() == 1_ul);
    const auto two = parse_servers(R"("a":{"command":"${TOKEN}"},"b":{"command":"${HOST}"})");
    expect(fatal(two.settings.servers.size() == 2_ul));
    expect(two.settings.servers[1].expansions == texts{"a.test"}) << "each has its own";
  };
  "SEC-3 an address that cannot be used is shown as it stands in the file, without its password"_test = [] {
    for (const char* members : {R"("url":"http://${TOKEN}:99999/mcp")", R"("url":"https://a.test/${TOKEN}|/mcp")",
                                R"("url":"https://a.test/","proxy":"http://u:${TOKEN}/x@127.0.0.1:9")",
                                R"("url":"http://u:s3cret/x@a.test/mcp")",
                                R"("url":"https://a.test/","oauth":{"issuer":"http://${TOKEN}|"})"}) {
      const auto config = parse_entry(members);
      expect(!config.problems.empty() && !contains(problems_of(config), "s3cret")) << members << problems_of(config);
    }
  };
  "SEC-3 a literal that looks like a token is warned about in arguments and in an address, without its value"_test = [] {
    const auto warned = [](const std::string& members, const char* pointer) {
      const auto config = parse_entry(members);
      expect(config.settings.servers.size() == 1_ul) << members << problems_of(config);
      expect(config.problems.size() == 1_ul) << members << problems_of(config);
      if (config.problems.empty()) return;
      const config_problem& found = config.problems.front();
      expect(found.severity == config_problem::kind::warning and found.pointer == pointer) << problems_of(config);
      expect(contains(found.what, "looks like a secret") and !contains(found.what, "4f2a")) << found.what;
    };
    warned(R"("command":"x","args":["--key","sk-proj-4f2a9bC7dE1f4f2a9bC7"])", "/mcpServers/a/args");
    warned(R"("command":"x","args":["--header","Authorization: Bearer aB3dE5fG7hJ9kL1mN3pQ4f2a"])",
           "/mcpServers/a/args");
    warned(R"("command":"x","args":["--api-key=4f2a-pass"])", "/mcpServers/a/args");
    warned(R"("command":"x","args":["--password","4f2a-pass"])", "/mcpServers/a/args");
    warned(R"("command":["x","--token","4f2a-pass"])", "/mcpServers/a/command");
    warned(R"("url":"https://a.test/s/ghp_4f2a9bC7dE1fA2b3C4d5/mcp")", "/mcpServers/a/url");
    warned(R"("url":"https://a.test/0123456789abcdef0123456789ab4f2a/mcp")", "/mcpServers/a/url");
    for (
        const char* plain :
        {R"("command":"npx","args":["-y","@modelcontextprotocol/server-everything@2025.11.25","--max-tokens","100000"])",
         R"("command":"x","args":["--api-key","${TOKEN}","--token=${TOKEN}","/home/Somebody/Projects-2025/Long_Path_1"])",
         R"("command":"x","args":["--token-file","/run/secrets/the-token","--password","--verbose"])",
         R"("url":"https://mcp.context7.example.com/v1/servers/${TOKEN}/mcp")",
         R"("command":"x","env":{"KEY":"sk-proj-4f2a9bC7dE1f4f2a9bC7"})"})
      good(plain);
  };
  "the name of a server is printable and short"_test = [] {
    const auto named = [](const std::string& name) { return parse_servers("\"" + name + R"(":{"command":"x"})"); };
    expect(named(std::string(128, 'n')).settings.servers.size() == 1_ul);
    expect(named("gr\xC3\xBC\xC3\x9F \xE6\x97\xA5/~").settings.servers.size() == 1_ul);
    expect(contains(problems_of(named(std::string(129, 'n'))), "more than 128 bytes"));
    expect(contains(problems_of(named("")), "the name of a server is empty"));
    for (const char* name : {"a\\nb", "\\u001b[31m", "\\u007f", "\\u0085", "\\u2028"})
      expect(named(name).settings.servers.empty() and contains(problems_of(named(name)), "control characters")) << name;
    const auto escaped = parse_servers(R"("a/b~c":{})");
    expect(escaped.problems.at(0).pointer == "/mcpServers/a~1b~0c");
    const auto line = parse_servers(R"("a\nb":{})").problems.at(0).text();
    expect(!contains(line, "\n") and contains(line, "/mcpServers/a\\nb"));
  };
  "keys that are not known are warned of, the usual ones of other hosts are not"_test = [] {
    good(R"("command":"x","description":"d","autoApprove":["a"],"alwaysAllow":[],"$schema":"s")");
    const auto config = parse_entry(R"("command":"x","colour":"red","headers":{"A":"b"})");
    expect(config.settings.servers.size() == 1_ul and config.problems.size() == 2_ul) << problems_of(config);
    expect(problems_of(config) ==
           "mcp.json:1:36: warning: /mcpServers/a/colour: is not known here and has no effect\n"
           "mcp.json:1:51: warning: /mcpServers/a/headers: has no effect on a server that is a "
           "program\n");
    const auto remote = parse_entry(R"("url":"http://a","args":[],"cwd":"/")");
    expect(remote.settings.servers.size() == 1_ul and remote.problems.size() == 2_ul) << problems_of(remote);
  };
};

}  // namespace config_test
