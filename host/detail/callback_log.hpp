// SPDX-License-Identifier: MIT
// Logs exceptions that callbacks threw on threads other than the loop thread, which owns the logger. Shared with the
// callbacks, because one of them may destroy the host before it throws.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/log.hpp"
#include "host_queue.hpp"

namespace hawser::detail {

class callback_log : public std::enable_shared_from_this<callback_log> {
 public:
  callback_log(logger log, std::shared_ptr<host_queue> queue) : log_(std::move(log)), queue_(std::move(queue)) {}

  /// Any thread. While the loop runs, the line is written there; after the host is destroyed it is dropped.
  void write(std::string text) {
    if (queue_->thread()->is_current() || queue_->is_forked()) return log_.write(log_level::error, "callback", text);
    const std::lock_guard lock{mutex_};
    lines_.push_back(std::move(text));
    if (state_ != state::looping) return write_lines();
    queue_->proxy().post([self = shared_from_this()] {
      const std::lock_guard again{self->mutex_};
      self->write_lines();
    });
  }

  void loop_begins() { become(state::looping); }
  void loop_ended() { become(state::without_loop); }
  /// After this the program may destroy the target of its logger.
  void host_ends() { become(state::ended); }

 private:
  enum class state : std::uint8_t { without_loop, looping, ended };

  void become(state next) {
    const std::lock_guard lock{mutex_};
    state_ = next;
    if (next == state::without_loop) write_lines();
  }
  void write_lines() {
    for (const std::string& text : lines_) {
      if (state_ != state::ended) log_.write(log_level::error, "callback", text);
    }
    lines_.clear();
  }

  logger log_;
  std::shared_ptr<host_queue> queue_;
  std::mutex mutex_;
  state state_ = state::without_loop;
  std::vector<std::string> lines_;
};

}  // namespace hawser::detail
