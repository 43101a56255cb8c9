// SPDX-License-Identifier: MIT
#include "readiness.hpp"

#include <fcntl.h>

#include <cerrno>

#include "../../loop/detail/loop_core.hpp"

namespace hawser::detail {

readiness::readiness(int fd, kind what) noexcept
    : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 0)), what_(what), status_(fd_ ? 0 : uv_translate_sys_error(errno)) {}

void readiness::start() {
  if (!fd_) {
    complete();
    return;
  }
  poll_ = make_handle<uv_poll_t>(event_loop(), status_, uv_poll_init, fd_.get());
  if (!poll_) {
    complete();
    return;
  }
  poll_->data = this;
  uv_poll_start(poll_.get(), what_ == kind::readable ? UV_READABLE : UV_WRITABLE,
                [](uv_poll_t* handle, int status, int) {
                  if (handle->data == nullptr) return;
                  auto& self = *static_cast<readiness*>(handle->data);
                  self.status_ = status;
                  self.poll_.reset();
                  self.complete();
                });
}

void readiness::cancel() noexcept {
  status_ = UV_ECANCELED;
  poll_.reset();
  complete();
}

result<void> readiness::await_resume() {
  if (cancelled()) return cancelled_error();
  if (status_ != 0) return from_uv(status_, "poll");
  return {};
}

}  // namespace hawser::detail
