// SPDX-License-Identifier: MIT
#include "stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "detail/stream_core.hpp"

namespace hawser {

result<stream> stream::adopt(loop& home, int descriptor, stream_limits limits) {
  auto* core = new detail::stream_core{home, limits};
  struct stat info{};
  const bool fifo = fstat(descriptor, &info) == 0 && S_ISFIFO(info.st_mode);
  core->shape = fifo ? detail::stream_shape::one_way : detail::stream_shape::two_way;
  uv_pipe_init(detail::uv_of(home), &core->uv.pipe, 0);
  core->uv.any.data = core;
  stream made{core};
  if (const int status = uv_pipe_open(&core->uv.pipe, descriptor); status != 0) {
    ::close(descriptor);
    return detail::from_uv(status, "pipe");
  }
  return made;
}

std::string_view stream::unread() const noexcept { return core_->in.view(); }

void stream::consume(std::size_t count) noexcept {
  detail::stream_core& core = *core_;
  core.in.consume(count);
  core.shown -= std::min(core.shown, count);
  // Reading that paused at high water goes on when half of it is gone.
  if (core.begun && core.in.size() <= core.limits.high_water / 2) core.start_reading();
}

stream::read_operation::read_operation(detail::stream_core& core) noexcept : slot_operation(core.reader), core_(core) {}

bool stream::read_operation::await_ready() const noexcept {
  return core_.in.size() > core_.shown || core_.read_end.has_value();
}

void stream::read_operation::start() {
  slot_operation::start();
  core_.start_reading();
}

result<std::string_view> stream::read_operation::await_resume() {
  if (core_.in.size() > core_.shown) {
    core_.shown = core_.in.size();
    return core_.in.view();
  }
  if (cancelled()) return cancelled_error();
  return *core_.read_end;
}

void stream::write(std::string_view bytes) { core_->add(bytes); }
void stream::write(std::string&& bytes) { core_->add(std::move(bytes)); }

std::size_t stream::queued() const noexcept { return core_->bytes_corked + core_->bytes_in_flight; }

bool stream::drain_operation::await_ready() noexcept {
  core_.flush();
  taken_ = core_.bytes_corked + core_.bytes_in_flight == 0;
  return taken_ || core_.write_end.has_value();
}

void stream::drain_operation::start() { core_.drainers.push_back(*this); }

void stream::drain_operation::cancel() noexcept {
  detail::list_node<drain_operation>::unlink();
  complete();
}

result<void> stream::drain_operation::await_resume() {
  if (core_.write_end) return *core_.write_end;
  if (taken_) return {};
  return cancelled_error();
}

bool stream::close_operation::await_ready() const noexcept { return core_.closed; }

void stream::close_operation::await_suspend(std::coroutine_handle<> waiting) noexcept {
  waiting_ = waiting;
  core_.closers.push_back(*this);
  core_.close();
}

namespace {

// libuv cannot take a shutdown back, so a stop waits for the callback, which comes as soon as the system call is done.
class socket_shutdown final : public operation {
 public:
  explicit socket_shutdown(detail::stream_core& core) : core_(core) {}
  result<void> await_resume() const {
    if (status_ == 0) return {};
    return detail::from_uv(status_, "shutdown");
  }

 private:
  void start() override {
    request_.data = this;
    status_ = uv_shutdown(&request_, &core_.uv.stream, [](uv_shutdown_t* done, int status) {
      auto& self = *static_cast<socket_shutdown*>(done->data);
      self.status_ = status;
      self.complete();
    });
    if (status_ != 0) complete();
  }
  void cancel() noexcept override {}

  detail::stream_core& core_;
  uv_shutdown_t request_{};
  int status_ = UV_ECANCELED;
};

}  // namespace

task<result<void>> stream::shutdown() {
  if (core_->closing) co_return result<void>{};
  auto sent = co_await drained();
  if (!sent) co_return sent.error();
  if (core_->shape == detail::stream_shape::one_way) {
    co_await close();
    co_return result<void>{};
  }
  if (core_->closing) co_return result<void>{};
  auto ended = co_await socket_shutdown{*core_};
  if (ended) core_->write_end = error{.code = errc::closed, .what = "this side has ended the stream"};
  co_return ended;
}

}  // namespace hawser
