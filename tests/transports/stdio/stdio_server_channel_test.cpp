// SPDX-License-Identifier: MIT
#include "../../../transports/stdio/stdio_server_channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <vector>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/io/detail/unique_fd.hpp"
#include "../../support/counted.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace stdio_server_channel_test {

using namespace hawser;
using namespace std::chrono_literals;
using hawser::detail::unique_fd;
using testing::counted;

task<result<void>> wait_for(event& e) { co_return co_await e.wait(); }

class keeping final : public receiver {
 public:
  void on_message(const message_view& message) noexcept override {
    messages.emplace_back(message.bytes);
    arrived.set();
  }
  void on_request_failed(std::int64_t /*request*/, error /*why*/) noexcept override {}
  void on_reset(error /*why*/) noexcept override {}
  void on_closed(error why) noexcept override {
    ends.push_back(std::move(why));
    closed.set();
    arrived.set();
  }
  task<std::string> next() {
    while (messages.empty() && ends.empty()) {
      arrived.reset();
      auto more = co_await with_timeout(5s, wait_for(arrived));
      if (!more) break;
    }
    if (messages.empty()) co_return std::string{};
    std::string first = messages.front();
    messages.erase(messages.begin());
    co_return first;
  }
  task<error> end() {
    auto ended = co_await with_timeout(5s, wait_for(closed));
    expect(ended.has_value());
    if (ends.empty()) co_return error{.code = errc::timed_out, .what = "it did not end"};
    co_return ends.front();
  }
  std::vector<std::string> messages;
  std::vector<error> ends;
  event arrived;
  event closed;
};

struct pipe_ends {
  pipe_ends() {
    std::array<int, 2> both{};
    expect(pipe2(both.data(), O_CLOEXEC) == 0);
    read = unique_fd{both[0]};
    write = unique_fd{both[1]};
  }
  unique_fd read;
  unique_fd write;
};

