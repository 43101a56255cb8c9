// SPDX-License-Identifier: MIT
#include "../../server/server_session.hpp"

#include <algorithm>

#include "../../transports/jsonrpc/scanner.hpp"
#include "../support/every_step.hpp"
#include "../support/memory_use.hpp"
#include "../support/server_session_fixture.hpp"

namespace server_session_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = server_session_fixture;
namespace revision = protocol::revision;

task<void> shake_hands(fixture& h) {
  // §2.1: echo the version if it is known, else our latest of that era; never the one without a handshake.
  for (const std::string_view asked : revision::all) {
    const std::string answer =
        co_await h.ask(fixture::request(1, "initialize", R"("protocolVersion":")" + std::string{asked} + '"'));
    const std::string_view got = protocol::modern(asked) ? revision::latest_legacy : asked;
    expect(text_of(find_member(result_of(answer), "protocolVersion")) == got) << answer;
  }
  const std::string unknown = co_await h.ask(fixture::request(2, "initialize", R"("protocolVersion":"1999-01-01")"));
  expect(text_of(find_member(result_of(unknown), "protocolVersion")) == revision::latest_legacy);
  const std::string bad = co_await h.ask(fixture::request(3, "initialize"));
  expect(code_of(bad) == "-32602");
}

task<void> first_words(fixture& h) {
  const std::string answer =
      co_await h.ask(fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25","capabilities":{})"));
  expect(result_of(answer) ==
         R"({"protocolVersion":"2025-11-25","capabilities":{"logging":{},"completions":{},)"
         R"("prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
         R"("tools":{"listChanged":true}},)"
         R"("serverInfo":{"name":"example","version":"1","title":"Example","icons":[]},"instructions":"Be \"kind\""})")
      << answer;
  const std::string oldest =
      co_await h.ask(fixture::request(2, "initialize", R"("protocolVersion":"2024-11-05","capabilities":{})"));
  expect(find_member(result_of(oldest), "serverInfo") == R"({"name":"example","version":"1"})") << oldest;
  expect(find_member(find_member(result_of(oldest), "capabilities"), "completions").empty());
}

task<void> before_initialize(fixture& h) {
  const std::string ping = co_await h.ask(fixture::request(1, "ping"));
  expect(ping == R"({"jsonrpc":"2.0","id":1,"result":{}})") << ping;
  const std::string call = co_await h.ask(fixture::request(2, "tools/call", R"("name":"echo")"));
  expect(code_of(call) == "-32602" && h.what.calls.empty()) << call;
  const std::string unknown = co_await h.ask(fixture::request(3, "tools/lust"));
  expect(code_of(unknown) == "-32601") << unknown;
}

task<void> tools_of_old(fixture& h) {
  co_await h.initialize("2025-11-25");
  const std::string first = co_await h.ask(fixture::request(1, "tools/list"));
  const auto cursor = text_of(find_member(result_of(first), "nextCursor"));
  expect(find_member(result_of(first), "tools") ==
         R"([{"name":"echo","inputSchema":{"type":"object"},"x":[1.0e0],"icons":[]},)"
         R"({"name":"one","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}])")
      << first;
  expect(cursor.has_value());
  const std::string second =
      co_await h.ask(fixture::request(2, "tools/list", R"("cursor":")" + cursor.value_or("") + '"'));
  expect(result_of(second) == R"({"tools":[{"name":"two","inputSchema":{"type":"object"}}]})") << second;
  const std::string invented = co_await h.ask(fixture::request(3, "tools/list", R"("cursor":"2")"));
  expect(code_of(invented) == "-32602");
  const std::string called =
      co_await h.ask(fixture::request(4, "tools/call", R"("name":"echo","arguments":{"a":[1.0, 2]})"));
  expect(result_of(called) == R"({"y":{"a":[1.0, 2]},"content":[]})") << called;
  const std::string bare = co_await h.ask(fixture::request(5, "tools/call", R"("name":"echo")"));
  expect(result_of(bare) == R"({"y":{},"content":[]})") << bare;
}

