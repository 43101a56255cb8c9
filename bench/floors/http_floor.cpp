// SPDX-License-Identifier: MIT
#include "http_floor.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "../harness.hpp"

namespace hawser::bench {

certificate_file::certificate_file() : path_("/tmp/hawser-bench-XXXXXX") {
  const int fd = mkstemp(path_.data());
  FILE* file = fd < 0 ? nullptr : fdopen(fd, "w");
  if (file == nullptr) return;
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* made = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_gmtime_adj(X509_getm_notBefore(made), -60);
  X509_gmtime_adj(X509_getm_notAfter(made), 24L * 3600);
  X509_set_version(made, 2);
  X509_set_pubkey(made, key);
  X509_NAME* name = X509_get_subject_name(made);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("hawser-bench"), -1, -1,
                             0);
  X509_set_issuer_name(made, name);
  X509_EXTENSION* address = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
  X509_add_ext(made, address, -1);
  X509_EXTENSION_free(address);
  X509_sign(made, key, EVP_sha256());
  PEM_write_X509(file, made);
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  fclose(file);
  X509_free(made);
  EVP_PKEY_free(key);
}

certificate_file::~certificate_file() { unlink(path_.c_str()); }

std::optional<http_server_process> http_server_process::start(std::vector<std::string> arguments) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) return std::nullopt;
  const std::string program = sibling("bench_http_server");
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  http_server_process made;
  const int status = posix_spawn(&made.pid_, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  made.stdin_ = in[1];
  std::array<char, 16> text{};
  if (status != 0) made.pid_ = 0;
  if (status == 0 && read(out[0], text.data(), text.size() - 1) > 0) made.port_ = atoi(text.data());
  close(out[0]);
  if (made.port_ == 0) return std::nullopt;
  return made;
}

http_server_process::http_server_process(http_server_process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), stdin_(std::exchange(other.stdin_, -1)), port_(other.port_) {}

http_server_process::~http_server_process() {
  if (stdin_ >= 0) close(stdin_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

struct blocking_http_client::inside {
  int fd = -1;
  SSL_CTX* context = nullptr;
  SSL* tls = nullptr;
  std::string answer = std::string(1 << 16, '\0');
};

blocking_http_client::blocking_http_client(std::unique_ptr<inside> made) noexcept : inside_(std::move(made)) {}

blocking_http_client::~blocking_http_client() {
  SSL_free(inside_->tls);
  SSL_CTX_free(inside_->context);
  close(inside_->fd);
}

std::unique_ptr<blocking_http_client> blocking_http_client::connect(int port, wire how) {
  auto made = std::make_unique<inside>();
  made->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(made->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(made->fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return nullptr;
  if (how == wire::tls) {
    made->context = SSL_CTX_new(TLS_client_method());
    made->tls = SSL_new(made->context);
    SSL_set_fd(made->tls, made->fd);
    if (SSL_connect(made->tls) != 1) return nullptr;
  }
  return std::unique_ptr<blocking_http_client>{new blocking_http_client{std::move(made)}};
}

bool blocking_http_client::ask(std::string_view request) {
  inside& in = *inside_;
  const auto size = static_cast<int>(request.size());
  const long sent =
      in.tls != nullptr ? SSL_write(in.tls, request.data(), size) : send(in.fd, request.data(), request.size(), 0);
  return sent == size;
}

bool blocking_http_client::take_answer() {
  inside& in = *inside_;
  std::size_t got = 0;
  std::size_t wanted = std::string::npos;
  while (got < wanted) {
    if (in.answer.size() - got < 65536) in.answer.resize(in.answer.size() * 2);
    char* into = in.answer.data() + got;
    const auto room = static_cast<int>(in.answer.size() - got);
    const long count =
        in.tls != nullptr ? SSL_read(in.tls, into, room) : recv(in.fd, into, static_cast<std::size_t>(room), 0);
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
    if (wanted != std::string::npos) continue;
    const std::string_view seen{in.answer.data(), got};
    const std::size_t end = seen.find("\r\n\r\n");
    const std::size_t length = seen.find("Content-Length: ");
    if (end != seen.npos && length != seen.npos)
      wanted = end + 4 + static_cast<std::size_t>(atol(in.answer.data() + length + 16));
  }
  return true;
}

}  // namespace hawser::bench
