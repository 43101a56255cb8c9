// SPDX-License-Identifier: MIT
// Ownership of libuv handles. Closing is asynchronous and the memory is libuv's until the close callback, so a handle
// lives in a heap cell of its own: the C++ object that owns it may die at once, the cell dies in the callback.
#pragma once

#include <uv.h>

#include <memory>

#include "loop_core.hpp"

namespace hawser::detail {

template <class Handle>
struct handle_closer {
  void operator()(Handle* handle) const noexcept {
    handle->data = nullptr;
    static_cast<loop_core*>(handle->loop->data)->uv_touched = true;
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
             [](uv_handle_t* closed) { delete reinterpret_cast<Handle*>(closed); });
  }
};

/// Only for a handle that was initialised. Callbacks that may still fire see `data == nullptr` once it is given up.
template <class Handle>
using owned = std::unique_ptr<Handle, handle_closer<Handle>>;

}  // namespace hawser::detail
