// SPDX-License-Identifier: MIT
#include "file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "../loop/offload.hpp"
#include "detail/file_io.hpp"
#include "detail/unique_fd.hpp"

namespace hawser {

namespace {

using detail::unique_fd;

result<std::string> read_now(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return detail::file_error(errno, path, "open");
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return detail::file_error(errno, path, "stat");
  if (!S_ISREG(info.st_mode))
    return error{.code = errc::io, .what = path + ": not a regular file", .native = UV_EINVAL};
  std::string content;
  std::array<char, 65536> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (true) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return detail::file_error(errno, path, "read");
    if (count == 0) return content;
    if (content.size() + static_cast<std::size_t>(count) > max_bytes) {
      return error{.code = errc::too_large, .what = path + ": larger than " + std::to_string(max_bytes) + " bytes"};
    }
    content.append(piece.data(), static_cast<std::size_t>(count));
  }
}

// Writes and syncs the temporary file. On failure the caller removes it.
result<void> write_beside(int fd, const std::string& temporary, const std::string& content) {
  unique_fd file{fd};
  if (fchmod(fd, 0600) != 0)
    return detail::file_error(errno, temporary, "chmod");  // mkostemp asks for 0600; the umask may clear bits
  if (auto written = detail::write_all(fd, content, temporary); !written) return written;
  if (fsync(fd) != 0) return detail::file_error(errno, temporary, "fsync");
  if (file.reset() != 0) return detail::file_error(errno, temporary, "close");
  return {};
}

// Removes temporary files of killed processes. Files of processes that are writing now are younger than the limit.
result<void> remove_leftovers(const std::string& folder, std::string_view name) {
  constexpr std::time_t old = 600;  // seconds
  constexpr std::string_view pattern = ".XXXXXX";
  const std::unique_ptr<DIR, int (*)(DIR*)> entries{::opendir(folder.c_str()),
                                                    [](DIR* one) { return ::closedir(one); }};
  if (!entries && errno == EACCES) return {};  // a folder with write but no read permission
  if (!entries) return detail::file_error(errno, folder, "open");
  const std::time_t now = std::time(nullptr);
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr && errno != 0) return detail::file_error(errno, folder, "read");
    if (entry == nullptr) return {};
    const std::string_view one{entry->d_name};
    if (one.size() != name.size() + pattern.size() || !one.starts_with(name) || one[name.size()] != '.') continue;
    const int at = ::dirfd(entries.get());
    struct stat info{};
    if (::fstatat(at, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // it has been renamed meanwhile
    if (S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && info.st_mtime < now - old)
      ::unlinkat(at, entry->d_name, 0);
  }
}

result<void> replace_now(const std::string& path, const std::string& content) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return detail::file_error(errno, path, "create a temporary file beside it");
  auto written = write_beside(fd, temporary, content);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = detail::file_error(errno, path, "rename over it");
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  // Sync the folder as well: the rename must survive a power failure.
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string_view name = std::string_view{path}.substr(slash == std::string::npos ? 0 : slash + 1);
  if (auto removed = remove_leftovers(folder, name); !removed) return removed;
  const unique_fd directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory && errno == EACCES) return {};  // a folder with write but no read permission cannot be synced
  if (!directory) return detail::file_error(errno, folder, "open");
  if (fsync(directory.get()) != 0 && errno != EINVAL)  // some file systems do not support fsync on folders
    return detail::file_error(errno, folder, "fsync");
  return {};
}

}  // namespace

task<result<std::string>> read_file(std::string path, std::size_t max_bytes) {
  std::function<result<std::string>()> job = [path = std::move(path), max_bytes] { return read_now(path, max_bytes); };
  co_return co_await offload<std::string>(std::move(job));
}

task<result<void>> replace_file(std::string path, std::string content) {
  std::function<result<void>()> job = [path = std::move(path), content = std::move(content)] {
    return replace_now(path, content);
  };
  co_return co_await offload<void>(std::move(job));
}

}  // namespace hawser
