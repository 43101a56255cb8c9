// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace hawser::bench {

namespace {

bool progress_shown = false;
std::chrono::steady_clock::time_point next_time{};

}  // namespace

void show_progress(const char* what, int done, int of) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (!terminal) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_time) return;
  next_time = now + std::chrono::milliseconds{200};  // often enough to show activity
  std::fprintf(stderr, "\r\x1b[K%s: %d of %d", what, done, of);
  progress_shown = true;
}

void end_progress() {
  if (!progress_shown) return;
  std::fprintf(stderr, "\r\x1b[K");
  progress_shown = false;
}

}  // namespace hawser::bench
