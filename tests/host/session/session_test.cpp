// SPDX-License-Identifier: MIT
// Calls of a session in both eras: what is on the wire, how they end, and that they end once.
#include "../../../host/session/session.hpp"

#include <set>

#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/session_fixture.hpp"

namespace session_test {

using namespace hawser;
using namespace hawser::testing;

constexpr const char* done = R"({"content":[],"resultType":"complete"})";

void answer_everything(scripted_server& far) {
  for (const char* method : {"tools/call", "prompts/get", "resources/read", "completion/complete", "x/any"})
    far.on(method, done);
  far.on("tools/list", R"({"tools":[]})");
  far.on("resources/list", R"({"resources":[]})");
  far.on("resources/templates/list", R"({"resourceTemplates":[]})");
  far.on("prompts/list", R"({"prompts":[]})");
  for (const char* method : {"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
    far.on(method, "{}");
}
void modern_answering(scripted_server& far) {
  modern_server(far);
  answer_everything(far);
}
void legacy_answering(scripted_server& far) {
  legacy_server(far);
  answer_everything(far);
}

task<void> use_everything(session_fixture& h) {
  session& s = *h.near;
  auto tool = co_await s.call_tool("echo", R"({"a":1})", {});
  auto bare = co_await s.call_tool("echo", "", {});
  auto read = co_await s.read_resource("file:///a", {});
  auto prompt = co_await s.get_prompt("p", R"({"x":"y"})", {});
  auto any = co_await s.request("completion/complete", R"( {"ref":{}} )", {});
  auto empty = co_await s.request("x/any", " { } ", {});
  auto none = co_await s.request("x/any", "", {});
  expect(tool.has_value() and bare.has_value() and read.has_value() and prompt.has_value() and any.has_value());
  expect(empty.has_value() and none.has_value());
  auto tools = co_await s.list_tools();
  expect(tools.has_value());
  for (const list_kind which : {list_kind::resources, list_kind::resource_templates, list_kind::prompts}) {
    auto listed = co_await s.list(which);
    expect(listed.has_value());
  }
  auto alive = co_await s.ping();
  auto subscribed = co_await s.subscribe("file:///a");
  auto unsubscribed = co_await s.unsubscribe("file:///a");
  auto level = co_await s.set_log_level("info");
  expect(alive.has_value() and subscribed.has_value() and unsubscribed.has_value() and level.has_value());
}

const suite<"session"> tests = [] {
  "every request of the modern era carries version, capabilities and who we are"_test = [] {
    with_session({.server = modern_answering}, [](session_fixture& h) -> task<void> {
      co_await use_everything(h);
      std::set<std::string> ids;
      for (const auto& one : h.far.seen) {
        if (one.id.empty()) continue;
        expect(one.at({"params", "_meta", "io.modelcontextprotocol/protocolVersion"}) == "\"2026-07-28\"") << one.text;
        expect(one.at({"params", "_meta", "io.modelcontextprotocol/clientCapabilities"}) == "{}") << one.text;
        expect(one.at({"params", "_meta", "io.modelcontextprotocol/clientInfo", "name"}) == "\"tester\"") << one.text;
        expect(ids.insert(one.id).second) << "an id twice:" << one.id;
        expect(raw_json{one.text}.check().has_value()) << one.text;
      }
      expect(h.far.all("ping").empty() and h.far.all("logging/setLevel").empty());
      expect(h.far.all("resources/subscribe").empty() and h.far.all("initialize").empty());
      expect(h.far.all("server/discover").size() == 2_ul) << "the second one was the ping";
    });
  };

  "a request of the legacy era has no _meta but the progress token"_test = [] {
    with_session({.server = legacy_answering, .open = open_legacy}, [](session_fixture& h) -> task<void> {
      co_await use_everything(h);
      for (const auto& one : h.far.seen) {
        const std::string meta = one.at({"params", "_meta"});
        expect(meta.empty() or meta == R"({"progressToken":)" + one.id + '}') << one.text;
        expect(raw_json{one.text}.check().has_value()) << one.text;
      }
      expect(h.far.all("ping").size() == 1_ul and h.far.all("logging/setLevel").size() == 1_ul);
      expect(h.far.all("resources/subscribe").front().at({"params", "uri"}) == "\"file:///a\"");
      expect(h.far.all("resources/unsubscribe").front().at({"params", "uri"}) == "\"file:///a\"");
      expect(h.far.all("server/discover").empty() and h.far.all("subscriptions/listen").empty());
    });
  };

  "S070 a call has the tool's own name and the caller's arguments, byte for byte"_test = [] {
    for (const bool modern : {true, false}) {
      with_session({.server = modern ? modern_answering : legacy_answering,
                    .open = modern ? session::open_options{} : open_legacy},
                   [](session_fixture& h) -> task<void> {
                     auto got = co_await h.near->call_tool("a \"b\"\n", R"({"x":1.0e0,"y":[ ]})", {});
                     auto bare = co_await h.near->call_tool("plain", "", {});
                     expect(got.has_value() and got->text() == done and bare.has_value());
                     const auto calls = h.far.all("tools/call");
                     expect(calls[0].at({"params", "name"}) == json_string("a \"b\"\n"));
                     expect(calls[0].at({"params", "arguments"}) == R"({"x":1.0e0,"y":[ ]})");
                     expect(calls[1].at({"params", "arguments"}).empty());
                   });
    }
  };

  "a request of any kind keeps the caller's own _meta beside ours"_test = [] {
    with_session({.server = modern_answering}, [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->request("x/any", R"({"a":1,"_meta":{"com.example/x":7,"progressToken":"mine"}})", {});
      expect(got.has_value());
      const auto sent = h.far.all("x/any").front();
      const std::string params = sent.at({"params"});
      expect(params.find("_meta") == params.rfind("_meta")) << "once:" << params;
      expect(sent.at({"params", "a"}) == "1" and sent.at({"params", "_meta", "com.example/x"}) == "7");
      expect(sent.at({"params", "_meta", "io.modelcontextprotocol/protocolVersion"}) == "\"2026-07-28\"");
      expect(sent.at({"params", "_meta", "progressToken"}) == sent.id) << "ours, or progress would not be understood";
    });
  };

  "params that are no object are refused before anything is sent"_test = [] {
    with_session({.server = modern_answering}, [](session_fixture& h) -> task<void> {
      for (const char* bad : {"[]", "7", "\"a{}\"", "{", "{}}", "{} {}", "null"}) {
        auto got = co_await h.near->request("x/any", bad, {});
        expect(!got and got.error().code == errc::parse and got.error().executed == execution::no) << bad;
        expect(!h.near->notify("x/note", bad)) << bad;
      }
      expect(h.near->notify("x/note", R"({"a":1})").has_value() and h.near->notify("x/note", "").has_value());
      auto last = co_await h.far.saw("x/note", 2);
      expect(h.far.all("x/any").empty() and h.far.all("x/note").size() == 2_ul and last.at({"params"}).empty());
      expect(h.far.all("x/note").front().at({"params"}) == R"({"a":1})");
    });
  };

  "an error of the server is the server's, with its code and data"_test = [] {
    with_session({.server = modern_answering}, [](session_fixture& h) -> task<void> {
      h.far.on_error("tools/call", -32602, R"({"why":1})");
      auto got = co_await h.near->call_tool("t", "{}", {});
      expect(!got and got.error().code == errc::remote and got.error().native == -32602);
      expect(got.error().data == R"({"why":1})" and h.far.all("tools/call").size() == 1_ul);
    });
  };

  "progress of a call reaches its callback, by the call's own token"_test = [] {
    with_session(
        {.server = [](scripted_server& far) { modern_server(far, tools_only); }}, [](session_fixture& h) -> task<void> {
          h.far.stay_silent("tools/call");
          std::vector<double> heard;
          call_options options;
          options.on_progress = [&](const progress_update& u) { heard.push_back(u.progress); };
          ending<raw_json> end;
          scope calls{co_await this_context()};
          calls.spawn(watch_end(end, h.near->call_tool("t", "{}", options)));
          const auto call = co_await h.far.saw("tools/call");
          const std::string token = call.at({"params", "_meta", "progressToken"});
          expect(!token.empty());
          for (const char* value : {"0.5", "2", "1", "3"})
            h.far.notify("notifications/progress", R"({"progressToken":)" + token + R"(,"progress":)" + value + '}');
          h.far.notify("notifications/progress", R"({"progressToken":99,"progress":9})");
          h.far.reply(call, scripted_server::result_of(done));
          co_await calls.join();
          expect(end.fine() and (heard == std::vector<double>{0.5, 2, 3}));
        });
  };

  "a call that is cancelled is cancelled on the wire, and ends once"_test = [] {
    for (const bool modern : {true, false}) {
      with_session({.server = modern ? modern_answering : legacy_answering,
                    .open = modern ? session::open_options{} : open_legacy},
                   [](session_fixture& h) -> task<void> {
                     h.far.stay_silent("tools/call");
                     ending<raw_json> end;
                     scope calls{co_await this_context()};
                     calls.spawn(watch_end(end, h.near->call_tool("t", "{}", {})));
                     const auto call = co_await h.far.saw("tools/call");
                     calls.request_stop();
                     co_await calls.join();
                     expect(end.failed(errc::cancelled));
                     const auto told = co_await h.far.saw("notifications/cancelled");
                     expect(told.at({"params", "requestId"}) == call.id);
                     h.far.reply(call, scripted_server::result_of(done));
                     auto alive = co_await h.near->ping();
                     expect(alive.has_value() and h.near->counters().late == 1_ul);
                   });
    }
  };

  "every call ends exactly once when the server ends, and says that it may have been executed"_test = [] {
    with_session({.server = modern_with_everything}, [](session_fixture& h) -> task<void> {
      h.far.stay_silent("tools/call");
      h.far.stay_silent("tools/list");
      std::array<ending<raw_json>, 5> ends;
      ending<tool_listing> list;
      scope calls{co_await this_context()};
      for (auto& one : ends) calls.spawn(watch_end(one, h.near->call_tool("t", "{}", {})));
      calls.spawn(watch_end(list, h.near->list_tools()));
      co_await h.far.saw("tools/call", 5);
      co_await h.far.saw("tools/list");
      h.far.end("it fell over");
      co_await calls.join();
      for (const auto& one : ends) expect(one.failed(errc::closed) and one.got->error().executed == execution::unknown);
      expect(list.failed(errc::closed) and h.near->is_closed());
      expect(h.listener.closed.size() == 1_ul and h.listener.closed.front().find("fell over") != std::string::npos);
      auto late = co_await h.near->call_tool("t", "{}", {});
      expect(!late and late.error().code == errc::closed and late.error().executed == execution::no);
      expect(!h.near->notify("x", ""));
    });
  };

  "closing a session ends its calls, and waits for them"_test = [] {
    run([]() -> task<void> {
      const context where = co_await this_context();
      session_fixture h{*where.loop};
      modern_with_everything(h.far);
      h.far.stay_silent("tools/call");
      co_await h.open();
      ending<raw_json> end;
      scope calls{where};
      calls.spawn(watch_end(end, h.near->call_tool("t", "{}", {})));
      co_await h.far.saw("tools/call");
      co_await h.close();
      expect(end.failed(errc::closed)) << "before close() returned";
      co_await calls.join();
    }());
  };

  "who closes a session that is being closed waits for the same end"_test = [] {
    run([]() -> task<void> {
      const context where = co_await this_context();
      session_fixture h{*where.loop};
      modern_with_everything(h.far);
      h.far.stay_silent("tools/call");
      co_await h.open();
      ending<raw_json> call;
      std::array<ending<void>, 3> closes;
      scope all{where};
      all.spawn(watch_end(call, h.near->call_tool("t", "{}", {})));
      co_await h.far.saw("tools/call");
      for (auto& one : closes) all.spawn(watch_end(one, h.near->close()));
      co_await h.close();  // and its owner ends it at once
      co_await all.join();
      for (const auto& one : closes) expect(one.fine());
      expect(call.failed(errc::closed));
    }());
  };

  "open, call and close leave nothing behind, at whatever step they are stopped"_test = [] {
    manual_clock by;
    for (const bool modern : {true, false}) {
      every_step(
          [modern](loop& l) {
            return [](loop& home, bool is_modern) -> task<void> {
              const counted alive;
              session_fixture h{home};
              (is_modern ? modern_answering : legacy_answering)(h.far);
              co_await h.open(is_modern ? session::open_options{} : open_legacy);
              ending<raw_json> end;
              {
                scope calls{co_await this_context()};
                calls.spawn(watch_end(end, h.near->call_tool("t", "{}", {})));
                co_await calls.join();
              }
              auto listed = co_await h.near->list_tools();
              ignore(listed, "stopped or not");
              expect(end.times == 1_i);
              co_await h.close();
            }(l, modern);
          },
          {.clock = &by});
    }
  };
};

}  // namespace session_test
