// SPDX-License-Identifier: MIT
// Services of the embedding program whose functions throw, for instance because a client left out an argument.
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <stdexcept>

#include "../../server/server_session.hpp"
#include "../support/contains.hpp"
#include "../support/server_session_fixture.hpp"

namespace throwing_service_test {

using namespace hawser;
using namespace hawser::testing;

class throwing_service final : public service {
 public:
  throwing_service() {
    own_.info = R"({"name":"throws","version":"1"})";
    own_.resources = own_.prompts = own_.completions = true;
  }

  bool card_throws = false;

  [[nodiscard]] const server_info& info() const override {
    if (card_throws) throw std::runtime_error{"no card"};
    return own_;
  }
  task<result<item_list>> list(list_kind what) override {
    if (what == list_kind::tools) throw std::runtime_error{"no list"};
    co_return std::make_shared<const std::vector<std::string>>();
  }
  task<result<service_result>> call_tool(request_context& request) override {
    if (request.name() == "at_once") throw std::runtime_error{"thrown at once"};  // no coroutine has begun
    if (request.name() == "number") throw 7;
    return add(request);
  }
  task<result<service_result>> read_resource(request_context& /*request*/) override {
    throw std::runtime_error{"no resource"};
  }
  task<result<service_result>> get_prompt(request_context& /*request*/) override {
    throw std::runtime_error{"no prompt"};
  }
  task<result<service_result>> complete(request_context& /*request*/) override {
    throw std::runtime_error{"no completion"};
  }

 private:
  static task<result<service_result>> add(request_context& request) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{1});
    ignore(slept, "it throws after a wait");
    const auto given = boost::json::parse(request.arguments());
    co_return service_result::complete(text_result(given.as_object().at("text").as_string()));
  }

  server_info own_;
};

struct throwing_service_fixture {
  explicit throwing_service_fixture(loop& l)
      : channels(memory_channel::make(l)), session(l, what, *channels.first), far(*channels.second) {}
  static task<void> serve(throwing_service_fixture& h) { h.ended = co_await h.session.run(); }
  task<std::string> ask(std::string message) {
    far.say(message);
    co_return co_await far.next();
  }

  throwing_service what;
  memory_channel::pair channels;
  server_session session;
  raw_end far;
  std::optional<result<void>> ended;
};

using throwing_body = task<void> (*)(throwing_service_fixture&);

task<void> run_in_throwing_service_fixture(loop& l, throwing_body inside) {
  throwing_service_fixture h{l};
  scope sessions{co_await this_context()};
  sessions.spawn(throwing_service_fixture::serve(h));
  auto opened = co_await h.far.open();
  expect(opened.has_value());
  co_await inside(h);
  auto closed = co_await h.channels.second->close();
  expect(closed.has_value());
  co_await sessions.join();
  expect(h.ended.has_value() && h.ended->has_value());
}

std::string logged_while(throwing_body inside) {
  std::string lines;
  manual_clock clock;
  const logger log{[&](const log_record& record) { lines.append(record.text).append("\n"); }, log_level::error};
  loop l{loop::options{.clock = &clock, .log = log}};
  l.run(run_in_throwing_service_fixture(l, inside));
  return lines;
}

task<void> call_tools(throwing_service_fixture& h) {
  for (const char* era : {"modern", "legacy"}) {
    const bool modern = std::string_view{era} == "modern";
    if (!modern) {
      const std::string hello = co_await h.ask(
          server_session_fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25","capabilities":{})"));
      expect(!result_of(hello).empty()) << hello;
    }
    const auto call = [&](std::string_view members) {
      return modern ? server_session_fixture::modern(2, "tools/call", members)
                    : server_session_fixture::request(2, "tools/call", members);
    };
    const std::string missing = co_await h.ask(call(R"("name":"add","arguments":{})"));
    expect(find_member(result_of(missing), "isError") == "true") << missing;
    const std::string nothing = co_await h.ask(call(R"("name":"add")"));
    expect(find_member(result_of(nothing), "isError") == "true") << nothing;
    const std::string at_once = co_await h.ask(call(R"("name":"at_once")"));
    expect(find_member(result_of(at_once), "isError") == "true" && contains(at_once, "thrown at once")) << at_once;
    const std::string number = co_await h.ask(call(R"("name":"number")"));
    expect(find_member(result_of(number), "isError") == "true") << number;
    const std::string good = co_await h.ask(call(R"("name":"add","arguments":{"text":"still here"})"));
    expect(contains(result_of(good), "still here") && find_member(result_of(good), "isError").empty()) << good;
  }
}

task<void> call_the_others(throwing_service_fixture& h) {
  const std::string listed = co_await h.ask(server_session_fixture::modern(1, "tools/list"));
  expect(code_of(listed) == "-32603") << listed;
  const std::string read = co_await h.ask(server_session_fixture::modern(2, "resources/read", R"("uri":"a:1")"));
  expect(code_of(read) == "-32603") << read;
  const std::string prompt = co_await h.ask(server_session_fixture::modern(3, "prompts/get", R"("name":"p")"));
  expect(code_of(prompt) == "-32603") << prompt;
  const std::string completed = co_await h.ask(server_session_fixture::modern(
      4, "completion/complete", R"("ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"})"));
  expect(code_of(completed) == "-32603") << completed;
  const std::string good = co_await h.ask(server_session_fixture::modern(5, "resources/list"));
  expect(!result_of(good).empty()) << good;
}

task<void> without_a_card(throwing_service_fixture& h) {
  h.what.card_throws = true;
  const std::string discovered = co_await h.ask(server_session_fixture::modern(1, "server/discover"));
  expect(!discovered.empty() && contains(discovered, R"("id":1)")) << discovered;
  const std::string called = co_await h.ask(server_session_fixture::modern(2, "tools/call", R"("name":"add")"));
  expect(code_of(called) == "-32601") << called;
  h.what.card_throws = false;
  const std::string good = co_await h.ask(server_session_fixture::modern(3, "resources/list"));
  expect(!result_of(good).empty()) << good;
}

const suite<"throwing_service"> tests = [] {
  "EMB-1 a tool of a service that throws is a result with isError and the exception's text"_test = [] {
    const std::string log = logged_while(call_tools);
    expect(contains(log, R"(the tool "add" threw: )") && contains(log, R"(the tool "at_once" threw: thrown at once)"))
        << log;
  };
  "EMB-1 any other handler of a service that throws is an internal error and a log line"_test = [] {
    const std::string log = logged_while(call_the_others);
    for (const char* line : {"tools/list threw: no list", "resources/read threw: no resource",
                             "prompts/get threw: no prompt", "completion/complete threw: no completion"})
      expect(contains(log, line)) << log;
  };
  "EMB-1 a card that throws serves nothing until it does not"_test = [] {
    expect(contains(logged_while(without_a_card), "info of the service threw: no card"));
  };
};

}  // namespace throwing_service_test
