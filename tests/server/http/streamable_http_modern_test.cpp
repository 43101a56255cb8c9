// SPDX-License-Identifier: MIT
// streamable_http_handler in the era without a handshake (2026-07-28), as bytes.
#include "../../support/every_step.hpp"
#include "../../support/memory_use.hpp"
#include "../../support/streamable_http_fixture.hpp"

namespace streamable_http_modern_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = streamable_http_fixture;
using words = server_session_fixture;

streamable_http_options modern_only() {
  streamable_http_options options;
  options.session.revisions = {protocol::revision::v2026_07_28};
  return options;
}

task<void> answers(fixture& h) {
  const received_response list = co_await h.post(modern_fields("tools/list"), words::modern(1, "tools/list"));
  expect(list.status == 200_i && list.fields.find("Content-Type") == "application/json") << list.body;
  expect(contains(find_member(result_of(list.body), "tools"), R"("name":"echo")") && list.keep_alive);
  expect(!list.fields.find("Mcp-Session-Id").has_value());
  const received_response echo = co_await h.post(
      modern_fields("tools/call", "echo"), words::modern(2, "tools/call", R"("name":"echo","arguments":{"a":[1]})"));
  expect(find_member(result_of(echo.body), "y") == R"({"a":[1]})") << echo.body;
  const received_response found =
      co_await h.post(modern_fields("server/discover"), words::modern(3, "server/discover"));
  expect(find_member(result_of(found.body), "supportedVersions").starts_with(R"(["2026-07-28","2025-11-25")"));
  const received_response told =
      co_await h.post(modern_fields("notifications/x"), R"({"jsonrpc":"2.0","method":"notifications/x"})");
  expect(told.status == 202_i && told.body.empty());
  expect(h.handler.sessions() == 0_ul);
}

task<void> refuses(fixture& h) {
  const auto refused = [](const received_response& answer, int status, std::string_view code, std::string_view id) {
    expect(answer.status == status && code_of(answer.body) == code && find_member(answer.body, "id") == id)
        << answer.status << answer.body;
    expect(answer.fields.find("Content-Type") == "application/json");
  };
  const std::string list = words::modern(7, "tools/list");
  const received_response no_fields = co_await h.post(std::string{plain_fields}, list);
  refused(no_fields, 400, "-32020", "7");
  const received_response no_meta = co_await h.post(modern_fields("tools/list"), words::request(7, "tools/list"));
  refused(no_meta, 400, "-32602", "7");
  std::string later = list;
  later.replace(later.find("2026-07-28"), 10, "2099-01-01");
  const received_response two_versions = co_await h.post(modern_fields("tools/list"), later);
  refused(two_versions, 400, "-32020", "7");
  std::string later_fields = modern_fields("tools/list");
  later_fields.replace(later_fields.find("2026-07-28"), 10, "2099-01-01");
  const received_response unknown_version = co_await h.post(later_fields, later);
  refused(unknown_version, 400, "-32022", "7");
  expect(contains(unknown_version.body, R"("supported":["2026-07-28")")) << unknown_version.body;
  const received_response unknown_method = co_await h.post(modern_fields("no/such"), words::modern(7, "no/such"));
  refused(unknown_method, 404, "-32601", "7");
  const received_response removed_method = co_await h.post(modern_fields("initialize"), words::modern(7, "initialize"));
  refused(removed_method, 404, "-32601", "7");
  // What the service itself has to say travels on 200.
  const received_response unknown_tool =
      co_await h.post(modern_fields("tools/call", "x"), words::modern(7, "tools/call", R"("name":"x")"));
  refused(unknown_tool, 200, "-32602", "7");
  h.what.asking = {{"who", "elicitation/create", R"({"message":"?"})"}};
  const received_response cannot_ask =
      co_await h.post(modern_fields("tools/call", "ask"), words::modern(7, "tools/call", R"("name":"ask")"));
  refused(cannot_ask, 400, "-32021", "7");
  const received_response response = co_await h.post(modern_fields("x"), R"({"jsonrpc":"2.0","id":7,"result":{}})");
  refused(response, 400, "-32600", "");
  const received_response garbage = co_await h.post(modern_fields("tools/list"), "{\"jsonrpc\"");
  refused(garbage, 400, "-32700", "");
  const received_response no_request =
      co_await h.post(modern_fields("tools/list"), R"({"id":7,"method":"tools/list"})");
  refused(no_request, 400, "-32600", "7");
  const received_response batch = co_await h.post(modern_fields("tools/list"), '[' + list + ']');
  refused(batch, 400, "-32600", "");
  const std::string endless = R"({"jsonrpc":"2.0","id":")" + std::string(2000, 'x') + R"(","method":"tools/list"})";
  const received_response long_id = co_await h.post(modern_fields("tools/list"), endless);
  refused(long_id, 400, "-32600", "");
}

