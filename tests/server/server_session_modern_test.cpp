// SPDX-License-Identifier: MIT
// server_session in the era without a handshake (2026-07-28).
#include "../support/server_session_fixture.hpp"

namespace server_session_modern_test {

using namespace hawser;
using namespace hawser::testing;
using fixture = server_session_fixture;

constexpr std::string_view served_by =
    R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"example","version":"1","title":"Example","icons":[]}})";

std::string with_meta(std::string_view inside) { return R"("_meta":{)" + std::string{inside} + '}'; }
constexpr std::string_view version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";

task<void> discovers(fixture& h) {
  const std::string answer = co_await h.ask(fixture::modern(1, "server/discover"));
  const std::string_view result = result_of(answer);
  expect(find_member(result, "supportedVersions") ==
         R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])")
      << answer;
  expect(find_member(result, "resultType") == R"("complete")" && find_member(result, "ttlMs") == "0");
  expect(find_member(result, "cacheScope") == R"("private")" && find_member(result, "serverInfo").empty());
  expect(find_member(result, "instructions") == R"("Be \"kind\"")" && answer.find(served_by) != std::string::npos);
  expect(!find_member(find_member(result, "capabilities"), "tools").empty());
}

// §15.1: what every request must say of itself.
task<void> bad_meta(fixture& h) {
  const std::string no_capabilities = co_await h.ask(fixture::request(1, "tools/list", with_meta(version)));
  expect(code_of(no_capabilities) == "-32602") << no_capabilities;
  const std::string nothing = co_await h.ask(fixture::request(2, "server/discover"));
  expect(code_of(nothing) == "-32602") << nothing;
  const std::string number = co_await h.ask(
      fixture::request(3, "tools/list", with_meta(R"("io.modelcontextprotocol/protocolVersion":20260728)")));
  expect(code_of(number) == "-32602") << number;
  const std::string flag = co_await h.ask(fixture::request(
      4, "tools/list",
      with_meta(std::string{version} + R"(,"io.modelcontextprotocol/clientCapabilities":{"roots":true})")));
  expect(code_of(flag) == "-32602") << flag;
  for (const std::string_view other : {"2027-01-01", "2025-11-25", "new"}) {
    const std::string asked = R"("io.modelcontextprotocol/protocolVersion":")" + std::string{other} +
                              R"(","io.modelcontextprotocol/clientCapabilities":{})";
    const std::string answer = co_await h.ask(fixture::request(5, "tools/list", with_meta(asked)));
    const std::string_view data = find_member(find_member(answer, "error"), "data");
    expect(code_of(answer) == "-32022" && text_of(find_member(data, "requested")) == other) << answer;
    expect(find_member(data, "supported").starts_with(R"(["2026-07-28",)"));
  }
}

task<void> lists_and_results(fixture& h) {
  const std::string tools = co_await h.ask(fixture::modern(1, "tools/list"));
  const std::string_view list = result_of(tools);
  expect(find_member(list, "tools").find(R"("outputSchema":{"type":"array"})") != std::string_view::npos);
  expect(find_member(list, "ttlMs") == "7" && find_member(list, "cacheScope") == R"("public")") << tools;
  int id = 1;
  for (const std::string_view method : {"resources/list", "resources/templates/list", "prompts/list"}) {
    const std::string answer = co_await h.ask(fixture::modern(++id, method));
    expect(find_member(result_of(answer), "ttlMs") == "7") << answer;
  }
  const std::string read = co_await h.ask(fixture::modern(5, "resources/read", R"("uri":"a:1")"));
  expect(find_member(result_of(read), "ttlMs") == "5") << "what the service says stands" << read;
  const std::string called = co_await h.ask(fixture::modern(6, "tools/call", R"("name":"echo","arguments":{"a":1})"));
  expect(result_of(called) == R"({"resultType":"complete","content":[],"y":{"a":1},)" + std::string{served_by} + '}')
      << called;
  const std::string rich = co_await h.ask(fixture::modern(7, "tools/call", R"("name":"rich")"));
  expect(rich.find(h.what.rich.substr(0, h.what.rich.size() - 1)) != std::string::npos) << "passed through" << rich;
  const std::string failed = co_await h.ask(fixture::modern(8, "tools/call", R"("name":"fail")"));
  expect(find_member(result_of(failed), "isError") == "true" && !find_member(result_of(failed), "resultType").empty());
  const std::string prompt = co_await h.ask(fixture::modern(9, "prompts/get", R"("name":"greet")"));
  expect(find_member(result_of(prompt), "ttlMs").empty()) << "is not one of the six" << prompt;
}

