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

result<parsed_credential_set> credential_file::read() const {
  auto folder = private_folder::open(folder_);
  // A folder without access holds no logins of ours; saving will report the error.
  if (!folder && is_permanent(folder.error())) return parsed_credential_set{};
  if (!folder) return std::move(folder).error();
  if (!*folder) return parsed_credential_set{};
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

result<parsed_credential_set> credential_file::read_folder(const private_folder& folder) const {
  auto text = folder.read(name_, largest_file);
  if (!text) return std::move(text).error();
  if (!*text) return parsed_credential_set{};
  auto parsed = parse_credential_set((*text)->reveal());
  if (!parsed) return prefixed(path_, std::move(parsed).error());
  return parsed;
}

// Verified by reading it back: bytes that are not valid JSON would damage all other logins.
result<secret> credential_file::serialize(const credential_set& contents, std::size_t max_bytes) const {
  secret text = serialize_credential_set(contents);
  if (text.reveal().size() > max_bytes)
    return error{.code = errc::too_large,
                 .what = path_ + ": this login would take more than " + std::to_string(max_bytes) + " bytes in it"};
  const auto again = parse_credential_set(text.reveal());
  if (!again || !again->damage.empty())
    return error{.code = errc::protocol, .what = path_ + ": what the server sent is not UTF-8 and cannot be stored"};
  return text;
}

result<void> credential_file::check_storable(const credential_set& contents) const {
  auto text = serialize(contents, largest_login);
  if (!text) return std::move(text).error();
  return {};
}

result<void> credential_file::keep_damaged_copy(const private_folder& from) const {
  auto text = from.read(name_, largest_file);
  if (!text) return std::move(text).error();
  if (!*text) return {};
  return from.replace(name_ + ".corrupt", **text);
}

result<std::string> credential_file::update(const std::function<bool(credential_set&)>& edit) const {
  auto folder = private_folder::make(folder_);
  if (!folder) return std::move(folder).error();
  auto parsed = read_folder(*folder);
  if (!parsed) return std::move(parsed).error();
  if (!parsed->damage.empty()) {
    if (auto kept = keep_damaged_copy(*folder); !kept) return std::move(kept).error();
  }
  result<void> done;
  if (edit(parsed->contents) || !parsed->damage.empty()) {
    auto text = serialize(parsed->contents, largest_file);
    if (!text) return std::move(text).error();
    done = folder->replace(name_, *text);
  }
  if (!done) return std::move(done).error();
  return std::move(parsed->damage);
}

}  // namespace hawser
