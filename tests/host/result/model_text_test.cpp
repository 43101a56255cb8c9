// SPDX-License-Identifier: MIT
#include "../../../host/result/model_text.hpp"

#include "../../support/ut.hpp"

namespace model_text_test {

using namespace hawser;

model_text rendered(error e) { return render_for_model(result<envelope>{std::move(e)}); }
std::string said(error e) {
  const auto text = rendered(std::move(e));
  expect(text.error);
  return text.output;
}

const suite<"model_text"> tests = [] {
  "a result is the tool's own text"_test = [] {
    const auto text = render_for_model(envelope::of_text("42"));
    expect(!text.error and text.output == "42" and text.to_json() == R"({"error":false,"output":"42"})");
  };
  "S020 an error of the tool is marked, with its content joined"_test = [] {
    const auto read = envelope::read(raw_json{
        std::string_view{R"({"isError":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"}});
    expect(render_for_model(read).to_json() == R"({"error":true,"output":"a\nb"})");
  };
  "S016 a server that is down is unreachable, and it is said which one and what became of the call"_test = [] {
    expect(said({.code = errc::closed, .what = "exited with 1", .server = "git"}) ==
           "MCP server unreachable (\"git\"): exited with 1. The call was not executed.");
    expect(said({.code = errc::closed,
                 .what = "server \"git\": exited with 1",
                 .executed = execution::unknown,
                 .server = "git"}) ==
           "MCP server unreachable (\"git\"): exited with 1. The call may or may not have "
           "been executed: check before repeating it.");
    for (const errc code : {errc::closed, errc::server_gone, errc::spawn, errc::io})
      expect(said({.code = code, .what = "x"}) == "MCP server unreachable: x. The call was not executed.");
    expect(said({.code = errc::closed, .what = ""}) == "MCP server unreachable. The call was not executed.");
  };
  "every other failure is a sentence to act on"_test = [] {
    const auto unknown = execution::unknown;
    const std::string perhaps = ". The call may or may not have been executed: check before repeating it.";
    expect(said({.code = errc::timed_out, .what = "no answer in 60 s", .executed = unknown, .server = "a"}) ==
           "The call timed out: MCP server \"a\" did not answer in time" + perhaps);
    expect(said({.code = errc::cancelled, .what = "cancelled", .executed = unknown}) ==
           "The call was cancelled" + perhaps);
    expect(said({.code = errc::tool_unknown, .what = "no tool named \"x\""}) ==
           "There is no such tool: no tool named \"x\". Use one of the tools that are listed.");
    expect(said({.code = errc::remote, .what = "missing path", .native = -32602, .server = "a"}) ==
           "The call was refused by MCP server \"a\" (code -32602): missing path. The call was not executed.");
    expect(said({.code = errc::protocol, .what = "not JSON", .executed = unknown}) ==
           "The answer of the MCP server cannot be used: not JSON" + perhaps);
    expect(said({.code = errc::too_large, .what = "more than 16 MiB", .executed = unknown, .server = "a"}) ==
           "The answer of MCP server \"a\" cannot be used: more than 16 MiB" + perhaps);
    expect(said({.code = errc::auth, .what = "no token", .server = "a"}) ==
           "MCP server needs a login (\"a\"): no token. Only the user can log in. The call was not executed.");
    expect(said({.code = errc::config, .what = "disabled"}) ==
           "The call cannot be made: disabled. The call was not executed.");
  };
  "a server's long complaint is cut between characters"_test = [] {
    std::string what;
    while (what.size() < 10'000) what += "\xE2\x82\xAC";
    const auto text = said({.code = errc::closed, .what = what});
    expect(text.size() < 2'200_ul and text.find("\xE2\x82\xAC. The call") != std::string::npos);
  };
};

}  // namespace model_text_test