task<void> tools_that_fail(fixture& h) {
  co_await h.initialize("2025-11-25");
  const std::string unknown = co_await h.ask(fixture::request(1, "tools/call", R"("name":"none")"));
  expect(code_of(unknown) == "-32602") << unknown;
  const std::string nameless = co_await h.ask(fixture::request(2, "tools/call", R"("arguments":{})"));
  expect(code_of(nameless) == "-32602");
  const std::string listed = co_await h.ask(fixture::request(3, "tools/call", R"("name":"echo","arguments":[])"));
  expect(code_of(listed) == "-32602");
  const std::string failed = co_await h.ask(fixture::request(4, "tools/call", R"("name":"fail")"));
  expect(find_member(result_of(failed), "isError") == "true") << failed;
  expect(failed.find("the disk is full") != std::string::npos);
  const std::string refused = co_await h.ask(fixture::request(5, "tools/call", R"("name":"refuse")"));
  expect(find_member(refused, "error") == R"({"code":-7,"message":"no","data":[1]})") << refused;
  const std::string broken = co_await h.ask(fixture::request(6, "tools/call", R"("name":"bad")"));
  expect(code_of(broken) == "-32603") << broken;
}

task<void> other_methods(fixture& h) {
  co_await h.initialize("2025-06-18");
  const std::string resources = co_await h.ask(fixture::request(1, "resources/list"));
  expect(result_of(resources) == R"({"resources":[{"uri":"a:1","name":"one"}]})") << resources;
  const std::string templates = co_await h.ask(fixture::request(2, "resources/templates/list"));
  expect(result_of(templates) == R"({"resourceTemplates":[{"uriTemplate":"a:{n}","name":"n"}]})") << templates;
  const std::string read = co_await h.ask(fixture::request(3, "resources/read", R"("uri":"a:1")"));
  expect(result_of(read) == R"({"contents":[{"uri":"a:1","text":"1"}]})") << read;
  const std::string missing = co_await h.ask(fixture::request(4, "resources/read", R"("uri":"a:2")"));
  expect(find_member(missing, "error") ==
         R"({"code":-32002,"message":"there is no resource \"a:2\"","data":{"uri":"a:2"}})")
      << missing;
  const std::string prompts = co_await h.ask(fixture::request(5, "prompts/list"));
  expect(result_of(prompts) == R"({"prompts":[{"name":"greet"}]})");
  const std::string got = co_await h.ask(fixture::request(6, "prompts/get", R"("name":"greet","arguments":{"a":"b"})"));
  expect(find_member(result_of(got), "messages").find("resource_link") != std::string_view::npos) << got;
  const std::string number =
      co_await h.ask(fixture::request(7, "prompts/get", R"("name":"greet","arguments":{"a":1})"));
  expect(code_of(number) == "-32602");
  const std::string completed = co_await h.ask(fixture::request(
      8, "completion/complete", R"("ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"a","value":"b"})"));
  expect(result_of(completed) == R"({"completion":{"values":["b"]}})") << completed;
  const std::string no_ref = co_await h.ask(fixture::request(9, "completion/complete"));
  expect(code_of(no_ref) == "-32602");
}

task<void> what_is_not_offered(fixture& h) {
  h.what.own = {.info = R"({"name":"bare","version":"1"})"};
  co_await h.initialize("2025-11-25");
  int id = 0;
  for (const std::string_view method :
       {"resources/list", "resources/read", "resources/subscribe", "prompts/list", "prompts/get", "completion/complete",
        "logging/setLevel", "server/undiscover"}) {
    const std::string answer = co_await h.ask(fixture::request(++id, method));
    expect(code_of(answer) == "-32601") << answer;
  }
}

task<void> changes(fixture& h) {
  h.what.notify_list_changed(list_kind::tools);  // nobody is there
  co_await h.initialize("2025-11-25");
  const std::string ping = co_await h.ask(fixture::request(1, "ping"));
  expect(result_of(ping) == "{}");
  h.what.notify_list_changed(list_kind::tools);
  h.what.notify_list_changed(list_kind::resource_templates);
  h.what.notify_list_changed(list_kind::prompts);
  for (const std::string_view kind : {"tools", "resources", "prompts"}) {
    const std::string told = co_await h.far.next();
    expect(told == R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{kind} + R"(/list_changed"})") << told;
  }
  h.what.notify_resource_updated("a:1");
  const std::string subscribed = co_await h.ask(fixture::request(2, "resources/subscribe", R"("uri":"a:1")"));
  expect(result_of(subscribed) == "{}") << subscribed;
  h.what.notify_resource_updated("a:2");
  h.what.notify_resource_updated("a:1");
  const std::string updated = co_await h.far.next();
  expect(find_member(updated, "params") == R"({"uri":"a:1"})") << updated;
  const std::string unsubscribed = co_await h.ask(fixture::request(3, "resources/unsubscribe", R"("uri":"a:1")"));
  expect(result_of(unsubscribed) == "{}");
  h.what.notify_resource_updated("a:1");
  const std::string last = co_await h.ask(fixture::request(4, "ping"));
  expect(find_member(last, "id") == "4") << last;
}