task<void> checks_where_it_comes_from(fixture& h) {
  const std::string list = words::modern(1, "tools/list");
  const received_response rebound =
      co_await h.ask(http_request_text("POST", modern_fields("tools/list"), list, "/mcp", "evil.example"));
  expect(rebound.status == 403_i) << rebound.body;
  const received_response page =
      co_await h.post(modern_fields("tools/list") + "Origin: http://evil.example\r\n", "not even JSON");
  expect(page.status == 403_i) << page.body;
  const received_response local =
      co_await h.post(modern_fields("tools/list") + "Origin: http://localhost:6274\r\n", list);
  expect(local.status == 200_i);
  const received_response elsewhere =
      co_await h.ask(http_request_text("POST", modern_fields("tools/list"), list, "/other"));
  expect(elsewhere.status == 404_i);
  const received_response text = co_await h.post("Content-Type: text/plain\r\n", list);
  expect(text.status == 415_i);
  const received_response deaf =
      co_await h.post("Content-Type: application/json\r\nAccept: application/json\r\n", list);
  expect(deaf.status == 406_i);
  const received_response query =
      co_await h.ask(http_request_text("POST", modern_fields("tools/list"), list, "/mcp?a=b"));
  expect(query.status == 200_i);
}

// T-32: the body is announced and never comes, nor is it asked for.
task<void> judges_by_the_head(fixture& h) {
  struct case_of {
    std::string text;
    std::string_view status;
  };
  const std::string body = "Expect: 100-continue\r\nContent-Length: 1000000\r\n";
  const std::string list = modern_fields("tools/list");
  const std::vector<case_of> cases{
      {case_of{http_request_text("POST", list + body, {}, "/mcp", "evil.example"), "HTTP/1.1 403 "},
       case_of{http_request_text("POST", list + "Origin: http://evil.example\r\n" + body), "HTTP/1.1 403 "},
       case_of{http_request_text("POST", list + body, {}, "/other"), "HTTP/1.1 404 "},
       case_of{http_request_text("POST", "Content-Type: text/plain\r\n" + body), "HTTP/1.1 415 "},
       case_of{http_request_text("PUT", list + body), "HTTP/1.1 405 "}}};
  for (const case_of& one : cases) {
    auto visitor = co_await raw_http_client::connect(h.at());
    visitor->say(one.text);
    const std::string heard = co_await visitor->until("}}");
    expect(heard.starts_with(one.status) && contains(heard, "Connection: close")) << one.status << heard;
    co_await visitor->close();
  }
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(http_request_text("POST", list + body));
  const std::string asked = co_await visitor->until("\r\n\r\n");
  expect(asked == "HTTP/1.1 100 Continue\r\n\r\n") << asked;
  co_await visitor->close();
}

std::string asks(int id, std::string_view name, std::string_view more = {}) {
  return words::request(id, "tools/call",
                        R"("name":"ask",)" + std::string{more} +
                            R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                            R"("io.modelcontextprotocol/clientInfo":{"name":")" +
                            std::string{name} +
                            R"("},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}})");
}