task<void> errors(fixture& h) {
  const std::string missing = co_await h.ask(fixture::modern(1, "resources/read", R"("uri":"a:2")"));
  expect(code_of(missing) == "-32602") << missing;
  const std::string unknown = co_await h.ask(fixture::modern(2, "tools/call", R"("name":"none")"));
  expect(code_of(unknown) == "-32602");
  for (const std::string_view gone :
       {"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tools/lust"}) {
    const std::string answer = co_await h.ask(fixture::modern(3, gone, R"("uri":"a:1","level":"info")"));
    expect(code_of(answer) == "-32601") << answer;
  }
}

// §15.2: both may come on one connection, and do not know of each other.
task<void> both_eras(fixture& h) {
  const std::string probe = co_await h.ask(fixture::modern(1, "server/discover"));
  expect(!result_of(probe).empty());
  co_await h.initialize("2024-11-05");
  const std::string old = co_await h.ask(fixture::request(2, "tools/list"));
  const std::string modern = co_await h.ask(fixture::modern(3, "tools/list"));
  expect(old.find("outputSchema") == std::string::npos && modern.find("outputSchema") != std::string::npos);
  expect(find_member(result_of(old), "resultType").empty() && !find_member(result_of(modern), "resultType").empty());
}

task<void> modern_only(fixture& h) {
  const std::string shaken = co_await h.ask(fixture::request(1, "initialize", R"("protocolVersion":"2025-11-25")"));
  expect(find_member(find_member(shaken, "error"), "data") ==
         R"({"supported":["2026-07-28"],"requested":"2025-11-25"})")
      << shaken;
  const std::string ping = co_await h.ask(fixture::request(2, "ping"));
  expect(code_of(ping) == "-32602") << ping;
  const std::string good = co_await h.ask(fixture::modern(3, "tools/list"));
  expect(!result_of(good).empty());
}

task<void> legacy_only(fixture& h) {
  const std::string probe = co_await h.ask(fixture::modern(1, "server/discover"));
  expect(code_of(probe) == "-32601") << probe;
  const std::string listen = co_await h.ask(fixture::modern(2, "subscriptions/listen", R"("notifications":{})"));
  expect(code_of(listen) == "-32601");
  const std::string list = co_await h.ask(fixture::modern(3, "tools/list"));
  expect(code_of(list) == "-32602") << "initialize comes first" << list;
}

task<void> logs_on_request(fixture& h) {
  const std::string silent = co_await h.ask(fixture::modern(1, "tools/call", R"("name":"tell")"));
  expect(find_member(silent, "id") == "1") << "nobody asked for a log" << silent;
  const std::string asked = with_meta(std::string{version} + R"(,"io.modelcontextprotocol/clientCapabilities":{},)" +
                                      R"("io.modelcontextprotocol/logLevel":"warning","progressToken":5)");
  h.far.say(fixture::request(2, "tools/call", R"("name":"tell",)" + asked));
  const std::string first = co_await h.far.next();
  const std::string second = co_await h.far.next();
  const std::string loud = co_await h.far.next();
  const std::string answer = co_await h.far.next();
  expect(find_member(find_member(first, "params"), "progressToken") == "5") << first;
  expect(method_of(second) == R"("notifications/progress")");
  expect(find_member(find_member(loud, "params"), "level") == R"("error")" && find_member(answer, "id") == "2") << loud;
}

