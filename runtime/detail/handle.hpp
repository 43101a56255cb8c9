// SPDX-License-Identifier: MIT
// Ownership of libuv handles. Closing is asynchronous and the memory is libuv's until the close callback, so a handle
// lives in a heap cell of its own: the C++ object that owns it may die at once, the cell dies in the callback.
#pragma once

#include <uv.h>

#include <memory>
#include <type_traits>

#include "loop_core.hpp"

namespace hawser::detail {

template <class Handle>
struct handle_cell {
  Handle handle;  // first: libuv knows the cell by its address
  loop_core* home;
};

template <class Handle>
struct handle_closer {
  void operator()(Handle* handle) const noexcept {
    static_assert(std::is_standard_layout_v<handle_cell<Handle>>);
    handle->data = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* closed) {
      const std::unique_ptr<handle_cell<Handle>> cell{reinterpret_cast<handle_cell<Handle>*>(closed)};
      cell->home->released();
    });
  }
};

/// Callbacks that may still fire see `data == nullptr` once it is given up.
template <class Handle>
using owned = std::unique_ptr<Handle, handle_closer<Handle>>;

/// `make_handle<uv_poll_t>(home, uv_poll_init, fd)`: a handle on the loop, or a null pointer and libuv's status.
template <class Handle, class Init, class... Args>
owned<Handle> make_handle(loop& home, int& status, Init init, Args... args) {
  auto cell = std::make_unique<handle_cell<Handle>>();
  cell->home = &home.core();
  status = init(home.core().uv, &cell->handle, args...);
  if (status != 0) return nullptr;  // it never became a handle
  home.core().acquired();
  return owned<Handle>{&cell.release()->handle};
}

}  // namespace hawser::detail
