// SPDX-License-Identifier: MIT
// A system that watches no more descriptors for this user (fs.epoll.max_user_watches, or no memory): a stream is
// refused when it is made. Later, libuv would end the process.
#include <sys/epoll.h>

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../runtime/io/stream.hpp"
#include "../../support/run.hpp"
#include "../../support/stream_pair.hpp"
#include "../../support/traced_child.hpp"
#include "../../support/ut.hpp"

namespace stream_refusal_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::traced_action;
using testing::traced_call;
using testing::traced_child;

enum outcome : int { done = 0, refused = 10, something_else = 30 };

task<result<void>> exchange(stream& a, stream& b) {
  a.write("x");
  auto heard = co_await b.read_some();
  if (!heard) co_return heard.error();
  co_return result<void>{};
}

// In the child: what the system is asked between the two calls of getppid() is what making two streams asks.
task<outcome> make_streams(loop& l) {
  ignore(co_await sleep_for(1ms), "libuv has begun to watch its own descriptors, without which it could not be");
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) co_return something_else;
  getppid();
  auto a = stream::adopt(l, fds[0]);
  auto b = stream::adopt(l, fds[1]);
  getppid();
  for (const auto* one : {&a, &b}) {
    if (!*one) co_return one->error().native == -ENOSPC ? refused : something_else;
  }
  const auto exchanged = co_await exchange(*a, *b);
  co_return exchanged ? done : something_else;
}

int make_streams_in_a_process() {
  loop l;
  return l.run(make_streams(l));
}

const suite<"stream refusal"> tests = [] {
  "a descriptor that the system does not watch is refused when its stream is made"_test = [] {
    int failed = 0;
    int told = 0;
    for (bool hit = true; hit; ++failed) {
      hit = false;
      bool making = false;
      int next = 0;
      const int status = traced_child::run(make_streams_in_a_process, [&](const traced_call& call) {
        if (call.number == SYS_getppid) making = !making;
        const bool adds = making && call.number == SYS_epoll_ctl && call.second == EPOLL_CTL_ADD;
        if (!adds || next++ != failed) return traced_action{};
        hit = true;
        return traced_action{.fail_with = ENOSPC};
      });
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      expect(code == (hit ? refused : done)) << "call" << failed << "outcome" << code;
      told += code == refused ? 1 : 0;
    }
    expect(told == 2_i) << "one for each stream" << failed;
  };
};

}  // namespace stream_refusal_test
