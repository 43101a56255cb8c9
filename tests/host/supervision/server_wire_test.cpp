// SPDX-License-Identifier: MIT
// What real processes write to their pipes, and what a caller of the host sees of it.
#include "../../support/hub_fixture.hpp"
#include "../../support/memory_use.hpp"

namespace server_wire_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::call_outcome;
using testing::contains;
using testing::hub_fixture;
using testing::memory_in_use;
using testing::with_hub;
using state = server_state;

task<void> answers(hub_fixture& h, std::string name, std::string text = "ok") {
  const call_outcome got = co_await h.call(name + "__echo");
  expect(got.text == text) << name << got.said();
}

task<void> errors_flood(hub_fixture& h) {
  const std::string size = testing::instrumented ? "100000000" : "1000000000";
  h.add(h.shell("a", "begin; (head -c " + size + " /dev/zero; echo; echo drained) >&2 & serve"));
  co_await h.until("a", state::ready);
  const std::size_t before = memory_in_use();
  int calls = 0;
  for (; !h.of.stderr_tail("a").ends_with("drained\n"); ++calls) co_await answers(h, "a");
  expect(calls > 10_i);
  expect(memory_in_use() < before + 20'000) << before << memory_in_use();
  expect(h.of.stderr_tail("a").size() <= 16'384_ul);
}

task<void> endless_line(hub_fixture& h) {
  h.add(h.shell("a", "begin; request; answer \"$result\"; request; exec cat /dev/zero"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a");  // what was complete before is delivered
  const call_outcome got = co_await h.call("a__echo");
  expect(got.failed_with(errc::too_large, execution::unknown)) << got.said();
  // The next call waits until it is decided what becomes of the server, and says that.
  const call_outcome next = co_await h.call("a__echo");
  expect(next.failure.has_value() && !contains(next.said(), "ready") && contains(next.said(), "started again"))
      << next.said();
  const server_status ended = co_await h.until("a", state::degraded);
  expect(contains(ended.reason, "65536 bytes")) << ended.reason;
  expect(testing::processes_with(h.token).empty()) << "it is killed before it is started again";
}

// Answers of exactly the limit and of one byte more, by a text of $1 bytes.
task<void> largest_message(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
begin
sized() { request
  empty="{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}"
  text=$(head -c $(($1 - ${#empty})) /dev/zero | tr '\0' x)
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$text"; }
sized 65536; sized 65537; serve)sh"));
  co_await h.until("a", state::ready);
  const call_outcome largest = co_await h.call("a__echo");
  expect(largest.text.size() > 65'000_ul && !largest.failure.has_value()) << largest.said();
  const call_outcome larger = co_await h.call("a__echo");
  expect(larger.failed_with(errc::too_large, execution::unknown)) << larger.said();
}

task<void> noise(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
echo 'Welcome!'; echo '{ broken: 1 }'; begin; echo '{"level":30,"msg":"x"}'
while request; do echo 'log: line'; usual || answer "$result"; done)sh"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a");
  co_await answers(h, "a");
  const auto status = h.of.status("a");
  expect(status->state == state::ready && status->noise == 5_u) << status->noise;
}

task<void> line_ends(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\r\n\r\n\n' "$id" "$1"; }
printf '\357\273\277'; begin; printf '\0{"jsonrpc":"2.0","id":1,"result":5}\n'
printf '\357\273\277{"jsonrpc":"2.0","method":"x"}\n'; serve)sh"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a");
  expect(h.of.status("a")->noise == 2_u) << "a NUL byte, and a mark that is not at the very beginning";
}

task<void> byte_by_byte(hub_fixture& h) {
  h.add(h.shell("a", R"sh(result='{"content":[{"type":"text","text":"ä€𝄞"}]}'; serve | dd bs=1 2>/dev/null)sh"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a", "ä€𝄞");
}

task<void> many_in_one_write(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
begin; request; i=0
while [ $i -lt 1000 ]; do i=$((i+1)); t="$t{\"jsonrpc\":\"2.0\",\"method\":\"n/$i\"}
"; done
answer="{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
printf '%s%.20s' "$t" "$answer"; printf '%s\n' "${answer#????????????????????}"; serve)sh"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a");
  std::size_t next = 1;
  for (const host_change& one : h.told) {
    if (one.what != host_change::kind::notification) continue;
    expect(one.level == "n/" + std::to_string(next)) << one.level;
    ++next;
  }
  expect(next == 1001_ul);
}

task<void> broken_text(hub_fixture& h) {
  h.add(h.shell("a", R"sh(
begin; request; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"\377"}]}}\n' "$id"
request; printf '{"jsonrpc":"2.0","result":{"\377":1}}\n'; serve)sh"));
  co_await h.until("a", state::ready);
  const call_outcome named = co_await h.call("a__echo");
  expect(named.failed_with(errc::protocol, execution::unknown) && contains(named.said(), "UTF-8")) << named.said();
  const request_options patience{.timeout = 200ms};
  const call_outcome nameless = co_await h.call("a__echo", "{}", patience);
  expect(nameless.failed_with(errc::timed_out, execution::unknown)) << nameless.said();
  co_await answers(h, "a");
  expect(h.of.status("a")->restarts == 0_ul);
}

task<void> unterminated(hub_fixture& h) {
  h.add(h.shell("a", R"sh(begin; request; printf '{"jsonrpc":"2.0","id":%s,"result":%s}' "$id" "$result"; exit 0)sh"));
  co_await h.until("a", state::ready);
  co_await answers(h, "a");
  const server_status ended = co_await h.until("a", state::degraded);
  expect(contains(ended.reason, "exited with 0")) << ended.reason;
}

host_settings with_messages_up_to(std::size_t bytes) {
  host_settings settings;
  settings.limits.max_message = bytes;
  return settings;
}

const suite<"server wire"> tests = [] {
  "A14 a gigabyte on stderr costs no memory and disturbs no call"_test = [] { with_hub(errors_flood); };
  "A15 a line without end is refused at the limit, after what was complete before"_test = [] {
    with_hub(endless_line, with_messages_up_to(65'536));
  };
  "A16 an answer of exactly the limit is accepted, one byte more is refused"_test = [] {
    with_hub(largest_message, with_messages_up_to(65'536));
  };
  "A17 banners and log lines are passed over and counted"_test = [] { with_hub(noise); };
  "A18 carriage returns, blank lines and a leading byte order mark are fine, NUL bytes are noise"_test = [] {
    with_hub(line_ends);
  };
  "A19 an answer that comes byte by byte is the same"_test = [] { with_hub(byte_by_byte); };
  "A20 a thousand messages and a half in one write are heard in order"_test = [] { with_hub(many_in_one_write); };
  "A21 an answer that is not UTF-8 ends its call if its id can be read, and no other"_test = [] {
    with_hub(broken_text);
  };
  "A22 an answer without a line feed at the very end counts"_test = [] { with_hub(unterminated); };
};

}  // namespace server_wire_test
