// SPDX-License-Identifier: MIT
// What a server asks of a session by requests of its own: answered in the legacy era, never in the modern one.
#include <boost/json.hpp>
#include <thread>

#include "../../../host/session/session.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../support/every_step.hpp"
#include "../../support/session_fixture.hpp"

namespace server_requests_test {

using namespace hawser;
using namespace hawser::testing;
namespace json = boost::json;
using action = elicitation_answer::action;

constexpr const char* form =
    R"({"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},
  "age":{"type":"integer","default":7},"on":{"type":"boolean","default":false},"tags":{"type":"array","default":["a"]}}}})";
constexpr const char* page = R"({"mode":"url","message":"go","url":"https://example.com/x","elicitationId":"e1"})";

// How often each callback was asked; tests run one after the other.
struct asked {
  int forms = 0;
  int urls = 0;
  int samples = 0;
  int roots = 0;
};
asked times;

input_handlers willing() {
  times = {};
  input_handlers can;
  can.form = [](form_request r, reply<elicitation_answer> give) {
    ++times.forms;
    give({.what = action::accept, .content = {{"name", r.server + '/' + r.message}, {"age", 8}}});
  };
  can.url = [](url_request r, reply<elicitation_answer> give) {
    ++times.urls;
    give({.what = r.url == "https://example.com/x" ? action::accept : action::decline, .content = {{"leak", 1}}});
  };
  can.sampling = [](sampling_request r, reply<json::object> give) {
    ++times.samples;
    give({{"role", "assistant"}, {"model", "m"}, {"asked", r.params.at("maxTokens")}});
  };
  can.roots = [](roots_request, reply<std::vector<root>> give) {
    ++times.roots;
    give({{"file:///a", "A"}, {"file:///b", ""}});
  };
  return can;
}

setting legacy(input_handlers can) {
  return {.server = legacy_with_everything, .can = std::move(can), .open = open_legacy};
}

// The answer to one request of the server.
task<scripted_server::message> answer_to(session_fixture& h, std::string method, std::string params) {
  const std::size_t before = h.far.all("").size();
  h.far.ask("\"s-1\"", method, params);
  auto answer = co_await h.far.saw("", before + 1);
  expect(answer.id == "\"s-1\"") << "the id keeps its type";
  co_return answer;
}

task<int> code_of(session_fixture& h, std::string method, std::string params) {
  auto answer = co_await answer_to(h, std::move(method), std::move(params));
  expect(answer.kind == message_kind::failure) << answer.text;
  co_return static_cast<int>(integer_of(answer.at({"error", "code"})).value_or(0));
}

// What was answered is released a little later.
task<void> until_forgotten() {
  for (int i = 0; i < 10; ++i) {
    auto turn = co_await sleep_for(duration::zero());
    expect(turn.has_value());
  }
}

