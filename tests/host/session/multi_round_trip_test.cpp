// SPDX-License-Identifier: MIT
// Results that are not complete (MRTR, protocol.md §11.1) and the pages of 2025-11-25 that must be visited first.
#include "../../../host/session/session.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/session_fixture.hpp"

namespace multi_round_trip_test {

using namespace hawser;
using namespace hawser::testing;
namespace json = boost::json;
using action = elicitation_answer::action;
using std::chrono::seconds;

constexpr const char* done = R"({"content":[],"resultType":"complete"})";
constexpr const char* ask_name =
    R"({"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}})";

std::string wants(const std::string& requests, const std::string& state = {}) {
  std::string text = R"({"resultType":"input_required")";
  if (!requests.empty()) text += R"(,"inputRequests":)" + requests;
  if (!state.empty()) text += R"(,"requestState":)" + state;
  return text + '}';
}

std::vector<std::string> script;  // the results of one call after the other; the last one stays
std::size_t told = 0;
int forms = 0;

setting server_with(std::vector<std::string> results, input_handlers can) {
  script = std::move(results);
  told = 0;
  forms = 0;
  setting how{.can = std::move(can)};
  how.server = [](scripted_server& far) {
    modern_server(far, tools_only);
    const scripted_server::answer next{[](std::string_view) {
      const std::size_t at = std::min(told++, script.size() - 1);
      return scripted_server::result_of(script[at]);
    }};
    for (const char* method : {"tools/call", "prompts/get", "resources/read"}) far.on(method, next);
  };
  return how;
}

input_handlers with_form(action what = action::accept) {
  input_handlers can;
  can.form = [what](form_request, reply<elicitation_answer> give) {
    ++forms;
    give({.what = what, .content = {{"n", forms}}});
  };
  return can;
}

