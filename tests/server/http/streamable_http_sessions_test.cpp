// SPDX-License-Identifier: MIT
// streamable_http_handler in the era with a handshake, as bytes: sessions, their streams and their end.
#include "../../support/every_step.hpp"
#include "../../support/streamable_http_fixture.hpp"

namespace streamable_http_sessions_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = streamable_http_fixture;
using words = server_session_fixture;

std::string in(const std::string& session) { return std::string{plain_fields} + session; }
std::string get(const std::string& session) {
  return http_request_text("GET", "Accept: text/event-stream\r\n" + session);
}
std::string call_of(int id, std::string_view tool, std::string_view more = {}) {
  return words::request(id, "tools/call", R"("name":")" + std::string{tool} + '"' + std::string{more});
}

task<void> begins(fixture& h) {
  const std::string hello = words::request(1, "initialize", R"("protocolVersion":"2025-06-18","capabilities":{})");
  const received_response first = co_await h.post(std::string{plain_fields}, hello);
  const received_response second = co_await h.post(std::string{plain_fields}, hello);
  const std::string id{first.fields.find("Mcp-Session-Id").value_or("")};
  expect(find_member(result_of(first.body), "protocolVersion") == R"("2025-06-18")") << first.body;
  expect(id.size() == 32_ul && std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7F; })) << id;
  expect(second.fields.find("Mcp-Session-Id") != std::string_view{id} && h.handler.sessions() == 2_ul);
  const std::string bad = words::request(1, "initialize", R"("protocolVersion":7)");
  const received_response refused = co_await h.post(std::string{plain_fields}, bad);
  expect(code_of(refused.body) == "-32602" && !refused.fields.find("Mcp-Session-Id").has_value()) << refused.body;
  const received_response next = co_await h.post(std::string{plain_fields}, hello);
  expect(next.status == 200_i && h.handler.sessions() == 3_ul) << "the one that failed is gone";
}

task<void> serves(fixture& h) {
  const std::string session = co_await h.initialize();
  const received_response list = co_await h.post(in(session), words::request(1, "tools/list"));
  expect(list.status == 200_i && list.fields.find("Content-Type") == "application/json");
  expect(contains(list.body, R"("name":"echo")") && !contains(list.body, "resultType")) << list.body;
  expect(!list.fields.find("Mcp-Session-Id").has_value());
  const received_response unknown = co_await h.post(in(session), words::request(2, "no/such"));
  expect(unknown.status == 200_i && code_of(unknown.body) == "-32601") << unknown.body;
  const received_response text_id = co_await h.post(
      in(session), R"({"jsonrpc":"2.0","id":"\u0061b","method":"ping","params":{"_meta":{"progressToken":1}}})");
  expect(find_member(text_id.body, "id") == R"("ab")" && result_of(text_id.body) == "{}") << text_id.body;
  const received_response answer = co_await h.post(in(session), R"({"jsonrpc":"2.0","id":77,"result":{}})");
  expect(answer.status == 202_i) << "an answer to nothing is nobody's business";
  // A modern client at the same endpoint.
  const received_response modern = co_await h.post(modern_fields("tools/list"), words::modern(1, "tools/list"));
  expect(contains(modern.body, "resultType")) << modern.body;
}

