// SPDX-License-Identifier: MIT
#include "keeper.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "detail/child_core.hpp"
#include "detail/keeper_process.hpp"
#include "detail/readiness.hpp"
#include "sleep.hpp"
#include "timeout.hpp"

namespace hawser {

using detail::unique_fd;
using keeper_protocol::start_request;

namespace {

struct ends {
  unique_fd ours;  // empty where the child gets something that the host has no end of
  unique_fd child;
};

result<ends> make_ends(stdio kind, int standard) {
  ends made;
  int pair[2] = {-1, -1};
  int status = 0;
  switch (kind) {
    case stdio::pipe:
      status = pipe2(pair, O_CLOEXEC);
      if (standard == STDIN_FILENO) std::swap(pair[0], pair[1]);
      break;
    case stdio::socket: status = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair); break;
    case stdio::inherit: status = pair[1] = fcntl(standard, F_DUPFD_CLOEXEC, 3); break;
    case stdio::null: status = pair[1] = open("/dev/null", O_RDWR | O_CLOEXEC); break;
  }
  if (status < 0) return detail::from_errno(errno, "make the child's descriptor " + std::to_string(standard));
  made.ours.reset(pair[0]);
  made.child.reset(pair[1]);
  return made;
}

// By the host's working directory of this moment: the keeper's is that of the moment it was started.
result<std::string> absolute(const std::string& directory) {
  if (directory.starts_with('/')) return directory;
  std::array<char, PATH_MAX> here{};
  if (getcwd(here.data(), here.size()) == nullptr) {
    const int failed = errno;
    return error{.code = errc::spawn,
                 .what = std::string{"the program's own working directory: "} + std::strerror(failed),
                 .native = failed};
  }
  return directory.empty() ? std::string{here.data()} : std::string{here.data()} + '/' + directory;
}

// The texts of the request in a memory file: their size has no limit that a message would set.
result<unique_fd> make_payload(const command& what, start_request& header) {
  auto directory = absolute(what.directory);
  if (!directory) return directory.error();
  std::string text = *directory + '\0' + what.program + '\0';
  for (const std::string& argument : what.arguments) text += argument + '\0';
  const std::vector<std::string> variables = what.env.compose();
  for (const std::string& variable : variables) text += variable + '\0';
  header = {.payload_size = static_cast<std::uint32_t>(text.size()),
            .argument_count = static_cast<std::uint32_t>(what.arguments.size() + 1),
            .environment_count = static_cast<std::uint32_t>(variables.size())};
  unique_fd file{memfd_create("hawser-start", MFD_CLOEXEC)};
  if (!file) return detail::from_errno(errno, "memfd_create");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file.get(), text.data() + done, text.size() - done);
    if (count < 0) return detail::from_errno(errno, "write the request");
    done += static_cast<std::size_t>(count);
  }
  return file;
}

int send_request(int socket, const start_request& header, std::array<int, keeper_protocol::request_descriptors> fds) {
  start_request body_copy = header;
  iovec body{&body_copy, sizeof body_copy};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof fds)> control{};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* attached = CMSG_FIRSTHDR(&message);
  attached->cmsg_level = SOL_SOCKET;
  attached->cmsg_type = SCM_RIGHTS;
  attached->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(attached), fds.data(), sizeof fds);
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

// Sends the request, however many others are under way. Unbounded.
task<result<void>> ask(detail::keeper_process& keeper, start_request header,
                       std::array<int, keeper_protocol::request_descriptors> attached) {
  while (true) {
    const int failed = send_request(keeper.socket.get(), header, attached);
    if (failed == 0) co_return result<void>{};
    if (failed == EPIPE || failed == ECONNRESET || !keeper.socket) {
      co_return error{.code = errc::closed, .what = "the keeper is gone", .native = failed};
    }
    if (failed == EAGAIN) {
      // libuv has one word for all that is wrong with a socket; of a keeper that has died the next try says better.
      auto writable = co_await detail::readiness{keeper.socket.get(), detail::readiness::kind::writable};
      if (!writable && writable.error().native != UV_EBADF) co_return writable.error();
    } else if (failed == ETOOMANYREFS) {
      // The system limits how many descriptors a user may have on the way; the keeper takes them off in its own time.
      auto waited = co_await sleep_for(std::chrono::milliseconds{5});
      if (!waited) co_return waited.error();
    } else {
      co_return detail::from_errno(failed, "ask the keeper");
    }
  }
}

