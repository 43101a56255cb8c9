// SPDX-License-Identifier: MIT
// The byte_stream without TLS: forwards to a stream of the runtime.
#include <utility>

#include "byte_stream.hpp"

namespace hawser {

namespace {

class plain_stream final : public byte_stream {
 public:
  explicit plain_stream(stream over) noexcept : over_(std::move(over)) {}

  void listen(byte_listener& to) override { over_.listen(to); }
  [[nodiscard]] std::string_view unread() const noexcept override { return over_.unread(); }
  void consume(std::size_t count) noexcept override { over_.consume(count); }
  void expect(std::size_t count) override { over_.expect(count); }
  [[nodiscard]] std::size_t bytes_in_kernel() const noexcept override { return over_.bytes_in_kernel(); }
  [[nodiscard]] byte_buffer take(std::size_t count) override { return over_.take(count); }

  void write(std::string_view bytes) override { over_.write(bytes); }
  void hand_over(std::string&& bytes) override { over_.write(std::move(bytes)); }
  void drop_unsent() noexcept override { over_.drop_unsent(); }
  [[nodiscard]] std::size_t queued() const noexcept override { return over_.queued(); }
  [[nodiscard]] std::uint64_t written() const noexcept override { return over_.written(); }
  task<result<void>> drained() override { co_return co_await over_.drained(); }

  task<result<void>> shutdown() override { return over_.shutdown(); }
  task<void> close() override { co_await over_.close(); }
  void trim() noexcept override { over_.trim(); }

 private:
  stream over_;
};

}  // namespace

std::unique_ptr<byte_stream> make_plain_stream(stream over) { return std::make_unique<plain_stream>(std::move(over)); }

}  // namespace hawser
