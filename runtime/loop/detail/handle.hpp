// SPDX-License-Identifier: MIT
// Ownership of libuv handles. uv_close is asynchronous and libuv owns the memory until the close callback, so each
// handle lives in its own heap cell. The owning C++ object may be destroyed at once; the close callback frees the cell.
#pragma once

#include <uv.h>

#include <memory>
#include <type_traits>

#include "loop_core.hpp"

namespace hawser::detail {

template <class Handle>
struct handle_cell {
  Handle handle;  // must be first: libuv identifies the cell by this address
  loop_core* event_loop;
};

template <class Handle>
struct handle_closer {
  void operator()(Handle* handle) const noexcept {
    static_assert(std::is_standard_layout_v<handle_cell<Handle>>);
    handle->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* closed) {
      const std::unique_ptr<handle_cell<Handle>> cell{reinterpret_cast<handle_cell<Handle>*>(closed)};
      cell->event_loop->released();
    });
  }
};

/// After reset(), callbacks that still fire see `data == nullptr`.
template <class Handle>
using unique_handle = std::unique_ptr<Handle, handle_closer<Handle>>;

/// `make_handle<uv_poll_t>(event_loop, status, uv_poll_init, fd)`: a handle on the loop, or a null pointer with libuv's
/// status in `status`.
template <class Handle, class Init, class... Args>
unique_handle<Handle> make_handle(loop& event_loop, int& status, Init init, Args... args) {
  auto cell = std::make_unique<handle_cell<Handle>>();
  cell->event_loop = &event_loop.core();
  status = init(event_loop.core().uv, &cell->handle, args...);
  if (status != 0) return nullptr;  // init failed, so there is nothing to close
  event_loop.core().acquired();
  return unique_handle<Handle>{&cell.release()->handle};
}

}  // namespace hawser::detail
