// SPDX-License-Identifier: MIT
// subscriptions/listen, protocol.md §11.5: what is heard, and how it is opened again when the server ends it.
#include "../../../host/session/change_listener.hpp"

#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/session_fixture.hpp"

namespace change_listener_test {

using namespace hawser;
using namespace hawser::testing;
using kind = list_kind;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

manual_clock* now = nullptr;

// A session with a modern server under a clock that jumps when nothing happens.
void listening(void (*server)(scripted_server&), session_body inside) {
  manual_clock by;
  now = &by;
  with_session({.server = server, .by = &by}, inside);
}

task<void> pass(duration length) {
  auto slept = co_await sleep_for(length);
  expect(slept.has_value());
}

std::string tagged(std::string_view id, std::string_view rest = {}) {
  return R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" + std::string{id} + '}' + std::string{rest} + '}';
}

void acknowledge(scripted_server& far, const scripted_server::message& listen) {
  far.notify("notifications/subscriptions/acknowledged",
             tagged(listen.id, R"(,"notifications":)" + listen.at({"params", "notifications"})));
}

std::string filter_of(const scripted_server::message& listen) { return listen.at({"params", "notifications"}); }

const suite<"change_listener"> tests = [] {
  "a session listens for the lists that may change, and for nothing else"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      const auto listen = co_await h.far.saw("subscriptions/listen");
      expect(filter_of(listen) == R"({"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true})");
      expect(listen.at({"params", "_meta", "io.modelcontextprotocol/protocolVersion"}) == "\"2026-07-28\"");
      co_await pass(minutes{600});
      expect(h.far.all("subscriptions/listen").size() == 1_ul and h.listener.lists.empty()) << "it stays open";
    });
    listening([](scripted_server& far) { modern_server(far, R"({"tools":{"listChanged":true},"prompts":{}})"); },
              [](session_fixture& h) -> task<void> {
                const auto listen = co_await h.far.saw("subscriptions/listen");
                expect(filter_of(listen) == R"({"toolsListChanged":true})");
              });
    listening([](scripted_server& far) { modern_server(far, tools_only); },
              [](session_fixture& h) -> task<void> {
                co_await pass(minutes{5});
                expect(h.far.all("subscriptions/listen").empty());
              });
  };

  "a change is heard if it is tagged with the id of our listen, and only then"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      const auto listen = co_await h.far.saw("subscriptions/listen");
      const char* changed = "notifications/tools/list_changed";
      h.far.notify("notifications/subscriptions/acknowledged", tagged(listen.id, R"(,"notifications":{})"));
      h.far.notify(changed, tagged(listen.id));
      h.far.notify(changed, "");
      h.far.notify(changed, "{}");
      h.far.notify(changed, tagged("424242"));
      h.far.notify(changed, tagged("0"));
      h.far.notify(changed, tagged("null"));
      h.far.notify(changed, R"({"_meta":7})");
      h.far.notify("notifications/resources/updated", R"({"uri":"file:///a"})");
      h.far.notify("notifications/prompts/list_changed", tagged(listen.id));
      h.far.notify("notifications/resources/list_changed", tagged(listen.id));
      co_await pass(milliseconds{1});
      expect((h.listener.lists == std::vector<kind>{kind::tools, kind::prompts, kind::resources}));
      expect(h.listener.updated.empty() and h.listener.others.empty());
    });
  };

  "a listen that ends by its result, by cancellation or by an error is opened again, and what was missed is told"_test =
      [] {
        static const scripted_server::message* ended;
        for (const auto end : {+[](scripted_server& far) { far.reply(*ended, R"("result":{})"); },
                               +[](scripted_server& far) {
                                 far.notify("notifications/cancelled", R"({"requestId":)" + ended->id + '}');
                               },
                               +[](scripted_server& far) { far.reply(*ended, scripted_server::error_of(-32603)); }}) {
          static void (*how)(scripted_server&);
          how = end;
          listening(modern_with_everything, [](session_fixture& h) -> task<void> {
            const auto first = co_await h.far.saw("subscriptions/listen");
            ended = &first;
            how(h.far);
            co_await pass(milliseconds{900});
            expect(h.far.all("subscriptions/listen").size() == 1_ul) << "not at once";
            co_await pass(milliseconds{200});
            const auto second = h.far.all("subscriptions/listen").back();
            expect(second.id != first.id and filter_of(second) == filter_of(first));
            expect((h.listener.lists == std::vector<kind>{kind::tools, kind::prompts, kind::resources}));
            h.listener.lists.clear();
            h.far.notify("notifications/tools/list_changed", tagged(first.id));
            h.far.notify("notifications/tools/list_changed", tagged(second.id));
            co_await pass(milliseconds{1});
            expect(h.listener.lists.size() == 1_ul) << "the old id means nothing any more";
          });
        }
      };

  "a cancellation of another request does not end it"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      const auto listen = co_await h.far.saw("subscriptions/listen");
      for (const char* params : {R"({"requestId":424242})", R"({"requestId":0})", R"({"requestId":"x"})", "{}", ""})
        h.far.notify("notifications/cancelled", params);
      co_await pass(minutes{1});
      expect(h.far.all("subscriptions/listen").size() == 1_ul);
    });
  };

  "a server that ends every listen at once is asked less and less often"_test = [] {
    listening(
        [](scripted_server& far) {
          modern_server(far);
          far.on_error("subscriptions/listen", -32603);
        },
        [](session_fixture& h) -> task<void> {
          std::vector<std::size_t> counts;
          for (const int at : {1, 2, 4, 8}) {  // until 1.5, 3.5, 7.5, 15.5 s
            co_await pass(seconds{at} + (at == 1 ? milliseconds{500} : milliseconds{0}));
            counts.push_back(h.far.all("subscriptions/listen").size());
          }
          expect((counts == std::vector<std::size_t>{2, 3, 4, 5}));
          co_await pass(minutes{60});
          const std::size_t hour = h.far.all("subscriptions/listen").size() - counts.back();
          expect(hour >= 55_ul and hour <= 65_ul) << "once a minute:" << hour;
        });
  };

  "after a long listen the pauses start from the shortest again"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      for (std::size_t i = 1; i <= 5; ++i) {
        const auto listen = co_await h.far.saw("subscriptions/listen", i);
        h.far.reply(listen, R"("result":{})");
        co_await pass(seconds{1 << i});
      }
      const auto last = co_await h.far.saw("subscriptions/listen", 6);
      co_await pass(minutes{10});
      h.far.reply(last, R"("result":{})");
      co_await pass(milliseconds{1100});
      expect(h.far.all("subscriptions/listen").size() == 7_ul);
    });
  };

  "a subscription to a resource has a listen of its own, renewed with every change"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      co_await h.far.saw("subscriptions/listen");
      auto one = co_await h.near->subscribe("file:///a");
      expect(one.has_value());
      const auto first = co_await h.far.saw("subscriptions/listen", 2);
      expect(filter_of(first) == R"({"resourceSubscriptions":["file:///a"]})");
      h.far.notify("notifications/resources/updated", tagged(first.id, R"(,"uri":"file:///a/part")"));
      co_await pass(milliseconds{1});
      expect(h.listener.updated == std::vector<std::string>{"file:///a/part"});
      auto two = co_await h.near->subscribe("b\"");
      expect(two.has_value());
      const auto second = co_await h.far.saw("subscriptions/listen", 3);
      expect(filter_of(second) == R"({"resourceSubscriptions":["b\"","file:///a"]})");
      const auto told = co_await h.far.saw("notifications/cancelled");
      expect(told.at({"params", "requestId"}) == first.id) << "the old one is closed";
      auto again = co_await h.near->subscribe("b\"");
      auto gone = co_await h.near->unsubscribe("file:///a");
      auto rest = co_await h.near->unsubscribe("b\"");
      expect(again.has_value() and gone.has_value() and rest.has_value());
      co_await pass(minutes{1});
      expect(h.far.all("subscriptions/listen").size() == 3_ul) << "nothing is wanted any more";
      expect(h.far.all("notifications/cancelled").size() == 2_ul);
    });
  };

  "a new subscription does not wait for the pause of a listen that failed"_test = [] {
    listening(
        [](scripted_server& far) {
          modern_server(far, R"({"resources":{"subscribe":true}})");
          far.on_error("subscriptions/listen", -32603);
        },
        [](session_fixture& h) -> task<void> {
          auto one = co_await h.near->subscribe("file:///a");
          co_await pass(minutes{10});
          h.far.stay_silent("subscriptions/listen");
          const std::size_t before = h.far.all("subscriptions/listen").size();
          auto two = co_await h.near->subscribe("file:///b");
          expect(one.has_value() and two.has_value());
          co_await pass(milliseconds{10});
          expect(fatal(h.far.all("subscriptions/listen").size() == before + 1));
          expect(filter_of(h.far.all("subscriptions/listen").back()) ==
                 R"({"resourceSubscriptions":["file:///a","file:///b"]})");
        });
  };

  "a subscription that is added opens its listen before the old one is closed, and no other counts as updated"_test =
      [] {
        listening([](scripted_server& far) { modern_server(far, R"({"resources":{"subscribe":true}})"); },
                  [](session_fixture& h) -> task<void> {
                    auto one = co_await h.near->subscribe("file:///a");
                    const auto first = co_await h.far.saw("subscriptions/listen");
                    acknowledge(h.far, first);
                    auto two = co_await h.near->subscribe("file:///b");
                    expect(one.has_value() and two.has_value());
                    const auto second = co_await h.far.saw("subscriptions/listen", 2);
                    co_await pass(seconds{1});
                    expect(h.far.all("notifications/cancelled").empty()) << "not before the new one is acknowledged";
                    h.far.notify("notifications/resources/updated", tagged(first.id, R"(,"uri":"file:///a")"));
                    acknowledge(h.far, second);
                    const auto told = co_await h.far.saw("notifications/cancelled");
                    expect(told.at({"params", "requestId"}) == first.id);
                    h.far.notify("notifications/resources/updated", tagged(first.id, R"(,"uri":"file:///late")"));
                    h.far.notify("notifications/resources/updated", tagged(second.id, R"(,"uri":"file:///b")"));
                    co_await pass(minutes{5});
                    expect((h.listener.updated == std::vector<std::string>{"file:///a", "file:///b"}));
                    expect(h.far.all("subscriptions/listen").size() == 2_ul);
                  });
      };

  "what the server ends while it is handed over may have been missed"_test = [] {
    listening([](scripted_server& far) { modern_server(far, R"({"resources":{"subscribe":true}})"); },
              [](session_fixture& h) -> task<void> {
                auto one = co_await h.near->subscribe("file:///a");
                const auto first = co_await h.far.saw("subscriptions/listen");
                auto two = co_await h.near->subscribe("file:///b");
                expect(one.has_value() and two.has_value());
                co_await h.far.saw("subscriptions/listen", 2);
                h.far.reply(first, R"("result":{})");
                co_await pass(milliseconds{1});
                expect((h.listener.updated == std::vector<std::string>{"file:///a", "file:///b"}));
              });
  };

  "what the server does not acknowledge is counted and remarked, each time that it is asked for"_test = [] {
    static std::vector<std::string> remarks;
    remarks.clear();
    manual_clock by;
    loop::options options{.clock = &by};
    options.log = logger{
        [](const log_record& one) { remarks.push_back(std::string{one.subject} + ": " + std::string{one.text}); },
        log_level::warning};
    loop l{options};
    l.run(in_session(l, {.server = modern_with_everything}, [](session_fixture& h) -> task<void> {
      const auto lists = co_await h.far.saw("subscriptions/listen");
      h.far.notify("notifications/subscriptions/acknowledged",
                   tagged(lists.id, R"(,"notifications":{"toolsListChanged":true,"promptsListChanged":false})"));
      for (const char* uri : {"file:///a", "file:///b", "file:///c"}) {
        auto one = co_await h.near->subscribe(uri);
        expect(one.has_value());
      }
      const auto all = co_await h.far.saw("subscriptions/listen", 2);
      expect(h.near->unacknowledged() == 2_ul);
      h.far.notify("notifications/subscriptions/acknowledged",
                   tagged(all.id, R"(,"notifications":{"resourceSubscriptions":["file:///b","file:///other"]})"));
      auto slept = co_await sleep_for(milliseconds{1});
      expect(slept.has_value() and h.near->unacknowledged() == 4_ul);
      auto less = co_await h.near->unsubscribe("file:///a");
      const auto renewed = co_await h.far.saw("subscriptions/listen", 3);
      acknowledge(h.far, renewed);
      slept = co_await sleep_for(milliseconds{1});
      expect(less.has_value() and slept.has_value() and h.near->unacknowledged() == 2_ul);
    }));
    expect((remarks ==
            std::vector<std::string>{"box: it will not tell of changes of promptsListChanged, resourcesListChanged",
                                     "box: it will not tell of changes of file:///a, file:///c"}));
  };

  "a server that does not know the request is not asked again, and says so to who subscribes"_test = [] {
    listening(
        [](scripted_server& far) {
          modern_server(far);
          far.on_error("subscriptions/listen", -32601);
        },
        [](session_fixture& h) -> task<void> {
          auto one = co_await h.near->subscribe("file:///a");
          expect(one.has_value()) << "nobody knows yet";
          co_await pass(minutes{60});
          expect(h.far.all("subscriptions/listen").size() == 2_ul) << "one for the lists, one for resources";
          expect(h.listener.lists.empty() and h.listener.updated.empty());
          auto two = co_await h.near->subscribe("file:///b");
          expect(!two and two.error().code == errc::protocol);
          auto less = co_await h.near->unsubscribe("file:///a");
          co_await pass(minutes{60});
          expect(less.has_value() and h.far.all("subscriptions/listen").size() == 2_ul);
        });
  };

  "resources that were missed are told when the listen is open again"_test = [] {
    listening([](scripted_server& far) { modern_server(far, R"({"resources":{"subscribe":true}})"); },
              [](session_fixture& h) -> task<void> {
                auto one = co_await h.near->subscribe("file:///a");
                expect(one.has_value());
                const auto listen = co_await h.far.saw("subscriptions/listen");
                h.far.reply(listen, R"("result":{})");
                co_await h.far.saw("subscriptions/listen", 2);
                expect(h.listener.updated == std::vector<std::string>{"file:///a"} and h.listener.lists.empty());
              });
  };

  "after the end of the server no listen is opened and no missed change is reported"_test = [] {
    listening(modern_with_everything, [](session_fixture& h) -> task<void> {
      co_await h.far.saw("subscriptions/listen");
      h.far.end();
      co_await pass(minutes{10});
      expect(h.listener.closed.size() == 1_ul and h.listener.lists.empty());
      auto one = co_await h.near->subscribe("file:///a");
      ignore(one, "nobody is there");
      co_await pass(minutes{10});
      expect(h.listener.updated.empty());
    });
  };

  "listening leaves nothing behind, at whatever step it is stopped"_test = [] {
    manual_clock by;
    every_step(
        [](loop& l) -> task<void> {
          const counted alive;
          session_fixture h{l};
          modern_server(h.far);
          co_await h.open();
          auto one = co_await h.near->subscribe("file:///a");
          ignore(one, "stopped or not");
          const auto listen = co_await h.far.saw("subscriptions/listen", 2);
          if (!listen.id.empty()) h.far.reply(listen, R"("result":{})");
          auto slept = co_await sleep_for(seconds{3});
          ignore(slept, "stopped or not");
          co_await h.close();
        },
        {.clock = &by});
  };
};

}  // namespace change_listener_test
