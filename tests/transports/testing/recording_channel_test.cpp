// SPDX-License-Identifier: MIT
#include "../../../transports/testing/recording_channel.hpp"

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../transports/json/json_text.hpp"
#include "../../../transports/json/json_validator.hpp"
#include "../../../transports/jsonrpc/peer.hpp"
#include "../../../transports/testing/memory_channel.hpp"
#include "../../../transports/testing/replay_channel.hpp"
#include "../../support/raw_end.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace recording_channel_test {

using namespace hawser;

class collecting final : public peer_listener {
 public:
  void on_notification(std::string_view method, std::string_view params) override {
    heard.push_back(std::string{method} + ' ' + std::string{params});
  }
  void on_closed(const error& why) override { closed = why.what; }
  std::vector<std::string> heard;
  std::string closed;
};

const prepared_request greet = prepared_request::tool_call("greet");
const prepared_request list = prepared_request::verbatim("tools/list", "{}");
const call_options by_default;

task<void> record_call(peer& to, const prepared_request& what, std::string& into) {
  auto answer = co_await to.call(what, {}, by_default);
  into = answer ? std::string{answer->text()} : "error: " + answer.error().what;
}

// What a host does in the record and in the replay: a list, then a call that is answered after a notification.
task<std::vector<std::string>> conversation(loop& l, channel& over, collecting& heard) {
  peer side{l, over, heard};
  auto opened = co_await over.open(side);
  expect(opened.has_value());
  std::vector<std::string> got(2);
  co_await record_call(side, list, got[0]);
  side.notify("notifications/ready");
  co_await record_call(side, greet, got[1]);
  auto closed = co_await over.close();
  expect(closed.has_value());
  co_return got;
}

task<void> serve(memory_channel& end) {
  testing::raw_end far{end};
  auto opened = co_await far.open();
  expect(opened.has_value());
  const std::string first = co_await far.next();
  far.say(R"({"jsonrpc":"2.0","id":)" + std::string{find_member(first, "id")} + R"(,"result":{"tools":[]}})");
  const std::string ready = co_await far.next();
  expect(find_member(ready, "method") == "\"notifications/ready\"");
  const std::string second = co_await far.next();
  far.say("not JSON \x1b[0m");
  far.say(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
  far.say(R"({"jsonrpc":"2.0","error":{"code":-7,"message":"go away"},"id":)" + std::string{find_member(second, "id")} +
          '}');
  const std::string end_of_it = co_await far.next();
  expect(end_of_it.empty() && far.closed);
  auto closed = co_await end.close();
  expect(closed.has_value());
}

task<std::string> record(loop& l) {
  std::string lines;
  auto both = memory_channel::make(l);
  recording_channel over{l, std::move(both.first), [&lines](std::string_view line) { lines += line; }};
  scope servers{co_await this_context()};
  servers.spawn(serve(*both.second));
  collecting heard;
  const std::vector<std::string> got = co_await conversation(l, over, heard);
  co_await servers.join();
  expect(got[0] == R"({"tools":[]})" && got[1] == "error: go away");
  expect(heard.heard == std::vector<std::string>{R"(notifications/message {"level":"info"})"});
  co_return lines;
}

task<void> replay(loop& l, std::string lines) {
  auto loaded = replay_channel::load(l, lines);
  expect(fatal(loaded.has_value())) << (loaded ? "" : loaded.error().what);
  collecting heard;
  const std::vector<std::string> got = co_await conversation(l, **loaded, heard);
  expect(got[0] == R"({"tools":[]})" && got[1] == "error: go away");
  expect(heard.heard == std::vector<std::string>{R"(notifications/message {"level":"info"})"});
  expect((*loaded)->remaining() == 0_ul);
}

task<void> other_order(loop& l, std::string lines) {
  auto loaded = replay_channel::load(l, lines);
  expect(fatal(loaded.has_value()));
  collecting heard;
  {
    peer side{l, **loaded, heard};
    auto opened = co_await (*loaded)->open(side);
    expect(opened.has_value());
    std::string got;
    co_await record_call(side, greet, got);
    expect(got.find("record, line 1: expected {") != std::string::npos) << got;
    auto closed = co_await (*loaded)->close();
    expect(closed.has_value());
  }
}

// A listener that answers at once, and reads on.
class prompt final : public peer_listener {
 public:
  void on_request(std::string_view /*method*/, std::string_view params, responder answer) override {
    answer.result("{}");
    seen += params;
  }
  std::string seen;
};

task<void> answered_at_once(loop& l) {
  const std::string big(9000, 'x');
  std::string lines = R"({"from":"server","message":{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"1"}}})"
                      "\n"
                      R"({"from":"host","message":{"jsonrpc":"2.0","id":1,"result":{}}})"
                      "\n"
                      R"({"from":"server","message":{"jsonrpc":"2.0","method":"n","params":{"b":")" +
                      big + "\"}}}\n";
  auto loaded = replay_channel::load(l, lines);
  expect(fatal(loaded.has_value()));
  prompt heard;
  {
    peer side{l, **loaded, heard};
    auto opened = co_await (*loaded)->open(side);
    auto slept = co_await sleep_for(std::chrono::milliseconds{1});
    expect(opened && slept && heard.seen == R"({"a":"1"})") << heard.seen;
    auto closed = co_await (*loaded)->close();
    expect(closed.has_value());
  }
}

