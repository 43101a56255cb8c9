// SPDX-License-Identifier: MIT
#include <sys/socket.h>

#include <string>
#include <vector>

#include "../../../runtime/async/event.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../transports/tls/plain_stream.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace plain_stream_test {

using namespace hawser;
using testing::counted;

struct pair {
  std::unique_ptr<byte_stream> a;
  std::unique_ptr<byte_stream> b;
};

pair plain_pair(loop& l) {
  int fds[2];
  expect(fatal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0));
  auto a = stream::adopt(l, fds[0]);
  auto b = stream::adopt(l, fds[1]);
  return {make_plain_stream(std::move(*a)), make_plain_stream(std::move(*b))};
}

class collected final : public byte_listener {
 public:
  explicit collected(byte_stream& from) : from_(from) {}
  void on_bytes() noexcept override {
    text += from_.unread();
    from_.consume(from_.unread().size());
  }
  void on_end(const error& why) noexcept override {
    ends.push_back(why.code);
    ended.set();
  }
  std::string text;
  std::vector<errc> ends;
  event ended;

 private:
  byte_stream& from_;
};

task<result<void>> send_and_end(byte_stream& to, std::string text) {
  const counted alive;
  to.write(text);
  auto sent = co_await to.drained();
  if (!sent) co_return sent.error();
  expect(to.queued() == 0_ul and to.written() == text.size());
  co_return co_await to.shutdown();
}

task<result<void>> until_the_end(event& ended) { co_return co_await ended.wait(); }

task<void> a_megabyte(loop& l) {
  pair p = plain_pair(l);
  collected heard{*p.b};
  p.b->listen(heard);
  const std::string text(std::size_t{1} << 20, 'x');
  auto both = co_await when_all(send_and_end(*p.a, text), until_the_end(heard.ended));
  if (std::get<1>(both).has_value()) {
    expect(heard.text == text and heard.ends == std::vector{errc::closed});
  }
  p.b->trim();
  co_await p.b->close();
  co_await p.b->close();
}

// Takes nothing, and notes where the bytes lie.
class expecting final : public byte_listener {
 public:
  expecting(byte_stream& from, std::size_t size) : from_(from), size_(size) {}
  void on_bytes() noexcept override {
    if (places.empty()) from_.expect(size_);
    if (places.empty() || places.back() != from_.unread().data()) places.push_back(from_.unread().data());
    if (from_.unread().size() == size_) all.set();
  }
  void on_end(const error& /*why*/) noexcept override { all.set(); }
  std::vector<const char*> places;
  event all;

 private:
  byte_stream& from_;
  std::size_t size_;
};

task<void> into_one_place(loop& l) {
  pair p = plain_pair(l);
  const std::string text(std::size_t{1} << 20, 'x');
  expecting heard{*p.b, text.size()};
  p.b->listen(heard);
  p.a->write(text);
  auto came = co_await heard.all.wait();
  expect(came.has_value() and p.b->unread() == text and heard.places.size() == 1_ul) << heard.places.size();
  co_await p.a->close();
  co_await p.b->close();
}

const suite<"plain stream"> tests = [] {
  "bytes that are expected come into one place and stay there"_test = [] {
    loop l;
    l.run(into_one_place(l));
  };

  "a megabyte goes through, and its end is one in good order"_test = [] {
    loop l;
    l.run(a_megabyte(l));
  };
  "an exchange stopped at every step"_test = [] { testing::every_step(a_megabyte); };
};

}  // namespace plain_stream_test
