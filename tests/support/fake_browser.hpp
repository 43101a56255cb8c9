// SPDX-License-Identifier: MIT
// Plays the user's browser, for an authorization server that consents at once: requests a page and follows its
// redirects.
#pragma once

#include "scripted_http_server.hpp"

namespace hawser::testing {

/// Whether the response is complete by its Content-Length; without one it is complete when the connection ends.
inline bool is_whole(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  const std::string said = received_request{.head = answer.substr(0, head), .body = {}}.field("Content-Length");
  std::size_t length = 0;
  if (head == answer.npos || said.empty()) return false;
  std::from_chars(said.data(), said.data() + said.size(), length);
  return answer.size() - head - 4 >= length;
}

/// The response of a server on loopback to one GET, or to one POST if there is a body; blocks. Empty if the
/// connection fails.
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

/// The target of a redirect; empty if it is not a redirect.
inline std::string location_of(const std::string& answer) {
  return received_request{.head = answer, .body = {}}.field("Location");
}

/// Opens the page and follows up to three redirects, like a browser; returns the last page.
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
