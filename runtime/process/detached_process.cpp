// SPDX-License-Identifier: MIT
#include "detached_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include "../async/event.hpp"
#include "../io/detail/unique_fd.hpp"
#include "../loop/detail/handle.hpp"

namespace hawser {

namespace detail {

struct detached_process_core {
  void on_ended() noexcept {
    siginfo_t seen{};
    int taken = 0;
    do {
      taken = waitid(P_PIDFD, static_cast<id_t>(process.get()), &seen, WEXITED | WNOHANG);
    } while (taken != 0 && errno == EINTR);
    if (taken == 0 && seen.si_pid == 0) return;  // still running
    if (taken == 0)
      status = seen.si_code == CLD_EXITED ? exit_status{.code = seen.si_status, .signal = 0}
                                          : exit_status{.code = 0, .signal = seen.si_status};
    poll.reset();
    ended.set();
  }

  std::string program;
  int pid = 0;
  unique_fd process;  // a pidfd
  unique_handle<uv_poll_t> poll;
  std::optional<exit_status> status;
  event ended;
};

}  // namespace detail

namespace {

error spawn_error(const std::string& program, int number) {
  return error{.code = errc::spawn, .what = "spawn \"" + program + "\": " + std::strerror(number), .native = number};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// The paths to try. An empty element of PATH would mean the working directory; it is skipped, because programs are not
// expected there.
std::vector<std::string> places_of(const std::string& program, const std::vector<std::string>& environment) {
  if (program.find('/') != std::string::npos) return {program};
  std::string_view rest = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) rest = std::string_view{entry}.substr(5);
  }
  std::vector<std::string> places;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) places.push_back(std::string{rest.substr(0, end)} + '/' + program);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return places;
}

class spawn_rules {
 public:
  explicit spawn_rules(const std::string& directory) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    const auto add = [this](int status) { incomplete_ = incomplete_ == 0 ? status : incomplete_; };
    for (const int fd : {0, 1, 2}) add(posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0));
    add(posix_spawn_file_actions_addclosefrom_np(&actions_, 3));
    if (!directory.empty()) add(posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()));
    sigset_t all{};
    sigset_t none{};
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    // A separate session: Ctrl-C at our terminal does not reach it.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  }
  spawn_rules(const spawn_rules&) = delete;
  spawn_rules& operator=(const spawn_rules&) = delete;
  ~spawn_rules() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int run(const std::string& path, char* const* arguments, char* const* environment, pid_t& pid) {
    if (incomplete_ != 0) return incomplete_;
    return posix_spawn(&pid, path.c_str(), &actions_, &attributes_, arguments, environment);
  }

 private:
  int incomplete_ = 0;  // an errno: without one of these file actions, the process must not be started
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

detached_process::detached_process(std::unique_ptr<detail::detached_process_core> core) noexcept
    : core_(std::move(core)) {}
detached_process::detached_process(detached_process&&) noexcept = default;
detached_process& detached_process::operator=(detached_process&&) noexcept = default;
detached_process::~detached_process() {
  if (core_ && !core_->ended.is_set()) core_->on_ended();  // it may have exited in this loop iteration
}

result<detached_process> detached_process::start(loop& event_loop, const command& what) {
  if (auto usable = what.check(); !usable) return std::move(usable).error();
  std::vector<std::string> words{what.program};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  std::vector<std::string> variables = what.env.compose();
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(variables);
  spawn_rules rules{what.directory};
  int failure = ENOENT;
  pid_t pid = 0;
  for (const std::string& place : places_of(what.program, variables)) {
    const int status = rules.run(place, arguments.data(), environment.data(), pid);
    // The error of a file that exists but cannot be executed is more informative than "not found".
    if (status != ENOENT && status != ENOTDIR) failure = status;
    if (status == 0) break;
    if (status == EAGAIN || status == ENOMEM) break;
  }
  if (failure != 0) return spawn_error(what.program, failure);

  auto core = std::make_unique<detail::detached_process_core>();
  core->program = what.program;
  core->pid = pid;
  core->process.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  int made = 0;
  if (core->process) core->poll = detail::make_handle<uv_poll_t>(event_loop, made, uv_poll_init, core->process.get());
  if (!core->poll) {
    core->ended.set();  // its exit cannot be observed; the program runs nevertheless
    return detached_process{std::move(core)};
  }
  core->poll->data = core.get();
  uv_poll_start(core->poll.get(), UV_READABLE, [](uv_poll_t* handle, int, int) {
    if (handle->data != nullptr) static_cast<detail::detached_process_core*>(handle->data)->on_ended();
  });
  return detached_process{std::move(core)};
}

task<result<exit_status>> detached_process::exited() {
  detail::detached_process_core& core = *core_;
  auto seen = co_await core.ended.wait();
  if (!seen) co_return seen.error();
  if (core.status) co_return *core.status;
  co_return error{.code = errc::closed, .what = core.program + ": its end was not seen"};
}

bool detached_process::running() const noexcept { return !core_->ended.is_set(); }
int detached_process::pid() const noexcept { return core_->pid; }

}  // namespace hawser
