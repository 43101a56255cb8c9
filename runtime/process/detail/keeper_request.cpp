// SPDX-License-Identifier: MIT
#include "keeper_request.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "../../async/sleep.hpp"
#include "../../io/detail/readiness.hpp"
#include "keeper_process.hpp"

namespace hawser::detail {

using keeper_protocol::start_request;

namespace {

// Relative to the host's current working directory; the keeper's own is "/".
result<std::string> absolute(const std::string& directory) {
  if (directory.starts_with('/')) return directory;
  std::array<char, PATH_MAX> here{};
  if (getcwd(here.data(), here.size()) == nullptr) {
    const int failed = errno;
    return error{.code = errc::spawn,
                 .what = std::string{"the program's own working directory: "} + std::strerror(failed),
                 .native = failed};
  }
  return directory.empty() ? std::string{here.data()} : std::string{here.data()} + '/' + directory;
}

int send_request(int socket, const start_request& header, const request_attachments& fds) {
  start_request body_copy = header;
  iovec body{&body_copy, sizeof body_copy};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof fds)> control{};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* attached = CMSG_FIRSTHDR(&message);
  attached->cmsg_level = SOL_SOCKET;
  attached->cmsg_type = SCM_RIGHTS;
  attached->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(attached), fds.data(), sizeof fds);
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

}  // namespace

result<child_ends> make_ends(stdio kind, int standard) {
  child_ends made;
  int pair[2] = {-1, -1};
  int status = 0;
  switch (kind) {
    case stdio::pipe:
      status = pipe2(pair, O_CLOEXEC);
      if (standard == STDIN_FILENO) std::swap(pair[0], pair[1]);
      break;
    case stdio::socket: status = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair); break;
    case stdio::inherit: status = pair[1] = fcntl(standard, F_DUPFD_CLOEXEC, 3); break;
    case stdio::null: status = pair[1] = open("/dev/null", O_RDWR | O_CLOEXEC); break;
  }
  if (status < 0) return from_errno(errno, "make the child's descriptor " + std::to_string(standard));
  made.ours.reset(pair[0]);
  made.child.reset(pair[1]);
  return made;
}

result<unique_fd> make_payload(const command& what, start_request& header) {
  auto directory = absolute(what.directory);
  if (!directory) return directory.error();
  std::string text = *directory + '\0' + what.program + '\0';
  for (const std::string& argument : what.arguments) text += argument + '\0';
  const std::vector<std::string> variables = what.env.compose();
  for (const std::string& variable : variables) text += variable + '\0';
  header = {.payload_size = static_cast<std::uint32_t>(text.size()),
            .argument_count = static_cast<std::uint32_t>(what.arguments.size() + 1),
            .environment_count = static_cast<std::uint32_t>(variables.size())};
  unique_fd file{memfd_create("hawser-start", MFD_CLOEXEC)};
  if (!file) return from_errno(errno, "memfd_create");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file.get(), text.data() + done, text.size() - done);
    if (count < 0) return from_errno(errno, "write the request");
    done += static_cast<std::size_t>(count);
  }
  return file;
}

task<result<void>> send_start_request(keeper_process& keeper, start_request header, request_attachments attached) {
  while (true) {
    const int failed = send_request(keeper.socket.get(), header, attached);
    if (failed == 0) co_return result<void>{};
    if (failed == EPIPE || failed == ECONNRESET || !keeper.socket) {
      co_return error{.code = errc::closed, .what = "the keeper is gone", .native = failed};
    }
    if (failed == EAGAIN) {
      // libuv reports every error of a socket as UV_EBADF. If the keeper has died, the next send returns the exact
      // error.
      auto writable = co_await readiness{keeper.socket.get(), readiness::kind::writable};
      if (!writable && writable.error().native != UV_EBADF) co_return writable.error();
    } else if (failed == ETOOMANYREFS) {
      // The system limits how many descriptors a user may have in flight; the number drops as the keeper receives them.
      auto waited = co_await sleep_for(std::chrono::milliseconds{5});
      if (!waited) co_return waited.error();
    } else {
      co_return from_errno(failed, "ask the keeper");
    }
  }
}

}  // namespace hawser::detail
