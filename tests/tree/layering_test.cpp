// SPDX-License-Identifier: MIT
// Reads the sources themselves: who includes whom, which third-party headers show up where, and words that the house
// does without. The table is the one of ARCHITECTURE.md.
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
    {"gateway", {"runtime", "transports", "registry", "host", "gateway"}},
};

// Programs that use the library as anybody would, from its public headers.
const std::vector<std::string> users{"cli", "bench", "examples"};

struct inclusion {
  fs::path from;  // relative to the root
  std::string what;
  bool of_ours = false;
};

std::vector<fs::path> sources_of(const std::string& room) {
  std::vector<fs::path> found;
  if (!fs::exists(root() / room)) return found;
  for (const auto& entry : fs::recursive_directory_iterator{root() / room}) {
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

std::string room_of(const fs::path& relative) { return relative.begin()->string(); }

const suite<"layering"> tests = [] {
  "no room includes one above it"_test = [] {
    int seen = 0;
    for (const auto& [room, may] : allowed) {
      for (const fs::path& file : sources_of(room)) {
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours || i.what == "keeper_image.inc") continue;
          const fs::path target = (i.from.parent_path() / i.what).lexically_normal();
          expect(fs::exists(root() / target)) << i.from.string() << "includes" << i.what << "which is not there";
          if (room == "registry" && target == "runtime/error.hpp") continue;
          expect(may.contains(room_of(target))) << i.from.string() << "includes" << i.what;
          ++seen;
        }
      }
    }
    expect(seen > 50) << "the test reads the tree";
  };

  "programs include the public headers of the rooms, and of no other program"_test = [] {
    for (const std::string& user : users) {
      int seen = 0;
      for (const fs::path& file : sources_of(user)) {
        for (const inclusion& i : inclusions_of(file)) {
          if (!i.of_ours) continue;
          const fs::path target = (i.from.parent_path() / i.what).lexically_normal();
          expect(fs::exists(root() / target)) << i.from.string() << "includes" << i.what << "which is not there";
          const std::string room = room_of(target);
          const bool is_private = target.parent_path() != room;  // detail/, keeper/
          expect(room == user || (allowed.contains(room) && !is_private)) << i.from.string() << "includes" << i.what;
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

  "no room links one above it"_test = [] {
    for (const auto& [room, may] : allowed) {
      const std::string text = text_of(root() / room / "xmake.lua");
      for (const auto& [other, its] : allowed) {
        if (room == other || other == "runtime") continue;  // whose error.hpp everybody has
        if (text.find('"' + other + '"', text.find("add_deps(")) != std::string::npos)
          expect(may.contains(other)) << room << "links" << other;
      }
    }
  };

  "third-party headers stay where they belong"_test = [] {
    for (const auto& [room, may] : allowed) {
      for (const fs::path& file : sources_of(room)) {
        for (const inclusion& i : inclusions_of(file)) {
          const std::string from = i.from.string();
          const bool source_or_detail = from.ends_with(".cpp") || from.find("/detail/") != std::string::npos;
          if (i.what == "uv.h") expect(room == "runtime" && source_or_detail) << from;
          const bool own_poller =
              i.what == "sys/epoll.h" || i.what == "sys/timerfd.h" || i.what == "sys/eventfd.h";  // libuv is the poller
          expect(!own_poller) << from << i.what;
          if (i.what == "ares.h") expect(from == "runtime/dns.cpp") << from;
          expect(!i.what.starts_with("jsoncons")) << from << "tests compare with it";
          if (i.what == "llhttp.h") expect(from == "transports/http_parser.cpp") << from;
          if (i.what.starts_with("openssl/")) {
            const bool tls = from.starts_with("transports/tls_") || from.starts_with("transports/detail/tls_");
            expect(from == "runtime/crypto.cpp" || (tls && source_or_detail) || from == "oauth/signing.cpp") << from;
          }
        }
      }
    }
  };

  "public headers include no private ones but the few that templates need"_test = [] {
    const std::set<std::string> installed{"detail/check.hpp", "detail/join_group.hpp", "detail/list.hpp",
                                          "detail/posted.hpp", "detail/unique_fd.hpp"};
    for (const auto& entry : fs::directory_iterator{root() / "runtime"}) {
      if (entry.path().extension() != ".hpp") continue;
      for (const inclusion& i : inclusions_of(entry.path())) {
        if (i.what.starts_with("detail/") || i.what.starts_with("keeper/"))
          expect(installed.contains(i.what)) << i.from.string() << i.what;
      }
    }
  };

  "words the house does without"_test = [] {
    const std::vector<std::string> banned{".detach()", "co_spawn(", "popen(",      "std::regex",
                                          " system(",  "TODO(now)", "thread_local"};
    std::vector<std::string> rooms = users;
    for (const auto& [room, may] : allowed) rooms.push_back(room);
    for (const std::string& room : rooms) {
      for (const fs::path& file : sources_of(room)) {
        const std::string text = text_of(file);
        // The mask of signals belongs to the thread, and so does the count of those who changed it.
        const bool of_thread = fs::relative(file, root()) == "runtime/detail/writing_signals.hpp";
        for (const std::string& word : banned)
          expect(text.find(word) == std::string::npos || (of_thread && word == "thread_local"))
              << fs::relative(file, root()).string() << "says" << word;
      }
    }
  };

  "FRZ-12 foreign text becomes a tree of Boost.JSON only where its names are checked"_test = [] {
    const std::set<std::string> checked{"transports/json_tree.cpp", "oauth/wiped_text.cpp"};
    std::vector<std::string> rooms{"cli"};
    for (const auto& [room, may] : allowed) rooms.push_back(room);
    for (const std::string& room : rooms) {
      for (const fs::path& file : sources_of(room)) {
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
    for (const auto& [room, may] : allowed) {
      for (const fs::path& file : sources_of(room))
        expect(text_of(file).starts_with("// SPDX-License-Identifier: MIT\n")) << fs::relative(file, root()).string();
    }
  };
};

}  // namespace layering_test
