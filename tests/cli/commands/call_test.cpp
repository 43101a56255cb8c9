// SPDX-License-Identifier: MIT
// `hawser call` by the real program: arguments, answers, exit codes, and the ways it can end early.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

#include "../../support/contains.hpp"
#include "../../support/fixture.hpp"
#include "../../support/scripted_http_server.hpp"
#include "../../support/shell_server.hpp"
#include "../hawser_program.hpp"
#include "../pseudo_terminal.hpp"

namespace call_test {

using hawser::testing::cli_fixture;
using hawser::testing::contains;
using hawser::testing::ended_program;
using hawser::testing::pseudo_terminal;
using hawser::testing::survivors;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

// What a terminal shows until a text is there; the program is at its other end.
bool shows(const pseudo_terminal& pty, std::string& shown, const std::string& text) {
  for (int i = 0; i < 2'000 && !contains(shown, text); ++i) {
    shown += pty.text();
    std::this_thread::sleep_for(std::chrono::milliseconds{5});  // a person is not faster
  }
  return contains(shown, text);
}

void type(const pseudo_terminal& pty, const std::string& line) {
  expect(write(pty.main, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

const suite<"call"> tests = [] {
  "each form of arguments reaches the tool"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto by_key = w.run({"call", "demo__echo", "text=42"});
    expect(by_key.code == 0_i && by_key.out == "42\n") << told(by_key);
    const auto by_json = w.run({"call", "demo__echo", R"({"text":"from JSON"})"});
    expect(by_json.out == "from JSON\n") << told(by_json);
    const auto by_stdin = w.run({"call", "demo__echo", "-"}, {.input = R"({"text":"from stdin"})"});
    expect(by_stdin.out == "from stdin\n") << told(by_stdin);
    const auto typed = w.run({"call", "demo__add", "a=1.5", "b=2", "--json"});
    expect(json::parse(typed.out).at("data").at("sum").to_number<double>() == 3.5) << told(typed);
    const auto each_server = w.run({"call", "--server", "demo", "echo", "text:=\"own name\""});
    expect(each_server.out == "own name\n") << told(each_server);
  };

  "only the server that has the tool is started, with and without a known list"_test = [] {
    const cli_fixture w{{"demo", "mute"}};
    for (const char* when : {"unknown", "known"}) {
      const auto r = w.run({"call", "demo__echo", "text=x", "--timeout", "20"});
      expect(r.code == 0_i && r.err.empty()) << when << told(r);
    }
  };

  "what a tool says never reaches the terminal as it is"_test = [] {
    const cli_fixture w{{"demo"}};
    const pseudo_terminal pty{80};
    std::string shown;
    const auto p = w.start({"call", "demo__echo", R"({"text":"a\u001b[2J\r\u202e\nb"})"}, {.terminal = pty.user});
    expect(shows(pty, shown, "a\\u{1b}[2J\\u{d}\\u{202e}\r\nb\r\n")) << shown;
    expect(p->wait().code == 0_i);
    const auto as_json = w.run({"call", "demo__echo", R"({"text":"\u001b\u202e"})", "--json"});
    expect(!contains(as_json.out, "\x1b") && contains(as_json.out, "\\u001b\\u202e")) << as_json.out;
    expect(json::parse(as_json.out).at("meta").at("isError") == false);
    const auto raw = w.run({"call", "--raw", "demo__echo", R"({"text":"\u001b"})"});
    expect(raw.out == "\x1b") << told(raw);
  };

  "G13 text of people is printed in every locale"_test = [] {
    cli_fixture w{{"demo"}};
    w.environment = {"LC_ALL=C", "LANG=C"};
    const auto r = w.run({"call", "demo__echo",
                          "text=Gr\xc3\xbc\xc3\x9f"
                          "e"});
    expect(r.code == 0_i && r.out ==
                                "Gr\xc3\xbc\xc3\x9f"
                                "e\n")
        << told(r);
  };

  "a tool that says no, and one that is not there, are 1"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto no = w.run({"call", "demo__add", R"({"a":"x"})"});
    expect(no.code == 1_i && contains(no.out, "must be numbers")) << told(no);
    const auto nothing = w.run({"call", "demo__nothing"});
    expect(nothing.code == 1_i && contains(nothing.err, "no tool is named \"demo__nothing\"")) << told(nothing);
    const auto almost = w.run({"call", "echo"});
    expect(almost.code == 1_i && contains(almost.err, "did you mean demo__echo?")) << told(almost);
  };

  "arguments that do not fit are an error of the command line"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"call", "demo__large", "bytes=many"});
    expect(r.code == 2_i && contains(r.err, "argument \"bytes\": \"many\" is not an integer")) << told(r);
    expect(w.run({"call", "demo__echo", "{nonsense"}).code == 2_i);
    expect(w.run({"call", "demo__echo", "-"}, {.input = "{\"a\":"}).code == 2_i);
  };

