// SPDX-License-Identifier: MIT
#include "server_memory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>

#include "../runtime/crypto.hpp"
#include "../runtime/file.hpp"
#include "../runtime/offload.hpp"
#include "../transports/json_text.hpp"
#include "tool_page.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_memory_file = std::size_t{64} << 20;
constexpr std::int64_t day = std::int64_t{24} * 60 * 60;

// Every text with its length and every list with its own, so that no two configurations run into one.
void append_part(std::string& to, std::string_view part) {
  to += std::to_string(part.size());
  to += ':';
  to += part;
}

void append_parts(std::string& to, const std::map<std::string, std::string>& parts) {
  append_part(to, std::to_string(parts.size()));
  for (const auto& [name, value] : parts) {
    append_part(to, name);
    append_part(to, value);
  }
}

// Secrets take part only as a hash, of which sixteen bytes become the name of the file.
std::string key_of(const server_settings& about) {
  std::string all;
  append_part(all, about.name);
  if (const auto* child = std::get_if<stdio_settings>(&about.transport)) {
    append_part(all, "stdio");
    append_part(all, child->command);
    append_part(all, std::to_string(child->args.size()));
    for (const std::string& argument : child->args) append_part(all, argument);
    append_parts(all, child->env);
    append_part(all, child->cwd);
  } else {
    const auto& remote = std::get<http_settings>(about.transport);
    append_part(all, "http");
    append_part(all, remote.url);
    append_parts(all, remote.headers);
  }
  const auto hash = sha256(all);
  return base64url({reinterpret_cast<const char*>(hash.data()), 16});
}

std::string file_text(const remembered_server& what) {
  std::string text = R"({"hawser":1,"revision":)" + json_string(what.revision) + R"(,"seen":)" +
                     std::to_string(what.seen) + R"(,"tools":[)";
  if (what.tools) {
    bool first = true;
    for (const tool& one : what.tools->tools()) {
      if (!first) text += ',';
      first = false;
      text += one.json;
    }
  }
  return text + "]}\n";
}

result<remembered_server> read_text(std::string_view text, std::size_t max_tools) {
  raw_json all{text};
  // As in pages of tools/list: the number of values is bounded by the number of tools.
  if (auto valid = all.check({.max_values = text.size()}); !valid) return valid.error();
  if (all.text().front() != '{' || find_member(all.text(), "hawser") != "1")
    return error{.code = errc::parse, .what = "not a file of this version"};
  remembered_server read{.revision = text_of(find_member(all.text(), "revision")).value_or(""),
                         .seen = integer_of(find_member(all.text(), "seen")).value_or(0)};
  auto tools = std::make_shared<tool_list>();
  // A page of tools/list has the same member, and brings the same checks.
  auto page = read_tool_page(std::move(all), *tools, max_tools);
  if (!page) return page.error();
  read.tools = std::move(tools);
  return read;
}

result<void> make_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return error{.code = errc::io, .what = part + ": the folder cannot be made", .native = errno};
    if (slash == std::string::npos) return {};
  }
}

}  // namespace

bool server_memory::recent(const remembered_server& what, std::int64_t now) noexcept {
  return what.seen <= now && now - what.seen < day;
}

std::int64_t server_memory::now() noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string server_memory::path_of(const server_settings& about) const {
  return folder_ + "/servers/" + key_of(about) + ".json";
}

task<std::optional<remembered_server>> server_memory::recall(const server_settings& about,
                                                             std::size_t max_tools) const {
  if (folder_.empty()) co_return std::nullopt;
  auto text = co_await read_file(path_of(about), max_memory_file);
  if (!text) co_return std::nullopt;
  auto read = read_text(*std::move(text), max_tools);
  if (!read) co_return std::nullopt;
  co_return *std::move(read);
}

task<result<void>> server_memory::keep(const server_settings& about, remembered_server what) const {
  if (folder_.empty()) co_return result<void>{};
  std::string path = path_of(about);
  auto old = co_await recall(about, what.tools ? what.tools->size() : 0);
  const tool_list none;
  const bool said = old && old->revision == what.revision && *old->tools == (what.tools ? *what.tools : none);
  // One from the future was written when the clock was wrong, and would never be recent.
  if (said && old->seen <= what.seen && what.seen - old->seen < day / 2) co_return result<void>{};
  std::string folder = folder_ + "/servers";
  auto make = [folder = std::move(folder)] { return make_folder(folder); };
  auto made = co_await offload<void>(std::move(make));
  if (!made) co_return made;
  std::string text = file_text(what);
  co_return co_await replace_file(std::move(path), std::move(text));
}

}  // namespace hawser
