// SPDX-License-Identifier: MIT
// Who sits in front of the browser, for an authorization server that says yes at once: asks for a page, and goes where
// it is sent.
#pragma once

#include "web_script.hpp"

namespace hawser::testing {

/// As its Content-Length says; without one it is whole when the connection ends.
inline bool is_whole(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  const std::string said = web_request{.head = answer.substr(0, head), .body = {}}.field("Content-Length");
  std::size_t length = 0;
  if (head == answer.npos || said.empty()) return false;
  std::from_chars(said.data(), said.data() + said.size(), length);
  return answer.size() - head - 4 >= length;
}

/// What a server on the loopback says to one GET, or to one POST if there is a body; blocks. Empty if nobody is there.
inline std::string ask_loopback(const http_url& at, std::string_view body = {}, std::string_view fields = {}) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(at.port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    std::string text = body.empty() ? "GET " : "POST ";
    text += at.target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(at.port) + "\r\nConnection: close\r\n";
    text += std::string{fields} + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
    ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    char bytes[4096];
    for (ssize_t count = 0; !is_whole(answer) && (count = ::recv(fd, bytes, sizeof bytes, 0)) > 0;)
      answer.append(bytes, static_cast<std::size_t>(count));
  }
  ::close(fd);
  return answer;
}

/// Where a redirect leads; empty if it is none.
inline std::string location_of(const std::string& answer) {
  return web_request{.head = answer, .body = {}}.field("Location");
}

/// Opens the page and follows up to three redirects, as a browser does; what the last page says.
inline std::string browse(std::string url) {
  std::string answer;
  for (int hops = 0; hops < 4 && !url.empty(); ++hops) {
    const auto at = http_url::parse(url);
    if (!at) break;
    answer = ask_loopback(*at);
    url = location_of(answer);
  }
  return answer;
}

}  // namespace hawser::testing