// 40 requests with arguments of a megabyte each, and hundreds of small ones.
task<void> keeps_little_of_rounds(fixture& h) {
  h.what.asking = {{"who", "elicitation/create", R"({"mode":"form","message":"?","requestedSchema":{}})"}};
  const std::string fields = modern_fields("tools/call", "ask");
  const received_response victim = co_await h.post(fields, asks(1, "victim"));
  const std::string state{find_member(result_of(victim.body), "requestState")};
  const std::string arguments = R"("arguments":{"a":")" + std::string(std::size_t{1} << 20, 'x') + R"("},)";
  const std::size_t before = memory_in_use();
  for (int id = 1; id <= 40; ++id) {
    const received_response asked = co_await h.post(fields, asks(id, "greedy", arguments));
    expect(contains(asked.body, "input_required")) << asked.body.substr(0, 300);
    h.what.calls.clear();
  }
  const std::size_t grown = memory_in_use() - std::min(before, memory_in_use());
  expect(grown < 20'000_ul) << grown << "KB are kept of 40 MB";
  int refused = 0;
  for (int id = 1; id <= 100; ++id) {
    const received_response asked = co_await h.post(fields, asks(id, "greedy"));
    if (contains(asked.body, "unanswered")) ++refused;
  }
  expect(refused == 12_i) << "128 of one client are kept" << refused;
  const received_response answered = co_await h.post(
      fields, asks(2, "victim", R"("inputResponses":{"who":{"action":"decline"}},"requestState":)" + state + ','));
  expect(contains(answered.body, "decline")) << "nobody else's round is lost" << answered.body;
  const received_response again = co_await h.post(fields, asks(3, "victim"));
  expect(contains(again.body, "input_required")) << again.body;
}

task<void> bounds_calls_of_a_client(fixture& h) {
  std::vector<std::unique_ptr<raw_http_client>> held;
  for (int i = 0; i < 2; ++i) {
    auto visitor = co_await raw_http_client::connect(h.at());
    held.push_back(std::move(visitor));
    held.back()->say(http_request_text("POST", modern_fields("subscriptions/listen"),
                                       words::modern(i, "subscriptions/listen", R"("notifications":{})")));
    const std::string begun = co_await held.back()->until("acknowledged");
    expect(contains(begun, "acknowledged"));
  }
  const received_response more = co_await h.post(modern_fields("tools/list"), words::modern(1, "tools/list"));
  expect(more.status == 429_i && find_member(more.body, "id") == "1") << more.status << more.body;
  std::string named = words::modern(1, "tools/list");
  named.replace(named.find(R"("_meta":{)"), 9, R"("_meta":{"io.modelcontextprotocol/clientInfo":{"name":"b"},)");
  const received_response other = co_await h.post(modern_fields("tools/list"), named);
  expect(other.status == 200_i) << "others are served" << other.body;
  for (const auto& one : held) co_await one->close();
}

// Several streams, each begun by a large message, and then another large message.
task<void> streams_keep_no_bodies(fixture& h) {
  const std::string large = R"(,"x":")" + std::string(200'000, 'x') + '"';
  std::vector<std::unique_ptr<raw_http_client>> held;
  for (int i = 0; i < 4; ++i) {
    auto visitor = co_await raw_http_client::connect(h.at());
    held.push_back(std::move(visitor));
    held.back()->say(http_request_text("POST", modern_fields("subscriptions/listen"),
                                       words::modern(i, "subscriptions/listen", R"("notifications":{})" + large)));
    const std::string begun = co_await held.back()->until("acknowledged");
    expect(contains(begun, "acknowledged")) << i << begun.substr(0, 100);
  }
  const received_response list =
      co_await h.post(modern_fields("tools/list"), words::modern(9, "tools/list", R"("y":1)" + large));
  expect(list.status == 200_i) << list.status << list.body;
  for (const auto& one : held) co_await one->close();
}

std::string call_by(std::string_view client, std::string_view tool, std::string_view more = {}) {
  std::string call = words::modern(1, "tools/call", R"("name":")" + std::string{tool} + '"' + std::string{more});
  call.replace(call.find(R"("_meta":{)"), 9,
               R"("_meta":{"io.modelcontextprotocol/clientInfo":{"name":")" + std::string{client} + R"("},)");
  return http_request_text("POST", modern_fields("tools/call", tool), call);
}

