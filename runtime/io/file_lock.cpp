// SPDX-License-Identifier: MIT
#include "file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "../async/sleep.hpp"
#include "../loop/offload.hpp"
#include "detail/file_io.hpp"

namespace hawser {

namespace {

// A blocking flock(2) would occupy a pool thread for as long as the holder keeps the lock. So poll with LOCK_NB, at
// short intervals at first.
constexpr duration first_pause = std::chrono::milliseconds{1};
constexpr duration longest_pause = std::chrono::milliseconds{16};

// The file may have been removed or replaced since it was opened. Then the lock is on a file that no other process can
// open.
bool still_there(int fd, const std::string& path) {
  struct stat opened{};
  struct stat named{};
  return fstat(fd, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

void file_lock::release() noexcept {
  // While the lock is held, so that the file cannot be locked by another process when it is removed.
  if (file_ && removes_file_ && still_there(file_.get(), path_)) ::unlink(path_.c_str());
  // Unlock explicitly, not only by close: a process forked meanwhile may share the open file.
  if (file_) ::flock(file_.get(), LOCK_UN);
  file_.reset();
}

result<std::optional<file_lock>> file_lock::try_acquire(const std::string& path) {
  while (true) {
    detail::unique_fd file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    if (!file && errno == EINTR) continue;
    if (!file) return detail::file_error(errno, path, "open");
    struct stat found{};
    if (fstat(file.get(), &found) != 0) return detail::file_error(errno, path, "stat");
    if (!S_ISREG(found.st_mode))
      return error{.code = errc::config, .what = path + ": not a regular file; remove it", .native = UV_EINVAL};
    // A restrictive umask may have cleared bits, and the user could not open the file again. If fchmod fails because
    // the file belongs to another user, it was usable as it is.
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
    std::function<result<std::optional<file_lock>>()> attempt = [path] { return try_acquire(path); };
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
