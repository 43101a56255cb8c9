// SPDX-License-Identifier: MIT
#include "stream_core.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace hawser::detail {

namespace {

// The minimum buffer space for a read. A buffer that fills up grows, so a busy stream soon reads in larger pieces.
constexpr std::size_t min_read = 2048;
// How often one event may fill the buffer before the other descriptors are served.
constexpr int reads_per_event = 16;
// A pipe holds 64 KiB. A pipe that delivers this much in one read is enlarged, which saves most of the context switches
// between the two processes. Not to a megabyte: by the time it is full, its first bytes have left the cache, and a
// result of 5 MB takes a quarter longer.
constexpr std::size_t large_read = std::size_t{64} * 1024;
constexpr int enlarged_pipe_size = 256 * 1024;
// The maximum SO_RCVLOWAT for a message of known size. A sender that is not interrupted for each segment delivers 5 MB
// over TCP in three quarters of the time. Above this value senders begin to stall.
constexpr std::size_t max_low_water = std::size_t{2} * 1024 * 1024;

}  // namespace

void stream_deleter::operator()(stream_core* core) const noexcept {
  require(!core->reader.in_use(), "a stream died while it was being read");
  require(core->drainers.empty(), "a stream died while somebody waited for it to drain");
  require(core->closers.empty(), "a stream died while somebody waited for it to close");
  core->abandoned = true;
  core->close();
  core->free_if_done();
}

stream_core* stream_core::open(loop& event_loop, unique_fd fd, stream_shape shape, stream_limits limits, error& why) {
  auto* core = new stream_core{event_loop, std::move(fd), shape, limits};
  // uv_poll_init fails here for a descriptor that cannot be polled, such as a file. It also makes the descriptor
  // non-blocking.
  if (const int made = uv_poll_init(uv_of(event_loop), &core->poll, core->fd.get()); made != 0) {
    delete core;
    why = from_uv(made, "stream");
    return nullptr;
  }
  core->poll.data = core;
  event_loop.core().acquired();
  struct stat info{};
  core->socket = fstat(core->fd.get(), &info) == 0 && S_ISSOCK(info.st_mode);
  return core;
}

void stream_core::update_poll() noexcept {
  if (closing) return;
  int wanted = (reading ? UV_READABLE : 0) | (blocked ? UV_WRITABLE : 0);
  // libuv cannot poll for errors alone. Peers send no urgent data, so polling for UV_PRIORITIZED has the same effect.
  // Not UV_DISCONNECT: a peer that has shut down its output may still read.
  if (wanted == 0 && writes != nullptr && !write_end && !has_urgent_data) wanted = UV_PRIORITIZED;
  if (wanted == polled) return;
  polled = wanted;
  if (wanted == 0) {
    uv_poll_stop(&poll);
    return;
  }
  uv_poll_start(&poll, wanted, [](uv_poll_t* handle, int status, int events) {
    auto& self = *static_cast<stream_core*>(handle->data);
    self.event_loop.begin_event();
    self.on_event(status, events);
  });
}

bool stream_core::is_broken() const noexcept {
  pollfd looked{.fd = fd.get(), .events = 0, .revents = 0};
  return ::poll(&looked, 1, 0) == 1 && (looked.revents & (POLLERR | POLLHUP)) != 0;
}

// libuv reports a hang-up as the events that were asked for. It reports an error as a status, and then stops polling.
// In both cases the following read or write returns the actual error.
void stream_core::on_event(int status, int events) noexcept {
  if (status < 0) events = std::exchange(polled, 0);
  const bool alone = (events & UV_PRIORITIZED) != 0;
  const bool broken = status < 0 || (alone && is_broken());
  if (alone && !broken) has_urgent_data = true;
  if ((events & UV_WRITABLE) != 0) {
    blocked = false;
    flush();
  }
  if ((events & UV_READABLE) != 0 && reading) read_available();
  if (broken && writes != nullptr) end_writing(from_errno(EPIPE, "write"));
  update_poll();
}

void stream_core::listen(byte_listener& to) noexcept {
  unreported_bytes = !in.empty();
  unreported_end = read_end != nullptr;
  listener = &to;
  start_reading();
  if ((unreported_bytes || unreported_end) && !flush_soon.queued()) event_loop.ready(flush_soon);
}

