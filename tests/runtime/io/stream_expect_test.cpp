// SPDX-License-Identifier: MIT
// A message of which the size is known: the system collects it, and what comes behind it is told at once again.
#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/io/stream.hpp"
#include "../../../runtime/io/tcp.hpp"
#include "../../support/every_step.hpp"
#include "../../support/ut.hpp"

namespace stream_expect_test {

using namespace hawser;
using namespace std::chrono_literals;

class counting final : public byte_listener {
 public:
  explicit counting(stream& of) : of_(of) {}
  void on_bytes() noexcept override {
    ++told;
    grew.set();
  }
  void on_end(const error&) noexcept override { grew.set(); }

  task<void> wait_for(std::size_t count) {
    while (of_.unread().size() < count) {
      grew.reset();
      (void)co_await grew.wait();
    }
  }

  int told = 0;
  event grew;

 private:
  stream& of_;
};

task<result<void>> write_in_pieces(stream& to, std::size_t size, std::size_t piece) {
  const std::string bytes(piece, 'x');
  for (std::size_t done = 0; done < size; done += piece) {
    to.write(std::string_view{bytes}.substr(0, std::min(piece, size - done)));
    auto left = co_await to.drained();
    if (!left) co_return left;
    (void)co_await sleep_for(1ms);
  }
  co_return result<void>{};
}

task<void> collects(loop& l) {
  auto door = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
  expect(fatal(door.has_value()));
  std::vector<endpoint> candidates{door->local()};
  auto there = co_await tcp_connect(std::move(candidates));
  expect(fatal(there.has_value()));
  auto here = co_await door->accept();
  expect(fatal(here.has_value()));
  counting heard{*here};
  here->listen(heard);

  constexpr std::size_t size = 400'000;
  here->expect(size);
  expect(here->bytes_in_kernel() == 0_u);
  auto written = co_await write_in_pieces(*there, size - 1, 20'000);
  expect(written.has_value());
  for (int i = 0; i < 500 && here->unread().size() + here->bytes_in_kernel() < size - 1; ++i)
    (void)co_await sleep_for(2ms);
  expect(here->unread().size() + here->bytes_in_kernel() == size - 1);
  expect(heard.told <= 2_i) << "one byte is missing, and the system is short of memory at most";
  there->write("x");
  co_await heard.wait_for(size);
  expect(here->bytes_in_kernel() == 0_u and heard.told <= 5_i) << heard.told;
  here->consume(size);

  there->write("y");
  co_await heard.wait_for(1);
  expect(here->unread() == "y") << "a small message is told as ever";
  here->consume(1);

  here->expect(8'000'000);
  there->write("z");
  auto ended = co_await there->shutdown();
  expect(ended.has_value());
  heard.grew.reset();
  auto end = co_await heard.grew.wait();
  expect(end.has_value() and here->unread() == "z") << "an end does not wait for what is missing";
}

task<void> collecting(loop& l) {
  const testing::counted alive;
  auto door = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
  expect(fatal(door.has_value()));
  std::vector<endpoint> candidates{door->local()};
  auto there = co_await tcp_connect(std::move(candidates));
  if (!there) co_return;
  auto here = co_await door->accept();
  if (!here) co_return;
  here->expect(50'000);
  auto written = co_await write_in_pieces(*there, 50'000, 20'000);
  ignore(written, "a stop ends it");
  auto arrived = co_await here->read_some();
  expect(arrived.has_error() || !arrived->empty());
}

suite<"stream expect"> expecting = [] {
  "the system collects what is expected, says how much it has, and nothing behind it waits"_test = [] {
    loop l;
    l.run(collects(l));
  };

  "a message that is being collected, stopped at every step, ends clean"_test = [] {
    testing::every_step(collecting, {.waits = true});
  };
};

}  // namespace stream_expect_test
