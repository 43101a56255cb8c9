// SPDX-License-Identifier: MIT
#include "stream.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "detail/stream_core.hpp"

namespace hawser {

result<stream> stream::adopt(loop& event_loop, int descriptor, stream_limits limits) {
  detail::unique_fd fd{descriptor};
  struct stat info{};
  const bool fifo = fstat(descriptor, &info) == 0 && S_ISFIFO(info.st_mode);
  error why;
  auto* core = detail::stream_core::open(
      event_loop, std::move(fd), fifo ? detail::stream_shape::one_way : detail::stream_shape::two_way, limits, why);
  if (core == nullptr) return why;
  return stream{core};
}

std::string_view stream::unread() const noexcept { return core_->in.view(); }

void stream::consume(std::size_t count) noexcept {
  detail::stream_core& core = *core_;
  core.in.consume(count);
  core.clear_expected();
  core.shown -= std::min(core.shown, count);
  core.resume_reading();
}

void stream::trim() noexcept {
  byte_buffer& in = core_->in;
  if (in.empty()) in = byte_buffer{};
  if (core_->bytes_corked == 0) core_->corked = {};
}

byte_buffer stream::take(std::size_t count) {
  detail::stream_core& core = *core_;
  core.shown -= std::min(core.shown, count);
  core.clear_expected();
  byte_buffer taken = core.in.split(count);
  core.resume_reading();
  return taken;
}

void stream::expect(std::size_t count) { core_->expect(count); }

std::size_t stream::bytes_in_kernel() const noexcept { return core_->bytes_in_kernel(); }

void stream::listen(byte_listener& to) { core_->listen(to); }

void stream::set_write_listener(write_listener& to) noexcept { core_->set_write_listener(to); }

stream::read_operation::read_operation(detail::stream_core& core) noexcept : slot_operation(core.reader), core_(core) {}

bool stream::read_operation::await_ready() const noexcept {
  return core_.in.size() > core_.shown || core_.read_end != nullptr;
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
  detail::require(core_.read_end != nullptr, "two coroutines read one stream");
  return *core_.read_end;
}

void stream::write(std::string_view bytes) { core_->add(bytes); }
void stream::write(std::string&& bytes) { core_->add(std::move(bytes)); }

void stream::drop_unsent() noexcept {
  core_->drop_unsent();
  while (!core_->drainers.empty()) core_->drainers.pop_front().dropped();
}
bool stream::take_back(std::uint64_t from, std::size_t count) noexcept { return core_->take_back(from, count); }
std::size_t stream::queued() const noexcept { return core_->bytes_corked; }
std::uint64_t stream::written() const noexcept { return core_->bytes_written; }

bool stream::drain_operation::await_ready() noexcept {
  core_.flush();
  taken_ = core_.bytes_corked == 0 && core_.write_end == nullptr;
  return taken_ || core_.write_end != nullptr;
}

void stream::drain_operation::start() { core_.drainers.push_back(*this); }

void stream::drain_operation::cancel() noexcept {
  detail::list_node<drain_operation>::unlink();
  complete();
}

result<void> stream::drain_operation::await_resume() {
  if (taken_) return {};
  if (core_.write_end) return *core_.write_end;
  if (dropped_) return error{.code = errc::closed, .what = "what was queued has been dropped"};
  return cancelled_error();
}

bool stream::close_operation::await_ready() const noexcept { return core_.closed; }

void stream::close_operation::await_suspend(std::coroutine_handle<> waiting) noexcept {
  set_coroutine(waiting);
  core_.closers.push_back(*this);
  core_.close();
}

task<result<void>> stream::shutdown() {
  if (core_->closing) co_return result<void>{};
  do {  // another coroutine may write before this one resumes
    auto sent = co_await drained();
    if (!sent) co_return sent.error();
  } while (core_->bytes_corked > 0);
  if (core_->shape == detail::stream_shape::one_way) {
    co_await close();
    co_return result<void>{};
  }
  if (core_->closing) co_return result<void>{};
  co_return core_->end_output();
}

}  // namespace hawser
