// SPDX-License-Identifier: MIT
// Forms and web pages that are open while other things happen: the server ends, the caller gives up, the user takes his
// time; and the pages that a server of 2025-11-25 wants to be visited before a call (-32042).
#include "../../../host/session/session.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/session_fixture.hpp"

namespace session_pages_test {

using namespace hawser;
using namespace hawser::testing;
using action = elicitation_answer::action;

constexpr const char* done = R"({"content":[]})";
constexpr const char* wants_form =
    R"({"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create",
  "params":{"message":"who?","requestedSchema":{"type":"object"}}}},"requestState":"s"})";
constexpr const char* two_pages = R"({"elicitations":[
  {"mode":"url","elicitationId":"e1","message":"first","url":"https://a.example/1"},
  {"mode":"url","elicitationId":"e2","message":"second","url":"https://a.example/2"}]})";

std::vector<reply<elicitation_answer>> open_forms;
std::vector<std::string> visited;
std::vector<action> answers;
int refusals = 0;

input_handlers keeping() {
  open_forms.clear();
  input_handlers can;
  can.form = [](form_request, reply<elicitation_answer> give) { open_forms.push_back(std::move(give)); };
  return can;
}

setting asking_server() {
  setting how{.can = keeping()};
  how.server = [](scripted_server& far) {
    modern_server(far, tools_only);
    far.on("tools/call", wants_form);
  };
  return how;
}

// A server that refuses so many calls until its pages have been visited.
setting pages_server(int refused, std::vector<action> user) {
  refusals = refused;
  answers = std::move(user);
  visited.clear();
  setting how{.open = open_legacy};
  how.can.url = [](url_request r, reply<elicitation_answer> give) {
    visited.push_back(r.server + ' ' + r.message + ' ' + r.url);
    give({.what = answers.at(visited.size() - 1)});
  };
  how.server = [](scripted_server& far) {
    legacy_server(far);
    far.on("tools/call", scripted_server::answer{[](std::string_view) {
             if (refusals-- > 0) return scripted_server::error_of(-32042, "visit first", two_pages);
             return scripted_server::result_of(done);
           }});
  };
  return how;
}

task<void> a_turn() {
  auto slept = co_await sleep_for(duration{1});
  ignore(slept, "only a turn of the loop is wanted");
}

void completed(session_fixture& h, std::string_view id) {
  h.far.notify("notifications/elicitation/complete", R"({"elicitationId":")" + std::string{id} + R"("})");
}