void put(const unique_fd& to, std::string_view bytes) {
  expect(::write(to.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

// What can be read at once; the writers write before anybody looks.
std::string got(const unique_fd& from) {
  std::string bytes(1 << 20, '\0');
  const ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

bool blocks(const unique_fd& fd) { return (fcntl(fd.get(), F_GETFL) & O_NONBLOCK) == 0; }

constexpr std::string_view ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr std::string_view answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

task<void> over_pipes() {
  pipe_ends in;
  pipe_ends out;
  keeping heard;
  stdio_server_channel wire{{.input = in.read.get(), .output = out.write.get()}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  expect(blocks(in.read) && blocks(out.write)) << "the pipes' other users notice nothing";
  put(in.write, std::string{"\xEF\xBB\xBF"} + std::string{ping} + "\r\nsome noise\n\n" + std::string{ping} + "\n");
  const std::string first = co_await heard.next();
  const std::string second = co_await heard.next();
  expect(first == ping && second == ping && wire.reader().noise() == 1_u);
  wire.send({.line = answer});
  auto sent = co_await wire.drained();
  expect(sent.has_value() && got(out.read) == answer);
  put(in.write, ping);  // and no line feed
  in.write.reset();
  const std::string last = co_await heard.next();
  const error why = co_await heard.end();
  expect(last == ping && why.code == errc::closed) << why.what;
  wire.send({.line = answer});
  auto closed = co_await wire.close();
  expect(closed.has_value() && got(out.read) == answer && heard.ends.size() == 1_ul);
  auto again = co_await wire.close();
  expect(again.has_value());
}

task<void> nobody_reads() {
  pipe_ends in;
  pipe_ends out;
  keeping heard;
  stdio_server_channel wire{{.input = in.read.get(), .output = out.write.get()}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  out.read.reset();
  wire.send({.line = answer});
  const error why = co_await heard.end();
  expect(why.code == errc::closed && why.what == "the client no longer reads our standard output") << why.what;
  auto closed = co_await wire.close();
  expect(closed.has_value());
}

task<void> over_one_socket() {
  std::array<int, 2> both{};
  expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) == 0);
  unique_fd ours{both[0]};
  unique_fd theirs{both[1]};
  keeping heard;
  stdio_server_channel wire{{.input = ours.get(), .output = ours.get()}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  put(theirs, std::string{ping} + "\n");
  shutdown(theirs.get(), SHUT_WR);
  const error why = co_await heard.end();
  expect(why.what == "the client closed our standard input" && heard.messages.size() == 1_ul) << why.what;
  wire.send({.line = answer});  // it still reads
  auto closed = co_await wire.close();
  expect(closed.has_value() && got(theirs) == answer);
  expect(blocks(ours)) << "as it was before";
}

task<void> from_file_to_file() {
  const testing::temporary_folder folder;
  const std::string in = folder / "in";
  const std::string out = folder / "out";
  std::ofstream{in} << ping << '\n' << ping;
  unique_fd input{open(in.c_str(), O_RDONLY | O_CLOEXEC)};
  unique_fd output{open(out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  keeping heard;
  stdio_server_channel wire{{.input = input.get(), .output = output.get()}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  const error why = co_await heard.end();
  expect(why.code == errc::closed && heard.messages.size() == 2_ul) << why.what;
  const std::string large = '"' + std::string(300'000, 'x') + "\"\n";
  wire.send({.line = answer});
  wire.send({.line = large});
  auto closed = co_await wire.close();
  expect(closed.has_value());
  std::ostringstream written;
  written << std::ifstream{out}.rdbuf();
  expect(written.str() == std::string{answer} + large);
}

task<void> from_null() {
  unique_fd null{open("/dev/null", O_RDWR | O_CLOEXEC)};
  keeping heard;
  stdio_server_channel wire{{.input = null.get(), .output = null.get()}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  wire.send({.line = answer});
  const error why = co_await heard.end();
  expect(why.code == errc::closed && heard.messages.empty());
  auto closed = co_await wire.close();
  expect(closed.has_value());
}

task<void> from_nothing() {
  keeping heard;
  stdio_server_channel wire{{.input = 9999}};
  auto opened = co_await wire.open(heard);
  expect(!opened.has_value() && opened.error().code == errc::io && heard.ends.empty());
  expect(opened.error().what == "standard input: descriptor 9999: Bad file descriptor") << opened.error().what;
  auto closed = co_await wire.close();
  expect(closed.has_value());
}

task<void> too_large() {
  pipe_ends in;
  pipe_ends out;
  keeping heard;
  stdio_server_channel wire{{.input = in.read.get(), .output = out.write.get(), .limits = {.max_message = 1000}}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  put(in.write, std::string(2000, '{'));
  const error why = co_await heard.end();
  expect(why.code == errc::too_large) << why.what;
  auto closed = co_await wire.close();
  expect(closed.has_value());
}

task<void> slow_reader() {
  pipe_ends in;
  pipe_ends out;
  keeping heard;
  stdio_server_channel wire{{.input = in.read.get(), .output = out.write.get(), .flush_timeout = 20ms}};
  auto opened = co_await wire.open(heard);
  expect(opened.has_value());
  const std::string large(1'000'000, 'x');
  wire.send({.line = large});
  expect(wire.queued() > 0_ul);
  auto closed = co_await wire.close();  // it waited long enough for somebody who takes nothing
  expect(closed.has_value());
}

task<void> one_exchange(loop& /*home*/) {
  const counted alive;
  pipe_ends in;
  pipe_ends out;
  unique_fd null{open("/dev/null", O_RDWR | O_CLOEXEC)};
  keeping heard;
  {
    stdio_server_channel wire{{.input = in.read.get(), .output = null.get(), .flush_timeout = 20ms}};
    auto opened = co_await wire.open(heard);
    expect(opened.has_value());
    put(in.write, std::string{ping} + "\n");
    const std::string request = co_await heard.next();
    wire.send({.line = answer});
    auto sent = co_await wire.drained();
    ignore(sent, "a stop may come first");
    auto closed = co_await wire.close();
    expect(closed.has_value());
  }
}

const suite<"own_stdio_channel"> tests = [] {
  "messages come and go over pipes, and the end of the input is the end"_test = [] { testing::run(over_pipes()); };
  "a client that no longer reads ends it"_test = [] { testing::run(nobody_reads()); };
  "one socket is both, and gets its flags back"_test = [] { testing::run(over_one_socket()); };
  "files are read and written like pipes, to the last byte"_test = [] { testing::run(from_file_to_file()); };
  "nothing comes from /dev/null but the end"_test = [] { testing::run(from_null()); };
  "a descriptor that is none is told by its number"_test = [] { testing::run(from_nothing()); };
  "a message beyond the limit ends it"_test = [] { testing::run(too_large()); };
  "closing does not wait for ever for a slow reader"_test = [] { testing::run(slow_reader()); };
  "a stop at every step leaves nothing behind"_test = [] { testing::every_step(one_exchange); };
};

}  // namespace stdio_server_channel_test
