// SPDX-License-Identifier: MIT
#include "../../../host/supervision/server_cache.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "../../../host/session/tool_page.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace server_cache_test {

using namespace hawser;
using namespace hawser::testing;
namespace fs = std::filesystem;

constexpr std::int64_t day = 24 * 60 * 60;
constexpr std::int64_t today = 1'800'000'000;

std::shared_ptr<const tool_list> tools(const std::string& elements) {
  auto list = std::make_shared<tool_list>();
  expect(read_tool_page(raw_json{R"({"tools":[)" + elements + "]}"}, *list, 100'000).has_value());
  return list;
}
std::shared_ptr<const tool_list> two_tools() {
  return tools(R"({"name":"a","title":"\u00e4 \"A\"","inputSchema":{"x" : 1.0e0}},{"name":"b","inputSchema":{}})");
}

server_settings git() {
  return {.name = "git",
          .transport = stdio_settings{.command = "uvx", .args = {"git", "--x"}, .env = {{"TOKEN", "s3cr3t-value"}}}};
}
server_settings web() {
  return {.name = "web",
          .transport = http_settings{.url = "https://a.example/mcp", .headers = {{"Authorization", "Bearer s3cr3t"}}}};
}

result<void> keep(const std::string& folder, const server_settings& about, const cached_server& what) {
  const server_cache memory{folder};
  return run(memory.store(about, what));
}
std::optional<cached_server> load(const std::string& folder, const server_settings& about, std::size_t most = 100) {
  const server_cache memory{folder};
  auto known = run(memory.load(about, most));
  return known ? *std::move(known) : std::nullopt;
}

std::vector<fs::path> files(const std::string& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.is_regular_file()) all.push_back(entry.path());
  }
  return all;
}
std::string text_in(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}
void write(const fs::path& path, const std::string& text) { std::ofstream{path} << text; }