const suite<"session_pages"> tests = [] {
  "a call whose form is open when the server ends is closed, not left waiting"_test = [] {
    with_session(asking_server(), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
      co_await h.far.saw("tools/call");
      while (open_forms.empty()) co_await a_turn();
      h.far.end();
      co_await calls.join();
      expect(end.failed(errc::closed) and end.got->error().executed == execution::unknown);
      open_forms.front()({.what = action::accept});
      open_forms.clear();
      expect(h.far.all("tools/call").size() == 1_ul);
    });
  };

  "a call that is given up while its form is open ends at once, and its late answer goes nowhere"_test = [] {
    with_session(asking_server(), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
      co_await h.far.saw("tools/call");
      while (open_forms.empty()) co_await a_turn();
      calls.request_stop();
      co_await calls.join();
      expect(end.failed(errc::cancelled));
      open_forms.front()({.what = action::accept});
      open_forms.clear();
      h.far.on("tools/call", done);
      auto next = co_await h.near->call_tool("t", "", {});
      expect(next.has_value() and h.far.all("tools/call").size() == 2_ul);
    });
  };

  "a user may think for as long as a call may take"_test = [] {
    static manual_clock* now;
    manual_clock by{manual_clock::when_idle::jump};
    now = &by;
    setting how = asking_server();
    how.by = &by;
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
      co_await h.far.saw("tools/call");
      for (int i = 0; i < 60; ++i) co_await h.far.saw("x/never", 1);  // five seconds each, which pass at once
      now->advance(std::chrono::minutes{20});
      expect(end.times == 0_i and open_forms.size() == 1_ul);
      h.far.on("tools/call", done);
      open_forms.front()({.what = action::accept});
      open_forms.clear();
      co_await calls.join();
      expect(end.fine());
    });
  };

  "an open form leaves nothing behind, at whatever step the call is stopped"_test = [] {
    manual_clock by;
    every_step(
        [](loop& l) -> task<void> {
          const counted alive;
          session_fixture h{l, keeping()};
          modern_server(h.far, tools_only);
          h.far.on("tools/call", wants_form);
          co_await h.open();
          ending<raw_json> end;
          scope calls{co_await this_context()};
          calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
          co_await h.far.saw("tools/call");
          h.far.on("tools/call", done);
          co_await h.far.saw("x/never", 1);
          for (auto& one : open_forms) one({.what = action::accept});
          open_forms.clear();
          co_await calls.join();
          expect(end.times == 1_i);
          co_await h.close();
        },
        {.clock = &by});
  };

  "-32042 the pages are visited with consent, then the call is made again"_test = [] {
    with_session(pages_server(1, {action::accept, action::accept}), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", R"({"x":1})", {})));
      co_await h.far.saw("tools/call");
      completed(h, "nobody's");
      completed(h, "e1");
      completed(h, "e2");
      co_await calls.join();
      expect(end.fine() and h.far.all("tools/call").size() == 2_ul);
      expect((visited == std::vector<std::string>{"box first https://a.example/1", "box second https://a.example/2"}));
      const auto again = h.far.all("tools/call").back();
      expect(again.at({"params", "arguments"}) == R"({"x":1})" and again.at({"params", "requestState"}).empty());
    });
  };

  "-32042 the call is made again although the server forgets to say that the user is done"_test = [] {
    manual_clock by;
    setting how = pages_server(1, {action::accept, action::accept});
    how.by = &by;
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(got.has_value() and h.far.all("tools/call").size() == 2_ul);
    });
    expect(by.elapsed() >= std::chrono::minutes{1});
  };

  "-32042 a user who declines gets the server's error, and nothing is sent again"_test = [] {
    with_session(pages_server(1, {action::decline}), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(!got and got.error().code == errc::remote and got.error().native == -32042);
      expect(h.far.all("tools/call").size() == 1_ul and visited.size() == 1_ul);
    });
  };

  "-32042 nobody there to be asked, or nothing to visit: the server's error"_test = [] {
    setting nobody = pages_server(9, {});
    nobody.can = {};
    with_session(std::move(nobody), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(!got and got.error().native == -32042 and h.far.all("tools/call").size() == 1_ul);
      for (const char* data : {"{}", "[]", R"({"elicitations":[]})", R"({"elicitations":[7]})", ""}) {
        h.far.on_error("tools/call", -32042, data);
        auto bad = co_await h.near->call_tool("t", "", {});
        expect(!bad and bad.error().native == -32042) << data;
      }
    });
  };

  "-32042 twice for one call is an error; in the modern era it is one at once"_test = [] {
    with_session(pages_server(9, {action::accept, action::accept}), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
      co_await h.far.saw("tools/call");
      completed(h, "e1");
      completed(h, "e2");
      co_await calls.join();
      expect(end.failed(errc::remote) and h.far.all("tools/call").size() == 2_ul);
    });
    setting modern = pages_server(9, {action::accept, action::accept});
    modern.open = {};
    static void (*const before)(scripted_server&) = modern.server;
    modern.server = [](scripted_server& far) {
      before(far);
      modern_server(far, tools_only);
    };
    with_session(std::move(modern), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->call_tool("t", "", {});
      expect(!got and got.error().native == -32042 and visited.empty());
    });
  };

  "-32042 a session that ends while the user is at a page ends the call"_test = [] {
    with_session(pages_server(1, {action::accept, action::accept}), [](session_fixture& h) -> task<void> {
      ending<raw_json> end;
      scope calls{co_await this_context()};
      calls.spawn(watch_end(end, h.near->call_tool("t", "", {})));
      while (visited.empty()) co_await a_turn();
      h.far.end();
      co_await calls.join();
      expect(end.failed(errc::closed));
    });
  };
};

}  // namespace session_pages_test