std::string searched_path(const command& what) {
  for (const std::string& variable : what.env.compose()) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

task<result<void>> happened(event& what) { co_return co_await what.wait(); }

// Generous: on a machine that is busy with a hundred starts, forking and executing takes its time.
constexpr std::chrono::seconds start_bound{30};

bool leaves_requests(const detail::keeper_process& keeper) {
  int untaken = 0;
  return keeper.socket && ioctl(keeper.socket.get(), SIOCOUTQ, &untaken) == 0 && untaken > 0;
}

// Its part in a start is a fork: requests that lie there for as long as a start may take are not going to be taken.
// That is no matter of the one start that looks: whoever asked before it may have had less patience.
bool hangs(const detail::keeper_process& keeper, time_point now) {
  return keeper.killed || (leaves_requests(keeper) && now - keeper.alive_at >= start_bound);
}

error replaced(detail::keeper_process& keeper) {
  keeper.kill();
  return error{.code = errc::closed, .what = "the keeper hangs"};
}

bool hung_up(const unique_fd& socket) {
  pollfd looked{.fd = socket.get(), .events = 0, .revents = 0};
  return !socket || (::poll(&looked, 1, 0) == 1 && (looked.revents & (POLLHUP | POLLERR)) != 0);
}

result<void> adopt(loop& home, ends& e, std::optional<stream>& into) {
  if (!e.ours) return {};
  auto made = stream::adopt(home, e.ours.release());
  if (!made) return made.error();
  into = std::move(*made);
  return {};
}

}  // namespace

// What close() waits for, and what must not start another keeper behind its back.
class keeper::start_under_way {
 public:
  explicit start_under_way(keeper& of) : of_(of) { ++of_.starting_; }
  start_under_way(const start_under_way&) = delete;
  start_under_way& operator=(const start_under_way&) = delete;
  ~start_under_way() {
    if (--of_.starting_ == 0) of_.none_starting_.set();
  }

 private:
  keeper& of_;
};

keeper::keeper(loop& home) : keeper(home, options{}) {}
keeper::keeper(loop& home, options o) : loop_(home), options_(std::move(o)) {}
keeper::~keeper() {
  detail::require(!process_ || closing_, "a keeper was destroyed before it was closed");
  if (!process_) return;
  process_->kill();  // it could not be closed: perhaps it sleeps
  pollfd dying{.fd = process_->process.get(), .events = POLLIN, .revents = 0};
  ::poll(&dying, 1, 100);  // which takes it a moment
  process_->reap();
}

result<void> keeper::start() {
  auto made = detail::keeper_process::start(loop_, options_.path);
  if (!made) return made.error();
  process_ = *std::move(made);
  return {};
}

task<result<child>> keeper::spawn(command what) {
  if (auto sound = what.check(); !sound) co_return sound.error();
  const start_under_way noted{*this};
  process used;
  auto made = co_await spawn_once(what, used);
  if (made || made.error().code != errc::closed || closing_ || !used) co_return made;
  if (!used->ended.is_set() && !used->killed && !hung_up(used->socket)) {
    // Only this request was lost: there were no descriptors for it, or somebody killed its warden.
    co_return error{
        .code = errc::spawn,
        .what = "spawn \"" + what.program + "\": the keeper could not take the request (out of descriptors?)",
        .phase = "start"};
  }
  // Somebody killed the keeper. Children that it had started are with their wardens and live on. Its sockets close a
  // moment before it counts as dead. Of several starts that find it dead, the first one replaces it.
  if (process_ == used) {
    auto ended = co_await with_timeout(std::chrono::seconds{5}, happened(used->ended));
    if (!ended) co_return prefixed("spawn \"" + what.program + "\": the end of the keeper", ended.error());
  }
  if (closing_) co_return made;
  if (process_ == used) {
    loop_.log().write(log_level::warning, "keeper",
                      used->killed ? "the keeper hung and was killed; starting another one"
                                   : "the keeper was killed; starting another one");
    used->reap();
    process_.reset();
  }
  co_return co_await spawn_once(what, used);
}