task<void> progress_and_log(fixture& h) {
  co_await h.initialize("2025-11-25");
  h.far.say(fixture::request(1, "tools/call", R"("name":"tell","_meta":{"progressToken":"t\/1"})"));
  const std::string first = co_await h.far.next();
  const std::string second = co_await h.far.next();
  const std::string loud = co_await h.far.next();
  const std::string answer = co_await h.far.next();
  expect(find_member(first, "params") == R"({"progressToken":"t\/1","progress":1,"total":4,"message":"first"})");
  expect(find_member(second, "params") == R"({"progressToken":"t\/1","progress":2.5})") << second;
  expect(find_member(loud, "params") == R"({"level":"error","logger":"example","data":{"loud":true}})") << loud;
  expect(find_member(answer, "id") == "1");
  const std::string quieter = co_await h.ask(fixture::request(2, "logging/setLevel", R"("level":"debug")"));
  expect(result_of(quieter) == "{}");
  const std::string debug = co_await h.ask(fixture::request(3, "tools/call", R"("name":"tell")"));
  const std::string again = co_await h.far.next();
  const std::string told = co_await h.far.next();
  expect(find_member(find_member(debug, "params"), "level") == "\"debug\"") << debug;
  expect(method_of(again) == "\"notifications/message\"" && find_member(told, "id") == "3") << told;
  const std::string wrong = co_await h.ask(fixture::request(4, "logging/setLevel", R"("level":"loud")"));
  expect(code_of(wrong) == "-32602") << wrong;
}

task<void> cancelled(fixture& h) {
  co_await h.initialize("2025-11-25");
  h.far.say(fixture::request(1, "tools/call", R"("name":"wait")"));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  const std::string next = co_await h.ask(fixture::request(2, "ping"));
  expect(find_member(next, "id") == "2") << "a cancelled request is not answered:" << next;
  const std::string last = co_await h.ask(fixture::request(3, "ping"));
  expect(find_member(last, "id") == "3" && h.what.heard_stop) << last;
}

task<void> too_many(fixture& h) {
  co_await h.initialize("2025-11-25");
  for (int id = 1; id <= 3; ++id) h.far.say(fixture::request(id, "tools/call", R"("name":"wait")"));
  const std::string refused = co_await h.far.next();
  expect(find_member(refused, "id") == "3" && code_of(refused) == "-32600") << refused;
}

task<void> batches(fixture& h) {
  co_await h.initialize("2025-03-26");
  h.far.say('[' + fixture::request(1, "ping") + ',' + fixture::request(2, "ping") + ']');
  const std::string first = co_await h.far.next();
  const std::string second = co_await h.far.next();
  expect(find_member(first, "id") == "1" && find_member(second, "id") == "2");
}

std::string batch_of(int pings) {
  std::string batch = "[";
  for (int id = 1; id <= pings; ++id) batch.append(id > 1 ? "," : "").append(fixture::request(id, "ping"));
  return batch + ']';
}

task<void> large_batches(fixture& h) {
  co_await h.initialize("2025-03-26");
  const std::string refused = co_await h.ask(batch_of(101));
  expect(code_of(refused) == "-32600" && find_member(refused, "id") == "null") << refused;
  expect(refused.find("100") != std::string::npos) << "it says what is allowed:" << refused;
  h.far.say(batch_of(100));
  for (int id = 1; id <= 100; ++id) {
    const std::string answer = co_await h.far.next();
    expect(find_member(answer, "id") == std::to_string(id)) << "the first batch had one answer" << answer;
  }
}

std::string padding(std::size_t size) { return std::string(size, 'x'); }