const suite<"server_requests"> tests = [] {
  "a ping is answered with an empty object, by its id"_test = [] {
    with_session(legacy({}), [](session_fixture& h) -> task<void> {
      h.far.ask("7", "ping", "");
      const auto answer = co_await h.far.saw("");
      expect(answer.id == "7" and answer.at({"result"}) == "{}");
    });
  };

  "FRZ-14 requests of a server that wait for an answer are bounded in bytes and values"_test = [] {
    static std::vector<reply<elicitation_answer>> waiting;
    waiting.clear();
    input_handlers can;
    can.form = [](form_request, reply<elicitation_answer> give) { waiting.push_back(std::move(give)); };
    setting how = legacy(std::move(can));
    how.limits.max_message = 64'000;
    constexpr std::size_t asked = 60;
    constexpr std::size_t kept = 52;  // room for one such message with a value in every other byte
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      const std::string large =
          R"({"message":")" + std::string(30'000, 'x') + R"(","requestedSchema":{"type":"object","properties":{}}})";
      for (std::size_t i = 0; i < asked; ++i) h.far.ask(std::to_string(i), "elicitation/create", large);
      const auto refused = co_await h.far.saw("", asked - kept);
      expect(refused.at({"error", "code"}) == "-32600") << refused.text;
      expect(waiting.size() == kept) << waiting.size();
      waiting.clear();  // declines them
      const auto declined = co_await h.far.saw("", asked);
      expect(!declined.at({"result", "action"}).empty()) << declined.text;
      co_await until_forgotten();
      std::string many = "0";
      for (int i = 0; i < 25'000; ++i) many += ",1";
      many = R"({"x":[)" + many + "]}";
      const auto alone = co_await answer_to(h, "elicitation/create", many);
      expect(alone.text.find("unanswered") == std::string::npos) << "one alone has room:" << alone.text;
      co_await until_forgotten();
      for (std::size_t i = 0; i < kept; ++i) h.far.ask(std::to_string(100 + i), "elicitation/create", large);
      const int code = co_await code_of(h, "elicitation/create", many);
      expect(code == -32600_i) << "a tree of so many values takes more than the text";
      waiting.clear();
    });
  };

  "FRZ-14 what a server asks while its era is being found out is bounded in the same way"_test = [] {
    setting how{.can = willing()};
    how.limits.max_message = 64'000;
    how.server = [](scripted_server& far) {
      legacy_server(far);
      far.on("server/discover", scripted_server::answer{[&far](std::string_view) {
               for (int i = 0; i < 60; ++i)
                 far.ask(std::to_string(i), "elicitation/create",
                         R"({"mode":"url","url":"https://example.com/)" + std::string(30'000, 'x') + R"("})");
               return scripted_server::error_of(-32601);
             }});
    };
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      co_await h.far.saw("", 60);
      expect(times.urls == 53_i) << times.urls;
    });
  };

  "B21 what was not declared does not exist, and nobody is asked"_test = [] {
    with_session(legacy({}), [](session_fixture& h) -> task<void> {
      for (const char* method : {"sampling/createMessage", "elicitation/create", "roots/list", "x/unknown"}) {
        const int code = co_await code_of(h, method, "{}");
        expect(code == -32601_i) << method;
      }
    });
  };

  "roots, a form, a page and a model's answer come from one callback each"_test = [] {
    with_session(legacy(willing()), [](session_fixture& h) -> task<void> {
      auto roots = co_await answer_to(h, "roots/list", "");
      expect(roots.at({"result"}) == R"({"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]})") << roots.text;
      auto filled = co_await answer_to(h, "elicitation/create", form);
      expect(filled.at({"result", "action"}) == "\"accept\"");
      expect(filled.at({"result", "content", "name"}) == "\"box/who?\"") << "it says which server asks";
      auto visited = co_await answer_to(h, "elicitation/create", page);
      expect(visited.at({"result"}) == R"({"action":"accept"})") << "consent has no content";
      auto sampled = co_await answer_to(h, "sampling/createMessage", R"({"messages":[],"maxTokens":5})");
      expect(sampled.at({"result", "model"}) == "\"m\"" and sampled.at({"result", "asked"}) == "5");
      expect(times.forms == 1_i and times.urls == 1_i and times.samples == 1_i and times.roots == 1_i);
    });
  };

  "SEC-2 what is sent is what the user reviewed, without the defaults of members that were left out"_test = [] {
    with_session(legacy(willing()), [](session_fixture& h) -> task<void> {
      auto filled = co_await answer_to(h, "elicitation/create", form);
      expect(filled.at({"result", "content"}) == R"({"name":"box/who?","age":8})") << filled.text;
    });
  };

  "SEC-2 content that does not satisfy the schema is not sent"_test = [] {
    static json::object content;
    input_handlers careless = willing();
    careless.form = [](const form_request&, reply<elicitation_answer> give) {
      give({.what = action::accept, .content = content});
    };
    with_session(legacy(std::move(careless)), [](session_fixture& h) -> task<void> {
      for (const char* text : {R"({"age":"secret-age"})", R"({"name":1})", R"({"on":null})"}) {
        content = json::parse(text).as_object();
        auto refused = co_await answer_to(h, "elicitation/create", form);
        expect(refused.at({"error", "code"}) == "-32603") << refused.text;
        expect(refused.text.find("secret-age") == std::string::npos) << refused.text;
      }
      content = {{"age", 8}};
      auto filled = co_await answer_to(h, "elicitation/create", form);
      expect(filled.at({"result", "content"}) == R"({"age":8})") << filled.text;
    });
  };

  "SEC-2 a form whose schema cannot be checked is refused, and nobody is asked"_test = [] {
    with_session(legacy(willing()), [](session_fixture& h) -> task<void> {
      const char* elsewhere =
          R"({"message":"x","requestedSchema":{"type":"object","$ref":"https://example.com/schema.json"}})";
      expect(co_await code_of(h, "elicitation/create", elsewhere) == -32602);
      expect(times.forms == 0_i);
    });
  };

  "a mode that was not declared is refused with -32602, and nobody is asked"_test = [] {
    input_handlers only_form = willing();
    only_form.url = nullptr;
    with_session(legacy(std::move(only_form)), [](session_fixture& h) -> task<void> {
      expect(co_await code_of(h, "elicitation/create", page) == -32602);
      expect(co_await code_of(h, "elicitation/create", R"({"mode":"voice","message":"x"})") == -32602);
      expect(co_await code_of(h, "elicitation/create", R"({"mode":7,"message":"x","requestedSchema":{}})") == -32602);
      expect(times.forms == 0_i);
    });
    input_handlers only_url = willing();
    only_url.form = nullptr;
    with_session(legacy(std::move(only_url)), [](session_fixture& h) -> task<void> {
      expect(co_await code_of(h, "elicitation/create", form) == -32602);
      auto visited = co_await answer_to(h, "elicitation/create", page);
      expect(visited.at({"result", "action"}) == "\"accept\"" and times.forms == 0_i);
    });
  };

  "T-45 what makes no sense is refused: a form without a schema, a page that is no page, params that are no object"_test =
      [] {
        with_session(legacy(willing()), [](session_fixture& h) -> task<void> {
          expect(co_await code_of(h, "elicitation/create", R"({"message":"x"})") == -32602);
          for (const char* url : {"javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "", "ftp://a"})
            expect(co_await code_of(h, "elicitation/create",
                                    R"({"mode":"url","message":"x","url":")" + std::string{url} + R"("})") == -32602)
                << url;
          expect(times.forms == 0_i and times.urls == 0_i);
        });
      };

  "sampling with tools is refused unless it was declared"_test = [] {
    const char* with_tools = R"({"messages":[],"maxTokens":5,"tools":[{"name":"t"}],"toolChoice":{"mode":"auto"}})";
    static const char* params;
    params = with_tools;
    with_session(legacy(willing()), [](session_fixture& h) -> task<void> {
      expect(co_await code_of(h, "sampling/createMessage", params) == -32602);
      expect(times.samples == 0_i);
    });
    input_handlers able = willing();
    able.sampling_has_tools = true;
    with_session(legacy(std::move(able)), [](session_fixture& h) -> task<void> {
      auto sampled = co_await answer_to(h, "sampling/createMessage", params);
      expect(sampled.at({"result", "model"}) == "\"m\"" and times.samples == 1_i);
    });
  };

  "a reply that is dropped has declined: an action, an error -1 for sampling, an error for roots"_test = [] {
    input_handlers silent;
    silent.form = [](form_request, reply<elicitation_answer>) {};
    silent.url = [](url_request, reply<elicitation_answer>) {};
    silent.sampling = [](sampling_request, reply<json::object>) {};
    silent.roots = [](roots_request, reply<std::vector<root>>) {};
    with_session(legacy(std::move(silent)), [](session_fixture& h) -> task<void> {
      for (const char* what : {form, page}) {
        auto answer = co_await answer_to(h, "elicitation/create", what);
        expect(answer.at({"result"}) == R"({"action":"decline"})") << answer.text;
      }
      expect(co_await code_of(h, "sampling/createMessage", R"({"messages":[],"maxTokens":5})") == -1);
      auto roots = co_await answer_to(h, "roots/list", "");
      expect(roots.kind == message_kind::failure);
    });
  };

  "a user who cancels says so, and gives no content"_test = [] {
    input_handlers can;
    can.form = [](form_request, reply<elicitation_answer> give) {
      give({.what = action::cancel, .content = {{"name", "x"}}});
    };
    with_session(legacy(std::move(can)), [](session_fixture& h) -> task<void> {
      auto answer = co_await answer_to(h, "elicitation/create", form);
      expect(answer.at({"result"}) == R"({"action":"cancel"})") << answer.text;
    });
  };

  "a callback runs where the executor says, and the reply comes from there"_test = [] {
    static std::thread there;
    static std::thread::id ran_on;
    setting how = legacy(willing());
    how.can.form = [](const form_request& asked, reply<elicitation_answer> give) {
      ran_on = std::this_thread::get_id();
      give({.what = action::accept, .content = asked.prefilled()});
    };
    how.where = [](std::function<void()> work) { there = std::thread{std::move(work)}; };
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      auto answer = co_await answer_to(h, "elicitation/create", form);
      expect(answer.at({"result", "content", "age"}) == "7");
    });
    there.join();
    expect(ran_on != std::this_thread::get_id());
  };

  "a server that cancels its request ends the question; a late answer is not sent"_test = [] {
    static std::optional<reply<elicitation_answer>> kept;
    input_handlers can;
    can.form = [](form_request, reply<elicitation_answer> give) { kept.emplace(std::move(give)); };
    with_session(legacy(std::move(can)), [](session_fixture& h) -> task<void> {
      h.far.ask("5", "elicitation/create", form);
      h.far.ask("6", "ping", "");
      co_await h.far.saw("");
      expect(kept.has_value()) << "it was asked";
      h.far.notify("notifications/cancelled", R"({"requestId":5})");
      h.far.ask("7", "ping", "");
      co_await h.far.saw("", 2);
      (*kept)({.what = action::accept});
      kept.reset();
      h.far.ask("8", "ping", "");
      co_await h.far.saw("", 3);
      for (const auto& one : h.far.all("")) expect(one.id != "5") << one.text;
    });
  };

  "a form that is open when the session ends keeps nobody waiting"_test = [] {
    static std::optional<reply<elicitation_answer>> kept;
    manual_clock by;
    every_step(
        [](loop& l) -> task<void> {
          const counted alive;
          input_handlers can;
          can.form = [inside = counted{}](form_request, reply<elicitation_answer> give) {
            kept.emplace(std::move(give));
          };
          session_fixture h{l, std::move(can)};
          legacy_server(h.far);
          co_await h.open(open_legacy);
          h.far.ask("5", "elicitation/create", form);
          h.far.ask("6", "ping", "");
          co_await h.far.saw("");
          co_await h.close();
          kept.reset();
        },
        {.clock = &by});
  };

  "B21 a modern server may not ask: nobody is asked, nothing is answered, it is counted"_test = [] {
    with_session({.can = willing()}, [](session_fixture& h) -> task<void> {
      h.far.ask("1", "ping", "");
      h.far.ask("2", "elicitation/create", form);
      h.far.ask("3", "roots/list", "");
      h.far.say(R"({"jsonrpc":"2.0","id":4,"method":7})");
      h.far.on("tools/call", R"({"content":[]})");
      auto call = co_await h.near->call_tool("t", "", {});
      expect(call.has_value() and h.near->counters().forbidden == 3_ul);
      expect(h.far.all("").empty() and times.forms == 0_i and times.roots == 0_i);
    });
  };

  "B21 neither may one that asks before or in the same breath as it says that it is modern"_test = [] {
    static scripted_server* far;
    setting how{.can = willing()};
    how.server = [](scripted_server& end) {
      far = &end;
      end.on("server/discover", scripted_server::answer{[](std::string_view request) {
               far->ask("1", "elicitation/create", form);
               far->ask("2", "ping", "");
               far->say(R"({"jsonrpc":"2.0","id":)" + std::string{find_member(request, "id")} +
                        R"(,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}})");
               far->ask("3", "roots/list", "");
               return std::string{};
             }});
      end.on("tools/call", R"({"content":[]})");
    };
    with_session(std::move(how), [](session_fixture& h) -> task<void> {
      auto call = co_await h.near->call_tool("t", "", {});
      expect(call.has_value());
      expect(h.far.all("").empty() and times.forms == 0_i and times.roots == 0_i) << h.far.order();
      expect(h.near->counters().forbidden == 3_ul);
    });
  };

  "a legacy server that pings before it is known as one gets its answer"_test = [] {
    static scripted_server* far;
    with_session({.server =
                      [](scripted_server& end) {
                        far = &end;
                        legacy_server(end);
                        end.on("server/discover", scripted_server::answer{[](std::string_view) {
                                 far->ask("1", "ping", "");
                                 return scripted_server::error_of(-32601);
                               }});
                      }},
                 [](session_fixture& h) -> task<void> {
                   auto answer = co_await h.far.saw("");
                   expect(answer.id == "1" and answer.at({"result"}) == "{}");
                 });
  };
};

}  // namespace server_requests_test
