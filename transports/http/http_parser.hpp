// SPDX-License-Identifier: MIT
// A strict HTTP/1.1 parser: input that two parsers could read differently is refused. Pure: bytes in, callbacks out.
// One parser per connection; llhttp implements the grammar and is included only by the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../../runtime/error.hpp"
#include "http_fields.hpp"

namespace hawser {

struct http_limits {
  std::size_t max_head = std::size_t{64} << 10;  ///< start line and fields, with interim responses; also trailers
  std::size_t max_fields = 200;
  std::size_t max_body = std::size_t{16} << 20;  ///< of one message; 0: the listener has its own limit
  std::size_t max_informational = 16;            ///< 1xx responses before the final one
  /// Appended to the error for a response larger than max_body: "; …", how to raise the limit.
  const char* size_advice = "";
};

struct http_head {
  int status = 0;      ///< of a response …
  std::string reason;  ///< … with its reason phrase
  std::string method;  ///< of a request …
  std::string target;  ///< … with its target as written on the line
  int minor = 1;       ///< HTTP/1.`minor`
  http_fields fields;
  bool keep_alive = false;              ///< another message may follow on this connection
  std::optional<std::uint64_t> length;  ///< of the body, if the message states it
};

/// Called from inside feed() and finish(); views are valid during the call. Must not use the parser, except for
/// skip_body() and take_head().
class http_listener {
 public:
  /// Once per message.
  virtual void on_head(const http_head& head) noexcept = 0;
  /// An interim (1xx) response has ended. These are counted and dropped.
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

  /// The next response has no body, whatever its head says: for HEAD and for a successful CONNECT. Call before its
  /// first byte.
  void expect_no_body() noexcept;
  /// Consumes bytes up to the end of one message, not beyond, and returns how many. errc::protocol says what is wrong,
  /// errc::too_large which limit was exceeded; every later call returns the same error, and the connection is unusable.
  /// An exceeded body limit is reported after on_head().
  result<std::size_t> feed(std::string_view bytes, http_listener& to);
  /// The connection has ended. Completes a response that is delimited by this; otherwise errc::closed says how much is
  /// missing.
  result<void> finish(http_listener& to);

  /// Call from inside on_head() of a message with a length: the listener takes the body itself, and for the parser the
  /// message ends here. A large body is then neither parsed nor copied.
  void skip_body() noexcept;

  /// No byte of a message has been seen.
  [[nodiscard]] bool between_messages() const noexcept;
  /// A head, of the message or of a 1xx response before it, has started and not ended.
  [[nodiscard]] bool within_head() const noexcept;
  /// The head passed to on_head(), until next(). If it is left here, an identical head of the next message is
  /// recognised without parsing.
  [[nodiscard]] const http_head& head() const noexcept;
  [[nodiscard]] http_head take_head() noexcept;

  /// The message is complete; feed() consumes nothing until next().
  [[nodiscard]] bool complete() const noexcept;
  void next() noexcept;
  /// Releases the memory of the last head if no byte of another message was seen.
  void trim() noexcept;

 private:
  struct machine;
  std::unique_ptr<machine> machine_;
};

}  // namespace hawser
