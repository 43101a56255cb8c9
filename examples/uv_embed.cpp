// SPDX-License-Identifier: MIT
// Embeds Hawser in a program that runs its own libuv loop: the program has a timer, a pipe and a TCP echo on its loop
// and calls tools there. It reports the results of the calls and the state of its own handles.
//
//   example_uv_embed mcp.json 1000 files__read_file '{"path":"notes.txt"}' other__tool '{}'
//
// With 0 calls it runs without Hawser for a second, for comparison.
#include <uv.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "../host/config/config.hpp"
#include "../host/hub.hpp"
#include "../host/result/model_text.hpp"
#include "../runtime/async/scope.hpp"
#include "../runtime/loop/attached_loop.hpp"
#include "../runtime/process/standard_descriptors.hpp"

namespace {

void close_handle(auto& handle) { uv_close(reinterpret_cast<uv_handle_t*>(&handle), nullptr); }

uv_stream_t* as_stream(auto& handle) { return reinterpret_cast<uv_stream_t*>(&handle); }

void lend_buffer(uv_handle_t* /*handle*/, std::size_t /*suggested*/, uv_buf_t* buffer) {
  static std::array<char, 4096> bytes;
  *buffer = uv_buf_init(bytes.data(), bytes.size());
}

// Bytes of the program that must all arrive in order; each byte is a sequence number.
class counted_bytes {
 public:
  [[nodiscard]] char next() { return static_cast<char>(sent++); }
  void received(const char* bytes, ssize_t count) {
    for (ssize_t i = 0; i < count; ++i) in_order = in_order && bytes[i] == static_cast<char>(arrived++);
  }
  [[nodiscard]] bool complete() const { return in_order && arrived == sent; }
  long sent = 0;
  long arrived = 0;
  bool in_order = true;
};

// A pipe of the program with both ends on its loop.
class own_pipe {
 public:
  bool start(uv_loop_t* loop) {
    std::array<uv_file, 2> ends{};
    if (uv_pipe(ends.data(), UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) != 0) return false;
    uv_pipe_init(loop, &reader_, 0);
    uv_pipe_init(loop, &writer_, 0);
    uv_pipe_open(&reader_, ends[0]);
    uv_pipe_open(&writer_, ends[1]);
    reader_.data = this;
    return uv_read_start(as_stream(reader_), lend_buffer, [](uv_stream_t* s, ssize_t count, const uv_buf_t* buffer) {
             if (count > 0) static_cast<own_pipe*>(s->data)->bytes.received(buffer->base, count);
           }) == 0;
  }
  void send() {
    char byte = bytes.next();
    const uv_buf_t buffer = uv_buf_init(&byte, 1);
    if (uv_try_write(as_stream(writer_), &buffer, 1) != 1) bytes.in_order = false;
  }
  void close() {
    close_handle(reader_);
    close_handle(writer_);
  }
  counted_bytes bytes;

 private:
  uv_pipe_t reader_{};
  uv_pipe_t writer_{};
};

// A TCP echo server of the program, and a client of it.
class own_echo {
 public:
  bool start(uv_loop_t* loop) {
    loop_ = loop;
    sockaddr_in address{};
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(loop, &server_);
    server_.data = this;
    uv_tcp_bind(&server_, reinterpret_cast<const sockaddr*>(&address), 0);
    if (uv_listen(as_stream(server_), 1, [](uv_stream_t* s, int) { static_cast<own_echo*>(s->data)->accept(); }) != 0)
      return false;
    int size = sizeof address;
    uv_tcp_getsockname(&server_, reinterpret_cast<sockaddr*>(&address), &size);
    uv_tcp_init(loop, &client_);
    client_.data = this;
    request_.data = this;
    return uv_tcp_connect(&request_, &client_, reinterpret_cast<const sockaddr*>(&address),
                          [](uv_connect_t* r, int status) {
                            auto& self = *static_cast<own_echo*>(r->data);
                            self.connected_ = status == 0;
                            self.read(self.client_, [](uv_stream_t* s, ssize_t count, const uv_buf_t* buffer) {
                              if (count > 0) static_cast<own_echo*>(s->data)->bytes.received(buffer->base, count);
                            });
                          }) == 0;
  }
  void send() {
    if (!connected_) return;
    char byte = bytes.next();
    const uv_buf_t buffer = uv_buf_init(&byte, 1);
    if (uv_try_write(as_stream(client_), &buffer, 1) != 1) bytes.in_order = false;
  }
  void close() {
    close_handle(server_);
    close_handle(client_);
    if (accepted_) close_handle(other_);
  }
  counted_bytes bytes;