task<void> knows_its_sessions(fixture& h) {
  const std::string session = co_await h.initialize();
  const std::string list = words::request(1, "tools/list");
  const received_response none = co_await h.post(std::string{plain_fields}, list);
  expect(none.status == 400_i && find_member(none.body, "id") == "1") << none.body;
  const received_response unknown = co_await h.post(in("Mcp-Session-Id: nobody\r\n"), list);
  expect(unknown.status == 404_i && !code_of(unknown.body).empty()) << unknown.body;
  const received_response twice = co_await h.post(in(session + "Mcp-Session-Id: other\r\n"), list);
  expect(twice.status == 400_i);
  const std::string id = session.substr(0, session.find("\r\n") + 2);
  const received_response other_version = co_await h.post(in(id + "MCP-Protocol-Version: 1999-01-01\r\n"), list);
  expect(other_version.status == 400_i) << other_version.body;
  const received_response without_version = co_await h.post(in(id), list);
  expect(without_version.status == 200_i);
  for (const char* method : {"GET", "DELETE"}) {
    const received_response no_id = co_await h.ask(http_request_text(method, {}));
    expect(no_id.status == 400_i) << method;
    const received_response unknown_id = co_await h.ask(http_request_text(method, "Mcp-Session-Id: nobody\r\n"));
    expect(unknown_id.status == 404_i) << method;
    const received_response modern = co_await h.ask(http_request_text(method, "MCP-Protocol-Version: 2026-07-28\r\n"));
    expect(modern.status == 405_i) << method;
  }
  const received_response deaf = co_await h.ask(http_request_text("GET", "Accept: application/json\r\n" + session));
  expect(deaf.status == 406_i);
  const received_response put = co_await h.ask(http_request_text("PUT", session));
  expect(put.status == 405_i && put.fields.find("Allow") == "GET, POST, DELETE");
}

task<void> ends(fixture& h) {
  const std::string session = co_await h.initialize();
  auto listener = co_await raw_http_client::connect(h.at());
  listener->say(get(session));
  const std::string begun = co_await listener->until("\r\n\r\n");
  auto waiting = co_await raw_http_client::connect(h.at());
  waiting->say(http_request_text("POST", in(session), call_of(1, "wait")));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  const received_response gone = co_await h.ask(http_request_text("DELETE", session));
  expect(gone.status == 204_i && h.handler.sessions() == 0_ul);
  const std::string stream = co_await listener->until("0\r\n\r\n");
  expect(stream.ends_with("0\r\n\r\n")) << stream;
  const std::string call = co_await waiting->until("}}");
  expect(contains(call, "HTTP/1.1 404") && contains(call, "the session has ended")) << call;
  const received_response late = co_await h.post(in(session), words::request(2, "tools/list"));
  expect(late.status == 404_i);
  co_await listener->close();
  co_await waiting->close();
}

task<void> tells_unasked(fixture& h) {
  const std::string session = co_await h.initialize();
  h.what.notify_list_changed(list_kind::tools);  // before anybody listens
  auto listener = co_await raw_http_client::connect(h.at());
  listener->say(get(session));
  const std::string kept = co_await listener->until("tools/list_changed");
  expect(contains(kept, "200 OK") && contains(kept, "text/event-stream")) << kept;
  h.what.notify_list_changed(list_kind::prompts);
  const std::string told = co_await listener->until("prompts/list_changed");
  expect(contains(told, "prompts/list_changed"));
  // A second stream takes over from the first.
  auto newer = co_await raw_http_client::connect(h.at());
  newer->say(get(session));
  const std::string over = co_await listener->until("0\r\n\r\n");
  expect(over.ends_with("0\r\n\r\n")) << over;
  h.what.notify_list_changed(list_kind::tools);
  const std::string there = co_await newer->until("tools/list_changed");
  expect(contains(there, "tools/list_changed") && !contains(listener->heard.substr(kept.size()), "tools/list_changed"));
  co_await listener->close();
  co_await newer->close();
}

task<void> asks_on_the_stream_of_the_call(fixture& h) {
  h.what.asking = {{"who", "elicitation/create", R"({"mode":"form","message":"?","requestedSchema":{}})"}};
  const std::string session = co_await h.initialize("2025-11-25", R"({"elicitation":{}})");
  auto listener = co_await raw_http_client::connect(h.at());
  listener->say(get(session));
  const std::string begun = co_await listener->until("\r\n\r\n");
  auto caller = co_await raw_http_client::connect(h.at());
  caller->say(http_request_text("POST", in(session), call_of(5, "ask")));
  const std::string question = co_await caller->until("elicitation/create");
  const std::size_t at = question.find("data: ");
  expect(contains(question, "text/event-stream") && at != std::string::npos) << question;
  const std::string asked = question.substr(at + 6, question.find("\n\n", at) - at - 6);
  const std::string id{find_member(asked, "id")};
  const received_response accepted = co_await h.post(
      in(session), R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"accept","content":{"name":"Ada"}}})");
  expect(accepted.status == 202_i);
  const std::string answer = co_await caller->until("0\r\n\r\n");
  expect(contains(answer, R"("id":5,"result")") && contains(answer, "Ada")) << answer;
  expect(!contains(listener->heard, "elicitation"));
  co_await listener->close();
  co_await caller->close();
}

