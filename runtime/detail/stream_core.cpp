// SPDX-License-Identifier: MIT
#include "stream_core.hpp"

#include <algorithm>
#include <array>

namespace hawser::detail {

namespace {

// The least room offered to a read. A buffer that fills up grows, so a busy stream soon reads in larger pieces.
constexpr std::size_t least_read = 2048;
// Pieces above this are passed on as they are; smaller ones are copied together, which is cheaper than a vector entry.
constexpr std::size_t cork_piece = std::size_t{64} * 1024;
constexpr std::size_t gathered = 16;

stream_core& core_of(const void* data) noexcept { return *static_cast<stream_core*>(const_cast<void*>(data)); }

}  // namespace

void stream_deleter::operator()(stream_core* core) const noexcept {
  require(!core->reader.occupied(), "a stream died while it was being read");
  require(core->drainers.empty(), "a stream died while somebody waited for it to drain");
  require(core->closers.empty(), "a stream died while somebody waited for it to close");
  core->abandoned = true;
  core->close();
  core->free_if_done();
}

void stream_core::start_reading() noexcept {
  begun = true;
  if (reading || closing || read_end) return;
  const int status = uv_read_start(
      &uv.stream,
      [](uv_handle_t* handle, std::size_t, uv_buf_t* room) {
        const auto space = core_of(handle->data).in.reserve(least_read);
        *room = uv_buf_init(space.at, static_cast<unsigned>(std::min(space.size, std::size_t{1} << 30)));
      },
      [](uv_stream_t* handle, ssize_t count, const uv_buf_t*) { core_of(handle->data).received(count); });
  if (status == 0) {
    reading = true;
  } else {
    end_reading(from_uv(status, "read"));
  }
}

void stream_core::stop_reading() noexcept {
  if (!reading) return;
  reading = false;
  uv_read_stop(&uv.stream);
}

void stream_core::received(ssize_t count) noexcept {
  if (count == 0) return;  // nothing now; not the end
  if (count < 0) {
    end_reading(count == UV_EOF ? error{.code = errc::closed, .what = "end of stream", .native = UV_EOF}
                                : from_uv(static_cast<int>(count), "read"));
    return;
  }
  in.commit(static_cast<std::size_t>(count));
  if (in.size() > limits.max_unread) {
    end_reading(error{.code = errc::too_large,
                      .what = "more than " + std::to_string(limits.max_unread) + " bytes arrived and were not taken"});
    return;
  }
  if (reader.occupied()) {
    reader.wake();
  } else if (in.size() >= limits.high_water) {
    stop_reading();
  }
}

void stream_core::end_reading(error why) noexcept {
  stop_reading();
  if (!read_end) read_end = std::move(why);
  reader.wake();
}

void stream_core::add(std::string_view bytes) {
  if (closing || write_end || bytes.empty()) return;
  if (corked.empty() || corked.back().size() + bytes.size() > cork_piece) corked.emplace_back();
  corked.back().append(bytes);
  bytes_corked += bytes.size();
  schedule_flush();
}

void stream_core::add(std::string&& piece) {
  if (piece.size() < cork_piece) {
    add(std::string_view{piece});
    return;
  }
  if (closing || write_end) return;
  bytes_corked += piece.size();
  corked.push_back(std::move(piece));
  schedule_flush();
}

void stream_core::schedule_flush() noexcept {
  if (bytes_in_flight == 0 && !flush_soon.queued()) home.ready(flush_soon);
}

void stream_core::flush_turn() noexcept {
  if (closed) {
    free_if_done();
  } else {
    flush();
  }
}

void stream_core::flush() noexcept {
  if (closing || write_end || bytes_in_flight > 0 || bytes_corked == 0) return;
  std::array<uv_buf_t, gathered> pieces;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  unsigned count = 0;
  for (std::string& piece : corked) {
    if (count == gathered) break;
    if (!piece.empty()) pieces[count++] = uv_buf_init(piece.data(), static_cast<unsigned>(piece.size()));
  }
  const int taken = uv_try_write(&uv.stream, pieces.data(), count);
  if (taken < 0 && taken != UV_EAGAIN) {
    end_writing(taken);
    return;
  }
  written(taken > 0 ? static_cast<std::size_t>(taken) : 0);
}

void stream_core::written(std::size_t count) noexcept {
  if (count == bytes_corked) {
    bytes_corked = 0;
    corked.resize(1);
    if (corked.front().capacity() > cork_piece) corked.clear();
    if (!corked.empty()) corked.front().clear();
    wake_drainers();
    return;
  }
  // The other side is slow: libuv gets the rest and says when it is gone; what is written meanwhile collects anew.
  bytes_in_flight = bytes_corked - count;
  bytes_corked = 0;
  in_flight = std::move(corked);
  corked.clear();
  std::size_t whole = 0;
  while (count >= in_flight[whole].size()) count -= in_flight[whole++].size();
  in_flight.erase(in_flight.begin(), in_flight.begin() + static_cast<std::ptrdiff_t>(whole));
  in_flight.front().erase(0, count);
  write_rest();
}

void stream_core::write_rest() noexcept {
  std::vector<uv_buf_t> pieces;
  pieces.reserve(in_flight.size());
  for (std::string& piece : in_flight) pieces.push_back(uv_buf_init(piece.data(), static_cast<unsigned>(piece.size())));
  write_request.data = this;
  const int status = uv_write(&write_request, &uv.stream, pieces.data(), static_cast<unsigned>(pieces.size()),
                              [](uv_write_t* done, int outcome) {
                                stream_core& self = core_of(done->data);
                                self.in_flight.clear();
                                self.bytes_in_flight = 0;
                                if (outcome != 0) {
                                  self.end_writing(outcome);
                                } else {
                                  self.flush();
                                  if (self.bytes_in_flight == 0) self.wake_drainers();
                                }
                              });
  if (status != 0) {
    in_flight.clear();
    bytes_in_flight = 0;
    end_writing(status);
  }
}

void stream_core::end_writing(int status) noexcept {
  if (!write_end) {
    write_end = status == UV_ECANCELED ? error{.code = errc::closed, .what = "closed before everything was written"}
                                       : from_uv(status, "write");
  }
  corked.clear();
  bytes_corked = 0;
  wake_drainers();
}

void stream_core::wake_drainers() noexcept {
  while (!drainers.empty()) drainers.pop_front().drained();
}

void stream_core::close() noexcept {
  if (closing) return;
  flush();  // what the system takes at once still leaves
  closing = true;
  reading = false;  // uv_close stops it
  uv_close(&uv.any, [](uv_handle_t* handle) { core_of(handle->data).on_closed(); });
  end_reading(error{.code = errc::closed, .what = "closed on this side"});
  if (bytes_in_flight == 0) end_writing(UV_ECANCELED);
}

void stream_core::on_closed() noexcept {
  closed = true;
  while (!closers.empty()) home.ready(closers.pop_front());
  free_if_done();
}

void stream_core::free_if_done() noexcept {
  if (closed && abandoned && !flush_soon.queued()) delete this;
}

}  // namespace hawser::detail
