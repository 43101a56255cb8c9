// SPDX-License-Identifier: MIT
// A third-party HTTP server on loopback: a process that the test's loop starts and ends. Its output goes to a file,
// because some of them print every request.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "../../runtime/async/sleep.hpp"
#include "../../runtime/process/keeper.hpp"
#include "source_root.hpp"
#include "ut.hpp"

namespace hawser::testing {

class http_server_process {
 public:
  /// How the port is reported: by any_port.mjs or free_ports.mjs, which the server is started with, or by the server
  /// itself, in the file named by its first argument.
  enum class port_source { any_port, free_ports, itself };

  /// `server` is the result of interop_server(); `stem` is the prefix of its files, in a folder of the test.
  http_server_process(command server, std::string stem, port_source port = port_source::any_port)
      : server_(std::move(server)), stem_(std::move(stem)), port_source_(port) {}

  /// Waits until it listens, at most half a minute.
  task<bool> start(keeper& starter) {
    auto started = co_await starter.spawn(logged());
    expect(started.has_value()) << (started ? "" : started.error().what);
    if (!started) co_return false;
    process_.emplace(*std::move(started));
    for (int i = 0; i < 3'000; ++i) {
      std::ifstream{stem_ + ".port"} >> port_;
      if (port_ != 0) co_return true;
      auto slept = co_await sleep_for(std::chrono::milliseconds{10});
      if (!slept) break;
    }
    expect(false) << "it does not listen:" << printed();
    co_return false;
  }
  /// Kills it at once: its shutdown is not under test.
  task<void> stop() {
    if (!process_) co_return;
    shutdown_timeouts quick{.after_stdin = {}, .after_sigterm = {}, .after_sigkill = std::chrono::seconds{10}};
    auto ended = co_await process_->shutdown(quick);
    expect(ended.has_value()) << (ended ? "" : ended.error().what);
    process_.reset();
  }

  [[nodiscard]] std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string printed() const {
    std::ostringstream text;
    text << std::ifstream{stem_ + ".log"}.rdbuf();
    return text.str();
  }

 private:
  [[nodiscard]] command logged() const {
    command what{.program = "/bin/sh", .env = server_.env};
    what.arguments = {"-c", R"(log=$1; shift; exec "$@" > "$log" 2>&1)", "sh", stem_ + ".log", server_.program};
    std::vector<std::string>& words = what.arguments;
    if (port_source_ != port_source::itself) {
      const char* before = port_source_ == port_source::any_port ? "any_port.mjs" : "free_ports.mjs";
      words.insert(words.end(), {"--import", source_root() + "/tests/interop/servers/" + before});
      what.env.set["HAWSER_PORT_FILE"] = stem_ + ".port";
    }
    words.insert(words.end(), server_.arguments.begin(), server_.arguments.end());
    // The script comes first.
    if (port_source_ == port_source::itself)
      words.insert(words.end() - std::ptrdiff_t(server_.arguments.size()) + 1, stem_ + ".port");
    what.output = stdio::null;
    what.errors = stdio::null;
    return what;
  }

  command server_;
  std::string stem_;
  port_source port_source_;
  int port_ = 0;
  std::optional<child> process_;
};

}  // namespace hawser::testing
