// SPDX-License-Identifier: MIT
// HTTP/1.1 messages out of bytes, strictly: whatever two parsers could read differently is refused. Pure: bytes in,
// calls out. One parser per connection; llhttp does the grammar and stays in the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/error.hpp"
#include "http_fields.hpp"

namespace hawser {

struct http_limits {
  std::size_t max_head = std::size_t{64} << 10;  ///< first line and fields, interim answers included; also trailers
  std::size_t max_fields = 200;
  std::size_t max_body = std::size_t{16} << 20;  ///< of one message; 0: the listener has a limit of its own
  std::size_t max_informational = 16;            ///< 1xx answers before the real one
  /// Stands behind the error of an answer that is larger than max_body: "; …", how to allow more.
  const char* size_advice = "";
};

struct http_head {
  int status = 0;      ///< of an answer …
  std::string reason;  ///< … with what stands behind it
  std::string method;  ///< of a request …
  std::string target;  ///< … with its target as it stood on the line
  int minor = 1;       ///< HTTP/1.`minor`
  http_fields fields;
  bool keep_alive = false;              ///< another message may follow on this connection
  std::optional<std::uint64_t> length;  ///< of the body, where the message says so
};

/// Called from inside feed() and finish(); views are valid during the call. It must not touch the parser, but for
/// leave_body() and take_head().
class http_listener {
 public:
  /// Once per message.
  virtual void on_head(const http_head& head) noexcept = 0;
  /// A 1xx answer before the message has ended. They are counted and dropped.
  virtual void on_interim() noexcept {}
  virtual void on_body(std::string_view piece) noexcept = 0;
  virtual void on_complete() noexcept = 0;

 protected:
  ~http_listener() = default;
};

class http_parser {
 public:
  enum class side : std::uint8_t { request, response };

  explicit http_parser(side what, http_limits limits = {});
  http_parser(http_parser&&) noexcept;
  http_parser& operator=(http_parser&&) noexcept;
  ~http_parser();

  /// The answer that comes next has no body whatever its head says: HEAD, and a CONNECT that succeeded. Before any byte
  /// of it.
  void expect_no_body() noexcept;
  /// Takes bytes up to the end of one message and not one more; says how many. errc::protocol says what is wrong,
  /// errc::too_large which limit it was; the same error comes again from then on, the connection is of no more use. A
  /// limit of the body is told after on_head().
  result<std::size_t> feed(std::string_view bytes, http_listener& to);
  /// The connection has ended. Completes an answer whose end that is; else errc::closed says how much is missing.
  result<void> finish(http_listener& to);

  /// From inside on_head() of a message with a length: its body is taken by whoever listens, and for the parser it ends
  /// here. A large body needs no second look, and no copy.
  void leave_body() noexcept;

  /// Nothing of a message was seen.
  [[nodiscard]] bool between_messages() const noexcept;
  /// A head has begun, of the message or of a 1xx answer before it, and has not ended.
  [[nodiscard]] bool within_head() const noexcept;
  /// What on_head() was told, until next(). Left here, it is known again where the next message has the same.
  [[nodiscard]] const http_head& head() const noexcept;
  [[nodiscard]] http_head take_head() noexcept;

  /// The message is complete; feed() takes nothing until next().
  [[nodiscard]] bool complete() const noexcept;
  void next() noexcept;
  /// Gives back the memory of the last head, if nothing of another message was seen.
  void rest() noexcept;

 private:
  struct machine;
  std::unique_ptr<machine> machine_;
};

}  // namespace hawser
