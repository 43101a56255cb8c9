// SPDX-License-Identifier: MIT
#include "plain_stream.hpp"

#include <utility>

namespace hawser {

namespace {

class plain_stream final : public byte_stream {
 public:
  explicit plain_stream(stream socket) noexcept : socket_(std::move(socket)) {}

  void listen(byte_listener& listener) override { socket_.listen(listener); }
  [[nodiscard]] std::string_view unread() const noexcept override { return socket_.unread(); }
  void consume(std::size_t count) noexcept override { socket_.consume(count); }
  void expect(std::size_t count) override { socket_.expect(count); }
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept override { return socket_.bytes_in_kernel(); }
  [[nodiscard]] byte_buffer take(std::size_t count) override { return socket_.take(count); }

  void write(std::string_view bytes) override { socket_.write(bytes); }
  void hand_over(std::string&& bytes) override { socket_.write(std::move(bytes)); }
  void drop_unsent() noexcept override { socket_.drop_unsent(); }
  [[nodiscard]] std::size_t queued() const noexcept override { return socket_.queued(); }
  [[nodiscard]] std::uint64_t written() const noexcept override { return socket_.written(); }
  task<result<void>> drained() override { co_return co_await socket_.drained(); }

  task<result<void>> shutdown() override { return socket_.shutdown(); }
  task<void> close() override { co_await socket_.close(); }
  void trim() noexcept override { socket_.trim(); }

 private:
  stream socket_;
};

}  // namespace

std::unique_ptr<byte_stream> make_plain_stream(stream socket) {
  return std::make_unique<plain_stream>(std::move(socket));
}

}  // namespace hawser
