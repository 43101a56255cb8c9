// SPDX-License-Identifier: MIT
// The hostile process of a guard: it plays a server or a client with blocking descriptors, and is killed in the end.
// Its memory and its time are not the victim's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "../support/scripted_http_server.hpp"

namespace hawser::testing {

/// The server's ends of the pipes of a child that the victim started (fixture_handover).
class stdio_wire {
 public:
  stdio_wire(int input, int output, int errors) : errors(errors), input_(input), output_(output) {}
  /// The next line of the client; empty when there is none any more.
  std::string line();
  void say(std::string_view bytes) const { write_all(output_, bytes); }
  /// In so many bytes at a time.
  void say_in_pieces(std::string_view bytes, std::size_t piece) const;
  void answer(std::string_view request, std::string_view result) const;
  /// Answers the handshake, lists and pings until a tool is called; the call is left to whoever asked. Empty: the
  /// client is gone.
  std::string until_call(std::string_view tools, std::string_view more_of_initialize = {});
  /// Reads what the other side says until it has nothing more to say.
  void drain();
  /// Nothing more will be said.
  void end() const { ::close(output_); }

  static void write_all(int fd, std::string_view bytes);
  const int errors;  ///< the child's stderr

 private:
  int input_;
  int output_;
  std::string unread_;
};

class hostile_side {
 public:
  hostile_side(std::size_t size, int listener, int control, int input, int output)
      : size(size), pipes(input, output, -1), listener_(listener), control_(control) {}

  /// Waits until the victim has started its server.
  stdio_wire stdio() const;
  /// Serves HTTP until it is killed.
  [[noreturn]] void serve_web(scripted_http_server::script each) const;
  /// Waits until the victim listens; which port that is.
  [[nodiscard]] std::uint16_t victim_port() const;
  /// A connection to that port.
  static int connect_to(std::uint16_t port);
  /// Reads an HTTP answer, head and body, or what comes before the end.
  static std::string answer_from(int fd);

  const std::size_t size;
  stdio_wire pipes;  ///< to and from a victim that serves over them

 private:
  int listener_;
  int control_;
};

/// The member `id` of a request as JSON.
std::string id_text(std::string_view request);
inline std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}
/// `one(0)`, `one(1)` … with commas between them.
inline std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& one) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += ',';
    all += one(i);
  }
  return all;
}
inline constexpr std::string_view one_tool = R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}}]})";
inline constexpr std::string_view plain_result = R"({"content":[{"type":"text","text":"ok"}]})";

}  // namespace hawser::testing
