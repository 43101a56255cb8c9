// SPDX-License-Identifier: MIT
// The floor (baseline) for everything over HTTP: a keep-alive exchange by blocking calls, in the clear or with
// OpenSSL's blocking API; plus its server and certificate. Uses nothing of Hawser.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::bench {

/// A self-signed certificate for 127.0.0.1 with its key, in a file that is removed on destruction.
class certificate_file {
 public:
  certificate_file();
  certificate_file(const certificate_file&) = delete;
  certificate_file& operator=(const certificate_file&) = delete;
  ~certificate_file();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// bench_http_server, in a process of its own.
class http_server_process {
 public:
  static std::optional<http_server_process> start(std::vector<std::string> arguments = {});
  http_server_process(http_server_process&& other) noexcept;
  http_server_process& operator=(http_server_process&&) = delete;
  ~http_server_process();
  [[nodiscard]] int port() const noexcept { return port_; }

 private:
  http_server_process() = default;
  int pid_ = 0;
  int stdin_ = -1;
  int port_ = 0;
};

class blocking_http_client {
 public:
  enum class wire : bool { clear, tls };
  static std::unique_ptr<blocking_http_client> connect(int port, wire how);
  blocking_http_client(const blocking_http_client&) = delete;
  blocking_http_client& operator=(const blocking_http_client&) = delete;
  ~blocking_http_client();
  /// One request and its complete response.
  bool exchange(std::string_view request) { return ask(request) && take_answer(); }
  bool ask(std::string_view request);
  bool take_answer();

 private:
  struct inside;
  explicit blocking_http_client(std::unique_ptr<inside> made) noexcept;
  std::unique_ptr<inside> inside_;
};

}  // namespace hawser::bench