task<void> streams_and_is_cancelled(fixture& h) {
  const std::string session = co_await h.initialize();
  const received_response told = co_await h.post(in(session), call_of(1, "tell", R"(,"_meta":{"progressToken":3})"));
  expect(told.fields.find("Content-Type") == "text/event-stream" && contains(told.body, R"("progressToken":3)"))
      << told.body;
  auto waiting = co_await raw_http_client::connect(h.at());
  waiting->say(http_request_text("POST", in(session), call_of(2, "wait")));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  const received_response same = co_await h.post(in(session), words::request(2, "tools/list"));
  expect(same.status == 400_i && find_member(same.body, "id") == "2") << same.body;
  const received_response cancelled =
      co_await h.post(in(session), R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  expect(cancelled.status == 202_i && h.what.stuck.is_set());
  const std::string nothing = co_await waiting->until("\r\n\r\n");
  expect(contains(nothing, "200 OK") && contains(nothing, "Content-Length: 0")) << nothing;
  co_await waiting->close();
}

// Before 2026-07-28 a lost connection is no cancellation.
task<void> goes_on_without_the_client(fixture& h) {
  const std::string session = co_await h.initialize();
  auto waiting = co_await raw_http_client::connect(h.at());
  waiting->say(http_request_text("POST", in(session), call_of(2, "wait")));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  co_await waiting->close();
  const received_response list = co_await h.post(in(session), words::request(3, "tools/list"));
  expect(list.status == 200_i && !h.what.heard_stop);
}

task<void> batches(fixture& h) {
  const std::string session = co_await h.initialize("2025-03-26");
  const std::string ready = R"({"jsonrpc":"2.0","method":"notifications/x"})";
  const std::string two = '[' + words::request(1, "ping") + ',' + ready + ',' + words::request(2, "tools/list") + ']';
  const received_response both = co_await h.post(in(session), two);
  expect(both.fields.find("Content-Type") == "text/event-stream") << both.body;
  expect(contains(both.body, R"("id":1,"result")") && contains(both.body, R"("id":2,"result")")) << both.body;
  const received_response told = co_await h.post(in(session), '[' + ready + ']');
  expect(told.status == 202_i);
  for (const std::string& bad : {std::string{"[]"}, std::string{"[1]"}, std::string{"["},
                                 '[' + words::request(1, "initialize", R"("protocolVersion":"2025-03-26")") + ']',
                                 '[' + words::request(1, "ping") + ',' + words::request(1, "ping") + ']'}) {
    const received_response refused = co_await h.post(in(session), bad);
    expect(refused.status == 400_i) << bad;
  }
  const std::string newer = co_await h.initialize("2025-11-25");
  const received_response no_batches = co_await h.post(in(newer), two);
  expect(no_batches.status == 400_i) << no_batches.body;
}

std::string batch_of(int pings) {
  std::string batch = '[' + call_of(1, "echo");
  for (int id = 2; id <= pings; ++id) batch.append(",").append(words::request(id, "ping"));
  return batch + ']';
}

task<void> large_batches(fixture& h) {
  const std::string session = co_await h.initialize("2025-03-26");
  const received_response refused = co_await h.post(in(session), batch_of(101));
  expect(refused.status == 400_i && code_of(refused.body) == "-32600") << refused.status << refused.body.substr(0, 300);
  expect(contains(refused.body, "at most 100 messages")) << refused.body.substr(0, 300);
  expect(h.what.calls.empty()) << "nothing of it is served";
  const received_response many = co_await h.post(in(session), batch_of(80'000));
  expect(many.status == 400_i && contains(many.body, "at most 100 messages"));
  const received_response served = co_await h.post(in(session), batch_of(100));
  std::size_t answers = 0;
  for (std::size_t at = served.body.find("data: "); at != std::string::npos; at = served.body.find("data: ", at + 1))
    ++answers;
  expect(served.status == 200_i && answers == 100_ul);
  // The call needs turns of the loop and the pings need none: it is answered before them only if they wait for theirs.
  expect(served.body.find(R"("id":1,)") < served.body.find(R"("id":100,)"))
      << "others are served between two messages of a batch";
}

std::string batch_of_calls(int count, std::string_view tool) {
  std::string batch = "[";
  for (int id = 1; id <= count; ++id) batch.append(id > 1 ? "," : "").append(call_of(id, tool));
  return batch + ']';
}

// So large that the system does not take all of one answer.
constexpr std::size_t large_answer = std::size_t{12} << 20;

struct counted_pings {
  int served = 0;
  bool enough = false;
};
task<void> ping_again_and_again(fixture& h, std::string session, counted_pings& pings) {
  while (!pings.enough) {
    const received_response answer = co_await h.post(in(session), words::request(1, "ping"));
    if (answer.status != 200) co_return;
    ++pings.served;
  }
}

task<void> batches_with_large_answers(fixture& h) {
  constexpr int count = 8;
  h.what.large = large_answer;
  const std::string session = co_await h.initialize("2025-03-26");
  const std::string other = co_await h.initialize();
  auto visitor = co_await unread_http_client::connect(h.at());
  visitor->say(http_request_text("POST", in(session), batch_of_calls(count, "large")));
  for (int i = 0; i < 20; ++i) {
    const received_response ping = co_await h.post(in(other), words::request(1, "ping"));
    expect(ping.status == 200_i);
  }
  expect(h.what.calls.size() == 1_ul) << "while the first answer is not read, no other is made";
  counted_pings pings;
  scope pinging{co_await this_context()};
  pinging.spawn(ping_again_and_again(h, other, pings));
  const received_response all = co_await visitor->read();
  expect(pings.served >= count) << "others are served between two answers" << pings.served;
  pings.enough = true;
  co_await pinging.join();
  expect(h.what.calls.size() == std::size_t{count} && all.body.size() > count * large_answer);
  std::size_t answers = 0;
  for (std::size_t at = all.body.find("data: "); at != std::string::npos; at = all.body.find("data: ", at + 1)) {
    ++answers;
    const std::string begins = R"(data: {"jsonrpc":"2.0","id":)" + std::to_string(answers) + R"(,"result":)";
    expect(all.body.compare(at, begins.size(), begins) == 0) << all.body.substr(at, 100);
  }
  expect(answers == std::size_t{count});
  co_await visitor->close();
}

task<void> batches_of_many_calls(fixture& h) {
  const std::string session = co_await h.initialize("2025-03-26");
  const std::string other = co_await h.initialize();
  auto visitor = co_await unread_http_client::connect(h.at());
  visitor->say(http_request_text("POST", in(session), batch_of_calls(100, "echo")));
  const received_response ping = co_await h.post(in(other), words::request(1, "ping"));
  expect(ping.status == 200_i && h.what.calls.size() < 50_ul)
      << "another client is served before" << h.what.calls.size() << "of 100";
  const received_response all = co_await visitor->read();
  expect(all.status == 200_i && h.what.calls.size() == 100_ul);
  co_await visitor->close();
}

// A client that goes away has not cancelled anything, and does not make others wait, either.
task<void> batches_that_nobody_reads(fixture& h) {
  const std::string session = co_await h.initialize("2025-03-26");
  const std::string other = co_await h.initialize();
  auto visitor = co_await unread_http_client::connect(h.at());
  visitor->say(http_request_text("POST", in(session), batch_of_calls(100, "echo")));
  co_await visitor->close();
  const received_response ping = co_await h.post(in(other), words::request(1, "ping"));
  expect(ping.status == 200_i && h.what.calls.size() < 50_ul) << h.what.calls.size();
  for (int i = 0; i < 1000 && h.what.calls.size() < 100; ++i) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{5});
    if (!slept) break;
  }
  expect(h.what.calls.size() == 100_ul);
}

task<void> cancelled_in_a_batch(fixture& h) {
  const std::string session = co_await h.initialize("2025-03-26");
  auto visitor = co_await unread_http_client::connect(h.at());
  const std::string cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})";
  visitor->say(http_request_text("POST", in(session),
                                 '[' + call_of(1, "wait") + ',' + cancel + ',' + call_of(2, "echo") + ',' +
                                     call_of(3, "echo") + ',' + call_of(4, "echo") + ']'));
  auto stuck = co_await h.what.stuck.wait();
  expect(stuck.has_value());
  const received_response cancelled =
      co_await h.post(in(session), R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  expect(cancelled.status == 202_i);
  const received_response all = co_await visitor->read();
  expect(contains(all.body, R"("id":2,"result")") && contains(all.body, R"("id":4,"result")")) << all.body;
  expect(!contains(all.body, R"("id":1,)") && !contains(all.body, R"("id":3,)")) << all.body;
  expect(h.what.heard_stop && h.what.calls.size() == 3_ul) << "what is cancelled before its turn is not called";
  co_await visitor->close();
}

