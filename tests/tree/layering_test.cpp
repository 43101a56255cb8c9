// SPDX-License-Identifier: MIT
// Reads the sources: which module and folder includes which, where third-party headers are included, and calls that are
// not used in this project. The table of modules is the one of ARCHITECTURE.md.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../support/source_root.hpp"
#include "../support/ut.hpp"

namespace layering_test {

namespace fs = std::filesystem;

fs::path root() { return hawser::testing::source_root(); }

const std::map<std::string, std::set<std::string>> allowed{
    {"runtime", {"runtime"}},
    {"transports", {"runtime", "transports"}},
    {"registry", {"registry"}},  // and runtime/error.hpp
    {"oauth", {"runtime", "transports", "oauth"}},
    {"host", {"runtime", "transports", "registry", "oauth", "host"}},
    {"server", {"runtime", "transports", "server"}},
};

// Folders of one module, and which others of it they may include. A folder that is not listed may include all of them;
// a module's own headers outside of folders, and those in its `detail`, are for all.
const std::map<std::string, std::set<std::string>> allowed_folders{
    {"transports/json", {}},
    {"transports/jsonrpc", {"transports/json"}},
    {"transports/stdio", {"transports/json", "transports/jsonrpc"}},
    {"transports/testing", {"transports/json", "transports/jsonrpc"}},
    {"transports/tls", {}},
    {"transports/http", {}},
    {"transports/http/client", {"transports/http", "transports/tls"}},
    {"transports/http/server", {"transports/http", "transports/tls"}},
    {"transports/streamable_http",
     {"transports/http", "transports/http/client", "transports/json", "transports/jsonrpc"}},
    {"runtime/async", {"runtime/loop"}},
    {"runtime/loop", {"runtime/async", "runtime/io"}},  // of io: unique_fd
    {"runtime/io", {"runtime/async", "runtime/loop"}},
    {"runtime/keeper", {}},
    {"host/schema", {"host/result"}},
    {"host/result", {"host/schema"}},
    {"host/config", {"host/result", "host/supervision"}},  // of supervision: restart_backoff
    {"host/session", {"host/config", "host/schema", "host/result"}},
    {"server", {}},  // its HTTP part is on top of it
};

// Programs that use the library as anybody would, from its public headers.
const std::vector<std::string> users{"cli", "bench", "examples"};

struct inclusion {
  fs::path from;  // relative to the root
  std::string what;
  bool of_ours = false;
};

std::vector<fs::path> sources_of(const std::string& module) {
  std::vector<fs::path> found;
  if (!fs::exists(root() / module)) return found;
  for (const auto& entry : fs::recursive_directory_iterator{root() / module}) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") found.push_back(entry.path());
  }
  return found;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

std::vector<inclusion> inclusions_of(const fs::path& file) {
  std::vector<inclusion> found;
  std::istringstream lines{text_of(file)};
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
    if (!line.starts_with("#include")) continue;
    const std::size_t open = line.find_first_of("<\"");
    const std::size_t close = line.find_first_of(">\"", open + 1);
    if (close == std::string::npos) continue;
    found.push_back({fs::relative(file, root()), line.substr(open + 1, close - open - 1), line[open] == '"'});
  }
  return found;
}

std::string module_of(const fs::path& relative) { return relative.begin()->string(); }

// The folder without `detail`, which belongs to the folder around it.
std::string folder_of(const fs::path& relative) {
  const fs::path folder = relative.parent_path();
  return (folder.filename() == "detail" ? folder.parent_path() : folder).string();
}

// Headers that are not installed: those of a `detail` folder, and the keeper's own.
bool is_private(const fs::path& relative) {
  return relative.parent_path().filename() == "detail" || relative.parent_path() == "runtime/keeper";
}

fs::path target_of(const inclusion& i) { return (i.from.parent_path() / i.what).lexically_normal(); }

