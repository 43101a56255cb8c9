// SPDX-License-Identifier: MIT
#include "server_cache.hpp"

#include <chrono>
#include <functional>

#include "../../runtime/crypto.hpp"
#include "../../runtime/io/file.hpp"
#include "../../runtime/io/private_folder.hpp"
#include "../../runtime/loop/offload.hpp"
#include "../../transports/json/json_text.hpp"
#include "../session/tool_page.hpp"

namespace hawser {

namespace {

// Larger files are neither read nor written. A list of host_limits::max_listing bytes fits.
constexpr std::size_t max_cache_file = std::size_t{33} << 20;
constexpr std::int64_t day = std::int64_t{24} * 60 * 60;

// Every string and every list is prefixed with its length, so that different configurations never produce the same
// text.
void append_part(std::string& text, std::string_view part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

void append_parts(std::string& text, const std::map<std::string, std::string>& parts) {
  append_part(text, std::to_string(parts.size()));
  for (const auto& [name, value] : parts) {
    append_part(text, name);
    append_part(text, value);
  }
}

// Secrets enter only through a hash, of which sixteen bytes become the file name.
std::string file_name_of(const server_settings& server) {
  std::string all;
  append_part(all, server.name);
  if (const auto* child = std::get_if<stdio_settings>(&server.transport)) {
    append_part(all, "stdio");
    append_part(all, child->command);
    append_part(all, std::to_string(child->args.size()));
    for (const std::string& argument : child->args) append_part(all, argument);
    append_parts(all, child->env);
    append_part(all, child->cwd);
  } else {
    const auto& remote = std::get<http_settings>(server.transport);
    append_part(all, "http");
    append_part(all, remote.url);
    append_parts(all, remote.headers);
  }
  const auto hash = sha256(all);
  return base64url({reinterpret_cast<const char*>(hash.data()), 16}) + ".json";
}

std::string file_text(const cached_server& cached) {
  std::string text = R"({"hawser":1,"revision":)" + json_string(cached.revision) + R"(,"seen":)" +
                     std::to_string(cached.last_probed) + R"(,"tools":[)";
  if (cached.tools) {
    bool first = true;
    for (const tool& cached_tool : cached.tools->tools()) {
      if (!first) text += ',';
      first = false;
      text += cached_tool.json;
    }
  }
  return text + "]}\n";
}

result<cached_server> read_text(std::string_view text, std::size_t max_tools) {
  raw_json all{text};
  // As for pages of tools/list, the number of tools bounds the number of values.
  if (auto valid = all.check({.max_values = text.size()}); !valid) return valid.error();
  if (all.text().front() != '{' || find_member(all.text(), "hawser") != "1")
    return error{.code = errc::parse, .what = "not a file of this version"};
  cached_server read{.revision = text_of(find_member(all.text(), "revision")).value_or(""),
                     .last_probed = integer_of(find_member(all.text(), "seen")).value_or(0)};
  auto tools = std::make_shared<tool_list>();
  // The file has the same member as a page of tools/list and gets the same checks.
  auto page = read_tool_page(std::move(all), *tools, max_tools);
  if (!page) return page.error();
  read.tools = std::move(tools);
  return read;
}

// The cache determines which tools are listed and which era is assumed, so it gets the same checks as credentials.
result<std::optional<secret>> read_cache_file(const std::string& folder, const std::string& name) {
  auto opened = private_folder::open(folder);
  if (!opened) return std::move(opened).error();
  if (!*opened) return std::optional<secret>{};
  return (*opened)->read(name, max_cache_file);
}

result<void> make_cache_folder(const std::string& folder) {
  auto made = private_folder::make(folder);
  if (!made) return std::move(made).error();
  return {};
}

}  // namespace

bool server_cache::is_recent(const cached_server& cached, std::int64_t now) noexcept {
  return cached.last_probed <= now && now - cached.last_probed < day;
}

std::int64_t server_cache::now() noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

task<result<std::optional<cached_server>>> server_cache::load(const server_settings& server,
                                                              std::size_t max_tools) const {
  std::optional<cached_server> cached;
  if (folder_.empty()) co_return cached;
  std::function<result<std::optional<secret>>()> job = [folder = servers_folder(), name = file_name_of(server)] {
    return read_cache_file(folder, name);
  };
  auto text = co_await offload<std::optional<secret>>(std::move(job));
  if (!text && text.error().code == errc::config) co_return std::move(text).error();
  if (!text || !*text) co_return cached;
  auto read = read_text((*text)->reveal(), max_tools);
  if (read) cached = *std::move(read);
  co_return cached;
}

task<result<void>> server_cache::store(const server_settings& server, cached_server cached) const {
  if (folder_.empty()) co_return result<void>{};
  auto loaded = co_await load(server, cached.tools ? cached.tools->size() : 0);
  const auto old = loaded ? *std::move(loaded) : std::nullopt;  // a rejected file is overwritten
  const tool_list none;
  const bool unchanged =
      old && old->revision == cached.revision && *old->tools == (cached.tools ? *cached.tools : none);
  // A timestamp in the future comes from a wrong clock and would never count as recent.
  if (unchanged && old->last_probed <= cached.last_probed && cached.last_probed - old->last_probed < day / 2)
    co_return result<void>{};
  std::function<result<void>()> make = [folder = servers_folder()] { return make_cache_folder(folder); };
  auto made = co_await offload<void>(std::move(make));
  if (!made) co_return made;
  std::string path = servers_folder() + '/' + file_name_of(server);
  std::string text = file_text(cached);
  if (text.size() > max_cache_file) {  // keep the era at least
    cached.tools = nullptr;
    text = file_text(cached);
  }
  co_return co_await replace_file(std::move(path), std::move(text));
}

}  // namespace hawser
