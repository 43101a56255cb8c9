// SPDX-License-Identifier: MIT
#include "hostile_case.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

#include "../../runtime/loop/detail/loop_core.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"
#include "machine_speed.hpp"

namespace hawser::testing {

namespace {

using std::chrono::nanoseconds;
constexpr nanoseconds event_base = std::chrono::milliseconds{10};
constexpr nanoseconds per_mebibyte = std::chrono::milliseconds{10};
constexpr double most_growth = 2.5;
// Of the bound for one event: a case does in one step what a program does in several, reading a result and every view
// of it for instance. What costs more than its size exceeds it by far.
constexpr double tolerance = 2.5;
// Below it, what is not the input's own cost decides.
constexpr nanoseconds worth_comparing = std::chrono::milliseconds{250};
// What the program itself touches: its code, OpenSSL, the keeper's image.
constexpr std::size_t program_memory = 16 * mebibyte;
constexpr int tries = 4;
constexpr int patience_ms = 20'000;

nanoseconds cpu_time(clockid_t of) {
  timespec t{};
  clock_gettime(of, &t);
  return std::chrono::seconds{t.tv_sec} + nanoseconds{t.tv_nsec};
}

std::size_t memory_line(std::string_view name) {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word.compare(name) == 0 && static_cast<bool>(status >> kilobytes)) return kilobytes * 1024;
  }
  return 0;
}

// What comes back from the measured process, through a pipe.
struct measurement {
  nanoseconds event{};          // the one that came closest to what it is allowed, or went furthest beyond it
  std::uint64_t event_bytes{};  // that the loop read in it
  double event_share = 0;       // of what it is allowed, on a machine of this speed
  double slowdown = 1;          // of the machine at that time
  nanoseconds turn{};           // the longest turn of the loop
  nanoseconds cost{};           // CPU time of all threads
  std::uint64_t read{};         // bytes in all
  std::size_t memory{};
  std::array<char, 400> complaint{};
  bool ended = true;
};

class meter {
 public:
  meter(loop& of, std::size_t message) : of_(of), message_(message) {}

  void operator()() {
    const nanoseconds now = cpu_time(CLOCK_THREAD_CPUTIME_ID);
    if (last_ == nanoseconds{}) last_ = now;  // what comes before the first turn only prepares the case
    const nanoseconds cost = now - last_;
    const std::uint64_t bytes = of_.core().bytes_read - bytes_before_;
    const double mebibytes = double(std::max<std::uint64_t>(bytes, message_)) / double(mebibyte);
    const double allowed = double(event_base.count()) + double(per_mebibyte.count()) * mebibytes;
    if (double(cost.count()) / allowed > seen.event_share) {
      seen.event_share = double(cost.count()) / allowed;
      seen.event = cost;
      seen.event_bytes = bytes;
    }
    if (of_.iteration() != turn_) {
      turn_ = of_.iteration();
      turn_cost_ = {};
    }
    turn_cost_ += cost;
    seen.turn = std::max(seen.turn, turn_cost_);
    bytes_before_ = of_.core().bytes_read;
    last_ = now;
  }

  measurement seen;

 private:
  loop& of_;
  std::size_t message_;
  nanoseconds last_{};
  std::uint64_t bytes_before_ = 0;
  std::uint64_t turn_ = 0;
  nanoseconds turn_cost_{};
};

int handover_listener(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) return -1;
  std::memcpy(at.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || listen(fd, 8) != 0) return -1;
  return fd;
}

void say_what_went_wrong(measurement& in, std::string_view text) {
  const std::size_t count = std::min(text.size(), in.complaint.size() - 1);
  std::memcpy(in.complaint.data(), text.data(), count);
}

// The measured process, from its beginning to its end.
measurement measured_here(const hostile_case& attack, std::size_t size) {
  const temporary_folder folder;
  const std::string path = folder / "handover";
  const int listener = handover_listener(path);
  std::array<int, 2> control{};
  std::array<int, 2> to_victim{};
  std::array<int, 2> from_victim{};
  if (listener < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control.data()) != 0 ||
      pipe2(to_victim.data(), O_CLOEXEC) != 0 || pipe2(from_victim.data(), O_CLOEXEC) != 0)
    _exit(3);
  const int hostile = fork();
  if (hostile == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGPIPE, SIG_IGN);
    for (const int fd : {control[0], to_victim[0], from_victim[1]}) close(fd);
    hostile_side side{size, listener, control[1], from_victim[0], to_victim[1]};
    if (attack.hostile != nullptr) attack.hostile(side);
    _exit(0);
  }
  for (const int fd : {control[1], listener, to_victim[1], from_victim[0]}) close(fd);
  measurement seen;
  {
    const std::size_t memory_before = memory_line("VmRSS:");
    const nanoseconds cost_before = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
    loop home;
    meter measures{home, attack.message(size)};
    home.core().between_events = [&measures] { measures(); };
    victim_side side{home, size, path, control[0], to_victim[0], from_victim[1]};
    const std::string complaint = home.run(attack.victim(side));
    measures();  // the last event
    home.core().between_events = {};
    seen = measures.seen;
    seen.cost = cpu_time(CLOCK_PROCESS_CPUTIME_ID) - cost_before;
    seen.read = home.core().bytes_read;
    const std::size_t peak = memory_line("VmHWM:");
    seen.memory = peak > memory_before ? peak - memory_before : 0;
    say_what_went_wrong(seen, complaint);
  }
  kill(hostile, SIGKILL);
  int status = 0;
  while (waitpid(hostile, &status, 0) < 0 && errno == EINTR) {
  }
  return seen;
}