task<void> unread_answers(fixture& h) {
  h.what.large = large_answer;
  const std::string session = co_await h.initialize();
  std::vector<std::unique_ptr<unread_http_client>> visitors;
  for (int id = 1; id <= 8; ++id) {
    auto visitor = co_await unread_http_client::connect(h.at());
    visitor->say(http_request_text("POST", in(session), call_of(id, "large")));
    visitors.push_back(std::move(visitor));
  }
  for (int i = 0; i < 20; ++i) {
    const received_response ping = co_await h.post(in(session), words::request(100, "ping"));
    expect(ping.status == 200_i);
  }
  expect(h.what.calls.size() == 1_ul) << "while the first answer is not read, no other is made";
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    const received_response answer = co_await visitors[i]->read();
    expect(answer.status == 200_i && answer.body.size() > large_answer) << i << answer.body.substr(0, 200);
    expect(h.what.calls.size() <= i + 2);
    co_await visitors[i]->close();
  }
  expect(h.what.calls.size() == visitors.size());
}

task<void> are_bounded(fixture& h) {
  const std::string first = co_await h.initialize();
  const std::string second = co_await h.initialize();
  const received_response used = co_await h.post(in(first), words::request(1, "ping"));
  expect(used.status == 200_i);
  const std::string third = co_await h.initialize();
  expect(h.handler.sessions() == 2_ul);
  const received_response evicted = co_await h.post(in(second), words::request(1, "ping"));
  const received_response kept = co_await h.post(in(first), words::request(1, "ping"));
  expect(evicted.status == 404_i && kept.status == 200_i) << "the one that was unused for longest goes";
  auto one = co_await raw_http_client::connect(h.at());
  auto other = co_await raw_http_client::connect(h.at());
  one->say(get(first));
  other->say(get(third));
  const std::string one_begun = co_await one->until("\r\n\r\n");
  const std::string other_begun = co_await other->until("\r\n\r\n");
  const received_response full =
      co_await h.post(std::string{plain_fields}, words::request(1, "initialize", R"("protocolVersion":"2025-11-25")"));
  expect(full.status == 503_i) << full.status << full.body;
  co_await one->close();
  co_await other->close();
}

