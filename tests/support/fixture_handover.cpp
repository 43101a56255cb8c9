// SPDX-License-Identifier: MIT
// Stands in for a server: passes its stdin, stdout and stderr over the Unix socket named by its argument to another
// process, which plays the server, and runs until that process has closed the socket.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (argc < 2 || std::strlen(argv[1]) >= sizeof at.sun_path) {
    std::fprintf(stderr, "fixture_handover: needs the path of a Unix socket\n");
    return 2;
  }
  std::strcpy(at.sun_path, argv[1]);
  const int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(to, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
    std::perror("fixture_handover: connect");
    return 1;
  }
  const int given[3] = {0, 1, 2};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof given)] = {};
  char byte = '.';
  iovec bytes{.iov_base = &byte, .iov_len = 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof given);
  std::memcpy(CMSG_DATA(head), given, sizeof given);
  if (sendmsg(to, &message, 0) != 1) {
    std::perror("fixture_handover: sendmsg");
    return 1;
  }
  for (const int fd : given) close(fd);
  while (read(to, &byte, 1) > 0) {
  }
  return 0;
}