const suite<"server_cache"> tests = [] {
  "what was kept is recalled, tools byte for byte"_test = [] {
    const temporary_folder folder;
    expect(
        keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()}).has_value());
    const auto known = load(folder.path, git());
    expect(fatal(known.has_value()));
    expect(known->revision == "2025-06-18" and known->last_probed == today and *known->tools == *two_tools());
  };

  "a server without tools is remembered, too"_test = [] {
    const temporary_folder folder;
    expect(keep(folder.path, git(), {.revision = "2026-07-28", .last_probed = today}).has_value());
    const auto known = load(folder.path, git());
    expect(known.has_value() and known->tools != nullptr and known->tools->empty());
  };

  "without a file, or without a folder, nothing is known"_test = [] {
    const temporary_folder folder;
    expect(!load(folder.path, git()).has_value() and folder.entries() == 0_l);
    expect(!load(folder / "never" + "/made", git()).has_value());
    expect(keep("", git(), {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()}).has_value());
    expect(!load("", git()).has_value());
  };

  "a file that is broken, of another version, or of something else is as good as none, and is replaced"_test = [] {
    const temporary_folder folder;
    const cached_server what{.revision = "2025-06-18", .last_probed = today, .tools = two_tools()};
    expect(keep(folder.path, git(), what).has_value());
    const fs::path file = files(folder.path).front();
    const std::string good = text_in(file);
    for (const std::string& bad :
         {std::string{}, std::string{"{"}, good.substr(0, good.size() / 2), std::string{"[]"}, std::string{"null"},
          std::string{R"({"hawser":2,"revision":"2025-06-18","seen":1,"tools":[]})"},
          std::string{R"({"revision":"2025-06-18","seen":1,"tools":[]})"}, std::string{R"({"hawser":1})"},
          std::string{R"({"hawser":1,"revision":"2025-06-18","seen":1,"tools":{}})"}, std::string(100, '\0'),
          good + good}) {
      write(file, bad);
      expect(!load(folder.path, git()).has_value()) << bad.substr(0, 60);
      expect(keep(folder.path, git(), what).has_value() and text_in(file) == good);
    }
  };

  "a folder in place of the file is treated as a missing file"_test = [] {
    const temporary_folder folder;
    expect(keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today}).has_value());
    const fs::path file = files(folder.path).front();
    fs::remove(file);
    fs::create_directory(file);
    expect(!load(folder.path, git()).has_value());
    expect(!keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today}).has_value());
  };

  "a folder that cannot be made is an error that names it"_test = [] {
    const temporary_folder folder;
    write(folder / "file", "in the way");
    const std::string inside = folder / "file" + "/deep";
    const auto kept = keep(inside, git(), {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()});
    expect(!kept and kept.error().code == errc::io and kept.error().what.find(folder / "file") != std::string::npos);
  };

  "folders are made on the way, for the user alone, and so is the file"_test = [] {
    const temporary_folder folder;
    const std::string deep = folder / "a" + "/b/c/";
    expect(keep(deep, git(), {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()}).has_value());
    expect(load(deep, git()).has_value());
    struct stat info{};
    expect(stat((folder / "a").c_str(), &info) == 0_i and (info.st_mode & 0777) == 0700);
    expect(stat(files(folder.path).front().c_str(), &info) == 0_i and (info.st_mode & 0777) == 0600);
  };

  "S083 no secret is in the file or in its name, and neither is the command"_test = [] {
    const temporary_folder folder;
    for (const server_settings& about : {git(), web()})
      expect(
          keep(folder.path, about, {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()}).has_value());
    expect(files(folder.path).size() == 2_ul);
    for (const fs::path& file : files(folder.path)) {
      for (const char* word : {"s3cr3t", "Bearer", "TOKEN", "a.example", "uvx"})
        expect((file.string() + text_in(file)).find(word) == std::string::npos) << word;
    }
  };

  "another configuration is another server, whatever moved between its parts"_test = [] {
    const temporary_folder folder;
    std::vector<server_settings> all{git(), web()};
    const auto stdio = [&](stdio_settings child) { all.push_back({.name = "n", .transport = std::move(child)}); };
    stdio({.command = "c"});
    stdio({.command = "c", .args = {"X", "Y"}});
    stdio({.command = "c", .args = {"XY"}});
    stdio({.command = "c", .args = {"Y", "X"}});
    stdio({.command = "c", .env = {{"X", "Y"}}});
    stdio({.command = "c", .env = {{"X", "Z"}}});
    stdio({.command = "c", .args = {"X"}, .cwd = "Y"});
    stdio({.command = "c", .cwd = "X"});
    stdio({.command = "c", .args = {"X"}});
    stdio({.command = "c", .args = {""}});
    all.push_back({.name = "n", .transport = http_settings{.url = "c"}});
    all.push_back({.name = "n", .transport = http_settings{.url = "c", .headers = {{"X", "Y"}}}});
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect(!load(folder.path, all[i]).has_value()) << "number" << i << "is taken for one before it";
      expect(keep(folder.path, all[i], {.revision = "2025-06-18", .last_probed = today}).has_value());
    }
    expect(files(folder.path).size() == all.size());
  };

  "what is said already is not written again within half a day"_test = [] {
    const temporary_folder folder;
    const cached_server what{.revision = "2025-06-18", .last_probed = today, .tools = two_tools()};
    expect(keep(folder.path, git(), what).has_value());
    const fs::path file = files(folder.path).front();
    const auto seen_after = [&](const cached_server& next) {
      expect(keep(folder.path, git(), next).has_value());
      return load(folder.path, git())->last_probed;
    };
    cached_server next = what;
    next.last_probed = today + day / 2 - 1;
    expect(seen_after(next) == today);
    next.last_probed = today + day / 2;
    expect(seen_after(next) == next.last_probed) << "the verdict is fresh again";
    next.last_probed += 1;
    next.revision = "2025-11-25";
    expect(seen_after(next) == next.last_probed) << "another revision";
    next.last_probed += 1;
    next.tools = tools(R"({"name":"a","inputSchema":{}})");
    expect(seen_after(next) == next.last_probed) << "other tools";
    next.last_probed += 1;
    next.tools = nullptr;
    expect(seen_after(next) == next.last_probed) << "no tools any more";
    const std::int64_t before = next.last_probed++;
    expect(seen_after(next) == before) << "still no tools";
  };

  "a file from the future, when the clock was wrong, is written again"_test = [] {
    const temporary_folder folder;
    expect(keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today + 900 * day, .tools = two_tools()})
               .has_value());
    expect(
        keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today, .tools = two_tools()}).has_value());
    expect(load(folder.path, git())->last_probed == today);
  };

  "more tools than are allowed are not recalled, many that are allowed are"_test = [] {
    const temporary_folder folder;
    std::string schema = R"({"enum":[0)";
    for (int i = 0; i < 300; ++i) schema += ",1";
    schema += "]}";
    std::string elements;
    for (int i = 0; i < 8000; ++i)
      elements += (i > 0 ? "," : "") + (R"({"name":"t)" + std::to_string(i) + R"(","inputSchema":)") + schema + '}';
    const auto many = tools(elements);
    expect(many->size() == 8000_ul);
    expect(keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today, .tools = many}).has_value());
    expect(!load(folder.path, git(), 7999).has_value());
    const auto known = load(folder.path, git(), 10'000);
    expect(known.has_value() and *known->tools == *many);
  };

  "FRZ-6 tools of more bytes than are read back are not written, and the era is"_test = [] {
    const temporary_folder folder;
    const auto large = [](std::size_t bytes) {
      return tools(R"({"name":"a","inputSchema":{},"description":")" + std::string(bytes, 'x') + "\"}");
    };
    const auto fits = large(std::size_t{32} << 20);
    expect(keep(folder.path, git(), {.revision = "2025-06-18", .last_probed = today, .tools = fits}).has_value());
    const auto known = load(folder.path, git());
    expect(known.has_value() and *known->tools == *fits);
    const cached_server too_large{
        .revision = "2025-11-25", .last_probed = today, .tools = large(std::size_t{34} << 20)};
    expect(keep(folder.path, git(), too_large).has_value());
    expect(fs::file_size(files(folder.path).front()) < 1000_ul);
    const auto less = load(folder.path, git());
    expect(less.has_value() and less->revision == "2025-11-25" and less->tools->empty());
  };

  "a verdict is good for a day, and one from the future is not"_test = [] {
    const cached_server what{.last_probed = today};
    expect(server_cache::is_recent(what, today) and server_cache::is_recent(what, today + day - 1));
    expect(!server_cache::is_recent(what, today + day) and !server_cache::is_recent(what, today - 1));
    expect(!server_cache::is_recent({}, server_cache::now()));
  };

  "remembering leaves nothing behind, at whatever step it is stopped"_test = [] {
    const temporary_folder folder;
    int turn = 0;
    every_step(
        [&](loop&) {
          return [](const server_cache memory, server_settings about, int number) -> task<void> {
            const counted alive;
            cached_server what{.revision = std::to_string(number), .last_probed = today, .tools = two_tools()};
            auto kept = co_await memory.store(about, std::move(what));
            ignore(kept, "stopped or not");
            auto known = co_await memory.load(about, 100);
            if (kept && known && *known) expect((*known)->revision == std::to_string(number));
          }(server_cache{folder.path}, git(), ++turn);
        },
        {.beyond = 10});
    const auto known = load(folder.path, git());
    expect(known.has_value() and *known->tools == *two_tools()) << "the file is always a whole one";
  };
};

}  // namespace server_cache_test