const suite<"multi_round_trip"> tests = [] {
  "T-44 the state goes back byte for byte, the answers under their keys, in a new request"_test = [] {
    const char* state = R"("a\u00e4\/\"  {\\u0041} \ud83d\ude00")";
    with_session(
        server_with({wants(R"({"k\"1\u0041":)" + std::string{ask_name} + '}', state), done}, with_form()),
        [](session_fixture& h) -> task<void> {
          auto got = co_await h.near->call_tool("t", R"({"x":[1]})", {});
          expect(got.has_value() and got->text() == done);
          const auto calls = h.far.all("tools/call");
          expect(fatal(calls.size() == 2_ul));
          expect(calls[0].at({"params", "requestState"}).empty());
          expect(calls[0].at({"params", "inputResponses"}).empty() and calls[0].id != calls[1].id);
          expect(calls[1].at({"params", "name"}) == "\"t\"" and calls[1].at({"params", "arguments"}) == R"({"x":[1]})");
          expect(calls[1].at({"params", "requestState"}) == R"("a\u00e4\/\"  {\\u0041} \ud83d\ude00")");
          expect(calls[1].at({"params", "inputResponses"}) == R"({"k\"1\u0041":{"action":"accept","content":{"n":1}}})")
              << calls[1].text;
          expect(calls[1].at({"params", "_meta", "io.modelcontextprotocol/protocolVersion"}) == "\"2026-07-28\"");
          expect(calls[1].at({"params", "_meta", "progressToken"}) == calls[1].id);
        });
  };

  "SEC-1 every further round of a call is admitted anew"_test = [] {
    const std::string asks = R"({"a":)" + std::string{ask_name} + '}';
    with_session(server_with({wants(asks), wants(asks), done}, with_form()), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(got.has_value() and h.listener.asked_again == std::vector<std::string>{"t", "t"});
      h.listener.refusal = error{.code = errc::tool_unknown, .what = "it writes now"};
      told = 0;
      const std::size_t before = h.far.all("tools/call").size();
      auto refused = co_await h.near->call_tool("t", "", {});
      expect(refused.has_error() and refused.error().what == "it writes now");
      expect(refused.error().executed == execution::unknown) << "the first round was sent";
      expect(h.far.all("tools/call").size() == before + 1);
      auto prompt = co_await h.near->get_prompt("p", "", {});
      expect(prompt.has_value()) << "only tools are admitted";
    });
  };

  "T-44 no state is sent where none came, and none is carried into the next round or another call"_test = [] {
    const std::string asks = R"({"a":)" + std::string{ask_name} + '}';
    with_session(
        server_with({wants(asks, "\"one\""), wants(asks), done}, with_form()), [](session_fixture& h) -> task<void> {
          auto got = co_await h.near->call_tool("t", "", {});
          auto other = co_await h.near->call_tool("t", "", {});
          expect(got.has_value() and other.has_value());
          const auto calls = h.far.all("tools/call");
          expect(fatal(calls.size() == 4_ul));
          expect(calls[1].at({"params", "requestState"}) == "\"one\"");
          expect(calls[2].at({"params", "requestState"}).empty());
          expect(calls[2].at({"params", "inputResponses", "a", "content", "n"}) == "2") << "of this round only";
          expect(calls[3].at({"params", "inputResponses"}).empty() and calls[3].at({"params", "requestState"}).empty());
        });
  };

  "the bound of a call is one for all its rounds, whoever takes the time"_test = [] {
    static manual_clock by;
    const call_options bounded{.idle_timeout = seconds{100}, .hard_timeout = seconds{100}};
    static call_options options;
    options = bounded;
    const std::string asks = R"({"a":)" + std::string{ask_name} + '}';
    // People who need 40 s each time.
    static std::vector<reply<elicitation_answer>> open;
    input_handlers slow;
    slow.form = [](form_request, reply<elicitation_answer> give) {
      ++forms;
      open.push_back(std::move(give));
    };
    setting how = server_with({wants(asks, "\"s\"")}, std::move(slow));
    how.by = &by;
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      const duration before = by.elapsed();
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "{}", options)));
      while (end.times == 0) {
        auto slept = co_await sleep_for(seconds{40});
        expect(slept.has_value());
        for (auto& one : open) one({.what = action::accept});
        open.clear();
      }
      co_await calls.join();
      expect(end.failed(errc::timed_out) and end.got->error().executed == execution::unknown);
      expect(by.elapsed() - before < seconds{125} and forms == 3_i) << forms;
    });
    open.clear();
    // A server that only wants to be asked again, for ever.
    setting late = server_with({wants("", "\"s\"")}, {});
    late.by = &by;
    late.limits.input_rounds = 1'000'000;
    with_session(std::move(late), [](session_fixture& h) -> task<void> {
      const duration before = by.elapsed();
      auto got = co_await h.near->call_tool("t", "{}", options);
      expect(!got and got.error().code == errc::timed_out and got.error().executed == execution::unknown);
      expect(by.elapsed() - before >= seconds{99} and by.elapsed() - before < seconds{102});
    });
  };

  "prompts and resources may ask for input, too"_test = [] {
    with_session(server_with({wants(R"({"a":)" + std::string{ask_name} + '}', "\"s\""), done}, with_form()),
                 [](session_fixture& h) -> task<void> {
                   auto read = co_await h.near->read_resource("file:///a", {});
                   expect(read.has_value() and told == 2_ul);
                   const auto reads = h.far.all("resources/read");
                   expect(reads[1].at({"params", "uri"}) == "\"file:///a\"" and
                          reads[1].at({"params", "requestState"}) == "\"s\"");
                   told = 0;
                   auto prompt = co_await h.near->get_prompt("p", R"({"x":"y"})", {});
                   const auto gets = h.far.all("prompts/get");
                   expect(prompt.has_value() and gets.size() == 2_ul);
                   expect(gets[1].at({"params", "arguments"}) == R"({"x":"y"})" and
                          gets[1].at({"params", "inputResponses", "a", "action"}) == "\"accept\"");
                 });
  };

  "all inputs of a round are asked for at once"_test = [] {
    static std::vector<reply<elicitation_answer>> open;
    input_handlers can;
    can.form = [](form_request, reply<elicitation_answer> give) {
      open.push_back(std::move(give));
      if (open.size() < 2) return;
      for (auto& one : open) one({.what = action::accept});
      open.clear();
    };
    can.roots = [](roots_request, reply<std::vector<root>> give) { give({{"file:///r", ""}}); };
    can.sampling = [](sampling_request, reply<json::object> give) { give({{"model", "m"}}); };
    const std::string three = R"({"a":)" + std::string{ask_name} + R"(,"b":)" + ask_name +
                              R"(,"c":{"method":"roots/list"},"d":{"method":"sampling/createMessage","params":{}}})";
    with_session(server_with({wants(three), done}, std::move(can)), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(got.has_value());
      const auto again = h.far.all("tools/call").back();
      expect(again.at({"params", "inputResponses", "a", "action"}) == "\"accept\"");
      expect(again.at({"params", "inputResponses", "b", "action"}) == "\"accept\"");
      expect(again.at({"params", "inputResponses", "c"}) == R"({"roots":[{"uri":"file:///r"}]})");
      expect(again.at({"params", "inputResponses", "d"}) == R"({"model":"m"})");
    });
  };

  "a form that is declined or cancelled is sent as that"_test = [] {
    for (const action what : {action::decline, action::cancel}) {
      static std::string word;
      word = what == action::decline ? R"({"action":"decline"})" : R"({"action":"cancel"})";
      with_session(server_with({wants(R"({"a":)" + std::string{ask_name} + '}'), done}, with_form(what)),
                   [](session_fixture& h) -> task<void> {
                     auto got = co_await h.near->call_tool("t", "", {});
                     expect(got.has_value());
                     expect(h.far.all("tools/call").back().at({"params", "inputResponses", "a"}) == word);
                   });
    }
  };

  "what is refused, not declared or not understood fails the call, and nothing is sent again"_test = [] {
    for (const char* requests :
         {R"({"a":{"method":"sampling/createMessage","params":{}}})", R"({"a":{"method":"roots/list"}})",
          R"({"a":{"method":"x/y","params":{}}})", R"({"a":{"params":{}}})", R"({"a":7})", R"({"a":{"method":7}})",
          R"({"a":{"method":"elicitation/create","params":{"mode":"url","url":"https://a"}}})",
          R"({"a":{"method":"elicitation/create","params":[]}})", R"([])", R"("who")", R"({})"}) {
      input_handlers can = with_form();
      can.sampling = [](sampling_request, reply<json::object>) {};
      with_session(server_with({wants(requests), done}, std::move(can)), [](session_fixture& h) -> task<void> {
        auto got = co_await h.near->call_tool("t", "", {});
        expect(!got and got.error().code == errc::protocol) << script.front();
        expect(h.far.all("tools/call").size() == 1_ul and forms == 0_i) << script.front();
        if (!got) expect(got.error().executed == execution::unknown);
      });
    }
  };

  "one that is refused ends the questions beside it"_test = [] {
    static std::optional<reply<elicitation_answer>> open;
    input_handlers can;
    can.form = [](form_request, reply<elicitation_answer> give) { open.emplace(std::move(give)); };
    const std::string two = R"({"a":)" + std::string{ask_name} + R"(,"b":{"method":"roots/list"}})";
    with_session(server_with({wants(two), done}, std::move(can)), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(!got and got.error().code == errc::protocol);
      open.reset();
    });
  };

  "B22 eight rounds of input are enough"_test = [] {
    with_session(server_with({wants(R"({"a":)" + std::string{ask_name} + '}', "\"s\"")}, with_form()),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->call_tool("t", "", {});
                   expect(!got and got.error().code == errc::too_large and forms == 8_i);
                   expect(h.far.all("tools/call").size() == 9_ul);
                 });
  };

  "T-44 a state larger than 64 KiB is refused"_test = [] {
    with_session(server_with({wants("", '"' + std::string(70'000, 'x') + '"'), done}, with_form()),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->call_tool("t", "", {});
                   expect(!got and h.far.all("tools/call").size() == 1_ul);
                 });
  };

  "a state alone is sent back after a pause; neither of the two is an error"_test = [] {
    static manual_clock* now;
    manual_clock by;
    now = &by;
    setting how = server_with({wants("", "\"s\""), wants("", "\"t\""), done}, {});
    how.by = &by;
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(got.has_value() and now->elapsed() >= std::chrono::milliseconds{400});
      expect(now->elapsed() <= std::chrono::seconds{2});
      const auto last = h.far.all("tools/call").back();
      expect(last.at({"params", "requestState"}) == "\"t\"" and last.at({"params", "inputResponses"}).empty());
    });
    with_session(server_with({wants(""), done}, {}), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(!got and got.error().code == errc::protocol and h.far.all("tools/call").size() == 1_ul);
    });
  };

  "B16 a result of an unknown type is invalid, one without a type is complete"_test = [] {
    for (const char* type : {"\"task\"", "\"partial\"", "7", "null", "\"\"", "\"Complete\""}) {
      with_session(server_with({R"({"content":[],"resultType":)" + std::string{type} + '}'}, {}),
                   [](session_fixture& h) -> task<void> {
                     auto got = co_await h.near->call_tool("t", "", {});
                     expect(!got and got.error().code == errc::protocol) << script.front();
                     if (!got) expect(got.error().executed == execution::unknown);
                   });
    }
    for (const char* bad : {"[]", "7", "null", R"({"a":1,})"}) {
      with_session(server_with({bad}, {}), [](session_fixture& h) -> task<void> {
        auto got = co_await h.near->call_tool("t", "", {});
        expect(!got and got.error().code == errc::protocol) << script.front();
      });
    }
    with_session(server_with({R"({"content":[]})"}, {}), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(got.has_value() and got->text() == R"({"content":[]})");
    });
  };

  "a stray type in a legacy result is nobody's business"_test = [] {
    with_session({.server =
                      [](scripted_server& far) {
                        legacy_server(far);
                        far.on("tools/call", wants("", "\"s\""));
                      },
                  .open = open_legacy},
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->call_tool("t", "", {});
                   expect(got.has_value() and h.far.all("tools/call").size() == 1_ul);
                 });
  };
};

}  // namespace multi_round_trip_test
