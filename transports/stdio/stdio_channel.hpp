// SPDX-License-Identifier: MIT
// MCP over the pipes of a child process: one message per line. Its stderr is always drained, and the end of it is kept
// to explain why the server died.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/process/keeper.hpp"
#include "../../runtime/redaction.hpp"
#include "../jsonrpc/channel.hpp"
#include "../jsonrpc/message_reader.hpp"
#include "tail_buffer.hpp"

namespace hawser {

struct stdio_channel_options {
  command what{};
  wire_limits limits{};
  shutdown_timeouts ladder{};
  std::size_t max_kept_stderr = std::size_t{16} * 1024;
  /// How long to wait for a server that closed its pipes to exit, so that its exit code can be reported.
  duration exit_timeout = std::chrono::milliseconds{50};
};

class stdio_channel final : public channel, private byte_listener, private write_listener, private byte_source {
 public:
  stdio_channel(keeper& starter, stdio_channel_options options);
  ~stdio_channel() override;

  /// Waits for the process to start, not for any output. Call once: a restart is a new channel.
  task<result<void>> open(receiver& to) override;
  std::size_t send(const outgoing_message& message) override;
  [[nodiscard]] std::size_t queued() const noexcept override;
  task<result<void>> drained() override;
  bool withdraw(std::int64_t request) noexcept override;
  void cancel(std::int64_t request, std::string_view reason) noexcept override;
  void negotiated(const peer_info& info) override;
  void trim() noexcept override;
  /// Shuts down the whole process tree with options.ladder.
  task<result<void>> close() override;

  /// The end of the server's stderr; untrusted, not escaped.
  [[nodiscard]] std::string_view stderr_tail() const noexcept { return errors_.kept.text(); }
  [[nodiscard]] const message_reader& reader() const noexcept { return reader_; }
  /// Output of the process that may explain why it does not respond, or has ended: the end of a sentence, to be
  /// appended to one. Quoted, capped and without secrets; empty if there is none.
  [[nodiscard]] std::string explanation() const;
  /// 0 before open() and after close().
  [[nodiscard]] int pid() const noexcept { return child_ ? child_->pid() : 0; }

 private:
  class stderr_reader final : public byte_listener {
   public:
    explicit stderr_reader(std::size_t size) : kept(size) {}
    void on_bytes() noexcept override;
    void on_end(const error& /*why*/) noexcept override { ended.set(); }
    stream* from = nullptr;
    tail_buffer kept;
    event ended;
  };
  struct unsent_request {
    std::uint64_t begin;  // number of bytes sent before it
    std::size_t size;
    std::int64_t id;
  };

  void on_bytes() noexcept override;
  void on_end(const error& why) noexcept override;
  void on_write_failed(const error& why) noexcept override;
  [[nodiscard]] std::string_view unread() const noexcept override { return output_->unread(); }
  void consume(std::size_t count) noexcept override { output_->consume(count); }
  byte_buffer take(std::size_t count) override { return output_->take(count); }

  void ending(std::string_view what_it_did, duration patience);
  task<result<void>> until_closed();
  [[nodiscard]] std::string quoted(std::string_view text) const;
  [[nodiscard]] error with_noise(error why) const;
  static task<void> watch_exit(stdio_channel& self);
  static task<void> report_exit(stdio_channel& self, std::string what_it_did, duration patience);
  void report_closed(error why) noexcept;

  keeper& keeper_;
  stdio_channel_options options_;
  message_reader reader_;
  receiver* to_ = nullptr;
  std::shared_ptr<const redaction> hidden_;
  stream* input_ = nullptr;  // the child's
  stream* output_ = nullptr;
  std::optional<child> child_;
  std::uint64_t sent_ = 0;  // not counting withdrawn requests
  std::deque<unsent_request> unsent_;
  bool ending_ = false;
  bool negotiated_ = false;
  bool closed_reported_ = false;  // on_closed() was called
  stderr_reader errors_;
  std::unique_ptr<scope> tasks_;
  event output_ended_;
  bool opening_ = false;
  bool opened_ = false;
  bool closing_ = false;
  event closed_;
};

}  // namespace hawser
