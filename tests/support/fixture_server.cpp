// SPDX-License-Identifier: MIT
// An MCP server for the host's tests whose behaviour is set by its switches:
//   --journal FILE          appends the `id` of each executed `work` call before it is answered
//   --die-after-ms N        exits with 7 after this time
//   --die-on-call           exits with 7 in the middle of a call, after its line in the journal
//   --silent-initialize     never answers initialize
//   --exit-on-probe         exits with 1 on any request before initialize
//   --modern-only, --legacy-only
//   --list-changed-burst N  the tool `burst` sends this many list_changed notifications
//   --tools N               this many additional tools
//   --start-delay-ms N      sleeps before it reads its input
//   --ignore-eof            continues after the end of its input, until it is killed
//   --name TEXT             its name in serverInfo
//   --good-calls N          after this many calls it does what --then says, with a message on stderr:
//   --http PORT             serves Streamable HTTP there instead of its pipes (0: any port), and prints the port
//   --cut BYTES             … and resets each connection after this many bytes on average, by --seed N
//   --then FAULT            die | hang (no call is answered) | fail (isError) | refuse (an error) | fail-once
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../../runtime/async/sleep.hpp"
#include "../../runtime/io/detail/unique_fd.hpp"
#include "../../server/http/streamable_http_handler.hpp"
#include "../../server/server_session.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/object_writer.hpp"
#include "../../transports/stdio/stdio_server_channel.hpp"
#include "cutting_proxy.hpp"

namespace {

using namespace hawser;

constexpr int died_on_purpose = 7;

struct switches {
  std::string journal;
  int die_after_ms = -1;
  bool die_on_call = false;
  bool silent_initialize = false;
  bool exit_on_probe = false;
  bool modern_only = false;
  bool legacy_only = false;
  int burst = 10;
  int tools = 0;
  int start_delay_ms = 0;
  bool ignore_eof = false;
  std::string name = "fixture";
  int good_calls = -1;
  std::string then;
  int http = -1;
  int cut = 0;
  unsigned seed = 0;
};

switches read_switches(int argc, char** argv) {
  switches s;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--journal")
      s.journal = value();
    else if (word == "--die-after-ms")
      s.die_after_ms = std::atoi(value());
    else if (word == "--die-on-call")
      s.die_on_call = true;
    else if (word == "--silent-initialize")
      s.silent_initialize = true;
    else if (word == "--exit-on-probe")
      s.exit_on_probe = true;
    else if (word == "--modern-only")
      s.modern_only = true;
    else if (word == "--legacy-only")
      s.legacy_only = true;
    else if (word == "--list-changed-burst")
      s.burst = std::atoi(value());
    else if (word == "--tools")
      s.tools = std::atoi(value());
    else if (word == "--start-delay-ms")
      s.start_delay_ms = std::atoi(value());
    else if (word == "--ignore-eof")
      s.ignore_eof = true;
    else if (word == "--name")
      s.name = value();
    else if (word == "--good-calls")
      s.good_calls = std::atoi(value());
    else if (word == "--http")
      s.http = std::atoi(value());
    else if (word == "--cut")
      s.cut = std::atoi(value());
    else if (word == "--seed")
      s.seed = static_cast<unsigned>(std::atoi(value()));
    else if (word == "--then")
      s.then = value();
    else if (word.starts_with("--"))
      std::fprintf(stderr, "fixture_server: unknown switch %s\n", argv[i]);
    // Any other argument is a token that tests find the process by.
  }
  return s;
}

std::string tool_json(std::string_view name, std::string_view description, std::string_view properties) {
  object_writer schema;
  schema.text("type", "object").member("properties", properties);
  object_writer tool;
  return tool.text("name", name).text("description", description).member("inputSchema", schema.done()).done();
}

class fixture_service final : public service {
 public:
  explicit fixture_service(const switches& s) : switches_(s) {
    object_writer info;
    card_.info = info.text("name", s.name).text("version", "1").done();
    card_.lists_change = true;
    if (!s.journal.empty())
      journal_ = hawser::detail::unique_fd{open(s.journal.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)};
    auto tools = std::make_shared<std::vector<std::string>>();
    tools->push_back(tool_json("burst", "announces changes of the list", "{}"));
    tools->push_back(tool_json("echo", "gives its text back", R"({"text":{"type":"string"}})"));
    for (int i = 0; i < s.tools; ++i) tools->push_back(tool_json("tool_" + std::to_string(i), "does nothing", "{}"));
    tools->push_back(tool_json("work", "writes its id into the journal",
                               R"({"id":{"type":"string"},"delay_ms":{"type":"integer"}})"));
    tools_ = std::move(tools);
  }

  [[nodiscard]] const server_info& info() const override { return card_; }

  task<result<item_list>> list(list_kind /*what*/) override { co_return item_list{tools_}; }

  task<result<service_result>> call_tool(request_context& request) override {
    const std::string_view arguments = request.arguments();
    const bool work = request.name() == "work";
    if (work) write_down(text_of(find_member(arguments, "id")).value_or(std::string{find_member(arguments, "id")}));
    if (switches_.die_on_call) _exit(died_on_purpose);
    if (switches_.good_calls >= 0 && ++calls_ > switches_.good_calls) {
      if (auto fault = co_await misbehave()) co_return *std::move(fault);
    }
    if (work) {
      const std::chrono::milliseconds delay{integer_of(find_member(arguments, "delay_ms")).value_or(0)};
      if (delay.count() > 0) {
        auto slept = co_await sleep_for(delay);
        if (!slept) co_return slept.error();
      }
      co_return service_result::complete(text_result("done"));
    }
    if (request.name() == "echo")
      co_return service_result::complete(text_result(text_of(find_member(arguments, "text")).value_or("")));
    if (request.name() == "burst") {
      for (int i = 0; i < switches_.burst; ++i) notify_list_changed(list_kind::tools);
      co_return service_result::complete(text_result("announced"));
    }
    if (request.name().starts_with("tool_")) co_return service_result::complete(text_result(request.name()));
    co_return error{.code = errc::tool_unknown, .what = "no tool " + json_string(request.name())};
  }