std::string hello_of(std::string_view client) {
  return words::request(
      1, "initialize",
      R"("protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":")" + std::string{client} + R"("})");
}
task<std::string> begun_by(fixture& h, std::string client) {
  const received_response answer = co_await h.post(std::string{plain_fields}, hello_of(client));
  const auto id = answer.fields.find("Mcp-Session-Id");
  co_return id ? "Mcp-Session-Id: " + std::string{*id} + "\r\n" : std::string{};
}
task<int> ping(fixture& h, std::string session) {
  const received_response answer = co_await h.post(in(session), words::request(1, "ping"));
  co_return answer.status;
}

task<void> survive_strangers(fixture& h) {
  const std::string victim = co_await h.initialize();
  const int used = co_await ping(h, victim);
  expect(used == 200_i);
  for (int i = 0; i < 200; ++i) {
    // Of the same name, of one other name, each of its own.
    std::string foreign;
    if (i < 70) {
      foreign = co_await h.initialize();
    } else {
      std::string name = i < 140 ? "stranger" : std::to_string(i);
      foreign = co_await begun_by(h, std::move(name));
    }
    expect(!foreign.empty()) << "there is room for those that nobody has used" << i;
  }
  expect(h.handler.sessions() <= 64_ul);
  const int still = co_await ping(h, victim);
  expect(still == 200_i) << "a session that was used is not given up for others";
}