task<void> stopped_call(loop& l, channel& over, collecting& heard) {
  peer side{l, over, heard};
  auto opened = co_await over.open(side);
  expect(opened.has_value());
  scope calls{co_await this_context()};
  std::string got;
  calls.spawn(record_call(side, greet, got));
  auto slept = co_await sleep_for(std::chrono::milliseconds{5});
  expect(slept.has_value());
  calls.request_stop();
  co_await calls.join();
  std::string next;
  co_await record_call(side, list, next);
  expect(next == "[]") << next;
  auto closed = co_await over.close();
  expect(closed.has_value());
}

task<void> serve_second(memory_channel& end) {
  testing::raw_end far{end};
  auto opened = co_await far.open();
  expect(opened.has_value());
  const std::string first = co_await far.next();
  const std::string cancelled = co_await far.next();
  const std::string second = co_await far.next();
  far.say(R"({"jsonrpc":"2.0","id":)" + std::string{find_member(second, "id")} + R"(,"result":[]})");
  const std::string end_of_it = co_await far.next();
  auto closed = co_await end.close();
  expect(closed.has_value() && first != cancelled && end_of_it.empty());
}

task<void> record_and_replay_a_stopped_call(loop& l) {
  std::string lines;
  {
    auto both = memory_channel::make(l);
    recording_channel over{l, std::move(both.first), [&lines](std::string_view line) { lines += line; }};
    scope servers{co_await this_context()};
    servers.spawn(serve_second(*both.second));
    collecting heard;
    co_await stopped_call(l, over, heard);
    co_await servers.join();
  }
  auto loaded = replay_channel::load(l, lines);
  expect(fatal(loaded.has_value()));
  collecting heard;
  co_await stopped_call(l, **loaded, heard);
}

const suite<"recording_channel"> tests = [] {
  "what a listener was handed stays where it is while it answers"_test = [] {
    loop l;
    l.run(answered_at_once(l));
  };
  "a call that was stopped is in the record, and stops in the replay"_test = [] {
    loop l;
    l.run(record_and_replay_a_stopped_call(l));
  };
  "a record with a request that failed can be loaded"_test = [] {
    loop l;
    auto loaded = replay_channel::load(l, R"({"at_us":1,"from":"server","failed":"not sent"})"
                                          "\n"
                                          R"({"at_us":2,"from":"server","reset":"again"})"
                                          "\n"
                                          R"({"at_us":3,"from":"server","closed":"gone"})");
    expect(loaded.has_value()) << (loaded ? "" : loaded.error().what);
  };

  "a record is JSON lines of both directions and plays back as it was"_test = [] {
    loop l;
    const std::string lines = l.run(record(l));
    std::size_t count = 0;
    for (std::size_t at = 0; at < lines.size(); ++count) {
      const std::size_t end = lines.find('\n', at);
      expect(fatal(end != std::string::npos));
      expect(validate_json(std::string_view{lines}.substr(at, end - at)).has_value()) << lines.substr(at, end - at);
      at = end + 1;
    }
    expect(count == 7_ul) << lines;
    l.run(replay(l, lines));
  };
  "a host that does something else is told what the record expects"_test = [] {
    loop l;
    const std::string lines = l.run(record(l));
    l.run(other_order(l, lines));
  };
  "a record that is none is refused with its line"_test = [] {
    loop l;
    const auto refused = [&](std::string_view text) { return replay_channel::load(l, text).error().what; };
    expect(refused("{\"from\":\"host\",\"message\":{}}\n{").starts_with("record, line 2:"));
    expect(refused("{}").starts_with("record, line 1:"));
    expect(refused("{\"from\":\"host\"}").starts_with("record, line 1:"));
  };
};

}  // namespace recording_channel_test
