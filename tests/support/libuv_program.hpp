// SPDX-License-Identifier: MIT
// A program with its own libuv loop, to which a test attaches Hawser.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <utility>

#include "../../runtime/loop/attached_loop.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// A uv_loop_t; on destruction it must have no open handles.
class libuv_program {
 public:
  libuv_program() { expect(fatal(uv_loop_init(&loop_) == 0)); }
  libuv_program(const libuv_program&) = delete;
  libuv_program& operator=(const libuv_program&) = delete;
  ~libuv_program() { expect(uv_loop_close(&loop_) == 0) << "something was left on the program's loop"; }

  [[nodiscard]] uv_loop_t* loop() noexcept { return &loop_; }
  int run(uv_run_mode mode = UV_RUN_DEFAULT) { return uv_run(&loop_, mode); }

 private:
  uv_loop_t loop_{};
};

/// Attaches Hawser to a new program, runs the task returned by `make`, and detaches.
inline void run_attached(const std::function<task<void>(loop&)>& make, loop::options options = {}) {
  libuv_program program;
  attached_loop attached{program.loop(), std::move(options)};
  bool detached = false;
  attached.start(make(attached.event_loop()), [&] { attached.detach([&] { detached = true; }); });
  program.run();
  expect(detached);
}

}  // namespace hawser::testing