task<void> keeps_no_texts(fixture& h) {
  co_await h.initialize("2025-11-25");
  const std::size_t before = memory_in_use();
  for (int i = 0; i < 60; ++i) {
    const std::string uri = std::to_string(i) + padding(std::size_t{1} << 20);
    const std::string answer = co_await h.ask(fixture::request(1, "resources/subscribe", R"("uri":")" + uri + '"'));
    expect(result_of(answer) == "{}") << answer.substr(0, 200);
  }
  const std::size_t grown = memory_in_use() - std::min(before, memory_in_use());
  expect(grown < 20'000_ul) << grown << "KB are kept of 60 MB";
  h.what.notify_resource_updated("7" + padding(std::size_t{1} << 20));
  const std::string told = co_await h.far.next();
  expect(method_of(told) == R"("notifications/resources/updated")") << told.substr(0, 200);
  const std::string unknown = co_await h.ask(fixture::request(2, padding(std::size_t{1} << 20)));
  expect(code_of(unknown) == "-32601" && unknown.size() < 1000_ul) << "it is not repeated" << unknown.size();
  const std::string token = R"("name":"echo","_meta":{"progressToken":")" + padding(2000) + R"("})";
  const std::string endless = co_await h.ask(fixture::request(3, "tools/call", token));
  expect(code_of(endless) == "-32602") << endless.substr(0, 200);
}

task<void> keeps_no_large_client(fixture& h) {
  for (const char* name : {"capabilities", "clientInfo"}) {
    const std::string large = R"("protocolVersion":"2025-11-25",")" + std::string{name} + R"(":{"x":")" +
                              padding(std::size_t{65} << 10) + R"("})";
    const std::string refused = co_await h.ask(fixture::request(1, "initialize", large));
    expect(code_of(refused) == "-32602" && refused.find(name) != std::string::npos) << refused.substr(0, 300);
  }
  const std::string strange =
      co_await h.ask(fixture::request(2, "initialize", R"("protocolVersion":")" + padding(100'000) + '"'));
  expect(!result_of(strange).empty() && strange.size() < 2000_ul);
}

