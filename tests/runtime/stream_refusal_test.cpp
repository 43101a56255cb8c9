// SPDX-License-Identifier: MIT
// A system that watches no more descriptors for this user (fs.epoll.max_user_watches, or no memory): whoever would wait
// for one hears of it, and nobody waits for ever.
#include <sys/epoll.h>

#include "../../runtime/sleep.hpp"
#include "../../runtime/stream.hpp"
#include "../../runtime/timeout.hpp"
#include "../../runtime/when.hpp"
#include "../support/run.hpp"
#include "../support/stream_pair.hpp"
#include "../support/traced_child.hpp"
#include "../support/ut.hpp"

namespace stream_refusal_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::traced_call;
using testing::traced_child;
using testing::traced_verdict;

enum outcome : int { done = 0, refused = 10, stuck = 20, something_else = 30 };

constexpr std::size_t size = 2'000'000;  // more than a socket holds

outcome outcome_of(const error& why) {
  if (why.code == errc::timed_out) return stuck;
  return why.native == -ENOSPC ? refused : something_else;
}

task<result<void>> write_all(stream& to) {
  to.write(std::string(size, 'x'));
  co_return co_await to.drained();
}

task<result<void>> read_all(stream& from) {
  while (from.unread().size() < size) {
    auto more = co_await from.read_some();
    if (!more) co_return more.error();
  }
  co_return result<void>{};
}

task<result<void>> bounded(task<result<void>> what) { co_return co_await with_timeout(500ms, std::move(what)); }

// In the child: a reader that waits for its first byte, a writer that waits for room.
task<outcome> exchange(loop& l) {
  testing::stream_pair p = testing::socket_pair(l);
  ignore(co_await sleep_for(1ms), "libuv has begun to watch its own descriptors, without which it could not be");
  getppid();  // what the system is asked from here on is what a stream asks
  auto both = co_await when_all(bounded(read_all(p.b)), bounded(write_all(p.a)));
  outcome all = done;
  for (const result<void>* one : {&std::get<0>(both), &std::get<1>(both)}) {
    if (one->has_error() && all != refused) all = outcome_of(one->error());
  }
  co_return all;
}

int exchange_in_a_process() {
  loop l;
  return l.run(exchange(l));
}

const suite<"stream refusal"> tests = [] {
  "a descriptor that the system does not watch is an error for who waits on it"_test = [] {
    int failed = 0;
    int told = 0;
    for (bool hit = true; hit; ++failed) {
      hit = false;
      bool begun = false;
      int next = 0;
      const int status = traced_child::run(exchange_in_a_process, [&](const traced_call& call) {
        begun = begun || call.number == SYS_getppid;
        const bool adds = begun && call.number == SYS_epoll_ctl && call.second == EPOLL_CTL_ADD;
        if (!adds || next++ != failed) return traced_verdict{};
        hit = true;
        return traced_verdict{.fail_with = ENOSPC};
      });
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      expect(code == done || (hit && code == refused)) << "call" << failed << "outcome" << code;
      told += code == refused ? 1 : 0;
    }
    expect(told >= 2_i) << "the reader's and the writer's" << failed;
  };
};

}  // namespace stream_refusal_test
