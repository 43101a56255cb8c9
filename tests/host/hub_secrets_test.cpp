// SPDX-License-Identifier: MIT
// What a server says again of what it was told does not leave the hub: errors with their data, status, progress.
#include <string>

#include "../../host/hub.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../support/contains.hpp"
#include "../support/run.hpp"
#include "../support/scripted_servers.hpp"
#include "../support/ut.hpp"

namespace hub_secrets_test {

using namespace hawser;
using testing::contains;
using testing::run;
using testing::scripted_server;
using testing::scripted_servers;
using testing::serving;
using testing::tool_named;

const std::string planted = "tok-AbCdEf0123456789xyzXYZ";
const std::string planted_number = "314159265358";
const std::string planted_quoted = R"(Zq7"x\p/9Kd+W2=mN4&vB6%uT8~)";

// One hub with one server, "echo", that knows the secrets.
struct echo_fixture {
  echo_fixture(context where, std::function<void(scripted_server&)> prepare) : fleet(where), servers(*where.loop, {}) {
    for (const std::string& one : {planted, planted_number, planted_quoted})
      where.loop->redactions()->add_permanent(one);
    const auto added = servers.add_server({.name = "echo"}, fleet.connects(std::move(prepare)));
    expect((added.has_value()) >> fatal);
  }
  task<void> open() {
    auto opened = co_await servers.open();
    auto settled = co_await servers.settled();
    expect(opened.has_value() && settled.has_value());
  }
  task<void> close() {
    auto closed = co_await servers.close();
    expect(closed.has_value());
    co_await fleet.close();
  }
  scripted_servers fleet;
  hub servers;
};

void expect_hidden(const error& why, bool has_data) {
  expect(!contains(why.what, planted) && !contains(why.data, planted)) << why.what << why.data;
  expect(!contains(why.data, planted_number) && !contains(why.data, "9Kd+W2")) << why.data;
  expect(why.data.empty() != has_data) << why.data;
  if (!has_data) return;
  expect(validate_json(why.data).has_value()) << why.data;
  expect(contains(why.data, "[redacted]")) << why.data;
}

task<void> data_of_errors() {
  const std::string in_text = R"({"x":"Bearer )" + planted + R"(","y":1})";
  // Nothing that JSON could have in the place of a number: the whole becomes a text.
  const std::string in_number = R"({"x":)" + planted_number + '}';
  // As three servers would quote each other.
  std::string quoted = "\x01" + planted_quoted;
  for (int i = 0; i < 3; ++i) quoted = json_string(quoted);
  const std::string in_quotes = R"({"x":[)" + quoted + R"(,"a\"b"],"y":{}})";
  for (const std::string& data : {in_text, in_number, in_quotes}) {
    const auto prepare = [&](scripted_server& end) {
      serving(tool_named("look"), R"({"tools":{},"prompts":{},"resources":{}})")(end);
      for (const char* method : {"tools/call", "prompts/list", "prompts/get", "resources/read", "x/y"})
        end.on_error(method, -32000, data);
    };
    echo_fixture f{co_await this_context(), prepare};
    co_await f.open();
    auto called = co_await f.servers.call("echo__look", "{}");
    expect(called.has_error());
    if (called.has_error()) expect_hidden(called.error(), true);
    auto listed = co_await f.servers.list("echo", list_kind::prompts);
    expect(listed.has_error());
    if (listed.has_error()) expect_hidden(listed.error(), true);
    auto prompt = co_await f.servers.get_prompt("echo", "p", "{}");
    expect(prompt.has_error());
    if (prompt.has_error()) expect_hidden(prompt.error(), true);
    auto resource = co_await f.servers.read_resource("echo", "a://b");
    expect(resource.has_error());
    if (resource.has_error()) expect_hidden(resource.error(), true);
    auto other = co_await f.servers.request("echo", "x/y", "{}");
    expect(other.has_error());
    if (other.has_error()) expect_hidden(other.error(), true);
    co_await f.close();
  }
}

task<void> data_of_starts() {
  const auto unlisted = [](scripted_server& end) {
    serving("")(end);
    end.on_error("tools/list", -32000, json_string(planted));
  };
  echo_fixture f{co_await this_context(), unlisted};
  co_await f.open();
  auto listed = co_await f.servers.listed("echo");
  expect(listed.has_error());
  if (listed.has_error()) expect_hidden(listed.error(), true);
  co_await f.close();

  const auto incompatible = [](scripted_server& end) {
    end.on_error("server/discover", -32022, R"({"supported":[],"requested":")" + planted + R"("})");
    end.on_error("initialize", -32022, R"({"supported":[],"requested":")" + planted + R"("})");
  };
  echo_fixture g{co_await this_context(), incompatible};
  co_await g.open();
  auto started = co_await g.servers.ready("echo");
  expect(started.has_error());
  if (started.has_error()) expect_hidden(started.error(), !started.error().data.empty());
  co_await g.close();
}

