// SPDX-License-Identifier: MIT
#include "credential_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "../../runtime/io/file_lock.hpp"

namespace hawser {

namespace {

// Enough for thousands of logins. A larger file is not ours; we would not write one, as it could not be read again.
constexpr std::size_t largest_file = std::size_t{4} << 20;
constexpr std::size_t largest_login = std::size_t{256} << 10;

}  // namespace

credential_file::credential_file(std::string_view path) : path_(path) {
  const std::size_t slash = path_.rfind('/');
  folder_ = slash == std::string::npos ? "." : slash == 0 ? "/" : path_.substr(0, slash);
  name_ = path_.substr(slash + 1);
}

bool credential_file::is_permanent(const error& why) {
  constexpr std::array numbers{EROFS, EACCES, EPERM, ENOENT, ENOTDIR, ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL};
  return why.code == errc::io && std::find(numbers.begin(), numbers.end(), -why.native) != numbers.end();
}

result<void> credential_file::make_folder() const {
  auto folder = private_folder::make(folder_);
  if (!folder) return std::move(folder).error();
  return {};
}

result<credential_file::contents> credential_file::read() const {
  auto folder = private_folder::open(folder_);
  // A folder without access holds no logins of ours; saving will report the error.
  if (!folder && is_permanent(folder.error())) return contents{};
  if (!folder) return std::move(folder).error();
  if (!*folder) return contents{};
  remove_leftovers(**folder);
  return read_folder(**folder);
}

void credential_file::remove_leftovers(const private_folder& folder) const {
  for (const std::string& name : {name_, name_ + ".corrupt"}) {
    const std::string leftover = private_folder::temporary_name(name);
    if (!folder.has(leftover)) continue;
    const auto lock = file_lock::try_acquire(lock_path());
    if (!lock || !*lock) return;  // another process is writing
    ignore(folder.remove(leftover), "whoever saves next needs the name, and will hear what is wrong");
  }
}

result<credential_file::contents> credential_file::read_folder(const private_folder& folder) const {
  contents seen;
  auto text = folder.read(name_, largest_file);
  if (!text) return std::move(text).error();
  if (!*text) return seen;
  auto reading = credential_set::parse((*text)->reveal());
  if (!reading) return prefixed(path_, std::move(reading).error());
  seen.book = std::move(reading->book);
  seen.damage = std::move(reading->damage);
  return seen;
}

// Verified by reading it back: bytes that are not valid JSON would damage all other logins.
result<secret> credential_file::serialize(const credential_set& book, std::size_t max_bytes) const {
  secret text = book.serialize();
  if (text.reveal().size() > max_bytes)
    return error{.code = errc::too_large,
                 .what = path_ + ": this login would take more than " + std::to_string(max_bytes) + " bytes in it"};
  const auto again = credential_set::parse(text.reveal());
  if (!again || !again->damage.empty())
    return error{.code = errc::protocol, .what = path_ + ": what the server sent is not UTF-8 and cannot be stored"};
  return text;
}

result<void> credential_file::check_storable(const credential_set& alone) const {
  auto text = serialize(alone, largest_login);
  if (!text) return std::move(text).error();
  return {};
}

result<void> credential_file::keep_damaged_copy(const private_folder& from) const {
  auto text = from.read(name_, largest_file);
  if (!text) return std::move(text).error();
  if (!*text) return {};
  return from.replace(name_ + ".corrupt", **text);
}

result<std::string> credential_file::update(const std::function<bool(credential_set&)>& what) const {
  auto folder = private_folder::make(folder_);
  if (!folder) return std::move(folder).error();
  auto seen = read_folder(*folder);
  if (!seen) return std::move(seen).error();
  if (!seen->damage.empty()) {
    if (auto kept = keep_damaged_copy(*folder); !kept) return std::move(kept).error();
  }
  result<void> done;
  if (what(seen->book) || !seen->damage.empty()) {
    auto text = serialize(seen->book, largest_file);
    if (!text) return std::move(text).error();
    done = folder->replace(name_, *text);
  }
  if (!done) return std::move(done).error();
  return std::move(seen->damage);
}

}  // namespace hawser
