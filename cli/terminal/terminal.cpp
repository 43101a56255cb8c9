// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace hawser::cli {

namespace {

constexpr auto a_moment = std::chrono::milliseconds{300};
constexpr auto between_drawings = std::chrono::milliseconds{100};

bool is_set(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

terminal::terminal(descriptors of)
    : status(of.err),
      out(of.out, output::buffering::full, &status),
      err(of.err, output::buffering::line, &status),
      interactive_(isatty(of.in) == 1 && isatty(of.err) == 1 && !is_set("CI")) {}

terminal::~terminal() {
  status.erase();
  out.finish();
  err.finish();
}

void progress_line::show(safe_text what) {
  if (!terminal_.err.is_terminal() || visible_ == visibility::hidden) return;
  text_ = std::move(what);
  if (running()) return;
  loop_.start(*this, wanted_ ? duration{between_drawings} : duration{a_moment});
  wanted_ = true;
}

void progress_line::end() noexcept {
  timer::cancel();
  terminal_.status.erase();
  wanted_ = false;
}

void progress_line::hold(bool held) noexcept {
  held_ = held;
  if (held) {
    terminal_.status.erase();
  } else if (wanted_ && !running()) {
    loop_.start(*this, between_drawings);
  }
}

void progress_line::on_expired() noexcept {
  if (held_) return;
  // One column less than the width: a full line would wrap.
  const std::size_t width = terminal_.err.width().value_or(80);
  terminal_.status.draw(text_.fitted(width > 1 ? width - 1 : 1));
}

}  // namespace hawser::cli