 private:
  void write_down(std::string line) const {
    line += '\n';  // one write, so that lines of several servers are not mixed
    if (journal_ && ::write(journal_.get(), line.data(), line.size()) < 0) _exit(died_on_purpose);
  }

  // nullopt: the call is handled normally.
  task<std::optional<result<service_result>>> misbehave() {
    const bool first = calls_ == switches_.good_calls + 1;
    if (first) std::fprintf(stderr, "fixture_server: now I %s\n", switches_.then.c_str());
    if (switches_.then == "die") _exit(died_on_purpose);
    if (switches_.then == "hang") {
      auto slept = co_await sleep_for(std::chrono::hours{1});
      ignore(slept, "nobody waits any more");
    }
    if (switches_.then == "refuse") {
      result<service_result> no{error{.code = errc::remote, .what = "not today", .native = -32'000}};
      co_return no;
    }
    if (switches_.then == "fail" || (switches_.then == "fail-once" && first)) {
      result<service_result> no{service_result::complete(failed_result("out of rope"))};
      co_return no;
    }
    co_return std::nullopt;
  }

  const switches& switches_;
  server_info card_;
  item_list tools_;
  hawser::detail::unique_fd journal_;
  int calls_ = 0;
};

// Sits between channel and session and breaks the protocol on request.
class faulty_channel final : public channel, private receiver {
 public:
  faulty_channel(channel& inner, const switches& s) : inner_(inner), switches_(s) {}
  task<result<void>> open(receiver& to) override {
    to_ = &to;
    return inner_.open(*this);
  }
  std::size_t send(const outgoing_message& message) override { return inner_.send(message); }
  [[nodiscard]] std::size_t queued() const noexcept override { return inner_.queued(); }
  task<result<void>> drained() override { return inner_.drained(); }
  void cancel(std::int64_t request, std::string_view reason) noexcept override { inner_.cancel(request, reason); }
  void negotiated(const peer_info& info) override { inner_.negotiated(info); }
  task<result<void>> close() override { return inner_.close(); }

 private:
  void on_message(const message_view& message) noexcept override {
    if (message.kind == message_kind::request && message.method == protocol::method::initialize) {
      initialized_ = true;
      if (switches_.silent_initialize) return;
    }
    if (message.kind == message_kind::request && !initialized_ && switches_.exit_on_probe) _exit(1);
    to_->on_message(message);
  }
  void on_request_failed(std::int64_t request, error why) noexcept override {
    to_->on_request_failed(request, std::move(why));
  }
  void on_reset(error why) noexcept override { to_->on_reset(std::move(why)); }
  void on_closed(error why) noexcept override { to_->on_closed(std::move(why)); }

  channel& inner_;
  const switches& switches_;
  receiver* to_ = nullptr;
  bool initialized_ = false;
};

task<void> die_later(std::chrono::milliseconds after) {
  auto slept = co_await sleep_for(after);
  if (slept) _exit(died_on_purpose);
}

server_session_options options_for(const switches& s) {
  server_session_options options;
  options.max_requests = 1'024;  // measured with 256 concurrent calls, in addition to subscriptions
  if (s.modern_only) options.revisions = {protocol::revision::latest};
  if (s.legacy_only) options.revisions.pop_back();
  return options;
}

// Runs until it is killed.
task<int> serve_http(loop& home, const switches& s) {
  const auto asked = static_cast<std::uint16_t>(s.http);
  auto server = http_server::listen(home, {.port = s.cut > 0 ? std::uint16_t{0} : asked});
  if (!server) {
    std::fprintf(stderr, "fixture_server: %s\n", server.error().what.c_str());
    co_return 1;
  }
  std::uint16_t port = server->local().port;
  std::optional<hawser::testing::cutting_proxy> proxy;
  if (s.cut > 0) {
    proxy.emplace(asked, port, s.seed, s.cut);
    port = proxy->port();
    std::thread{[&proxy] { proxy->run(); }}.detach();  // runs as long as the process
  }
  std::printf("%d\n", port);
  std::fflush(stdout);
  fixture_service what{s};
  streamable_http_options how;
  how.session = options_for(s);
  streamable_http_handler serves{home, what, std::move(how)};
  co_await serves.run(*server);
  co_return 0;
}

task<int> serve(loop& home, const switches& s) {
  scope fate{co_await this_context()};
  if (s.die_after_ms >= 0) fate.spawn(die_later(std::chrono::milliseconds{s.die_after_ms}));
  server_session_options options = options_for(s);
  fixture_service what{s};
  stdio_server_channel wire;
  faulty_channel over{wire, s};
  server_session session{home, what, over, options};
  auto served = co_await session.run();
  if (!served) std::fprintf(stderr, "fixture_server: %s\n", served.error().what.c_str());
  while (s.ignore_eof) {
    auto slept = co_await sleep_for(std::chrono::hours{1});
    ignore(slept, "only a signal ends it");
  }
  fate.request_stop();
  co_await fate.join();
  co_return served ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const switches s = read_switches(argc, argv);
  if (s.start_delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds{s.start_delay_ms});
  loop home;
  return home.run(s.http >= 0 ? serve_http(home, s) : serve(home, s));
}
