// SPDX-License-Identifier: MIT
// A hub with real servers, shared by the tests of one suite. It starts with the first test that needs it, plays the
// user for input requests, and records all events and messages. It uses real time, so tests wait for conditions and
// never for a fixed time.
#pragma once

#include <algorithm>
#include <optional>

#include "../../host/hub.hpp"
#include "../../runtime/async/timeout.hpp"
#include "http_server_process.hpp"
#include "interop_server_config.hpp"
#include "interop_user.hpp"

namespace hawser::testing {

class interop_fixture {
 public:
  using body = std::function<task<void>(interop_fixture&)>;

  struct options {
    bool has_user = true;  ///< if false, no input is possible, and its capabilities are not declared
    std::string cache_folder{};
    shutdown_timeouts ladder{};
    std::string token = new_token();  ///< in the command line of every process
  };

  explicit interop_fixture(std::vector<interop_server_config> guests) : interop_fixture(std::move(guests), options{}) {}
  interop_fixture(std::vector<interop_server_config> guests, options chosen)
      : token(chosen.token), servers_(std::move(guests)), options_(std::move(chosen)) {}
  interop_fixture(const interop_fixture&) = delete;
  interop_fixture& operator=(const interop_fixture&) = delete;
  ~interop_fixture() { stop(); }

  /// To be called inside a test. The first call starts all servers and waits for them.
  void run(const body& inside) {
    if (!hub_ && !start()) return;
    loop_->run(inside(*this));
  }

  /// Ends every server; none of their processes may be left.
  void stop() {
    if (!hub_) {
      // marks this test as skipped, too, if they are missing
      static_cast<void>(interop_server(servers_.front().script));
      return;
    }
    const auto closed = loop_->run(hub_->close());
    expect(closed.has_value()) << (closed ? "" : closed.error().what);
    hub_.reset();
    loop_->run(end_listening(*this));
    starter_.reset();
    loop_.reset();
    expect(survivors(token, 2000).empty());
  }

  [[nodiscard]] hub& at() { return *hub_; }
  [[nodiscard]] server_status of(std::string_view server) { return hub_->status(server).value_or(server_status{}); }

  /// Waits until the condition is true; checks it on every event; false after a minute.
  task<bool> until(std::function<bool()> claim) {
    auto seen = co_await with_timeout(std::chrono::minutes{1}, became_true(std::move(claim)));
    co_return seen.has_value();
  }
  task<bool> until_ready(std::string server) {
    auto is_ready = [this, server = std::move(server)] { return of(server).state == server_state::ready; };
    co_return co_await until(std::move(is_ready));
  }

  /// The text that a model would see; an error is shown with its number and message.
  task<std::string> call(std::string tool, std::string arguments = "{}") {
    auto answer = co_await hub_->call(std::move(tool), std::move(arguments));
    if (answer) co_return answer->text();
    co_return "error " + std::to_string(answer.error().native) + ": " + answer.error().what;
  }

  /// The number of messages to or from a server that contain this text.
  [[nodiscard]] std::size_t sent(std::string_view server, std::string_view words) const {
    return count(server, R"("from":"host")", words);
  }
  [[nodiscard]] std::size_t received(std::string_view server, std::string_view words) const {
    return count(server, R"("from":"server")", words);
  }
  [[nodiscard]] std::size_t told(host_change::kind what, std::string_view server, std::string_view text = {}) const {
    const auto is_it = [&](const host_change& one) {
      return one.what == what && one.server == server && one.text.find(text) != std::string::npos;
    };
    return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), is_it));
  }

  const temporary_folder folder;
  const std::string token;
  interop_user user{};
  std::vector<host_change> changes{};
  std::vector<std::pair<std::string, std::string>> wire{};  ///< server, line of recording_channel

 private:
  bool start() {
    if (!interop_server(servers_.front().script)) return false;
    host_settings settings;
    loop_.emplace();
    starter_.emplace(*loop_);
    for (const interop_server_config& one : servers_) {
      auto found = one.path.empty() ? settings_of(one, token, folder) : loop_->run(listening(*this, one));
      if (!found) continue;  // already reported, and again by the test that waits for it
      found->ladder = options_.ladder;
      settings.servers.push_back(*std::move(found));
    }
    hub_.emplace(*loop_, std::move(settings), hub_settings());
    loop_->run(open(*this));
    return true;
  }

  static task<std::optional<server_settings>> listening(interop_fixture& self, const interop_server_config& one) {
    auto found = interop_server(one.script, one.more);
    if (!found) co_return std::nullopt;
    found->arguments.push_back(self.token);
    auto& made =
        self.listening_.emplace_back(std::make_unique<http_server_process>(*std::move(found), self.folder / one.name));
    const bool listens = co_await made->start(*self.starter_);
    if (!listens) co_return std::nullopt;
    http_settings remote{.url = made->url(one.path), .type = one.type};
    co_return server_settings{.name = one.name, .transport = std::move(remote), .protocol = one.protocol};
  }
  static task<void> end_listening(interop_fixture& self) {
    for (const auto& one : self.listening_) co_await one->stop();
    self.listening_.clear();
    auto closed = co_await self.starter_->close();
    expect(closed.has_value()) << (closed ? "" : closed.error().what);
  }

  static task<void> open(interop_fixture& self) {
    auto opened = co_await self.hub_->open();
    expect(opened.has_value());
    for (const interop_server_config& one : self.servers_) {
      const bool ready = co_await self.until_ready(one.name);
      expect(ready) << one.name << ": " << self.of(one.name).reason << self.hub_->stderr_tail(one.name);
    }
  }

  hub_options hub_settings() {
    hub_options chosen{.cache_folder = options_.cache_folder};
    chosen.on_change = [this](const host_change& what) { note(changes, what); };
    chosen.trace = [this](std::string_view server, std::string_view line) {
      note(wire, std::pair{std::string{server}, std::string{line}});
    };
    if (options_.has_user) chosen.input = user.handlers([this] { news_.set(); });
    return chosen;
  }

  template <class T>
  void note(std::vector<T>& where, T what) {
    where.push_back(std::move(what));
    news_.set();
  }

  task<result<void>> became_true(std::function<bool()> claim) {
    while (!claim()) {
      news_.reset();
      auto waited = co_await news_.wait();
      if (!waited) co_return waited;
    }
    co_return result<void>{};
  }

  [[nodiscard]] std::size_t count(std::string_view server, std::string_view from, std::string_view words) const {
    const auto is_it = [&](const auto& one) {
      const std::string& line = one.second;
      return one.first == server && line.find(from) != line.npos && line.find(words) != line.npos;
    };
    return static_cast<std::size_t>(std::count_if(wire.begin(), wire.end(), is_it));
  }

  std::vector<interop_server_config> servers_;
  options options_;
  event news_;
  std::optional<loop> loop_;
  std::optional<keeper> starter_;  // starts the HTTP servers
  std::vector<std::unique_ptr<http_server_process>> listening_{};
  std::optional<hub> hub_;
};

}  // namespace hawser::testing
