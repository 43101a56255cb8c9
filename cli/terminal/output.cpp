// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "../../runtime/async/sleep.hpp"

namespace hawser::cli {

namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

std::string_view code_of(text_style colour) noexcept {
  switch (colour) {
    case text_style::plain: return {};
    case text_style::bold: return "\x1b[1m";
    case text_style::dim: return "\x1b[2m";
    case text_style::red: return "\x1b[31m";
    case text_style::green: return "\x1b[32m";
    case text_style::yellow: return "\x1b[33m";
    case text_style::cyan: return "\x1b[36m";
  }
  return {};
}

bool is_writable(int descriptor, int patience_ms) noexcept {
  pollfd asked{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return poll(&asked, 1, patience_ms) > 0;
}

// The maximum size of a write that does not block after poll() reported writability: PIPE_BUF bytes for a pipe, a few
// hundred bytes for a terminal.
std::size_t chunk_for(int descriptor, bool is_terminal) noexcept {
  struct stat about{};
  if (is_terminal) return 256;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return std::size_t{1} << 20;
  return PIPE_BUF;
}

std::optional<winsize> size_of(int descriptor) noexcept {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return size;
}

// Errors are ignored: a status line is redrawn anyway.
void write_once(int descriptor, std::string_view bytes) noexcept {
  if (!is_writable(descriptor, 0)) return;
  [[maybe_unused]] const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
}

}  // namespace

bool wants_colours(bool is_terminal, const char* no_color, const char* term) noexcept {
  const bool refused = no_color != nullptr && *no_color != '\0';
  return is_terminal && !refused && term != nullptr && *term != '\0' && std::strcmp(term, "dumb") != 0;
}

void status_line::draw(const safe_text& text) noexcept {
  write_once(descriptor_, std::string{erase_line}.append(text.view()));
  drawn_ = true;
}

void status_line::erase() noexcept {
  if (drawn_) write_once(descriptor_, erase_line);
  drawn_ = false;
}

output::output(int descriptor, buffering speed, status_line* status)
    : descriptor_(descriptor),
      buffering_(speed),
      status_(status),
      is_terminal_(isatty(descriptor) == 1),
      coloured_(wants_colours(is_terminal_, std::getenv("NO_COLOR"), std::getenv("TERM"))),
      chunk_(chunk_for(descriptor, is_terminal_)) {}

void output::print(std::initializer_list<text_piece> parts) {
  if (failure_ != 0) return;
  for (const text_piece& part : parts) {
    const std::string_view colour = coloured_ ? code_of(part.colour()) : std::string_view{};
    buffer_.append(colour).append(part.view());
    if (!colour.empty()) buffer_ += "\x1b[0m";
  }
}

void output::line(std::initializer_list<text_piece> parts) {
  print(parts);
  print({"\n"});
  if (buffering_ == buffering::line) write_available();
}

result<void> output::write_raw(std::string_view bytes) {
  if (is_terminal_)
    return error{.code = errc::io, .what = "raw bytes go to files and other programs, not to a terminal"};
  if (failure_ == 0) buffer_ += bytes;
  return {};
}

void output::text(std::string_view untrusted, escape_limits limits) {
  if (is_terminal_) return print({escaped(untrusted, limits)});
  if (failure_ == 0) buffer_ += untrusted;
}

void output::text_lines(std::string_view untrusted, escape_limits limits) {
  text(untrusted, limits);
  if (!untrusted.empty() && !buffer_.ends_with('\n')) print({"\n"});  // the note about cut text has no line feed
  if (buffering_ == buffering::line) write_available();
}

void output::clear_screen() {
  if (is_terminal_ && failure_ == 0) buffer_ += "\x1b[H\x1b[2J";
}

bool output::write_within(int patience_ms) noexcept {
  if (pending() > 0 && status_ != nullptr && is_terminal_) status_->erase();
  while (pending() > 0 && failure_ == 0) {
    if (!is_writable(descriptor_, patience_ms)) return false;
    const ssize_t count = ::write(descriptor_, buffer_.data() + written_, std::min(pending(), chunk_));
    if (count >= 0) {
      written_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      return false;
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
  buffer_.clear();
  written_ = 0;
  return true;
}

void output::write_available() noexcept { write_within(0); }

task<result<void>> output::flush() {
  // Polls repeatedly: libuv cannot poll regular files, and the descriptor may be of any type.
  constexpr auto look_again = std::chrono::milliseconds{5};
  while (!write_within(0)) {
    auto waited = co_await sleep_for(look_again);
    if (!waited) co_return std::move(waited).error();
  }
  if (auto failed = failure()) co_return *std::move(failed);
  co_return result<void>{};
}

result<void> output::flush_blocking() {
  constexpr int as_long_as_it_takes = -1;
  while (!write_within(as_long_as_it_takes)) continue;
  if (auto failed = failure()) return *std::move(failed);
  return {};
}

void output::finish() noexcept { write_within(1000); }

std::optional<std::size_t> output::width() const noexcept {
  if (!is_terminal_) return std::nullopt;
  const auto size = size_of(descriptor_);
  return size && size->ws_col > 0 ? size->ws_col : 80;
}

std::optional<std::size_t> output::height() const noexcept {
  if (!is_terminal_) return std::nullopt;
  const auto size = size_of(descriptor_);
  return size && size->ws_row > 0 ? size->ws_row : 24;
}

bool output::broken() const noexcept { return failure_ == EPIPE; }

std::optional<error> output::failure() const {
  if (failure_ == 0) return std::nullopt;
  return error{.code = broken() ? errc::closed : errc::io,
               .what = std::string{"the output cannot be written: "} + std::strerror(failure_),
               .native = failure_};
}

}  // namespace hawser::cli