const suite<"layering"> tests = [] {
  "no module includes a module above it"_test = [] {
    int seen = 0;
    for (const auto& [module, may] : allowed) {
      for (const fs::path& file : sources_of(module)) {
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours || i.what == "keeper_image.inc") continue;
          const fs::path target = target_of(i);
          expect(fs::exists(root() / target)) << i.from.string() << "includes" << i.what << "which is not there";
          if (module == "registry" && target == "runtime/error.hpp") continue;
          expect(may.contains(module_of(target))) << i.from.string() << "includes" << i.what;
          ++seen;
        }
      }
    }
    expect(seen > 50) << "the test reads the tree";
  };

  "no folder of a module includes a folder above it"_test = [] {
    int seen = 0;
    for (const auto& [module, may] : allowed) {
      for (const fs::path& file : sources_of(module)) {
        const auto folder = allowed_folders.find(folder_of(fs::relative(file, root())));
        if (folder == allowed_folders.end()) continue;
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours) continue;
          const std::string other = folder_of(target_of(i));
          if (module_of(target_of(i)) != module || other == module || other == folder->first) continue;
          expect(folder->second.contains(other)) << i.from.string() << "includes" << i.what;
          ++seen;
        }
      }
    }
    expect(seen > 50) << "the test reads the tree";
  };

  "programs include public headers of the modules, and of no other program"_test = [] {
    for (const std::string& user : users) {
      int seen = 0;
      for (const fs::path& file : sources_of(user)) {
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours) continue;
          const fs::path target = target_of(i);
          expect(fs::exists(root() / target)) << i.from.string() << "includes" << i.what << "which is not there";
          const std::string module = module_of(target);
          expect(module == user || (allowed.contains(module) && !is_private(target)))
              << i.from.string() << "includes" << i.what;
          ++seen;
        }
        for (const inclusion& i : inclusions_of(file)) {
          const bool uv_program = i.what == "uv.h" && i.from == "examples/uv_embed.cpp";
          expect(uv_program || (i.what != "uv.h" && i.what != "ares.h" && i.what != "llhttp.h"))
              << i.from.string() << i.what;
        }
      }
      expect(seen > 0) << "the test reads" << user;
    }
  };

  "no module links a module above it"_test = [] {
    for (const auto& [module, may] : allowed) {
      const std::string text = text_of(root() / module / "xmake.lua");
      for (const auto& [other, its] : allowed) {
        if (module == other || other == "runtime") continue;  // whose error.hpp everybody has
        if (text.find('"' + other + '"', text.find("add_deps(")) != std::string::npos)
          expect(may.contains(other)) << module << "links" << other;
      }
    }
  };

  "third-party headers stay where they belong"_test = [] {
    for (const auto& [module, may] : allowed) {
      for (const fs::path& file : sources_of(module)) {
        for (const inclusion& i : inclusions_of(file)) {
          const std::string from = i.from.string();
          const bool source_or_detail = from.ends_with(".cpp") || from.find("/detail/") != std::string::npos;
          if (i.what == "uv.h") expect(module == "runtime" && source_or_detail) << from;
          const bool own_poller =
              i.what == "sys/epoll.h" || i.what == "sys/timerfd.h" || i.what == "sys/eventfd.h";  // libuv is the poller
          expect(!own_poller) << from << i.what;
          if (i.what == "ares.h") expect(from == "runtime/io/dns.cpp") << from;
          expect(!i.what.starts_with("jsoncons")) << from << "tests compare with it";
          if (i.what == "llhttp.h") expect(from == "transports/http/http_parser.cpp") << from;
          if (i.what.starts_with("openssl/")) {
            const bool tls = from.starts_with("transports/tls/");
            expect(from == "runtime/crypto.cpp" || (tls && source_or_detail) || from == "oauth/signing_key.cpp")
                << from;
          }
        }
      }
    }
  };

  "public headers include no private ones but the few that templates need"_test = [] {
    // xmake.lua installs these.
    const std::set<std::string> installed{
        "runtime/detail/check.hpp",
        "runtime/detail/list.hpp",
        "runtime/async/detail/join_group.hpp",
        "runtime/loop/detail/posted_function.hpp",
        "runtime/io/detail/unique_fd.hpp",
        "transports/json/detail/plain_run.hpp",
        "registry/detail/table_publisher.hpp",
        "registry/detail/name_index.hpp",
    };
    for (const auto& [module, may] : allowed) {
      for (const fs::path& file : sources_of(module)) {
        const fs::path from = fs::relative(file, root());
        if (from.extension() != ".hpp" || (is_private(from) && !installed.contains(from.string()))) continue;
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours) continue;
          expect(!is_private(target_of(i)) || installed.contains(target_of(i).string())) << from.string() << i.what;
        }
      }
    }
  };

  "a source holds what a header of its name declares"_test = [] {
    std::vector<std::string> modules{"cli"};
    for (const auto& [module, may] : allowed) modules.push_back(module);
    for (const std::string& module : modules) {
      for (const fs::path& file : sources_of(module)) {
        const fs::path from = fs::relative(file, root());
        // The commands are declared together; a main has nothing to declare.
        if (from == "runtime/io/detail/stream_writing.cpp") continue;  // the write side of stream_core
        if (from.extension() != ".cpp" || from.filename() == "main.cpp" || from.parent_path() == "cli/commands")
          continue;
        const fs::path header = file.stem().string() + ".hpp";
        expect(fs::exists(file.parent_path() / header) || fs::exists(file.parent_path() / "detail" / header))
            << from.string() << "is a slice of another file's class";
      }
    }
  };

  "forbidden words do not occur"_test = [] {
    const std::vector<std::string> banned{".detach()", "co_spawn(", "popen(",      "std::regex",
                                          " system(",  "TODO(now)", "thread_local"};
    std::vector<std::string> modules = users;
    for (const auto& [module, may] : allowed) modules.push_back(module);
    for (const std::string& module : modules) {
      for (const fs::path& file : sources_of(module)) {
        const std::string text = text_of(file);
        // The mask of signals belongs to the thread, and so does the count of those who changed it.
        const bool of_thread = fs::relative(file, root()) == "runtime/loop/detail/write_signal_blocker.hpp";
        for (const std::string& word : banned)
          expect(text.find(word) == std::string::npos || (of_thread && word == "thread_local"))
              << fs::relative(file, root()).string() << "says" << word;
      }
    }
  };

  "FRZ-12 foreign text becomes a tree of Boost.JSON only where its names are checked"_test = [] {
    const std::set<std::string> checked{"transports/json/json_tree.cpp", "oauth/store/wiped_text.cpp"};
    std::vector<std::string> modules{"cli"};
    for (const auto& [module, may] : allowed) modules.push_back(module);
    for (const std::string& module : modules) {
      for (const fs::path& file : sources_of(module)) {
        const std::string name = fs::relative(file, root()).string();
        const std::string text = text_of(file);
        const bool checks = checked.contains(name) && text.find("check_json_tree(") != std::string::npos;
        for (const std::string word : {"json::parse(", "json::parser ", "json::stream_parser", "json::basic_parser"}) {
          std::size_t at = text.find(word);
          while (at != std::string::npos && text[at - 1] == '_') at = text.find(word, at + 1);  // raw_json::parse
          expect(at == std::string::npos || checks) << name << "says" << word;
        }
      }
    }
  };

  "every header and source names its license first"_test = [] {
    for (const auto& [module, may] : allowed) {
      for (const fs::path& file : sources_of(module))
        expect(text_of(file).starts_with("// SPDX-License-Identifier: MIT\n")) << fs::relative(file, root()).string();
    }
  };
};

}  // namespace layering_test
