// SPDX-License-Identifier: MIT
// The neutral server of the HTTP benchmark: as small and fast as possible. It prints its port on stdout, serves every
// connection from one thread until end of input, and answers tools/call with 117 bytes or a text of `--result N`. It
// implements the handshake of 2025-11-25. With `--tls FILE`, a key and a certificate, it uses TLS by OpenSSL's
// blocking calls. With `--heads N` the heads of N consecutive small responses all differ.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "request_fields.hpp"

namespace {

std::string call_tail = R"(,"result":{"content":[{"type":"text","text":"four score and seven"}],"isError":false}})";

unsigned different_heads = 1;

struct client {
  int fd = -1;
  SSL* tls = nullptr;
  std::string unread{};
};

std::string with_head(std::string_view status, std::string_view body) {
  static unsigned answers = 0;
  std::string text = "HTTP/1.1 " + std::string{status} + "\r\n";
  if (different_heads > 1) text += "X-Answer: " + std::to_string(++answers % different_heads) + "\r\n";
  return text + "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string{body};
}

std::string begin_of_answer(std::string_view body) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{hawser::bench::id_of(body)};
}

std::string answer_to(std::string_view head, std::string_view body) {
  if (!head.starts_with("POST")) return with_head("405 Method Not Allowed", "");
  const auto asks = [&](std::string_view method) { return body.find(method) != body.npos; };
  const std::string begin = begin_of_answer(body);
  if (asks("\"tools/call\"")) return with_head("200 OK", begin + call_tail);
  if (asks("\"initialize\""))
    return with_head(
        "200 OK",
        begin +
            R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}})");
  if (asks("\"tools/list\"")) return with_head("200 OK", begin + R"(,"result":{"tools":[]}})");
  if (asks("\"notifications/")) return with_head("202 Accepted", "");
  return with_head("404 Not Found", begin + R"(,"error":{"code":-32601,"message":"no such method"}})");
}

long receive(const client& c, char* into, int size) {
  if (c.tls != nullptr) return SSL_read(c.tls, into, size);
  return recv(c.fd, into, static_cast<size_t>(size), 0);
}

void send_all(const client& c, std::string_view bytes) {
  while (!bytes.empty()) {
    const long count = c.tls != nullptr ? SSL_write(c.tls, bytes.data(), static_cast<int>(bytes.size()))
                                        : send(c.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// Does not concatenate the megabytes first, so that this is not measured.
void send_large(const client& c, std::string_view body) {
  const std::string begin = begin_of_answer(body);
  send_all(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                  std::to_string(begin.size() + call_tail.size()) + "\r\n\r\n" + begin);
  send_all(c, call_tail);
}

// Hawser and the floor write it in this case; others may use lower case. Chunked requests are not supported: 411.
size_t length_of(const std::string& unread, std::string_view head) {
  constexpr std::string_view name = "Content-Length:";
  const size_t usual = head.find(name);
  const char* field = usual != head.npos ? head.data() + usual : strcasestr(unread.c_str(), name.data());
  return field == nullptr || field > head.data() + head.size() ? std::string::npos
                                                               : static_cast<size_t>(atol(field + name.size()));
}

// Returns whether the client is still connected.
bool serve(client& c) {
  static char bytes[1 << 16];
  const long count = receive(c, bytes, sizeof bytes);
  if (count <= 0) return false;
  c.unread.append(bytes, static_cast<size_t>(count));
  for (;;) {
    const size_t end = c.unread.find("\r\n\r\n");
    if (end == std::string::npos) return true;
    const std::string_view head = std::string_view{c.unread}.substr(0, end);
    const size_t said = length_of(c.unread, head);
    if (said == std::string::npos && head.starts_with("POST")) {
      send_all(c, with_head("411 Length Required", ""));
      return false;
    }
    const size_t length = said == std::string::npos ? 0 : said;
    if (c.unread.size() < end + 4 + length) return true;
    const std::string_view body = std::string_view{c.unread}.substr(end + 4, length);
    if (call_tail.size() > 65536 && body.find("\"tools/call\"") != body.npos) {
      send_large(c, body);
    } else {
      send_all(c, answer_to(head, body));
    }
    c.unread.erase(0, end + 4 + length);
  }
}

}  // namespace

int main(int argc, char** argv) {
  SSL_CTX* tls = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--result")
      call_tail = R"(,"result":{"content":[{"type":"text","text":")" +
                  std::string(static_cast<size_t>(atoi(argv[i + 1])), 'r') + R"("}],"isError":false}})";
    if (option == "--heads") different_heads = static_cast<unsigned>(atoi(argv[i + 1]));
    if (option == "--tls") {
      tls = SSL_CTX_new(TLS_server_method());
      if (SSL_CTX_use_certificate_chain_file(tls, argv[i + 1]) != 1 ||
          SSL_CTX_use_PrivateKey_file(tls, argv[i + 1], SSL_FILETYPE_PEM) != 1)
        return 1;
    }
  }
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets without MSG_NOSIGNAL
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(listener, 512) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    return 1;
  printf("%d\n", ntohs(at.sin_port));
  fflush(stdout);
  std::vector<client> clients(2);  // the first two entries are not clients
  std::vector<pollfd> all{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                          {.fd = listener, .events = POLLIN, .revents = 0}};
  for (;;) {
    if (poll(all.data(), all.size(), -1) < 0) return 1;
    if (all[0].revents != 0) return 0;
    for (size_t i = all.size() - 1; i >= 2; --i) {
      if (all[i].revents == 0 || serve(clients[i])) continue;
      if (clients[i].tls != nullptr) SSL_free(clients[i].tls);
      close(clients[i].fd);
      all.erase(all.begin() + static_cast<long>(i));
      clients.erase(clients.begin() + static_cast<long>(i));
    }
    if (all[1].revents == 0) continue;
    client fresh{.fd = accept(listener, nullptr, nullptr)};
    const int on = 1;
    setsockopt(fresh.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tls != nullptr) {
      fresh.tls = SSL_new(tls);
      SSL_set_fd(fresh.tls, fresh.fd);
      if (SSL_accept(fresh.tls) != 1) {
        SSL_free(fresh.tls);
        close(fresh.fd);
        continue;
      }
    }
    all.push_back({.fd = fresh.fd, .events = POLLIN, .revents = 0});
    clients.push_back(std::move(fresh));
  }
}
