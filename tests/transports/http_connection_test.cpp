// SPDX-License-Identifier: MIT
// One connection over a wire that does what no server can be made to do at the right moment.
#include "../../transports/http_connection.hpp"

#include "../../runtime/loop.hpp"
#include "../support/ut.hpp"

namespace http_connection_test {

using namespace hawser;

// What is written leaves when the test says so, and what the test says arrives at once.
class slow_wire final : public byte_stream {
 public:
  struct state {
    byte_listener* to = nullptr;
    byte_buffer in{};
    std::uint64_t left = 0;
    bool dropped = false;
    void arrive(std::string_view bytes) {
      const auto room = in.reserve(bytes.size());
      std::memcpy(room.at, bytes.data(), bytes.size());
      in.commit(bytes.size());
      to->on_bytes();
    }
  };
  explicit slow_wire(state& of) : of_(of) {}

  void listen(byte_listener& to) override { of_.to = &to; }
  [[nodiscard]] std::string_view unread() const noexcept override { return of_.in.view(); }
  void consume(std::size_t count) noexcept override { of_.in.consume(count); }
  void expect(std::size_t) override {}
  [[nodiscard]] std::size_t outside() const noexcept override { return 0; }
  [[nodiscard]] byte_buffer take(std::size_t count) override { return of_.in.split(count); }
  void write(std::string_view bytes) override { unsent_ += bytes; }
  [[nodiscard]] std::size_t queued() const noexcept override { return unsent_.size(); }
  void drop_unsent() noexcept override {
    unsent_.clear();
    of_.dropped = true;
  }
  [[nodiscard]] std::uint64_t written() const noexcept override { return of_.left; }
  task<result<void>> drained() override { co_return result<void>{}; }
  task<result<void>> shutdown() override { co_return result<void>{}; }
  task<void> close() override { co_return; }
  void rest() noexcept override {}

 private:
  state& of_;
  std::string unsent_;
};

struct nobody_keeps final : idle_keeper {
  void idle_ended() noexcept override {}
};

constexpr std::string_view request = "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

task<void> exchange(loop& l, bool left) {
  slow_wire::state wire;
  nobody_keeps keeper;
  http_connection over{l,     *http_url::parse("http://127.0.0.1:1/mcp"), std::make_unique<slow_wire>(wire), {}, {},
                       keeper};
  over.send(request);
  if (left) wire.left += request.size();
  wire.arrive(answer);
  auto answered = co_await over.answered();
  expect(answered.has_value() == left);
  if (!answered)
    expect(answered.error().code == errc::protocol and answered.error().executed == execution::no)
        << answered.error().what;
  if (left) expect(over.complete());
  expect(wire.dropped != left) << "what was not believed is not asked either";
  expect(!over.usable());
  co_await over.close();
}

suite<"http connection"> connections = [] {
  "T-19 an answer that begins before any of its request has left is nobody's"_test = [] {
    for (const bool left : {true, false}) {
      loop l;
      l.run(exchange(l, left));
    }
  };
};

}  // namespace http_connection_test
