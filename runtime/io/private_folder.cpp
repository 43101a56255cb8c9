// SPDX-License-Identifier: MIT
#include "private_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "detail/file_io.hpp"

namespace hawser {

namespace {

using detail::unique_fd;

error refused(const std::string& path, const std::string& why) {
  return error{.code = errc::config, .what = path + ": " + why, .native = UV_EPERM};
}

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777U));
  return text.data();
}

result<void> check_folder(const std::string& path, int fd) {
  struct stat found{};
  if (fstat(fd, &found) != 0) return detail::file_error(errno, path, "stat");
  if (found.st_uid != geteuid())
    return refused(path, "this folder belongs to user " + std::to_string(found.st_uid) +
                             ", and only your own can be trusted; remove it or chown it");
  if ((found.st_mode & 022U) != 0)
    return refused(path, "others may write to this folder (mode " + octal(found.st_mode) + "); chmod 700 it");
  return {};
}

result<void> check_file(const std::string& path, const struct stat& found) {
  if (!S_ISREG(found.st_mode)) return refused(path, "not a regular file; remove it");
  if (found.st_uid != geteuid())
    return refused(path, "this file belongs to user " + std::to_string(found.st_uid) + "; remove it or chown it");
  if ((found.st_mode & 077U) != 0)
    return refused(path, "others may read or write this file (mode " + octal(found.st_mode) +
                             "); chmod 600 it, and if there are logins in it, log out and in again");
  if (found.st_nlink > 1)
    return refused(path,
                   "this file has " + std::to_string(found.st_nlink) + " names (hard links); copy it to its place");
  return {};
}

result<secret> read_all(int fd, const std::string& path, std::size_t max_bytes) {
  std::string content(max_bytes + 1, '\0');  // allocated at once: a growing buffer leaves copies behind
  std::size_t size = 0;
  result<secret> outcome = error{};
  while (true) {
    const ssize_t count = ::read(fd, content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) outcome = detail::file_error(errno, path, "read");
    if (count == 0) outcome = secret{std::string_view{content}.substr(0, size)};
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
    if (size <= max_bytes) continue;
    outcome = error{.code = errc::too_large, .what = path + ": larger than " + std::to_string(max_bytes) + " bytes"};
    break;
  }
  cleanse(content.data(), size);
  return outcome;
}

// mkdir(2) for a folder that may exist already. chmod sets the mode again, because the umask may have cleared bits.
result<void> make_one(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) {
    if (::chmod(path.c_str(), 0700) != 0) return detail::file_error(errno, path, "chmod");
    return {};
  }
  // On a read-only file system, or without write permission, mkdir does not return EEXIST for an existing folder.
  const int why = errno;
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return {};
  return detail::file_error(why, path, "make this folder");
}

}  // namespace

result<std::optional<private_folder>> private_folder::open(std::string path) {
  unique_fd folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder && (errno == ENOENT || errno == ENOTDIR)) return std::optional<private_folder>{};
  if (!folder) return detail::file_error(errno, path, "open");
  if (auto good = check_folder(path, folder.get()); !good) return std::move(good).error();
  return std::optional<private_folder>{private_folder{std::move(path), std::move(folder)}};
}

result<private_folder> private_folder::make(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (auto made = make_one(path.substr(0, slash)); !made) return std::move(made).error();
    if (slash == std::string::npos) break;
  }
  auto folder = open(path);
  if (!folder) return std::move(folder).error();
  if (!*folder) return detail::file_error(ENOENT, path, "open");
  return **std::move(folder);
}

result<std::optional<secret>> private_folder::read(const std::string& name, std::size_t max_bytes) const {
  const std::string path = path_of(name);
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const unique_fd file{::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!file && errno == ENOENT) return std::optional<secret>{};
  if (!file && errno == ELOOP) return refused(path, "a symbolic link; put the file itself there");
  if (!file && errno == ENXIO) return refused(path, "not a regular file; remove it");  // a socket
  if (!file) return detail::file_error(errno, path, "open");
  struct stat found{};
  if (fstat(file.get(), &found) != 0) return detail::file_error(errno, path, "stat");
  if (auto good = check_file(path, found); !good) return std::move(good).error();
  if (static_cast<std::size_t>(found.st_size) > max_bytes)
    return error{.code = errc::too_large, .what = path + ": larger than " + std::to_string(max_bytes) + " bytes"};
  // The file size is the limit: the file is only ever replaced, never written in place.
  auto content = read_all(file.get(), path, static_cast<std::size_t>(found.st_size));
  if (!content) return std::move(content).error();
  return std::optional<secret>{*std::move(content)};
}

result<void> private_folder::write(const std::string& name, const secret& content) const {
  const std::string path = path_of(name);
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  unique_fd file{::openat(folder_.get(), name.c_str(), flags, 0600)};
  if (!file) return detail::file_error(errno, path, "make this file");
  if (fchmod(file.get(), 0600) != 0) return detail::file_error(errno, path, "chmod");  // the umask may clear bits
  if (auto written = detail::write_all(file.get(), content.reveal(), path); !written) return written;
  if (fsync(file.get()) != 0) return detail::file_error(errno, path, "fsync");
  if (file.reset() != 0) return detail::file_error(errno, path, "close");
  return {};
}

result<void> private_folder::replace(const std::string& name, const secret& content) const {
  const std::string temporary = temporary_name(name);
  if (auto removed = remove(temporary); !removed) return removed;  // left behind by a killed process
  auto done = write(temporary, content);
  if (done && ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) != 0)
    done = detail::file_error(errno, path_of(name), "rename over it");
  if (!done) {
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
    return done;
  }
  // Sync the folder as well: the rename must survive a power failure.
  if (fsync(folder_.get()) != 0 && errno != EINVAL)  // some file systems do not support fsync on folders
    return detail::file_error(errno, path_, "fsync");
  return {};
}

bool private_folder::has(const std::string& name) const noexcept {
  return ::faccessat(folder_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

result<void> private_folder::remove(const std::string& name) const {
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return detail::file_error(errno, path_of(name), "remove it");
}

}  // namespace hawser
