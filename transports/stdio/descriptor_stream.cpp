// SPDX-License-Identifier: MIT
#include "descriptor_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "../../runtime/async/timeout.hpp"
#include "../../runtime/io/detail/unique_fd.hpp"
#include "../../runtime/loop/offload.hpp"

namespace hawser {

namespace {

using detail::unique_fd;

constexpr std::size_t piece_size = std::size_t{64} * 1024;

error system_error(int number, int descriptor) {
  return error{.code = errc::io,
               .what = "descriptor " + std::to_string(descriptor) + ": " + std::generic_category().message(number),
               .native = number};
}

// O_NONBLOCK belongs to the open file description, which other processes share: the shell's terminal, the other
// commands of a pipeline. A pipe or a terminal can be reopened through /proc/self/fd and then shares nothing; a socket
// cannot.
unique_fd opened_anew(int descriptor, descriptor_stream::direction way) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const int mode = way == descriptor_stream::direction::in ? O_RDONLY : O_WRONLY;
  return unique_fd{::open(path.c_str(), mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
}

bool has_hung_up(int descriptor) {
  pollfd looked{.fd = descriptor, .events = 0, .revents = 0};
  return ::poll(&looked, 1, 0) == 1 && (looked.revents & POLLHUP) != 0;
}

result<std::string> read_piece(int from) {
  std::string piece(piece_size, '\0');
  while (true) {
    const ssize_t count = ::read(from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno, from);
    piece.resize(static_cast<std::size_t>(count));
    return piece;
  }
}

result<std::string> write_piece(int to, std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t count = ::write(to, piece.data(), piece.size());
    if (count < 0 && errno != EINTR) return system_error(errno, to);
    if (count > 0) piece.remove_prefix(static_cast<std::size_t>(count));
  }
  return std::string{};
}

// The jobs share ownership of the descriptor, because a running job outlives a stop.
task<void> copy_in(std::shared_ptr<unique_fd> from, stream to) {
  while (true) {
    std::function<result<std::string>()> job = [from] { return read_piece(from->get()); };
    auto piece = co_await offload<std::string>(std::move(job));
    if (!piece || piece->empty()) break;
    to.write(*piece);
    auto taken = co_await to.drained();
    if (!taken) break;
  }
  co_await to.close();
}

task<void> copy_out(stream from, std::shared_ptr<unique_fd> to) {
  while (true) {
    auto unread = co_await from.read_some();
    if (!unread) break;
    std::function<result<std::string>()> job = [to, piece = std::string{*unread}] {
      return write_piece(to->get(), piece);
    };
    from.consume(from.unread().size());
    auto written = co_await offload<std::string>(std::move(job));
    if (!written) break;
  }
  co_await from.close();
}

task<result<void>> flushed(stream& s) { co_return co_await s.shutdown(); }

}  // namespace

result<descriptor_stream> descriptor_stream::open(scope& copying, loop& home, int descriptor, direction way) {
  struct stat info{};
  if (fstat(descriptor, &info) != 0) return system_error(errno, descriptor);
  if (S_ISFIFO(info.st_mode) || isatty(descriptor) == 1) {
    // A FIFO that is reopened after its last writer has closed it never reports end of file; the original descriptor
    // does.
    if (unique_fd own = opened_anew(descriptor, way); own && !has_hung_up(descriptor)) {
      auto s = stream::adopt(home, own.release());
      if (!s) return s.error();
      return descriptor_stream{std::move(*s), -1, std::nullopt};
    }
  }
  unique_fd copy{fcntl(descriptor, F_DUPFD_CLOEXEC, 3)};
  if (!copy) return system_error(errno, descriptor);
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || isatty(descriptor) == 1) {
    const int flags = fcntl(descriptor, F_GETFL);
    auto s = stream::adopt(home, copy.release());
    if (!s) return s.error();
    return descriptor_stream{std::move(*s), descriptor, flags};
  }
  // A regular file always polls as ready but may still block, so the thread pool reads and writes it.
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error(errno, descriptor);
  unique_fd read_end{ends[0]};
  unique_fd write_end{ends[1]};
  auto reading = stream::adopt(home, read_end.release());
  auto writing = stream::adopt(home, write_end.release());
  if (!reading) return reading.error();
  if (!writing) return writing.error();
  auto shared = std::make_shared<unique_fd>(std::move(copy));
  if (way == direction::in) {
    copying.spawn(copy_in(std::move(shared), std::move(*writing)));
    return descriptor_stream{std::move(*reading), -1, std::nullopt};
  }
  copying.spawn(copy_out(std::move(*reading), std::move(shared)));
  return descriptor_stream{std::move(*writing), -1, std::nullopt};
}

task<void> descriptor_stream::close(duration patience) {
  if (stream_.queued() > 0) {
    auto sent = co_await shield(patience, flushed(stream_));
    ignore(sent, "the reader had its time");
  }
  co_await stream_.close();
  if (flags_) fcntl(descriptor_, F_SETFL, *flags_);
}

}  // namespace hawser
