// SPDX-License-Identifier: MIT
// The write side of a stream: queueing pieces, when they are sent, and write errors.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "stream_core.hpp"

namespace hawser::detail {

namespace {

// Larger pieces are queued without a copy. Smaller ones are copied into one piece, which is cheaper than an iovec
// entry.
constexpr std::size_t max_copied_piece = std::size_t{64} * 1024;
constexpr std::size_t max_gathered_pieces = 16;

}  // namespace

// A single message is sent at once. It is queued if other work is ready, because that work may write, too, and every
// separate write wakes up the peer.
bool stream_core::claim_immediate_write() noexcept {
  if (bytes_corked > 0 || blocked || last_write == event_loop.iteration() || event_loop.has_ready()) return false;
  last_write = event_loop.iteration();
  return true;
}

void stream_core::add(std::string_view bytes) {
  if (closing || write_end || bytes.empty()) return;
  if (bytes.size() <= max_copied_piece && claim_immediate_write()) {
    const ssize_t taken = write_piece(bytes);
    if (taken > 0) {  // flush() will encounter the same error
      bytes_written += static_cast<std::size_t>(taken);
      bytes.remove_prefix(static_cast<std::size_t>(taken));
    }
    if (bytes.empty()) return;
  }
  if (corked.empty() || corked.back().size() + bytes.size() > max_copied_piece) corked.emplace_back();
  corked.back().append(bytes);
  bytes_corked += bytes.size();
  schedule_flush();
}

void stream_core::add(std::string&& piece) {
  if (piece.size() < max_copied_piece) {
    add(std::string_view{piece});
    return;
  }
  if (closing || write_end) return;
  bytes_corked += piece.size();
  corked.push_back(std::move(piece));
  schedule_flush();
}

void stream_core::schedule_flush() noexcept {
  if (!blocked && !flush_soon.queued()) event_loop.ready(flush_soon);
}

void stream_core::run_flush() noexcept {
  if (closed) {
    free_if_done();
  } else {
    flush();
    report_earlier_events();
  }
}

// SIGPIPE is blocked on this thread. send() on a socket saves a tenth of a microsecond per call compared with write().
ssize_t stream_core::write_piece(std::string_view bytes) const noexcept {
  return socket ? ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL)
                : ::write(fd.get(), bytes.data(), bytes.size());
}

ssize_t stream_core::write_now() noexcept {
  if (corked.size() == 1) return write_piece(std::string_view{corked.front()}.substr(offset));
  std::array<iovec, max_gathered_pieces> pieces;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  const std::size_t count = std::min(corked.size(), max_gathered_pieces);
  for (std::size_t i = 0; i < count; ++i) pieces[i] = {corked[i].data(), corked[i].size()};
  pieces[0] = {corked[0].data() + offset, corked[0].size() - offset};
  return ::writev(fd.get(), pieces.data(), static_cast<int>(count));
}

void stream_core::flush() noexcept {
  while (bytes_corked > 0 && !blocked && !write_end) {
    const ssize_t taken = write_now();
    if (taken >= 0) {
      written(static_cast<std::size_t>(taken));
    } else if (errno == EAGAIN) {
      blocked = true;  // the peer is slow: wait until the descriptor is writable
      update_poll();
    } else if (errno != EINTR) {
      end_writing(from_errno(errno, "write"));
    }
  }
}

void stream_core::written(std::size_t count) noexcept {
  bytes_corked -= count;
  bytes_written += count;
  if (bytes_corked == 0) {
    offset = 0;
    if (corked.size() == 1 && corked.front().capacity() <= max_copied_piece * 2) {
      corked.front().clear();  // keeps its memory for the next iteration
    } else {
      corked.clear();
    }
    while (!drainers.empty()) drainers.pop_front().drained();
    return;
  }
  offset += count;
  auto unsent = corked.begin();
  while (offset >= unsent->size()) offset -= (unsent++)->size();
  corked.erase(corked.begin(), unsent);
}

void stream_core::drop_unsent() noexcept {
  corked.clear();
  offset = bytes_corked = 0;
}

bool stream_core::take_back(std::uint64_t from, std::size_t count) noexcept {
  if (from < bytes_written) return false;
  const std::uint64_t before = from - bytes_written;
  if (before + count > bytes_corked) return true;  // already dropped
  bytes_corked -= count;
  std::size_t skipped = static_cast<std::size_t>(before) + offset;
  for (std::string& piece : corked) {
    if (skipped < piece.size()) {
      const std::size_t here = std::min(count, piece.size() - skipped);
      piece.erase(skipped, here);
      count -= here;
      skipped = 0;
    } else {
      skipped -= piece.size();
    }
    if (count == 0) break;
  }
  if (bytes_corked == 0) written(0);  // completes the drain operations
  return true;
}

void stream_core::end_writing(error why) noexcept {
  const bool first = !write_end;
  if (first) write_end = std::make_unique<error>(std::move(why));
  drop_unsent();
  blocked = false;
  update_poll();
  while (!drainers.empty()) drainers.pop_front().failed();
  if (first && writes != nullptr && !closing) writes->on_write_failed(*write_end);
}

result<void> stream_core::end_output() noexcept {
  if (::shutdown(fd.get(), SHUT_WR) != 0) return from_errno(errno, "shutdown");
  write_end = std::make_unique<error>(error{.code = errc::closed, .what = "this side has ended the stream"});
  return {};
}

}  // namespace hawser::detail