task<void> cut_messages() {
  // The message is cut at 4096 bytes, inside the secret, in every way in which that can be.
  for (const std::size_t shown : {std::size_t{1}, std::size_t{10}, planted.size() - 1}) {
    const std::string message = std::string(4096 - shown, 'm') + planted + std::string(100, 't');
    const auto prepare = [&](scripted_server& end) {
      serving(tool_named("look"))(end);
      end.on("tools/call", scripted_server::answer{
                               [json = scripted_server::error_of(-32000, message)](std::string_view) { return json; }});
    };
    echo_fixture f{co_await this_context(), prepare};
    co_await f.open();
    auto called = co_await f.servers.call("echo__look", "{}");
    expect(called.has_error());
    if (called.has_error()) {
      const std::string& what = called.error().what;
      expect(!contains(what, "mt") && !contains(what, "tok")) << what.substr(what.size() - 60);
      expect(what.size() < 4096U + 100U && what.ends_with("…")) << what.size();
    }
    co_await f.close();
  }
}

// Secrets make a text shorter: what is behind them moves up, the end of what was searched with a part of one included.
task<void> many_secrets_in_a_message() {
  std::string message;
  while (message.size() < std::size_t{1} << 20) message += planted + ' ';
  const auto prepare = [&](scripted_server& end) {
    serving(tool_named("look"))(end);
    end.on("tools/call", scripted_server::answer{
                             [json = scripted_server::error_of(-32000, message)](std::string_view) { return json; }});
  };
  echo_fixture f{co_await this_context(), prepare};
  co_await f.open();
  auto called = co_await f.servers.call("echo__look", "{}");
  expect(called.has_error());
  if (called.has_error()) expect(!contains(called.error().what, "tok-")) << called.error().what.size();
  co_await f.close();
}

task<void> names_left_out() {
  const std::string unusable = R"({"name":"bad )" + planted + R"(","inputSchema":5})";
  echo_fixture f{co_await this_context(), serving(tool_named("look") + ',' + unusable)};
  co_await f.open();
  const auto status = f.servers.status("echo");
  expect((status.has_value() && status->omitted.size() == 1_ul) >> fatal);
  const omitted_tool& one = status->omitted.front();
  expect(!contains(one.tool, planted) && !contains(one.what, planted)) << one.tool << one.what;
  expect(contains(one.tool, "bad [redacted]") && contains(one.what, "bad [redacted]")) << one.tool << one.what;
  co_await f.close();
}

task<void> progress_messages() {
  echo_fixture f{co_await this_context(), [](scripted_server& end) {
                   serving(tool_named("look"))(end);
                   end.on("tools/call", scripted_server::answer{[&end](std::string_view request) {
                            const std::string_view params = find_member(request, "params");
                            const std::string_view token = find_member(find_member(params, "_meta"), "progressToken");
                            end.notify("notifications/progress", R"({"progressToken":)" + std::string{token} +
                                                                     R"(,"progress":1,"message":"with )" + planted +
                                                                     R"("})");
                            return scripted_server::result_of(R"({"content":[]})");
                          }});
                 }};
  co_await f.open();
  std::string heard;
  request_options settings{.on_progress = [&](const progress_update& one) { heard += one.message; }};
  auto called = co_await f.servers.call("echo__look", "{}", std::move(settings));
  expect(called.has_value());
  expect(heard == "with [redacted]") << heard;
  co_await f.close();
}

const suite<"hub_secrets"> tests = [] {
  "SEC-3 the data of an error has no secrets and is JSON"_test = [] { run(data_of_errors()); };
  "SEC-3 the data of an error of a start has no secrets"_test = [] { run(data_of_starts()); };
  "SEC-3 a message that is cut inside a secret does not show its beginning"_test = [] {
    run(cut_messages());
    run(many_secrets_in_a_message());
  };
  "SEC-3 the names of tools that are left out have no secrets"_test = [] { run(names_left_out()); };
  "SEC-3 progress messages have no secrets"_test = [] { run(progress_messages()); };
};

}  // namespace hub_secrets_test