task<void> limits_what_one_client_holds(fixture& h) {
  const std::string large = R"(,"arguments":{"x":")" + std::string(200'000, 'x') + R"("})";
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(call_by("a", "wait", large));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  const received_response second = co_await h.ask(call_by("a", "echo", large));
  expect(contains(second.body, "too large together")) << second.status << second.body.substr(0, 200);
  const received_response other = co_await h.ask(call_by("b", "echo", large));
  expect(contains(other.body, "result")) << other.status << other.body.substr(0, 200);
  co_await visitor->close();
}
constexpr std::size_t large_answer = std::size_t{12} << 20;  // more than the system takes of one

task<void> bounds_unread_answers(fixture& h) {
  h.what.large = large_answer;
  auto first = co_await unread_http_client::connect(h.at());
  first->say(call_by("a", "large"));
  for (int i = 0; i < 1000 && h.what.calls.empty(); ++i) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{1});
    if (!slept) co_return;
  }
  const received_response second = co_await h.ask(call_by("a", "large"));
  expect(code_of(second.body) == "-32603" && contains(second.body, "was handled, but its answer of 1258"))
      << second.body.substr(0, 300);
  const received_response small = co_await h.ask(call_by("a", "echo"));
  expect(!result_of(small.body).empty()) << "small ones are always served" << small.body;
  const received_response of_another = co_await h.ask(call_by("b", "large"));
  expect(of_another.body.size() > large_answer) << of_another.body.substr(0, 300);
  auto unread = co_await unread_http_client::connect(h.at());
  unread->say(call_by("b", "large"));
  for (int i = 0; i < 1000 && h.what.calls.size() < 5; ++i) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{1});
    if (!slept) co_return;
  }
  const received_response of_a_third = co_await h.ask(call_by("c", "large"));
  expect(contains(of_a_third.body, "was dropped")) << "all of them together" << of_a_third.body.substr(0, 300);
  const received_response small_third = co_await h.ask(call_by("c", "echo"));
  expect(!result_of(small_third.body).empty()) << small_third.body;
  const received_response read = co_await first->read();
  expect(read.body.size() > large_answer);
  const received_response again = co_await h.ask(call_by("a", "large"));
  expect(again.body.size() > large_answer) << "what was read has made room" << again.body.substr(0, 300);
  co_await first->close();
  co_await unread->close();
}

// Many requests at once, of a client that reads: none of their results is lost.
task<void> holds_back_requests(fixture& h) {
  h.what.large = large_answer;
  constexpr int count = 12;
  std::vector<std::unique_ptr<unread_http_client>> visitors;
  for (int i = 0; i < count; ++i) {
    auto visitor = co_await unread_http_client::connect(h.at());
    visitors.push_back(std::move(visitor));
  }
  for (const auto& one : visitors) one->say(call_by("a", "large"));
  for (const auto& one : visitors) {
    const received_response answer = co_await one->read();
    expect(answer.body.size() > large_answer) << answer.body.substr(0, 300);
    co_await one->close();
  }
  expect(h.what.calls.size() == std::size_t{count});
}

task<void> has_one_method(fixture& h) {
  for (const char* method : {"GET", "DELETE", "PUT", "OPTIONS"}) {
    const received_response answer = co_await h.ask(http_request_text(method, "Mcp-Session-Id: x\r\n"));
    expect(answer.status == 405_i && answer.fields.find("Allow") == "POST") << method;
  }
  const received_response hello =
      co_await h.post(std::string{plain_fields}, words::request(1, "initialize", R"("protocolVersion":"2025-11-25")"));
  expect(hello.status == 400_i && code_of(hello.body) == "-32022") << hello.body;
}

task<void> streams_what_comes_before_the_answer(fixture& h) {
  std::string body = words::modern(1, "tools/call", R"("name":"tell")");
  body.replace(body.find(R"("_meta":{)"), 9,
               R"("_meta":{"progressToken":"t","io.modelcontextprotocol/logLevel":"error",)");
  const received_response told = co_await h.post(modern_fields("tools/call", "tell"), body);
  expect(told.status == 200_i && told.fields.find("Content-Type") == "text/event-stream");
  expect(told.fields.find("X-Accel-Buffering") == "no" &&
         told.fields.find("Cache-Control") == "no-cache, no-transform");
  std::size_t events = 0;
  for (std::size_t at = told.body.find("data: "); at != std::string::npos; at = told.body.find("data: ", at + 1))
    ++events;
  expect(events == 4_ul) << told.body;
  expect(contains(told.body, R"("progressToken":"t","progress":1,)") && contains(told.body, R"({"loud":true})"));
  expect(told.body.find("told") > told.body.find("loud") && told.body.ends_with("\n\n"));
}