// Sessions of others that are used, too, do not push it out; there is no room then.
task<void> are_shared_out(fixture& h) {
  const std::string victim = co_await begun_by(h, "victim");
  const int used = co_await ping(h, victim);
  expect(used == 200_i);
  std::vector<std::string> greedy;
  for (int i = 0; i < 4; ++i) {
    const std::string more = co_await begun_by(h, "greedy");
    greedy.push_back(more);
    const int served = co_await ping(h, more);
    expect(served == 200_i);
  }
  expect(h.handler.sessions() == 3_ul) << "two of one client, the newer ones";
  const int first = co_await ping(h, greedy.front());
  const int last = co_await ping(h, greedy.back());
  const int kept = co_await ping(h, victim);
  expect(first == 404_i && last == 200_i && kept == 200_i) << "it gives up its own";
  const std::string third = co_await begun_by(h, "third");
  const int third_used = co_await ping(h, third);
  expect(third_used == 200_i);
  const received_response full = co_await h.post(std::string{plain_fields}, hello_of("fourth"));
  expect(full.status == 503_i) << full.body;
}

task<void> give_way_after_a_rest(fixture& h) {
  const std::string first = co_await begun_by(h, "first");
  const int used = co_await ping(h, first);
  const std::string second = co_await begun_by(h, "second");
  const int gone = co_await ping(h, first);
  const int there = co_await ping(h, second);
  expect(used == 200_i && gone == 404_i && there == 200_i);
}

task<void> expire(fixture& h) {
  const std::string used = co_await h.initialize();
  auto listener = co_await raw_http_client::connect(h.at());
  listener->say(get(used));
  const std::string begun = co_await listener->until("\r\n\r\n");
  const std::string left_alone = co_await h.initialize();
  for (int i = 0; i < 1000 && h.handler.sessions() == 2; ++i) {
    auto slept = co_await sleep_for(std::chrono::milliseconds{5});
    if (!slept) break;
  }
  const received_response gone = co_await h.post(in(left_alone), words::request(1, "ping"));
  const received_response there = co_await h.post(in(used), words::request(1, "ping"));
  expect(gone.status == 404_i && there.status == 200_i) << "one that listens is used";
  co_await listener->close();
}

task<void> a_conversation(fixture& h) {
  const std::string hello = words::request(1, "initialize", R"("protocolVersion":"2025-11-25","capabilities":{})");
  auto visitor = co_await raw_http_client::connect(h.at());
  if (visitor == nullptr) co_return;
  visitor->say(http_request_text("POST", plain_fields, hello));
  const std::string shaken = co_await visitor->until("result");
  const std::size_t at = shaken.find("Mcp-Session-Id: ");
  if (at != std::string::npos) {
    const std::string session = shaken.substr(at, shaken.find("\r\n", at) + 2 - at);
    visitor->say(http_request_text("POST", in(session), call_of(2, "wait")));
    auto stuck = co_await h.what.stuck.wait();
    ignore(stuck, "a stop may come first");
    auto listener = co_await raw_http_client::connect(h.at());
    if (listener != nullptr) {
      listener->say(get(session));
      const std::string begun = co_await listener->until("200 OK");
      co_await listener->close();
    }
  }
  co_await visitor->close();
}