task<result<child>> keeper::spawn_once(const command& what, process& used) {
  // One after the other: who waits for room waits in one place, has no descriptors yet, and is not overtaken. It is a
  // bounded wait: whoever has the turn gives up in time, and with the keeper, too.
  auto turn = co_await asking_.acquire();
  if (!turn) co_return prefixed("spawn \"" + what.program + '"', turn.error());
  if (closing_) co_return error{.code = errc::closed, .what = "spawn \"" + what.program + "\": its keeper is closing"};
  if (!process_) {
    if (auto begun = start(); !begun) co_return begun.error();
  }
  used = process_;
  if (!used->same_user()) {
    co_return error{.code = errc::spawn,
                    .what = "spawn \"" + what.program +
                            "\": this program has changed its user or group since its keeper was started, and would "
                            "start processes as who it was before; close the keeper before such a change",
                    .phase = "start"};
  }
  if (!leaves_requests(*used)) used->alive_at = loop_.now();
  if (hangs(*used, loop_.now())) co_return prefixed("spawn \"" + what.program + '"', replaced(*used));
  start_request header{};
  auto payload = make_payload(what, header);
  if (!payload) co_return prefixed("spawn \"" + what.program + '"', payload.error());
  auto input = make_ends(what.input, STDIN_FILENO);
  auto output = make_ends(what.output, STDOUT_FILENO);
  auto errors = make_ends(what.errors, STDERR_FILENO);
  for (const auto* e : {&input, &output, &errors}) {
    if (!*e) co_return prefixed("spawn \"" + what.program + '"', e->error());
  }
  std::array<int, 2> control{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0) {
    co_return detail::from_errno(errno, "spawn \"" + what.program + "\": socketpair");
  }
  unique_fd ours{control[0]};
  unique_fd wardens{control[1]};

  const std::array<int, keeper_protocol::request_descriptors> attached{
      payload->get(), input->child.get(), output->child.get(), errors->child.get(), wardens.get()};
  auto asked = co_await with_timeout(start_bound, ask(*used, header, attached));
  turn->give_back();
  if (!asked && asked.error().code == errc::timed_out) {
    const bool busy = leaves_requests(*used);
    asked = hangs(*used, loop_.now())
                ? replaced(*used)
                : error{.code = errc::spawn,
                        .what = busy ? "the keeper is busy with other starts"
                                     : "programs of this user have too many descriptors on their way"};
  }
  if (!asked) co_return prefixed("spawn \"" + what.program + '"', asked.error());
  // From here on a dropped control socket ends whatever the keeper starts.
  child made{new detail::child_core{loop_, what.program}};
  detail::child_core& core = *made.core_;
  if (auto listening = core.listen(std::move(ours)); !listening) {
    core.failure = listening.error();
    co_return listening.error();
  }
  // The child's ends must be the child's alone, or their closing would not be seen.
  for (unique_fd* given : {&*payload, &input->child, &output->child, &errors->child, &wardens}) given->reset();

  auto outcome = co_await with_timeout(start_bound, happened(core.started));
  if (outcome) used->alive_at = loop_.now();
  if (outcome && !core.failure) {
    for (auto [from, to] : {std::pair{&*input, &core.input}, {&*output, &core.output}, {&*errors, &core.errors}}) {
      auto adopted = adopt(loop_, *from, *to);
      if (!adopted && !core.failure) core.failure = prefixed("spawn \"" + what.program + '"', adopted.error());
    }
  }
  if (outcome && !core.failure) co_return made;
  if (!core.failure) core.failure = prefixed("spawn \"" + what.program + '"', outcome.error());
  if (!outcome && outcome.error().code == errc::timed_out && hangs(*used, loop_.now()))
    co_return prefixed("spawn \"" + what.program + '"', replaced(*used));
  error why = *core.failure;
  if (why.code == errc::spawn && why.native == ENOENT && what.program.find('/') == std::string::npos) {
    why.what += " (looked in PATH=" + searched_path(what) + ')';
  }
  co_return why;
}

task<result<void>> keeper::close() {
  closing_ = true;
  if (const process ending = process_) {
    detail::hang_up(ending->socket);  // the keeper goes when its wardens have
    auto ended = co_await shield(std::chrono::seconds{5}, happened(ending->ended));
    if (!ended) co_return prefixed("keeper", ended.error());
    ending->reap();
    if (process_ == ending) process_.reset();
  }
  while (starting_ > 0) {
    none_starting_.reset();
    auto ended = co_await shield(std::chrono::seconds{5}, happened(none_starting_));
    if (!ended) co_return prefixed("keeper: starts that are under way", ended.error());
  }
  closing_ = false;
  co_return result<void>{};
}

}  // namespace hawser