task<void> asks_in_rounds(fixture& h) {
  h.what.asking = {{"who", "elicitation/create", R"({"mode":"form","message":"?","requestedSchema":{}})"}};
  const std::string declares = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                               R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}})";
  const std::string fields = modern_fields("tools/call", "ask");
  const received_response asked =
      co_await h.post(fields, words::request(1, "tools/call", R"("name":"ask",)" + declares));
  const std::string state{find_member(result_of(asked.body), "requestState")};
  expect(find_member(result_of(asked.body), "resultType") == R"("input_required")") << asked.body;
  const std::string again = words::request(
      2, "tools/call",
      R"("name":"ask","inputResponses":{"who":{"action":"decline"}},"requestState":)" + state + ',' + declares);
  const received_response answered = co_await h.post(fields, again);
  expect(contains(answered.body, "decline") && contains(answered.body, R"("s:)")) << answered.body;
  const received_response twice = co_await h.post(fields, again);
  expect(code_of(twice.body) == "-32602") << "good once: " << twice.body;
}

task<void> a_client_that_goes_away_cancels(fixture& h) {
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(http_request_text("POST", modern_fields("tools/call", "wait"),
                                 words::modern(1, "tools/call", R"("name":"wait")")));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  co_await visitor->close();
  for (int i = 0; i < 500 && !h.what.heard_stop; ++i) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{5});
    if (!slept) break;
  }
  expect(h.what.heard_stop);
}

task<void> subscribes(fixture& h) {
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(
      http_request_text("POST", modern_fields("subscriptions/listen"),
                        words::modern(9, "subscriptions/listen",
                                      R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:1"]})")));
  const std::string begun = co_await visitor->until("acknowledged");
  expect(contains(begun, "text/event-stream") && contains(begun, R"("io.modelcontextprotocol/subscriptionId":9)"))
      << begun;
  h.what.notify_list_changed(list_kind::tools);
  h.what.notify_list_changed(list_kind::prompts);
  h.what.notify_resource_updated("a:1");
  const std::string told = co_await visitor->until("resources/updated");
  expect(contains(told, "tools/list_changed") && !contains(told, "prompts/list_changed")) << told;
  co_await visitor->close();
}

task<void> two_at_once_with_one_id(fixture& h) {
  auto first = co_await raw_http_client::connect(h.at());
  first->say(http_request_text("POST", modern_fields("tools/call", "wait"),
                               words::modern(1, "tools/call", R"("name":"wait")")));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  const received_response other = co_await h.post(modern_fields("tools/list"), words::modern(1, "tools/list"));
  expect(other.status == 200_i) << "ids belong to their request only";
  co_await first->close();
}

task<void> keeps_alive(fixture& h) {
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(http_request_text("POST", modern_fields("tools/call", "wait"),
                                 words::modern(1, "tools/call", R"("name":"wait")")));
  const std::string silent = co_await visitor->until(": still here");
  expect(contains(silent, "text/event-stream") && contains(silent, "\n: still here\n\n")) << silent;
  co_await visitor->close();
}

// The server's own end: who listens hears it.
task<void> ends_gracefully(loop& l, std::string& heard) {
  auto server = http_server::listen(l, {});
  expect(server.has_value());
  fixture h{l, *server, {}};
  scope serving{co_await this_context()};
  serving.spawn(fixture::serve(h));
  auto visitor = co_await raw_http_client::connect(h.at());
  visitor->say(http_request_text("POST", modern_fields("subscriptions/listen"),
                                 words::modern(9, "subscriptions/listen", R"("notifications":{})")));
  const std::string begun = co_await visitor->until("acknowledged");
  serving.request_stop();
  co_await serving.join();
  heard = co_await visitor->until("0\r\n\r\n");
  co_await visitor->close();
}