// A batch is under way, and a second answer waits until the first is read.
task<void> a_batch(fixture& h) {
  h.what.large = 20'000;
  const std::string hello = words::request(1, "initialize", R"("protocolVersion":"2025-03-26","capabilities":{})");
  auto visitor = co_await raw_http_client::connect(h.at());
  if (visitor == nullptr) co_return;
  visitor->say(http_request_text("POST", plain_fields, hello));
  const std::string shaken = co_await visitor->until("result");
  const std::size_t at = shaken.find("Mcp-Session-Id: ");
  if (at != std::string::npos) {
    const std::string session = shaken.substr(at, shaken.find("\r\n", at) + 2 - at);
    visitor->say(http_request_text("POST", in(session), batch_of_calls(4, "large")));
    const std::string answered = co_await visitor->until(R"("id":4,)");
  }
  co_await visitor->close();
}

task<void> stopped_in_a_batch(loop& l) {
  streamable_http_body inside = a_batch;
  streamable_http_options options;
  options.unread.max_unread = 8'000;
  co_await run_in_streamable_http_fixture(l, std::move(inside), std::move(options), {});
}

task<void> stopped_anywhere(loop& l) {
  streamable_http_body inside = a_conversation;
  co_await run_in_streamable_http_fixture(l, std::move(inside), {}, {});
}

const suite<"http_sessions"> tests = [] {
  "initialize begins one, under a name of its own"_test = [] { with_streamable_http(begins); };
  "requests are served in it, and others beside it"_test = [] { with_streamable_http(serves); };
  "without a name 400, with an unknown one 404"_test = [] { with_streamable_http(knows_its_sessions); };
  "DELETE ends it, and everything in it"_test = [] { with_streamable_http(ends); };
  "what is said unasked comes on the newest stream of GET"_test = [] { with_streamable_http(tells_unasked); };
  "a question goes on the stream of its call"_test = [] { with_streamable_http(asks_on_the_stream_of_the_call); };
  "progress makes a stream, and a cancelled call ends without an answer"_test = [] {
    with_streamable_http(streams_and_is_cancelled);
  };
  "a lost connection cancels nothing"_test = [] { with_streamable_http(goes_on_without_the_client); };
  "batches are served where the revision has them"_test = [] { with_streamable_http(batches); };
  "FRZ-3 a batch of more than 100 messages is refused by one error, and others are served between those of one"_test =
      [] { with_streamable_http(large_batches); };
  "FRZ-3 the answers of a batch are made as the client reads them, and others are served in between"_test = [] {
    with_streamable_http(batches_with_large_answers);
  };
  "FRZ-3 the poller has its turn between two messages of a batch"_test = [] {
    with_streamable_http(batches_of_many_calls);
  };
  "FRZ-3 a batch whose client is gone is served to its end, and holds up nobody"_test = [] {
    with_streamable_http(batches_that_nobody_reads);
  };
  "a cancelled request of a batch ends alone, and is not called where its turn had not come"_test = [] {
    with_streamable_http(cancelled_in_a_batch);
  };
  "FRZ-8 while a client leaves an answer of its session unread, no other is made, on whatever connection"_test = [] {
    with_streamable_http(unread_answers);
  };
  "the number of sessions is bounded"_test = [] {
    streamable_http_options options;
    options.max_sessions = 2;
    with_streamable_http(are_bounded, options);
  };
  "FRZ-10 a session that was used survives any number of foreign initialize requests"_test = [] {
    with_streamable_http(survive_strangers);
  };
  "FRZ-10 a client has a limited number of sessions, and gives up its own for more"_test = [] {
    streamable_http_options options;
    options.max_sessions = 4;
    options.max_sessions_per_client = 2;
    with_streamable_http(are_shared_out, options);
  };
  "FRZ-10 a session that has been idle for long gives way to another client's"_test = [] {
    streamable_http_options options;
    options.max_sessions = 1;
    options.min_idle_for_eviction = duration::zero();
    with_streamable_http(give_way_after_a_rest, options);
  };
  "an unused session expires"_test = [] {
    streamable_http_options options;
    options.session_idle_timeout = std::chrono::milliseconds{100};
    with_streamable_http(expire, options);
  };
  "a stop at every step leaves nothing behind"_test = [] {
    every_step(stopped_anywhere);
    every_step(stopped_in_a_batch);
  };
};

}  // namespace streamable_http_sessions_test
