// SPDX-License-Identifier: MIT
// Lists of a server page by page, and what it says when they change.
#include <boost/json/serialize.hpp>

#include "../../../host/session/session.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/colliding_names.hpp"
#include "../../support/contains.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/manual_clock.hpp"
#include "../../support/session_fixture.hpp"

namespace list_reader_test {

using namespace hawser;
using namespace hawser::testing;

std::string page_of(const std::string& member, const std::string& elements, const std::string& next = {}) {
  return R"({")" + member + R"(":[)" + elements + ']' + (next.empty() ? "" : R"(,"nextCursor":)" + next) + '}';
}
std::string a_tool(const std::string& name) { return R"({"name":")" + name + R"(","inputSchema":{}})"; }

// A server whose list has these pages; the cursor of the nth is what the page before it said.
std::vector<std::string> pages;
std::size_t given = 0;

setting lists(std::vector<std::string> of, host_limits limits = {}, bool modern = true) {
  pages = std::move(of);
  given = 0;
  setting how{.limits = limits};
  if (!modern) how.open = open_legacy;
  how.server = [](scripted_server& far) {
    modern_server(far, R"({"tools":{},"resources":{},"prompts":{}})");
    legacy_server(far);
    const scripted_server::answer next{[](std::string_view) {
      const std::size_t at = std::min(given++, pages.size() - 1);
      return scripted_server::result_of(pages[at]);
    }};
    for (const char* method : {"tools/list", "resources/list", "resources/templates/list", "prompts/list"})
      far.on(method, next);
  };
  return how;
}

std::vector<std::string> cursors(session_fixture& h, const char* method) {
  std::vector<std::string> all;
  for (const auto& one : h.far.all(method)) all.push_back(one.at({"params", "cursor"}));
  return all;
}

task<result<void>> listed(session_fixture& h, list_kind which) {
  if (which == list_kind::tools) {
    auto tools = co_await h.near->list_tools();
    if (!tools) co_return tools.error();
  } else {
    auto elements = co_await h.near->list(which);
    if (!elements) co_return elements.error();
  }
  co_return result<void>{};
}

// Ten pages, each of them 20 seconds after it was asked for.
task<void> answer_slowly(session_fixture& h, list_kind which, std::string member) {
  const std::string method = which == list_kind::resource_templates ? "resources/templates/list" : member + "/list";
  for (std::size_t n = 1; n <= 10; ++n) {
    const auto asked = co_await h.far.saw(method, n);
    auto slept = co_await sleep_for(std::chrono::seconds{20});
    if (!slept || asked.id.empty()) co_return;
    const std::string next = n < 10 ? '"' + std::to_string(n) + '"' : std::string{};
    h.far.reply(asked, scripted_server::result_of(page_of(member, "", next)));
  }
}

const suite<"list_reader"> tests = [] {
  "all pages of the tools are read, an empty cursor is one, and the order is kept"_test = [] {
    for (const bool modern : {true, false}) {
      with_session(lists({page_of("tools", a_tool("a") + ',' + a_tool("b"), R"("p\"2")"), page_of("tools", "", R"("")"),
                          page_of("tools", a_tool("c"), "null")},
                         {}, modern),
                   [](session_fixture& h) -> task<void> {
                     auto got = co_await h.near->list_tools();
                     expect(fatal(got.has_value()));
                     std::string names;
                     for (const tool& one : got->tools->tools()) names += one.name;
                     expect(names == "abc" and got->skipped_count == 0_ul);
                     expect((cursors(h, "tools/list") == std::vector<std::string>{"", R"("p\"2")", R"("")"}));
                   });
    }
  };

  "B17 a cursor that comes twice, in a row or not, is an error"_test = [] {
    with_session(lists({page_of("tools", a_tool("a"), "\"x\"")}), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->list_tools();
      expect(!got and got.error().code == errc::too_large and h.far.all("tools/list").size() == 2_ul);
    });
    with_session(lists({page_of("prompts", "", "\"x\""), page_of("prompts", "", "\"y\""),
                        page_of("prompts", "", "\"x\""), page_of("prompts", "")}),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->list(list_kind::prompts);
                   expect(!got and got.error().code == errc::too_large);
                 });
  };

  "B17 pages and tools without end are cut off, and nothing is returned in part"_test = [] {
    static int count;
    count = 0;
    setting how{.limits = {.max_pages = 5}};
    how.server = [](scripted_server& far) {
      modern_server(far, tools_only);
      const scripted_server::answer endless{[](std::string_view) {
        const std::string number = std::to_string(count++);
        return scripted_server::result_of(page_of("tools", a_tool("t" + number), '"' + number + '"'));
      }};
      far.on("tools/list", endless);
    };
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->list_tools();
      expect(!got and got.error().code == errc::too_large and count == 5_i);
    });
    with_session(lists({page_of("tools", a_tool("a") + ',' + a_tool("b"), "\"2\""), page_of("tools", a_tool("c"))},
                       {.max_tools = 2}),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->list_tools();
                   expect(!got and got.error().code == errc::too_large);
                 });
    with_session(lists({page_of("resources", "{},{}", "\"2\""), page_of("resources", "{}")}, {.max_tools = 2}),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->list(list_kind::resources);
                   expect(!got and got.error().code == errc::too_large);
                 });
  };

  "FRZ-6 a list is cut off at its bytes, whatever it lists, and the error names the limit"_test = [] {
    static list_kind wanted;
    const std::string filler(200, 'x');
    for (const auto& [which, member] : {std::pair{list_kind::tools, "tools"},
                                        {list_kind::resources, "resources"},
                                        {list_kind::resource_templates, "resourceTemplates"},
                                        {list_kind::prompts, "prompts"}}) {
      wanted = which;
      const std::string element = R"({"name":"a","inputSchema":{},"description":")" + filler + "\"}";
      std::vector<std::string> three{page_of(member, element, "\"2\""), page_of(member, element, "\"3\""),
                                     page_of(member, element)};
      const std::size_t all = three[0].size() + three[1].size() + three[2].size();
      with_session(lists(three, {.max_listing = all}), [](session_fixture& h) -> task<void> {
        auto got = co_await listed(h, wanted);
        expect(got.has_value());
      });
      with_session(lists(three, {.max_listing = all - 1}), [](session_fixture& h) -> task<void> {
        auto got = co_await listed(h, wanted);
        expect(!got and got.error().code == errc::too_large);
        if (!got) expect(contains(got.error().what, "bytes in all (max_listing)")) << got.error().what;
      });
    }
    expect(host_limits{}.max_listing == std::size_t{32} << 20);
  };

  "FRZ-6 the values of a list that is no list of tools are limited, in all its pages, and the error names the limit"_test =
      [] {
        // A page is an object, a list and a cursor; an element an object, a name and a list of numbers.
        const std::string element = R"({"name":"a","x":[1,2,3]})";
        const std::vector<std::string> two{page_of("prompts", element, "\"2\""),
                                           page_of("prompts", element + ',' + element)};
        with_session(lists(two, {.max_list_values = 3 + 6 + 2 + 12}), [](session_fixture& h) -> task<void> {
          auto got = co_await h.near->list(list_kind::prompts);
          expect(got.has_value() and got->size() == 3_ul);
        });
        with_session(lists(two, {.max_list_values = 3 + 6 + 2 + 12 - 1}), [](session_fixture& h) -> task<void> {
          auto got = co_await h.near->list(list_kind::prompts);
          expect(!got and got.error().code == errc::too_large);
          if (!got)
            expect(contains(got.error().what, "more than 22 values in all (max_list_values)")) << got.error().what;
        });
        expect(host_limits{}.max_list_values == 200'000_ul);
      };

  "FRZ-6 a cursor of more than 4 KiB ends the list, whatever it lists"_test = [] {
    static list_kind wanted;
    for (const auto& [which, member] : {std::pair{list_kind::tools, "tools"},
                                        {list_kind::resources, "resources"},
                                        {list_kind::resource_templates, "resourceTemplates"},
                                        {list_kind::prompts, "prompts"}}) {
      wanted = which;
      for (const std::size_t length : {std::size_t{4096}, std::size_t{4097}}) {
        static bool fits;
        fits = length == 4096;
        const std::string cursor = '"' + std::string(length, 'c') + '"';
        with_session(lists({page_of(member, "", cursor), page_of(member, "")}), [](session_fixture& h) -> task<void> {
          auto got = co_await listed(h, wanted);
          expect(got.has_value() == fits);
          if (!got)
            expect(got.error().code == errc::too_large and contains(got.error().what, "4096 bytes (max_cursor)"));
        });
      }
    }
  };

  "FRZ-6 all pages of a list together have one time limit, whatever it lists"_test = [] {
    static list_kind wanted;
    static std::string member;
    for (const auto& [which, name] : {std::pair{list_kind::tools, "tools"},
                                      {list_kind::resources, "resources"},
                                      {list_kind::resource_templates, "resourceTemplates"},
                                      {list_kind::prompts, "prompts"}}) {
      wanted = which;
      member = name;
      manual_clock by;
      setting how{.by = &by};
      how.server = [](scripted_server& far) {
        modern_server(far, R"({"tools":{},"resources":{},"prompts":{}})");
        for (const char* method : {"tools/list", "resources/list", "resources/templates/list", "prompts/list"})
          far.stay_silent(method);
      };
      with_session(std::move(how), [](session_fixture& h) -> task<void> {
        scope answers{co_await this_context()};
        answers.spawn(answer_slowly(h, wanted, member));
        auto got = co_await listed(h, wanted);
        expect(!got and got.error().code == errc::timed_out);
        if (!got) expect(contains(got.error().what, "within 60.0 s (list_timeout)")) << got.error().what;
        answers.request_stop();
        co_await answers.join();
      });
      expect(by.elapsed() < std::chrono::seconds{70});
    }
  };

  "exactly as many pages and tools as are allowed are fine"_test = [] {
    with_session(lists({page_of("tools", a_tool("a"), "\"2\""), page_of("tools", a_tool("b"))},
                       {.max_tools = 2, .max_pages = 2}),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->list_tools();
                   expect(got.has_value() and got->tools->size() == 2_ul);
                 });
  };

  "B18 tools that cannot be used are reported over all pages"_test = [] {
    with_session(lists({page_of("tools", R"({"name":"x"})", "\"2\""), page_of("tools", R"(7,)" + a_tool("a"))}),
                 [](session_fixture& h) -> task<void> {
                   auto got = co_await h.near->list_tools();
                   expect(got.has_value() and got->tools->size() == 1_ul and got->skipped_count == 2_ul);
                   expect(got->skipped.size() == 2_ul and got->skipped.front().name == "x");
                 });
  };

  "S087 resources, templates and prompts are listed as they are"_test = [] {
    struct kind {
      list_kind which;
      const char* method;
      const char* member;
    };
    for (const auto& [which, method, member] :
         {kind{list_kind::resources, "resources/list", "resources"},
          kind{list_kind::resource_templates, "resources/templates/list", "resourceTemplates"},
          kind{list_kind::prompts, "prompts/list", "prompts"}}) {
      static list_kind wanted;
      static const char* asked;
      wanted = which;
      asked = method;
      with_session(lists({page_of(member, R"({"name":"a","x":1})", "\"2\""), page_of(member, R"({"name":"b"})")}),
                   [](session_fixture& h) -> task<void> {
                     auto got = co_await h.near->list(wanted);
                     expect(got.has_value() and h.far.all(asked).size() == 2_ul) << asked;
                     if (got) expect(boost::json::serialize(*got) == R"([{"name":"a","x":1},{"name":"b"}])");
                   });
    }
  };

  "FRZ-12 a list with names that collide in a hash table is refused, at the cost of its size"_test = [] {
    with_session(lists({page_of("resources", colliding_object(14))}), [](session_fixture& h) -> task<void> {
      const auto before = thread_cpu_time();
      auto got = co_await h.near->list(list_kind::resources);
      const auto cost = thread_cpu_time() - before;
      expect(!got and got.error().code == errc::too_large);
      if (!got)
        expect(contains(got.error().what, "resources/list: an object has too many members")) << got.error().what;
      expect(cost < std::chrono::milliseconds{instrumented ? 2'000 : 100}) << cost.count();
    });
  };

  "a page that is none is an error that names the method"_test = [] {
    for (const char* bad :
         {"{}", "[]", "null", R"({"prompts":{}})", R"({"prompts":[],"nextCursor":7})", R"({"prompts":[]],})",
          R"({"resultType":"input_required","prompts":[]})", R"({"resultType":"other","prompts":[]})"}) {
      with_session(lists({bad}), [](session_fixture& h) -> task<void> {
        auto got = co_await h.near->list(list_kind::prompts);
        expect(!got and got.error().code != errc::remote) << pages.front();
        if (!got) expect(got.error().what.find("prompts/list") != std::string::npos) << got.error().what;
      });
    }
  };

  "B16 an incomplete or unknown result is no list of tools; in the legacy era the word means nothing"_test = [] {
    for (const char* type : {"\"input_required\"", "\"other\"", "7"}) {
      const std::string odd = R"({"resultType":)" + std::string{type} + R"(,"tools":[]})";
      with_session(lists({odd}), [](session_fixture& h) -> task<void> {
        auto got = co_await h.near->list_tools();
        expect(!got and got.error().code == errc::protocol) << pages.front();
      });
      with_session(lists({odd}, {}, false), [](session_fixture& h) -> task<void> {
        auto got = co_await h.near->list_tools();
        expect(got.has_value()) << pages.front();
      });
    }
    with_session(lists({R"({"resultType":"complete","tools":[]})"}), [](session_fixture& h) -> task<void> {
      auto got = co_await h.near->list_tools();
      expect(got.has_value());
    });
  };

  "S072 a legacy server says when its lists change, and what it logs"_test = [] {
    with_session({.server = legacy_with_everything, .open = open_legacy}, [](session_fixture& h) -> task<void> {
      h.far.notify("notifications/tools/list_changed", "");
      h.far.notify("notifications/prompts/list_changed", "{}");
      h.far.notify("notifications/resources/list_changed", "");
      h.far.notify("notifications/resources/updated", R"({"uri":"file:///a\/b"})");
      h.far.notify("notifications/message", R"({"level":"error","logger":"x","data":{"a": 1}})");
      h.far.notify("notifications/x", R"({"b":2})");
      h.far.notify("notifications/message", "");
      h.far.ask("1", "ping", "");
      co_await h.far.saw("");
      using kind = list_kind;
      expect((h.listener.lists == std::vector<kind>{kind::tools, kind::prompts, kind::resources}));
      expect(h.listener.updated == std::vector<std::string>{"file:///a/b"});
      expect(h.listener.logged.size() == 2_ul and h.listener.logged.front() == R"(error {"a": 1})");
      expect(h.listener.others == std::vector<std::string>{R"(notifications/x {"b":2})"});
    });
  };

  "a legacy server that offers no subscriptions or no logging is not asked for them"_test = [] {
    with_session({.server = [](scripted_server& far) { legacy_server(far, tools_only); }, .open = open_legacy},
                 [](session_fixture& h) -> task<void> {
                   auto subscribed = co_await h.near->subscribe("file:///a");
                   auto level = co_await h.near->set_log_level("debug");
                   expect(!subscribed and !level and h.far.all("resources/subscribe").empty());
                   expect(h.far.all("logging/setLevel").empty());
                 });
  };

  "a level of logging that there is not is refused with the names of those there are, and not sent"_test = [] {
    with_session({.server = legacy_with_everything, .open = open_legacy}, [](session_fixture& h) -> task<void> {
      h.far.on("logging/setLevel", "{}");
      for (const char* level : {"", "loud", "Debug"}) {
        auto refused = co_await h.near->set_log_level(level);
        expect(!refused and refused.error().code == errc::config);
        expect(refused.error().what.find("debug, info, notice, warning, error, critical, alert, emergency") !=
               std::string::npos);
      }
      expect(h.far.all("logging/setLevel").empty());
      auto known = co_await h.near->set_log_level("emergency");
      expect(known.has_value() and h.far.all("logging/setLevel").size() == 1_ul);
    });
    with_session({.server = modern_with_everything}, [](session_fixture& h) -> task<void> {
      auto refused = co_await h.near->set_log_level("loud");
      expect(!refused and refused.error().code == errc::config);
    });
  };

  "the level of logging is set once in the legacy era, and travels with every request in the modern one"_test = [] {
    with_session({.server = legacy_with_everything, .open = open_legacy}, [](session_fixture& h) -> task<void> {
      h.far.on("logging/setLevel", "{}");
      auto level = co_await h.near->set_log_level("debug");
      expect(level.has_value() and h.far.all("logging/setLevel").front().at({"params", "level"}) == "\"debug\"");
    });
    with_session({.server = modern_with_everything}, [](session_fixture& h) -> task<void> {
      h.far.on("tools/call", R"({"content":[]})");
      const auto said = [&] {
        return h.far.all("tools/call").back().at({"params", "_meta", "io.modelcontextprotocol/logLevel"});
      };
      auto call = co_await h.near->call_tool("t", "", {});
      expect(call.has_value() and said().empty()) << "a server may not log unless it is asked to";
      auto level = co_await h.near->set_log_level("info");
      auto again = co_await h.near->call_tool("t", "", {});
      expect(level.has_value() and again.has_value() and said() == "\"info\"");
      auto off = co_await h.near->set_log_level("");
      auto last = co_await h.near->call_tool("t", "", {});
      expect(off.has_value() and last.has_value() and said().empty() and h.far.all("logging/setLevel").empty());
    });
  };
};

}  // namespace list_reader_test