task<void> one_of_everything(fixture& h) {
  auto visitor = co_await raw_http_client::connect(h.at());
  if (visitor == nullptr) co_return;
  visitor->say(http_request_text("POST", modern_fields("tools/call", "wait"),
                                 words::modern(1, "tools/call", R"("name":"wait")")));
  auto stuck = co_await h.what.stuck.wait();
  ignore(stuck, "a stop may come first");
  co_await visitor->close();
}

task<void> stopped_anywhere(loop& l) {
  streamable_http_body inside = one_of_everything;
  co_await run_in_streamable_http_fixture(l, std::move(inside), {}, {});
}

const suite<"http_modern"> tests = [] {
  "a request needs no session and is answered as JSON"_test = [] { with_streamable_http(answers); };
  "what is wrong has its status and its code"_test = [] { with_streamable_http(refuses); };
  "host, origin, path and types are looked at first"_test = [] { with_streamable_http(checks_where_it_comes_from); };
  "FRZ-9 host, origin, path, method and types are judged before the body and before 100 Continue"_test = [] {
    with_streamable_http(judges_by_the_head);
  };
  "FRZ-8 of what waits for answers little is kept, and no client loses it to another"_test = [] {
    with_streamable_http(keeps_little_of_rounds);
  };
  "FRZ-10 a client has a limited number of calls under way, and others are served"_test = [] {
    streamable_http_options options;
    options.max_calls_per_client = 2;
    with_streamable_http(bounds_calls_of_a_client, options);
  };
  "FRZ-8 what a client has not read is bounded in all its requests, and overall, and small answers are served"_test =
      [] {
        streamable_http_options options;
        options.unread.backlog_timeout = duration::zero();
        options.max_unread_per_client = std::size_t{20} << 20;
        options.max_unread = std::size_t{30} << 20;
        with_streamable_http(bounds_unread_answers, options);
      };
  "FRZ-8 a stream does not keep the body of its request"_test = [] {
    http_server_options small;
    small.max_body_bytes = 300'000;
    with_streamable_http(streams_keep_no_bodies, {}, small);
  };
  "FRZ-8 what the requests of one client hold is limited in all its sessions, and others have room"_test = [] {
    streamable_http_options options;
    options.max_held_per_client = 300'000;
    with_streamable_http(limits_what_one_client_holds, options);
  };
  "FRZ-8 a client that reads loses no result, however many requests it sends at once"_test = [] {
    streamable_http_options options;
    options.unread.backlog_timeout = std::chrono::minutes{1};
    with_streamable_http(holds_back_requests, options);
  };
  "without the other era there is POST and nothing else"_test = [] {
    with_streamable_http(has_one_method, modern_only());
  };
  "progress and log messages come as events before the answer"_test = [] {
    with_streamable_http(streams_what_comes_before_the_answer);
  };
  "a question and its answer are two requests"_test = [] { with_streamable_http(asks_in_rounds); };
  "a disconnect cancels the request"_test = [] { with_streamable_http(a_client_that_goes_away_cancels); };
  "a subscription is a stream that tells of changes"_test = [] { with_streamable_http(subscribes); };
  "two requests with the same id do not meet"_test = [] { with_streamable_http(two_at_once_with_one_id); };
  "an idle stream sends keep-alive comments"_test = [] {
    streamable_http_options options;
    options.keep_alive = std::chrono::milliseconds{20};
    with_streamable_http(keeps_alive, options);
  };
  "a subscription ends with its result when the server does"_test = [] {
    loop l;
    std::string heard;
    l.run(ends_gracefully(l, heard));
    expect(contains(heard, R"("id":9,"result":)") && contains(heard, "subscriptionId") && heard.ends_with("0\r\n\r\n"))
        << heard;
  };
  "a body beyond the limit is refused"_test = [] {
    http_server_options where;
    where.limits.max_body = 2000;
    with_streamable_http(
        [](fixture& h) -> task<void> {
          const std::string large = words::modern(1, "tools/call", R"("name":")" + std::string(3000, 'x') + '"');
          const received_response answer = co_await h.post(modern_fields("tools/call", "x"), large);
          expect(answer.status == 413_i);
        },
        {}, where);
  };
  "a stop at every step leaves nothing behind"_test = [] { every_step(stopped_anywhere); };
};

}  // namespace streamable_http_modern_test