 private:
  void read(uv_tcp_t& from, uv_read_cb each) { uv_read_start(as_stream(from), lend_buffer, each); }
  void accept() {
    uv_tcp_init(loop_, &other_);
    accepted_ = true;
    if (uv_accept(as_stream(server_), as_stream(other_)) != 0) return;
    read(other_, [](uv_stream_t* s, ssize_t count, const uv_buf_t* buffer) {
      const uv_buf_t back = uv_buf_init(buffer->base, static_cast<unsigned>(std::max<ssize_t>(count, 0)));
      if (count > 0) uv_try_write(s, &back, 1);
    });
  }
  uv_loop_t* loop_ = nullptr;
  uv_tcp_t server_{};
  uv_tcp_t client_{};
  uv_tcp_t other_{};
  uv_connect_t request_{};
  bool connected_ = false;
  bool accepted_ = false;
};

// Every 2 ms the program sends a byte through its pipe and one to its echo server, and records the timer's delay.
class own_handles {
 public:
  bool start(uv_loop_t* loop) {
    uv_timer_init(loop, &timer_);
    timer_.data = this;
    last_ = uv_hrtime();
    uv_timer_start(&timer_, [](uv_timer_t* t) { static_cast<own_handles*>(t->data)->tick(); }, period_ms, period_ms);
    return pipe_.start(loop) && echo_.start(loop);
  }
  /// Closes the handles when everything sent has arrived.
  void stop() { stopping_ = true; }
  void stop_after(int milliseconds) { ticks_left_ = milliseconds / period_ms; }
  /// Whether nothing was lost.
  bool report() const {
    std::printf("own timer: %ld ticks, worst delay %.1f ms\n", ticks_, worst_delay_ms_);
    std::printf("own pipe: %ld of %ld bytes; own TCP echo: %ld of %ld bytes\n", pipe_.bytes.arrived, pipe_.bytes.sent,
                echo_.bytes.arrived, echo_.bytes.sent);
    return pipe_.bytes.complete() && echo_.bytes.complete();
  }

 private:
  static constexpr int period_ms = 2;

  void tick() {
    const std::uint64_t now = uv_hrtime();
    worst_delay_ms_ = std::max(worst_delay_ms_, static_cast<double>(now - last_) / 1e6 - period_ms);
    last_ = now;
    ++ticks_;
    if (ticks_left_ > 0 && --ticks_left_ == 0) stop();
    if (!stopping_) {
      pipe_.send();
      echo_.send();
    } else if (pipe_.bytes.arrived == pipe_.bytes.sent && echo_.bytes.arrived == echo_.bytes.sent) {
      close_handle(timer_);
      pipe_.close();
      echo_.close();
    }
  }

  uv_timer_t timer_{};
  own_pipe pipe_;
  own_echo echo_;
  std::uint64_t last_ = 0;
  long ticks_ = 0;
  int ticks_left_ = 0;
  double worst_delay_ms_ = 0;
  bool stopping_ = false;
};

struct tool_call {
  std::string tool;
  std::string arguments;
};

struct outcome {
  long answered = 0;
  long failed = 0;
  std::string why{};  // the first failure
};

hawser::task<void> call_in_turn(hawser::hub& tools, const std::vector<tool_call>& calls, long& left, outcome& seen) {
  while (left > 0) {
    const tool_call& next = calls[static_cast<std::size_t>(--left) % calls.size()];
    auto answer = co_await tools.call(next.tool, next.arguments);
    const bool good = answer && !answer->is_error();
    ++(good ? seen.answered : seen.failed);
    if (!good && seen.why.empty()) seen.why = hawser::render_for_model(answer).output;
  }
}

constexpr int callers = 8;

hawser::task<outcome> use_tools(hawser::loop& home, hawser::host_settings settings, std::vector<tool_call> calls,
                                long count) {
  outcome seen;
  hawser::hub tools{home, std::move(settings)};
  auto opened = co_await tools.open();
  if (!opened) seen.why = opened.error().what;
  hawser::scope all{co_await hawser::this_context()};
  for (int i = 0; i < callers; ++i) all.spawn(call_in_turn(tools, calls, count, seen));
  co_await all.join();
  auto closed = co_await tools.close();  // on every path, before the loop is detached
  if (!closed) seen.why = closed.error().what;
  co_return seen;
}

int usage(const char* program) {
  std::fprintf(stderr, "usage: %s CONFIG COUNT TOOL JSON [TOOL JSON ...]\n", program);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (!hawser::open_standard_descriptors()) return 1;  // otherwise sockets could become stdout
  if (argc < 5 || argc % 2 == 0) return usage(argv[0]);
  std::ifstream file{argv[1]};
  std::string text;
  std::getline(file, text, '\0');
  if (!file.eof()) {
    std::fprintf(stderr, "%s cannot be read\n", argv[1]);
    return 2;
  }
  const hawser::config_result config = hawser::parse_config(text, argv[1], hawser::process_variables());
  for (const auto& problem : config.problems) std::fprintf(stderr, "%s\n", problem.text().c_str());
  const long count = std::strtol(argv[2], nullptr, 10);
  std::vector<tool_call> calls;
  for (int i = 3; i + 1 < argc; i += 2) calls.push_back({argv[i], argv[i + 1]});

  uv_loop_t* const loop = uv_default_loop();
  own_handles own;
  if (!own.start(loop)) return 1;
  outcome seen;
  if (count > 0) {
    hawser::attached_loop attached{loop};
    attached.start(use_tools(attached.event_loop(), config.settings, std::move(calls), count), [&](outcome result) {
      seen = std::move(result);
      attached.detach([&own] { own.stop(); });  // from here on no handle of Hawser is on the loop
    });
    uv_run(loop, UV_RUN_DEFAULT);
  } else {
    own.stop_after(1000);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  const bool closed = uv_loop_close(loop) == 0;

  std::printf("%ld calls answered, %ld failed%s%s\n", seen.answered, seen.failed, seen.why.empty() ? "" : ": ",
              seen.why.c_str());
  const bool complete = own.report();
  return closed && complete && seen.failed == 0 && seen.why.empty() ? 0 : 1;
}
