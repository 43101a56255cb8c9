// SPDX-License-Identifier: MIT
#include "poller.hpp"

#include <cerrno>
#include <system_error>

#include "check.hpp"

namespace hawser::detail {

poller::poller() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!fd_) throw std::system_error{errno, std::generic_category(), "make an event loop"};
}

bool poller::control(int fd, int operation, epoll_event what) noexcept {
  return epoll_ctl(fd_.get(), operation, fd, &what) == 0;
}

bool poller::watch(int fd, std::uint32_t before, std::uint32_t wanted, stream_core* who) noexcept {
  const int operation = wanted == 0 ? EPOLL_CTL_DEL : before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  return control(fd, operation, {.events = wanted, .data = {.ptr = who}});
}

bool poller::watch(int fd, source who) noexcept {
  // Each write to the mailbox's eventfd is told once, and nobody need read it: one system call less for every post.
  const std::uint32_t events = who == source::mailbox ? EPOLLIN | EPOLLET : EPOLLIN;
  return control(fd, EPOLL_CTL_ADD, {.events = events, .data = {.u64 = static_cast<std::uint64_t>(who)}});
}

std::span<const epoll_event> poller::poll(patience how) noexcept {
  while (true) {
    const int count =
        epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()), how == patience::wait ? -1 : 0);
    if (count >= 0) return std::span{events_}.first(static_cast<std::size_t>(count));
    require(errno == EINTR, "the event loop cannot wait");
  }
}

}  // namespace hawser::detail