  "a server that dies of the call leaves the outcome unknown"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"call", "demo__crash"});
    expect(r.code == 7_i && contains(r.err, "demo")) << told(r);
    const cli_fixture none{{"broken"}};
    expect(none.run({"call", "broken__tool"}).code == 4_i);
  };

  "CLM-2 call --json prints why a call failed, whether it was executed, and retry_after"_test = [] {
    using hawser::testing::scripted_connection;
    for (const auto& [status, executed, code] :
         {std::tuple{"429 Too Many Requests", "no", 4}, std::tuple{"503 Service Unavailable", "unknown", 7}}) {
      const hawser::testing::scripted_http_server server{[&](scripted_connection& with) {
        while (auto asked = with.request()) {
          const auto answers = [&](std::string_view result) {
            with.json(R"({"jsonrpc":"2.0","id":)" + asked->id() + R"(,"result":)" + std::string{result} + '}');
          };
          if (asked->asks("server/discover")) {
            answers(R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
          } else if (asked->asks("tools/list")) {
            answers(R"({"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"}}]})");
          } else {
            with.reply(status, "text/plain", "busy", "Retry-After: 30\r\n");
          }
        }
      }};
      const cli_fixture w{{}};
      const json::object busy{{"url", server.origin() + "/mcp"}};
      w.write("mcp.json", json::serialize(json::object{{"mcpServers", json::object{{"busy", busy}}}}));
      const auto r = w.run({"call", "busy__echo", "--json"});
      expect(r.code == code && contains(r.err, "retry after 30 s")) << told(r);
      expect(server.asked("tools/call") == 1_ul);
      boost::system::error_code fault;
      const json::value printed = json::parse(r.out, fault);
      expect(fatal(!fault)) << told(r);
      const json::object& why = printed.at("error").as_object();
      expect(why.at("executed") == executed && why.at("code") == "io" && why.at("server") == "busy") << told(r);
      expect(why.at("retry_after") == 30 && contains(std::string{why.at("message").as_string()}, "busy")) << told(r);
      const auto text = w.run({"call", "busy__echo"});
      expect(text.out.empty() && contains(text.err, "retry after 30 s")) << told(text);
    }
  };

  "a call that takes too long exits with 5 and leaves no process"_test = [] {
    const cli_fixture w{{"demo", "mute"}};
    const auto slow = w.run({"call", "demo__slow", "seconds=60", "--timeout", "0.5"});
    expect(slow.code == 5_i && contains(slow.err, "timed out after 500 ms")) << told(slow);
    const auto mute = w.run({"call", "mute__tool", "--timeout", "0.5"});
    expect(mute.code == 5_i) << told(mute);
    expect(survivors(w.token(), 5000).empty());
  };

  "a large answer is printed whole"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"call", "demo__large", "bytes=3000000"});
    expect(r.code == 0_i && r.out.size() == 3'000'001_u) << r.code << r.out.size() << r.err;
  };

  "CMD-3 a pipe or a file gets every byte of a result"_test = [] {
    const cli_fixture w{{"demo"}};
    for (const char* how : {"--raw", "-q"}) {
      const auto large = w.run({"call", how, "demo__large", "bytes=10000000"});
      const std::size_t size = how[1] == '-' ? 10'000'000 : 10'000'001;
      expect(large.code == 0_i && large.out.size() == size && !contains(large.out, "[cut"))
          << large.code << large.out.size();
      const auto empty = w.run({"call", how, "demo__echo", "text="});
      expect(empty.code == 0_i && empty.out.empty()) << told(empty);
      // Line ends, a joiner, a direction mark, an escape sequence.
      const auto exact = w.run({"call", how, "demo__echo", R"({"text":"a\r\nb\u200d\u202e\u001b[2J\t\u0000\r\n"})"});
      expect(exact.out == std::string_view{"a\r\nb\xe2\x80\x8d\xe2\x80\xae\x1b[2J\t\0\r\n", 18}) << told(exact);
    }
  };

  "CMD-3 a terminal is told that there is nothing, and refuses raw bytes"_test = [] {
    const cli_fixture w{{"demo"}};
    const pseudo_terminal pty{80};
    std::string shown;
    const auto empty = w.start({"call", "demo__echo", "text="}, {.terminal = pty.user});
    expect(shows(pty, shown, "(no output)\r\n")) << shown;
    expect(empty->wait().code == 0_i);
    const auto raw = w.start({"call", "-v", "--raw", "demo__echo", "text=x"}, {.terminal = pty.user});
    expect(shows(pty, shown, "raw bytes go to files")) << shown;
    expect(raw->wait().code == 2_i && !contains(shown, "tools/call")) << "before the tool is called" << shown;
    const auto both = w.run({"call", "--raw", "--json", "demo__echo", "text=x"});
    expect(both.code == 2_i && contains(both.err, "exclude each other")) << told(both);
  };

  "CMD-3 --raw writes the texts byte for byte, and nothing where a block is no text"_test = [] {
    const cli_fixture w{{}};
    const auto answers = [&](const std::string& result) {
      w.write("result.json", result);
      w.write("server",
              std::string{hawser::testing::shell_words} + "result=$(cat " + (w.folder / "result.json") + ")\nserve\n");
      w.write("mcp.json", json::serialize(json::object{
                              {"mcpServers", json::object{{"s", json::object{{"command", "/bin/sh"},
                                                                             {"args", json::array{w.folder / "server"}},
                                                                             {"protocol", "legacy"}}}}}}));
      return w.run({"call", "--raw", "s__echo"});
    };
    const auto texts = answers(R"({"content":[{"type":"text","text":"a\r\n"},{"type":"text","text":"b"},)"
                               R"({"type":"resource","resource":{"uri":"x:y","text":"c"}}]})");
    expect(texts.code == 0_i && texts.out == "a\r\nbc" && texts.err.empty()) << told(texts);
    const auto structured = answers(R"({"content":[],"structuredContent":{ "a" : 1.50 }})");
    expect(structured.code == 0_i && structured.out == R"({ "a" : 1.50 })") << told(structured);
    for (const auto& [block, what] :
         {std::pair{R"({"type":"image","mimeType":"image/png","data":"QUJD"})", "[image: image/png, 3 bytes]"},
          std::pair{R"({"type":"resource_link","uri":"x:y","name":"n"})", "[resource: x:y]"},
          std::pair{R"({"type":"resource","resource":{"uri":"x:y","blob":"QUJD"}})", "[resource: x:y]"},
          std::pair{R"({"type":"hologram","beam":1})", "of a kind that is not known"}}) {
      const auto r = answers(R"({"content":[{"type":"text","text":"a"},)" + std::string{block} + "]}");
      expect(r.code == 8_i && r.out.empty()) << told(r);
      expect(contains(r.err, "block 2 of the result is no text: ") && contains(r.err, what)) << told(r);
      expect(contains(r.err, "the call was made") && contains(r.err, "--json")) << told(r);
    }
    const auto failed = answers(R"({"isError":true,"content":[{"type":"text","text":"no"}]})");
    expect(failed.code == 1_i && failed.out == "no") << told(failed);
  };

  "CMD-8 -v shows every message whole, also where stderr is read slowly"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto r = w.run({"call", "-v", "demo__large", "bytes=3000000"});
    expect(r.code == 0_i) << r.code;
    bool answered = false;
    for (std::size_t at = 0; at < r.err.size();) {
      const std::size_t end = std::min(r.err.find('\n', at), r.err.size());
      const std::string_view line = std::string_view{r.err}.substr(at, end - at);
      at = end + 1;
      if (!line.starts_with("demo: {")) continue;
      boost::system::error_code bad;
      const json::value message = json::parse(line.substr(6), bad);
      expect(!bad) << line.substr(0, 200);
      answered = answered || line.size() > 3'000'000;
    }
    expect(answered) << "the answer is there";
    std::array<int, 2> ends{};
    expect(fatal(pipe2(ends.data(), O_CLOEXEC) == 0));
    const auto slow = w.start({"call", "-v", "demo__large", "bytes=1000000"}, {.err = ends[1]});
    close(ends[1]);
    // Longer than any patience of ours would be.
    expect(slow->says("All work")) << "the result is on stdout already";
    std::this_thread::sleep_for(std::chrono::milliseconds{1'500});
    std::string all;
    std::array<char, 65536> room{};
    for (ssize_t count = 0; (count = read(ends[0], room.data(), room.size())) > 0;)
      all.append(room.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    expect(slow->wait().code == 0_i);
    expect(all.size() > 1'000'000 && all.ends_with('\n')) << all.size();
  };

  "A26 Ctrl-C cancels the call, and SIGTERM and SIGHUP end as orderly"_test = [] {
    const cli_fixture w{{"demo"}};
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      const auto p = w.start({"call", "demo__slow", "seconds=60", "-v"});
      expect(p->says("\"tools/call\"")) << p->err();
      const auto begin = std::chrono::steady_clock::now();
      p->signal(number);
      const auto r = p->wait();
      expect(r.code == 128 + number) << told(r);
      expect(contains(r.err, "notifications/cancelled")) << "the server is told";
      expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds{5});
      expect(survivors(w.token(), 5000).empty());
    }
  };

  "a second Ctrl-C ends the program without waiting for servers"_test = [] {
    const cli_fixture w{{"mute"}};
    w.write(
        "mcp.json",
        R"({"mcpServers":{"stubborn":{"command":"/bin/sh","args":["-c","trap '' TERM; while :; do sleep 1; done","X)" +
            w.token() + R"("]}}})");
    const auto p = w.start({"get", "stubborn", "-v"});
    expect(p->says("stubborn: ")) << p->err();
    p->signal(SIGINT);
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds{200});  // as fingers do; the first one alone takes seconds
    p->signal(SIGINT);
    expect(p->wait().code == 130_i);
    expect(std::chrono::steady_clock::now() - begin <
           std::chrono::milliseconds{hawser::testing::instrumented ? 2000 : 1000});
    expect(survivors(w.token(), 10'000).empty()) << "its keeper ends them";
  };

  "G10 a closed pipe ends the program silently with 141, and no server is left"_test = [] {
    const cli_fixture w{{"demo"}};
    std::array<int, 2> ends{};
    expect(fatal(pipe2(ends.data(), O_CLOEXEC) == 0));
    const auto p = w.start({"call", "demo__large", "bytes=3000000"}, {.out = ends[1]});
    close(ends[1]);
    std::array<char, 100> room{};
    expect(read(ends[0], room.data(), room.size()) > 0);
    close(ends[0]);
    const auto r = p->wait();
    expect(r.code == 141_i && r.err.empty()) << told(r);
    expect(survivors(w.token(), 5000).empty());
  };

  "G08 where nobody can be asked, a question is declined with a notice"_test = [] {
    const cli_fixture w{{"demo", "old"}};
    for (const char* tool : {"demo__ask", "old__ask"}) {
      const auto r = w.run({"call", tool});
      expect(r.code == 0_i && contains(r.out, "You would rather not say.")) << told(r);
      expect(contains(r.err, "declined, because there is no terminal")) << r.err;
    }
  };

  "a form of a server is filled in at the terminal"_test = [] {
    const cli_fixture w{{"demo", "old"}};
    for (const char* tool : {"demo__ask", "old__ask"}) {
      const pseudo_terminal pty{80};
      std::string shown;
      const auto p = w.start({"call", tool}, {.terminal = pty.user});
      expect(shows(pty, shown, "Name (text, at least 1 characters): ")) << shown;
      type(pty, "Ada\n");
      expect(shows(pty, shown, "(y)es, (e)dit, (d)ecline, (c)ancel: ")) << shown;
      type(pty, "y\n");
      expect(shows(pty, shown, "Hello, Ada!")) << shown;
      expect(p->wait().code == 0_i);
    }
  };

  "Ctrl-C at the terminal ends a question, too"_test = [] {
    const cli_fixture w{{"demo"}};
    const pseudo_terminal pty{80};
    std::string shown;
    const auto p = w.start({"call", "demo__ask"}, {.terminal = pty.user});
    expect(shows(pty, shown, "Name (text")) << shown;
    type(pty, "\x03");
    expect(p->wait().code == 130_i) << shown;
    expect(survivors(w.token(), 5000).empty());
  };

  "what is waited for is shown at a terminal, and goes away"_test = [] {
    const cli_fixture w{{"demo"}};
    const pseudo_terminal pty{80};
    std::string shown;
    const auto p = w.start({"call", "demo__slow", "seconds=1"}, {.terminal = pty.user});
    expect(shows(pty, shown, "calling demo__slow: ")) << shown;
    expect(shows(pty, shown, "\r\x1b[Ktook 1 s")) << shown;
    expect(p->wait().code == 0_i);
  };

  "T-14 secrets of the configuration are in no trace"_test = [] {
    const cli_fixture w{{}};
    w.write("mcp.json", R"({"mcpServers":{"demo":{"command":")" + hawser::testing::program("hawser") +
                            R"(","args":["demo-server"],"env":{"TOKEN":"canary-7"}}}})");
    const auto r = w.run({"call", "demo__echo", "text=x", "-v"});
    expect(r.code == 0_i && contains(r.err, "demo: ") && contains(r.err, "tools/call")) << told(r);
    expect(!contains(r.err, "canary-7"));
    expect(!contains(w.run({"get", "demo", "--json"}).out, "canary-7"));
  };
};

}  // namespace call_test
