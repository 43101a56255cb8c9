// SPDX-License-Identifier: MIT
// The one error type of the house and `result<T>`, the return type of everything that is expected to fail at times.
// Not for bugs: those throw, or end the process in detail/check.hpp.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

/// What kind of failure it is. A value exists only where somebody branches on it.
enum class errc : std::uint8_t {
  cancelled = 1,  ///< a stop was requested; never logged as an error
  timed_out,
  closed,  ///< the other side is gone, or this side was closed
  io,      ///< the operating system said no; `native` holds its number
  spawn,   ///< a process could not be started
  parse,
  too_large,  ///< a limit with a name
  protocol,
  remote,  ///< the server said no; `native` holds the JSON-RPC code, or 403 where it refuses access by HTTP
  auth,
  config,
  tool_unknown,
  server_gone,
};

std::string_view to_string(errc code) noexcept;

/// Whether the failed operation may have had its effect on the other side.
enum class execution : std::uint8_t { no, unknown };

struct error {
  errc code = errc::io;
  std::string what;  ///< one sentence, lower case, no full stop, names the subject
  int native = 0;    ///< uv status, errno or JSON-RPC code
  execution executed = execution::no;
  std::string server{};  ///< the configured server this is about, if any
  std::string phase{};   ///< what was being done: "start", "negotiate", "call" …
  std::string data{};    ///< the raw JSON that came with a remote error
  /// How long the server asks to wait before the next request, where it says so. `what` mentions it, too.
  std::optional<std::chrono::seconds> retry_after{};
};

/// Puts the subject before the sentence: `prefixed("server \"git\"", e)`. Prefixes are added, never replaced.
error prefixed(std::string_view subject, error e);

/// The error every stopped operation ends with.
error cancelled_error();

/// A value or an `error`. A class of its own, because an alias cannot be [[nodiscard]]: whoever calls something that
/// may fail looks at the outcome, or says with ignore() why not.
template <class T>
class [[nodiscard]] result : public boost::system::result<T, error> {
 public:
  using boost::system::result<T, error>::result;
};

/// Drops a result on purpose; the second argument is the reason.
template <class T>
void ignore(const result<T>& /*outcome*/, const char* /*why*/) noexcept {}

/// What `result::value()` throws when nobody looked: always a bug in the caller.
class unchecked_error : public std::exception {
 public:
  explicit unchecked_error(const error& e) : text_("result was not checked: " + e.what) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

[[noreturn]] void throw_exception_from_error(const error& e, const boost::source_location& where);

}  // namespace hawser