task<void> listens(fixture& h) {
  const std::string wanted = R"("notifications":{"toolsListChanged":true,"promptsListChanged":false,)"
                             R"("resourceSubscriptions":["a:1"],"taskIds":["x"]},)";
  h.far.say(R"({"jsonrpc":"2.0","id":"l\/1","method":"subscriptions/listen","params":{)" + wanted +
            std::string{modern_meta} + "}}");
  const std::string acknowledged = co_await h.far.next();
  expect(method_of(acknowledged) == R"("notifications/subscriptions/acknowledged")") << acknowledged;
  const std::string honoured = R"({"toolsListChanged":true,"resourceSubscriptions":["a:1"]})";
  const std::string same_id = R"("_meta":{"io.modelcontextprotocol/subscriptionId":"l/1"})";
  expect(find_member(acknowledged, "params") == R"({"notifications":)" + honoured + ',' + same_id + '}')
      << acknowledged;
  h.what.notify_list_changed(list_kind::prompts);
  h.what.notify_list_changed(list_kind::resources);
  h.what.notify_list_changed(list_kind::tools);
  h.what.notify_resource_updated("a:2");
  h.what.notify_resource_updated("a:1");
  const std::string changed = co_await h.far.next();
  const std::string updated = co_await h.far.next();
  expect(method_of(changed) == R"("notifications/tools/list_changed")") << changed;
  expect(find_member(changed, "params") == '{' + same_id + '}') << changed;
  expect(find_member(updated, "params") == R"({"uri":"a:1",)" + same_id + '}') << updated;
  h.far.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l/1"}})");
  const std::string flushed = co_await h.ask(fixture::modern(2, "tools/list"));
  h.what.notify_list_changed(list_kind::tools);
  const std::string last = co_await h.ask(fixture::modern(3, "tools/list"));
  expect(find_member(flushed, "id") == "2" && find_member(last, "id") == "3") << "nothing more for it:" << last;
}

task<void> bad_listens(fixture& h) {
  const std::string nothing = co_await h.ask(fixture::modern(1, "subscriptions/listen"));
  expect(code_of(nothing) == "-32602") << nothing;
  for (const std::string_view uris : {R"({"a":1})", "[1]", R"(["a","b","c"])"}) {
    const std::string answer = co_await h.ask(fixture::modern(
        2, "subscriptions/listen", R"("notifications":{"resourceSubscriptions":)" + std::string{uris} + '}'));
    expect(code_of(answer) == "-32602") << answer;
  }
  h.what.own.lists_change = h.what.own.resource_updates = false;
  const std::string nothing_honoured = co_await h.ask(fixture::modern(
      3, "subscriptions/listen", R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:1"]})"));
  expect(find_member(find_member(nothing_honoured, "params"), "notifications") == "{}") << nothing_honoured;
}

const suite<"modern serving"> tests = [] {
  "server/discover tells what is served"_test = [] { serving(discovers); };
  "every request says its version and what its client can do"_test = [] { serving(bad_meta); };
  "results say their type, who served them and how long they keep"_test = [] {
    serving(lists_and_results, {.default_cache_hint = {.ttl_ms = 7, .scope = "public"}});
  };
  "errors have this era's codes, and methods of the other era are unknown"_test = [] { serving(errors); };
  "both eras are served on one connection"_test = [] { serving(both_eras); };
  "a server of this era alone says so to initialize"_test = [] {
    serving(modern_only, {.revisions = {protocol::revision::latest}});
  };
  "a legacy-only server does not know server/discover"_test = [] {
    serving(legacy_only, {.revisions = {protocol::revision::latest_legacy}});
  };
  "log messages come only where the request asks for them"_test = [] { serving(logs_on_request); };
  "a listen hears what it asked for, tagged, until it is cancelled"_test = [] { serving(listens); };
  "a listen is checked, and told what is honoured"_test = [] { serving(bad_listens, {.max_subscriptions = 2}); };
};

}  // namespace server_session_modern_test
