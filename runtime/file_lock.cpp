// SPDX-License-Identifier: MIT
#include "file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "detail/file_io.hpp"
#include "offload.hpp"
#include "sleep.hpp"

namespace hawser {

namespace {

// flock(2) has no queue for those who do not wait inside it, and waiting inside it would take a thread of the pool
// away from everybody for as long as a stranger likes. So one asks again, soon at first.
constexpr duration first_pause = std::chrono::milliseconds{1};
constexpr duration longest_pause = std::chrono::milliseconds{16};

// Somebody may have removed the file, or put another in its place, since it was opened: then the lock is on a file
// that nobody else will ever find.
bool still_there(int fd, const std::string& path) {
  struct stat opened{};
  struct stat named{};
  return fstat(fd, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

void file_lock::release() noexcept {
  // While it is still held: nobody else may have locked the file that goes.
  if (file_ && removes_file_ && still_there(file_.get(), path_)) ::unlink(path_.c_str());
  // Unlocked and not only closed: a process that was forked meanwhile may have the same open file.
  if (file_) ::flock(file_.get(), LOCK_UN);
  file_.reset();
}

result<std::optional<file_lock>> file_lock::try_now(const std::string& path) {
  while (true) {
    detail::unique_fd file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    if (!file && errno == EINTR) continue;
    if (!file) return detail::file_error(errno, path, "open");
    struct stat found{};
    if (fstat(file.get(), &found) != 0) return detail::file_error(errno, path, "stat");
    if (!S_ISREG(found.st_mode))
      return error{.code = errc::config, .what = path + ": not a regular file; remove it", .native = UV_EINVAL};
    // A umask that takes everything would keep its own user out the next time; if it is not ours, it was usable as is.
    if ((found.st_mode & 0777U) != 0600U) static_cast<void>(fchmod(file.get(), 0600));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      file_lock taken{std::move(file), path};
      if (still_there(taken.file_.get(), path)) return std::optional<file_lock>{std::move(taken)};
      continue;
    }
    if (errno == EWOULDBLOCK) return std::optional<file_lock>{};
    if (errno != EINTR) return detail::file_error(errno, path, "lock");
  }
}

task<result<file_lock>> file_lock::acquire(std::string path, duration patience) {
  const context where = co_await this_context();
  const time_point begun = where.loop->now();
  for (duration pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
    std::function<result<std::optional<file_lock>>()> attempt = [path] { return try_now(path); };
    auto taken = co_await offload<std::optional<file_lock>>(std::move(attempt));
    if (!taken) co_return std::move(taken).error();
    if (*taken) co_return *std::move(*taken);
    if (where.loop->now() - begun >= patience)
      co_return error{.code = errc::timed_out,
                      .what = path + ": another process keeps this locked; end it (fuser tells which) or try again"};
    auto slept = co_await sleep_for(pause);
    if (!slept) co_return std::move(slept).error();
  }
}

}  // namespace hawser
