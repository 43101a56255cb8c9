// SPDX-License-Identifier: MIT
// Requests that wait in the queue of a child's stdin when the conversation ends: what is reported as not executed must
// never reach the child.
#include <fstream>
#include <iterator>

#include "../../../runtime/async/sleep.hpp"
#include "../../support/temporary_folder.hpp"
#include "stdio_fixture.hpp"

namespace stdio_unsent_test {

using namespace hawser;
using namespace hawser::testing::stdio_fixture;
using namespace std::chrono_literals;
using testing::contains;
using testing::temporary_folder;

constexpr shutdown_timeouts unhurried{.after_stdin = 20s, .after_sigterm = 1s, .after_sigkill = 2s};

std::string content_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// A text that names a call; no name is the beginning of another.
std::string name_of(std::size_t call) { return "call " + std::to_string(call) + '.'; }

// Its output ends at once; it reads its input, all of it, only when `folder/go` exists.
std::string reads_late(const temporary_folder& folder) {
  return "exec >&-; while [ ! -e '" + folder / "go" + "' ]; do sleep 0.01; done; cat > '" + folder / "taken" + "'";
}

task<result<void>> drained(stdio_channel& wire) { co_return co_await wire.drained(); }

task<void> reads_after_the_end(loop& l, const temporary_folder& folder) {
  keeper k{l};
  std::vector<outcome> got(100);
  {
    server_fixture h{l, k, {.what = script(reads_late(folder)), .ladder = unhurried}};
    auto opened = co_await h.wire.open(h.side);
    expect(fatal(opened.has_value()));
    scope calls{co_await this_context()};
    for (std::size_t i = 0; i < got.size(); ++i)
      calls.spawn(record_call(h.side, got[i], '"' + name_of(i) + std::string(20'000, 'x') + '"'));
    co_await calls.join();
    std::ofstream{folder / "go"} << "go";
    auto left = co_await with_timeout(20s, drained(h.wire));  // whatever is still queued would reach the child now
    ignore(left, "an error says that nothing will leave any more");
    auto closed = co_await h.wire.close();
    expect(closed.has_value());
  }
  auto ended = co_await k.close();
  expect(ended.has_value());

  const std::string taken = content_of(folder / "taken");
  std::size_t no = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect(fatal(got[i].ends == 1_i && got[i].failure.has_value()));
    if (got[i].failure->executed != execution::no) continue;
    ++no;
    expect(!contains(taken, name_of(i))) << name_of(i) << "was reported as not executed and reached the server";
  }
  expect(no > 0_ul && no < got.size()) << no;
}

// The server reads nothing until the calls have been given up.
task<void> reads_after_giving_up(loop& l, const temporary_folder& folder) {
  keeper k{l};
  std::vector<outcome> got(100);
  outcome last;
  {
    const std::string reads =
        "while [ ! -e '" + folder / "go" + "' ]; do sleep 0.01; done; cat > '" + folder / "taken" + "'";
    server_fixture h{l, k, {.what = script(reads), .ladder = unhurried}};
    auto opened = co_await h.wire.open(h.side);
    expect(fatal(opened.has_value()));
    scope calls{co_await this_context()};
    scope waiting{co_await this_context()};
    for (std::size_t i = 0; i < got.size(); ++i)
      calls.spawn(record_call(h.side, got[i], '"' + name_of(i) + std::string(20'000, 'x') + '"'));
    waiting.spawn(record_call(h.side, last, "\"the last one\""));
    while (h.wire.queued() == 0) {
      auto turn = co_await sleep_for(duration::zero());
      expect(fatal(turn.has_value()));
    }
    const std::size_t queued = h.wire.queued();
    calls.request_stop();
    co_await calls.join();
    expect(h.wire.queued() < queued) << "what was given up is not kept";
    std::ofstream{folder / "go"} << "go";
    auto left = co_await with_timeout(20s, drained(h.wire));
    expect(left.has_value());
    auto closed = co_await h.wire.close();
    expect(closed.has_value());
    co_await waiting.join();
  }
  auto ended = co_await k.close();
  expect(ended.has_value());

  const std::string taken = content_of(folder / "taken");
  expect(contains(taken, "\"the last one\"")) << "what was behind them is sent";
  expect(last.failure.has_value() && last.failure->executed == execution::unknown);
  std::size_t no = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect(fatal(got[i].ends == 1_i && got[i].failure.has_value() && got[i].failure->code == errc::cancelled));
    const bool sent = got[i].failure->executed == execution::unknown;
    if (!sent) ++no;
    expect(contains(taken, name_of(i)) == sent) << name_of(i);
  }
  expect(no > 0_ul && no < got.size()) << no;
  // Whole lines only, whatever was taken out between them.
  for (std::size_t begin = 0; begin < taken.size();) {
    const std::size_t end = taken.find('\n', begin);
    expect(fatal(end != std::string::npos));
    expect(taken.compare(begin, 11, R"({"jsonrpc":)") == 0 && taken[end - 1] == '}');
    begin = end + 1;
  }
}

// Keeps the requests that failed.
class failing final : public receiver {
 public:
  std::vector<std::int64_t> not_executed;
  std::vector<error> closed;

 private:
  void on_message(const message_view& /*message*/) noexcept override {}
  void on_request_failed(std::int64_t request, error why) noexcept override {
    if (why.executed == execution::no) not_executed.push_back(request);
  }
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error why) noexcept override { closed.push_back(std::move(why)); }
};

// What is sent in one turn of the loop leaves at its end; closing comes first.
task<void> closed_in_the_same_turn(loop& l, const temporary_folder& folder) {
  keeper k{l};
  failing heard;
  {
    stdio_channel wire{k, {.what = script("cat > '" + folder / "taken" + "'"), .ladder = unhurried}};
    auto opened = co_await wire.open(heard);
    expect(fatal(opened.has_value()));
    for (std::int64_t id = 1; id <= 3; ++id)
      wire.send({.line = name_of(static_cast<std::size_t>(id)) + '\n', .request = id});
    auto closed = co_await wire.close();
    expect(closed.has_value() && heard.closed.size() == 1_ul);
    expect(wire.send({.line = "too late\n", .request = 4}) == 0_ul);
  }
  auto ended = co_await k.close();
  expect(ended.has_value());
  const std::string taken = content_of(folder / "taken");
  expect(!heard.not_executed.empty());
  for (const std::int64_t id : heard.not_executed)
    expect(!contains(taken, name_of(static_cast<std::size_t>(id)))) << "reported as not executed, and sent:" << taken;
}

const suite<"stdio_unsent"> tests = [] {
  "CLM-1 queued requests that are reported as not executed never reach a server that goes on reading"_test = [] {
    const temporary_folder folder;
    loop l;
    l.run(reads_after_the_end(l, folder));
  };
  "CLM-6 calls that are cancelled while their requests are queued are not sent, and others are"_test = [] {
    const temporary_folder folder;
    loop l;
    l.run(reads_after_giving_up(l, folder));
  };
  "CLM-1 requests that are reported as not executed when a channel is closed are not sent by closing it"_test = [] {
    const temporary_folder folder;
    loop l;
    l.run(closed_in_the_same_turn(l, folder));
  };
};

}  // namespace stdio_unsent_test