measurement measured(const hostile_case& attack, std::size_t size) {
  measurement seen;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    say_what_went_wrong(seen, "no pipe could be made");
    return seen;
  }
  const int process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const measurement mine = measured_here(attack, size);
    _exit(::write(ends[1], &mine, sizeof mine) == ssize_t{sizeof mine} ? 0 : 3);
  }
  close(ends[1]);
  const double slowdown_before = slowdown_now();
  pollfd waits{.fd = ends[0], .events = POLLIN, .revents = 0};
  const bool ended = poll(&waits, 1, patience_ms) == 1;
  if (!ended) kill(process, SIGKILL);
  const bool whole = ended && ::read(ends[0], &seen, sizeof seen) == ssize_t{sizeof seen};
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // A machine, or a moment, in which everything takes longer has as much more time.
  seen.slowdown = std::max(slowdown_before, slowdown_now());
  seen.event_share /= seen.slowdown;
  seen.ended = ended;
  if (!ended) {
    say_what_went_wrong(seen, "it did not end within " + std::to_string(patience_ms / 1000) + " s");
  } else if (!whole) {
    say_what_went_wrong(seen, WIFSIGNALED(status) ? "the victim ended by signal " + std::to_string(WTERMSIG(status))
                                                  : "the victim exited with " + std::to_string(WEXITSTATUS(status)));
  }
  return seen;
}

// The best of several tries, figure by figure: another process may have slowed down any of them.
void keep_the_best(measurement& best, const measurement& next) {
  if (next.event_share < best.event_share) {
    best.event_share = next.event_share;
    best.event = next.event;
    best.event_bytes = next.event_bytes;
    best.slowdown = next.slowdown;
  }
  best.turn = std::min(best.turn, next.turn);
  best.cost = std::min(best.cost, next.cost);
  best.memory = std::min(best.memory, next.memory);
  if (best.complaint[0] != '\0') best.complaint = next.complaint;
  best.ended = next.ended;
}

double growth_of(const measurement& once, const measurement& twice) {
  return twice.cost < worth_comparing
             ? 0
             : double(twice.cost.count()) / double(std::max<std::int64_t>(once.cost.count(), 1));
}

std::string in_ms(nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f ms", double(time.count()) / 1e6);
  return text.data();
}

std::string in_mebibytes(std::uint64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MiB", double(bytes) / double(mebibyte));
  return text.data();
}

std::string report_of(std::size_t size, const measurement& seen, std::size_t allowed_memory) {
  const double share = seen.event_share > 0 ? seen.event_share : 1;
  const nanoseconds allowed{static_cast<std::int64_t>(double(seen.event.count()) / share)};
  return "size " + std::to_string(size) + ": event " + in_ms(seen.event) + " of " + in_ms(allowed) + " (" +
         in_mebibytes(seen.event_bytes) + "), turn " + in_ms(seen.turn) + ", cost " + in_ms(seen.cost) + ", memory " +
         in_mebibytes(seen.memory) + " of " + in_mebibytes(allowed_memory) + ", read " + in_mebibytes(seen.read);
}

}  // namespace

std::uint16_t victim_side::hostile_port() const {
  std::uint16_t port = 0;
  if (::read(control_, &port, sizeof port) != sizeof port) _exit(3);
  return port;
}

void victim_side::serves_at(std::uint16_t port) const {
  if (::write(control_, &port, sizeof port) != sizeof port) _exit(3);
}

task<void> victim_side::hostile_ended() {
  auto end = stream::adopt(home, dup(control_));
  if (!end) co_return;
  for (;;) {
    auto more = co_await end->read_some();
    if (!more) break;
    end->consume(more->size());
  }
  co_await end->close();
}

void check_cost(const hostile_case& attack) {
  const std::size_t allowed_memory = 2 * attack.cap + program_memory;
  const std::array<std::size_t, 2> sizes{attack.size, 2 * attack.size};
  std::array<measurement, 2> best;
  const auto holds = [&] {
    return growth_of(best[0], best[1]) <= most_growth && std::ranges::all_of(best, [&](const measurement& one) {
             return one.event_share <= 1 && one.memory <= allowed_memory && one.complaint[0] == '\0';
           });
  };
  const auto in_time = [&] { return std::ranges::all_of(best, &measurement::ended); };
  for (int round = 0; round < tries && (round == 0 || (!holds() && in_time())); ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const measurement next = measured(attack, sizes[i]);
      if (round == 0) {
        best[i] = next;
      } else {
        keep_the_best(best[i], next);
      }
    }
  }
  const double growth = growth_of(best[0], best[1]);
  std::array<char, 64> compared{};
  std::snprintf(compared.data(), compared.size(), "twice the input costs %.2f times as much", growth);
  const std::string small = report_of(sizes[0], best[0], allowed_memory);
  const std::string large = report_of(sizes[1], best[1], allowed_memory);
  boost::ut::cfg<boost::ut::override>.report_this(small + "\n        " + large +
                                                  (growth == 0 ? "" : std::string{"\n        "} + compared.data()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const measurement& one = best[i];
    expect(one.complaint[0] == '\0') << "size" << sizes[i] << one.complaint.data();
    expect(one.event_share <= tolerance) << "one event costs too much:" << (i == 0 ? small : large);
    expect(one.memory <= allowed_memory) << "too much memory:" << (i == 0 ? small : large);
  }
  expect(growth <= most_growth) << compared.data() << "\n        " << small << "\n        " << large;
}

}  // namespace hawser::testing