task<void> takes_few_params(fixture& h) {
  co_await h.initialize("2025-11-25");
  std::string many = R"("name":"echo")";
  for (int i = 0; i < 1'000; ++i) many += R"(,"x":[])";
  const std::string refused = co_await h.ask(fixture::request(1, "tools/call", many));
  expect(code_of(refused) == "-32600") << refused.substr(0, 300);
  const std::string meta = co_await h.ask(fixture::request(2, "tools/call", R"("name":"echo","_meta":{)" + many + '}'));
  expect(code_of(meta) == "-32600") << meta.substr(0, 300);
  const std::string served =
      co_await h.ask(fixture::request(3, "tools/call", R"("name":"echo","arguments":{)" + many + '}'));
  expect(!result_of(served).empty()) << served.substr(0, 300);
}

task<void> holds_so_much(fixture& h) {
  co_await h.initialize("2025-11-25");
  const std::string half = R"("name":"wait","arguments":{"x":")" + padding(60'000) + R"("})";
  h.far.say(fixture::request(1, "tools/call", half));
  const std::string refused = co_await h.ask(fixture::request(2, "tools/call", half));
  expect(find_member(refused, "id") == "2" && code_of(refused) == "-32603") << refused;
  const std::string small = co_await h.ask(fixture::request(3, "tools/call", R"("name":"echo")"));
  expect(!result_of(small).empty()) << small;
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  const std::string listed = co_await h.ask(fixture::request(4, "ping"));
  expect(result_of(listed) == "{}");
  const std::string echo = R"("name":"echo","arguments":{"x":")" + padding(60'000) + R"("})";
  const std::string again = co_await h.ask(fixture::request(5, "tools/call", echo));
  expect(!result_of(again).empty()) << "what has ended is held no longer" << again.substr(0, 200);
}

// A client that reads only when it is told to.
class deaf_channel final : public channel {
 public:
  task<result<void>> open(receiver& to) override {
    to_ = &to;
    co_return result<void>{};
  }
  std::size_t send(const outgoing_message& message) override {
    sent.emplace_back(message.line.substr(0, 300));
    bytes += message.line.size();
    most = std::max(most, bytes);
    return bytes;
  }
  [[nodiscard]] std::size_t queued() const noexcept override { return bytes; }
  [[nodiscard]] bool congested() const noexcept override { return full || channel::congested(); }
  task<result<void>> drained() override {
    while (bytes > 0) {
      taken_.reset();
      auto taken = co_await taken_.wait();
      if (!taken) co_return taken;
    }
    co_return result<void>{};
  }
  void cancel(std::int64_t /*request*/, std::string_view /*reason*/) noexcept override {}
  void negotiated(const peer_info& /*info*/) override {}
  task<result<void>> close() override {
    if (receiver* to = std::exchange(to_, nullptr)) to->on_closed(error{.code = errc::closed, .what = "closed"});
    co_return result<void>{};
  }

  void say(const std::string& message) {
    scanner look;
    if (to_ != nullptr) to_->on_message(look.scan(message));
  }
  void read_all() {
    bytes = 0;
    taken_.set();
  }
  std::vector<std::string> sent;  // the beginnings of it
  std::size_t bytes = 0;          // that were not read
  bool full = false;              // whatever their number is
  std::size_t most = 0;

 private:
  receiver* to_ = nullptr;
  event taken_;
};

struct non_reading_client_fixture {
  explicit non_reading_client_fixture(loop& l) : session(l, what, wire) {}
  example_service what;
  deaf_channel wire;
  server_session session;

  static task<void> serve(non_reading_client_fixture& h) {
    auto ended = co_await h.session.run();
    expect(ended.has_value());
  }
  void ask(int id, std::string_view tool) {
    wire.say(fixture::modern(id, "tools/call", R"("name":")" + std::string{tool} + '"'));
  }
};

task<void> several_turns() {
  for (int i = 0; i < 20; ++i) {
    auto polled = co_await sleep_for(duration::zero());
    ignore(polled, "a stop is seen elsewhere");
  }
}

task<void> makes_what_is_read(non_reading_client_fixture& h) {
  h.what.large = std::size_t{12} << 20;
  for (int id = 1; id <= 6; ++id) h.ask(id, "large");
  for (std::size_t read = 0; read < 6; ++read) {
    co_await several_turns();
    expect(h.what.calls.size() == read + 1 && h.wire.sent.size() == read + 1)
        << "one is unread, and no other is made" << h.what.calls.size();
    h.wire.read_all();
  }
  h.what.large = 100;
  for (int id = 11; id <= 200; ++id) h.ask(id, "large");
  co_await several_turns();
  expect(h.what.calls.size() == 196_ul) << "small ones are not held up by each other" << h.what.calls.size();
}

task<void> holds_so_many_results(non_reading_client_fixture& h) {
  h.what.large = std::size_t{12} << 20;
  for (int id = 1; id <= 20; ++id) h.ask(id, "later");
  co_await several_turns();
  expect(h.what.calls.size() == 20_ul) << "nothing is unread";
  h.what.due.set();  // all of them have their results at once
  co_await several_turns();
  expect(h.wire.most <= std::size_t{33} << 20) << h.wire.most << "bytes are held";
  std::size_t dropped = 0;
  for (const std::string& answer : h.wire.sent) {
    const bool whole = answer.find(R"("result":)") != std::string::npos;
    if (whole) continue;
    ++dropped;
    expect(code_of(answer) == "-32603" && answer.find("was handled, but its answer of 1258") != std::string::npos)
        << answer;
  }
  expect(h.wire.sent.size() == 20_ul && dropped == 18_ul) << "each is answered" << dropped;
  h.wire.read_all();
  h.what.large = std::size_t{40} << 20;
  h.ask(21, "large");
  co_await several_turns();
  expect(h.wire.sent.size() == 21_ul && h.wire.sent.back().find(R"("result":)") != std::string::npos)
      << "one alone may be of any size";
}

task<void> run_in_non_reading_client_fixture(loop& l, task<void> (*inside)(non_reading_client_fixture&)) {
  non_reading_client_fixture h{l};
  scope sessions{co_await this_context()};
  sessions.spawn(non_reading_client_fixture::serve(h));
  co_await several_turns();
  co_await inside(h);
  sessions.request_stop();
  co_await sessions.join();
}

task<void> stopped_while_nothing_is_read(loop& l) {
  return run_in_non_reading_client_fixture(l, [](non_reading_client_fixture& h) -> task<void> {
    h.wire.full = true;
    for (int id = 1; id <= 3; ++id) h.ask(id, "large");
    co_await several_turns();
  });
}

task<void> pipeline(fixture& h) {
  h.far.say(fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25")"));
  h.far.say(fixture::request(2, "tools/call", R"("name":"echo")"));
  auto closed = co_await h.channels.second->close();
  expect(closed.has_value());
}

// Ends by a stop while a call is under way and somebody listens.
task<void> stopped(loop& l) {
  server_session_fixture h{l};
  scope sessions{co_await this_context()};
  sessions.spawn(fixture::serve(h));
  auto opened = co_await h.far.open();
  expect(opened.has_value());
  h.far.say(fixture::modern(1, "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  h.far.say(fixture::modern(2, "tools/call", R"("name":"wait")"));
  auto stuck = co_await h.what.stuck.wait();
  ignore(stuck, "a stop may come first");
  sessions.request_stop();
  co_await sessions.join();
  expect(h.ended.has_value() && h.ended->has_value());
  if (stuck) {
    std::string all;
    for (std::string next = co_await h.far.next(); !next.empty(); next = co_await h.far.next()) all += next + '\n';
    expect(all.find(R"("id":2,"error":{"code":-32603,"message":"the server is ending"})") != std::string::npos) << all;
    expect(all.find(R"("id":1,"result":{"resultType":"complete","_meta":{)") != std::string::npos) << all;
    expect(all.find(R"("method":"notifications/cancelled","params":{"requestId":1)") != std::string::npos) << all;
  }
  auto closed = co_await h.channels.second->close();
  ignore(closed, "a stop may come first");
}

task<void> every_kind_of_request(fixture& h) {
  h.what.asking = {{"q", "roots/list", "{}"}};
  h.far.say(fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25","capabilities":{"roots":{}})"));
  h.far.say(fixture::request(2, "tools/call", R"("name":"wait")"));
  h.far.say(fixture::request(3, "tools/call", R"("name":"ask")"));
  h.far.say(fixture::request(4, "tools/list"));
  h.far.say(fixture::modern(5, "subscriptions/listen", R"("notifications":{})"));
  for (int messages = 0; messages < 4; ++messages) co_await h.far.next();
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
}

const suite<"server_session"> tests = [] {
  "initialize agrees on a version of the era with a handshake"_test = [] { serving(shake_hands); };
  "initialize tells what the revision can understand"_test = [] { serving(first_words); };
  "nothing but ping is served before initialize"_test = [] { serving(before_initialize); };
  "tools are listed in pages and called, and what is unknown passes through"_test = [] {
    serving(tools_of_old, {.page_size = 2});
  };
  "a tool's failure is a result, the client's mistake an error"_test = [] { serving(tools_that_fail); };
  "resources, prompts and completion"_test = [] { serving(other_methods); };
  "a method that the service does not offer is unknown"_test = [] { serving(what_is_not_offered); };
  "changes are told to who is ready, updates to who subscribed"_test = [] { serving(changes); };
  "progress goes to who asked for it, log messages from the level on"_test = [] { serving(progress_and_log); };
  "a cancelled request stops its handler and is not answered"_test = [] { serving(cancelled); };
  "more requests at once than the limit are refused"_test = [] { serving(too_many, {.max_requests = 2}); };
  "batches are understood in the revision that has them"_test = [] { serving(batches); };
  "FRZ-8 URIs, methods and tokens of a client are neither kept nor repeated at any length"_test = [] {
    serving(keeps_no_texts);
  };
  "FRZ-8 capabilities and clientInfo of more than 64 KiB are refused"_test = [] { serving(keeps_no_large_client); };
  "FRZ-15 a request with more than 1,000 parameters is refused"_test = [] { serving(takes_few_params); };
  "FRZ-8 the requests under way hold a limited number of bytes together"_test = [] {
    server_session_options options;
    options.max_request_bytes = 100'000;
    serving(holds_so_much, options);
  };
  "FRZ-3 a batch of more than 100 messages is refused by one error"_test = [] { serving(large_batches); };
  "FRZ-8 while a client leaves much unread, no other request of it is begun"_test = [] {
    loop l;
    l.run(run_in_non_reading_client_fixture(l, makes_what_is_read));
  };
  "FRZ-8 of results that come at once, those beyond 32 MiB are dropped, and each says so"_test = [] {
    loop l;
    l.run(run_in_non_reading_client_fixture(l, holds_so_many_results));
  };
  "a client that closes its end at once leaves nothing behind"_test = [] { serving(pipeline); };
  "a stop ends calls and subscriptions with an answer"_test = [] {
    loop l;
    l.run(stopped(l));
  };
  "a stop at every step leaves nothing behind"_test = [] {
    manual_clock clock;
    every_step([](loop& l) { return run_in_server_session_fixture(l, every_kind_of_request, {}); }, {.clock = &clock});
    every_step(stopped, {.clock = &clock});
    every_step(stopped_while_nothing_is_read, {.clock = &clock});
  };
};

}  // namespace server_session_test