void stream_core::report_earlier_events() noexcept {
  if (std::exchange(unreported_bytes, false) && !closing) listener->on_bytes();
  if (std::exchange(unreported_end, false) && !closing) listener->on_end(*read_end);
}

void stream_core::set_write_listener(write_listener& to) noexcept {
  writes = &to;
  update_poll();
}

void stream_core::start_reading() noexcept {
  if (reading || closing || read_end) return;
  begun = reading = true;
  update_poll();
}

void stream_core::stop_reading() noexcept {
  if (!reading) return;
  reading = false;
  update_poll();
}

// Reserves what a read needs beyond `count`; otherwise the last bytes would make the buffer grow once more.
void stream_core::expect(std::size_t count) {
  if (count > in.size()) in.reserve(count - in.size() + min_read);
  expected = socket ? count : 0;  // pipes have no SO_RCVLOWAT
  update_low_water();
}

void stream_core::update_low_water() noexcept {
  const std::size_t missing = expected > in.size() ? expected - in.size() : 1;
  const int mark = static_cast<int>(std::min(missing, max_low_water));
  if (mark == 1) expected = 0;
  if (mark == low_water) return;
  low_water = mark;
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark);  // if it fails, the loop only wakes up more often
}

std::size_t stream_core::bytes_in_kernel() const noexcept {
  int count = 0;
  return ioctl(fd.get(), FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
}

void stream_core::read_available() noexcept {
  for (int round = 0; round < reads_per_event && reading; ++round) {
    const auto room = in.reserve(min_read);
    const ssize_t count = socket ? ::recv(fd.get(), room.at, room.size, 0) : ::read(fd.get(), room.at, room.size);
    if (count > 0) {
      if (static_cast<std::size_t>(count) >= large_read) enlarge_pipe();
      received(static_cast<std::size_t>(count));
      if (static_cast<std::size_t>(count) < room.size) return;  // most likely there is no more to read
    } else if (count == 0) {
      end_reading(error{.code = errc::closed, .what = "end of stream", .native = UV_EOF});
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      end_reading(from_errno(errno, "read"));
    }
  }
}

void stream_core::enlarge_pipe() noexcept {
  if (pipe_enlarged || shape != stream_shape::one_way) return;
  pipe_enlarged = true;
  fcntl(fd.get(), F_SETPIPE_SZ, enlarged_pipe_size);  // may fail because of the user's pipe memory limit; harmless
}

void stream_core::received(std::size_t count) noexcept {
  in.commit(count);
  event_loop.core().bytes_read += count;
  if (expected > 0) update_low_water();
  if (in.size() > limits.max_unread) {
    end_reading(error{.code = errc::too_large,
                      .what = "more than " + std::to_string(limits.max_unread) + " bytes arrived and were not taken"});
  } else if (listener != nullptr) {
    listener->on_bytes();
  } else if (reader.has_waiter()) {
    reader.wake();
  } else if (in.size() >= limits.high_water) {
    stop_reading();
  }
}

void stream_core::end_reading(error why) noexcept {
  stop_reading();
  const bool first = !read_end;
  if (first) read_end = std::make_unique<error>(std::move(why));
  reader.wake();
  if (first && listener != nullptr && !closing) listener->on_end(*read_end);
}

void stream_core::close() noexcept {
  if (closing) return;
  writes = nullptr;  // from here on a failed write is expected
  if (event_loop.on_loop_thread())
    flush();  // sends what the system accepts at once; on other threads SIGPIPE is not blocked
  closing = true;
  reading = false;
  uv_close(reinterpret_cast<uv_handle_t*>(&poll),
           [](uv_handle_t* handle) { static_cast<stream_core*>(handle->data)->on_closed(); });
  fd.reset();  // libuv no longer uses it
  end_reading(error{.code = errc::closed, .what = "closed on this side"});
  end_writing(error{.code = errc::closed, .what = "closed before everything was written"});
}

void stream_core::on_closed() noexcept {
  closed = true;
  loop_core& core = event_loop.core();
  while (!closers.empty()) event_loop.ready(closers.pop_front());
  event_loop.end_event_after_poll();
  free_if_done();
  core.released();
}

void stream_core::free_if_done() noexcept {
  if (closed && abandoned && !flush_soon.queued()) delete this;
}

}  // namespace hawser::detail
