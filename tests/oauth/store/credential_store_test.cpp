// SPDX-License-Identifier: MIT
#include "../../../oauth/store/credential_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "../../support/contains.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/token_store_fixture.hpp"
#include "../../support/ut.hpp"

namespace credential_store_test {

using namespace hawser;
using testing::contains;
using testing::run;
using testing::sample_login;
using testing::url_of;
using fixture = testing::token_store_fixture;

using folder = testing::temporary_folder;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

void put(const std::string& path, const std::string& content) {
  std::filesystem::remove(path);
  std::ofstream{path, std::ios::binary} << content;
  expect(chmod(path.c_str(), 0600) == 0);
}

mode_t mode_of(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 ? found.st_mode : 0;
}

// What is there is refused: for reading, for writing, with the file's name and what to do, and it stays as it is.
void expect_refused(const std::string& path, const std::string& why, const std::string& remedy) {
  fixture h{path};
  const auto read = h.run(h.store.find_for_server(url_of("one")));
  expect(read.has_error() && read.error().code == errc::config) << why;
  const auto saved = h.run(h.store.save(url_of("one"), sample_login("one", 2)));
  expect(saved.has_error() && saved.error().code == errc::config) << why;
  for (const std::string& what : {read ? "" : read.error().what, saved ? "" : saved.error().what})
    expect(contains(what, path.substr(0, path.rfind('/'))) && contains(what, why) && contains(what, remedy)) << what;
}

task<void> use_everything(credential_store& store) {
  const std::string url = url_of("one");
  const login one = sample_login("one");
  expect((co_await store.save(url, one)).has_value());
  expect((co_await store.save("https://alias.example", one)).has_value());
  expect((co_await store.save(url_of("two"), sample_login("two"))).has_value());
  expect(*(co_await store.find_for_server(url)) == one);
  expect(*(co_await store.find(one.key)) == one);
  expect(!*(co_await store.find_for_server("https://other.example")));
  expect((co_await store.all())->size() == 3_ul);

  expect((co_await store.save_client(one.key.issuer, one.client)).has_value());
  expect(*(co_await store.find_client(one.key.issuer)) == one.client);
  expect((co_await store.remove_client(one.key.issuer, "other")).has_value());
  expect((co_await store.find_client(one.key.issuer))->has_value());
  expect((co_await store.remove_client(one.key.issuer, one.client.id)).has_value());
  expect(!*(co_await store.find_client(one.key.issuer)));

  expect(!*(co_await store.remove(one.key, std::optional{secret{"another"}})));
  expect((co_await store.forget(url))->empty()) << "the alias uses it";
  expect((co_await store.forget("https://alias.example"))->size() == 1_ul);
  expect(!*(co_await store.find(one.key)));
  expect(*(co_await store.remove(sample_login("two").key, std::optional{sample_login("two").tokens.refresh})));
  expect((co_await store.all())->empty());
}

const suite<"token store"> tests = [] {
  "every function, in memory and in a file"_test = [] {
    memory_credential_store in_memory;
    run(use_everything(in_memory));
    expect(in_memory.location().empty());
    const folder f;
    fixture h{f / "a/b/auth.json"};
    h.run(use_everything(h.store));
    expect(h.store.location() == f / "a/b/auth.json" && h.said.empty());
  };

  "asking for logins where there are none makes no file and no folder"_test = [] {
    const folder f;
    fixture h{f / "hawser/auth.json"};
    expect(!h.find_for_server(url_of("one")) && h.run(h.store.all())->empty());
    expect(f.entries() == 0 && h.said.empty());
  };

  "the place is in XDG_STATE_HOME, or in the home folder, or nowhere"_test = [] {
    std::map<std::string, std::string, std::less<>> set;
    const auto variable = [&](std::string_view name) -> std::optional<std::string> {
      const auto found = set.find(name);
      return found == set.end() ? std::nullopt : std::optional{found->second};
    };
    expect(default_store_path(variable).empty());
    set["HOME"] = "/home/me";
    expect(default_store_path(variable) == "/home/me/.local/state/hawser/auth.json");
    set["XDG_STATE_HOME"] = "relative";
    expect(default_store_path(variable) == "/home/me/.local/state/hawser/auth.json");
    set["XDG_STATE_HOME"] = "/state";
    expect(default_store_path(variable) == "/state/hawser/auth.json");
    set["XDG_STATE_HOME"] = "";
    set["HOME"] = "";
    expect(default_store_path(variable).empty());
  };

  "what cannot be stored is refused, and does no harm"_test = [] {
    const folder f;
    fixture h{f / "auth.json"};
    expect(h.save("one"));
    login bad = sample_login("bad");
    bad.tokens.access = secret{"\xff\xfe"};
    const auto bytes = h.run(h.store.save(url_of("bad"), bad));
    expect(bytes.has_error() && bytes.error().code == errc::protocol);
    bad.tokens.access = secret{std::string(300'000, 'x')};
    const auto size = h.run(h.store.save(url_of("bad"), bad));
    expect(size.has_error() && size.error().code == errc::too_large);
    expect(h.save("two") && h.find_for_server(url_of("one")) == sample_login("one") &&
           !h.find_for_server(url_of("bad")));
  };

  "F05 a damaged file is set aside and named; logins that are sound stay"_test = [] {
    const folder f;
    const std::string path = f / "auth.json";
    expect(fixture{path}.save("one") && fixture{path}.save("two"));
    std::string text = text_of(path);
    text[text.find("access-one") + 2] ^= 1;
    put(path, text);
    fixture h{path};
    expect(h.find_for_server(url_of("two")) == sample_login("two") && !h.find_for_server(url_of("one")));
    expect(contains(h.said, path) && contains(h.said, "damaged") && contains(h.said, path + ".corrupt")) << h.said;
    expect(std::count(h.said.begin(), h.said.end(), '\n') == 1_l) << "said once";
    expect(!contains(h.said, "access-")) << "and nothing of what is in it";
    expect(text_of(path + ".corrupt") == text && mode_of(path + ".corrupt") == (S_IFREG | 0600U));
    fixture later{path};
    expect(later.find_for_server(url_of("two")) == sample_login("two") && later.said.empty());
  };

  "F05 a file that is cut anywhere gives no token that was not in it, and can be saved to"_test = [] {
    const folder f;
    const std::string path = f / "auth.json";
    expect(fixture{path}.save("one") && fixture{path}.save("two"));
    const std::string text = text_of(path);
    for (std::size_t size = 0; size + 1 < text.size(); size += testing::instrumented ? 97 : 13) {
      put(path, text.substr(0, size));
      fixture h{path};
      const auto one = h.find_for_server(url_of("one"));
      expect(!one || one == sample_login("one")) << size;
      expect(text_of(path + ".corrupt") == text.substr(0, size) && !h.said.empty()) << size;
      expect(h.save("three") && h.find_for_server(url_of("three")) == sample_login("three"));
    }
  };

  "F06 a file that others may read, or that is not a plain file of ours, is refused with a remedy"_test = [] {
    const folder f;
    const std::string path = f / "auth.json";
    for (const mode_t mode : {0644U, 0640U, 0604U, 0620U, 0601U}) {
      expect(fixture{path}.save("one"));
      expect(chmod(path.c_str(), mode) == 0);
      const std::string before = text_of(path);
      expect_refused(path, "others may read or write", "chmod 600");
      expect(text_of(path) == before && mode_of(path) == (S_IFREG | mode));
      std::filesystem::remove(path);
    }
    expect(fixture{path}.save("one"));
    std::filesystem::create_hard_link(path, f / "second");
    expect_refused(path, "2 names", "copy it");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("second", path);
    expect_refused(path, "symbolic link", "put the file itself there");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("nowhere", path);
    expect_refused(path, "symbolic link", "put the file itself there");
    std::filesystem::remove(path);
    expect(mkfifo(path.c_str(), 0600) == 0);
    expect_refused(path, "not a regular file", "remove it");
    std::filesystem::remove(path);
    std::filesystem::create_directory(path, f.path);
    expect(chmod(path.c_str(), 0700) == 0);
    expect_refused(path, "not a regular file", "remove it");
    expect(text_of(f / "second").find("access-one-1") != std::string::npos) << "what it led to is untouched";
  };

  "F06 a folder that others may write to, or of somebody else, is refused with a remedy"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(fixture{path}.save("one"));
    for (const mode_t mode : {0770U, 0702U, 01777U}) {
      expect(chmod((f / "hawser").c_str(), mode) == 0);
      expect_refused(path, "others may write to this folder", "chmod 700");
    }
    expect(chmod((f / "hawser").c_str(), 0700) == 0);
    if (geteuid() != 0) return expect_refused("/etc/auth.json", "belongs to user 0", "chown");
    expect(chown(path.c_str(), 12345, 12345) == 0);
    expect_refused(path, "belongs to user 12345", "chown");
    expect(chown(path.c_str(), 0, 0) == 0 && chown((f / "hawser").c_str(), 12345, 12345) == 0);
    expect_refused(path, "belongs to user 12345", "chown");
  };

  "F07 file and folders are the user's alone, whatever the umask"_test = [] {
    for (const mode_t mask : {0000U, 0022U, 0077U, 0777U}) {
      const folder f;
      const mode_t before = umask(mask);
      const bool saved =
          fixture{f / "state/hawser/auth.json"}.save("one") && fixture{f / "state/hawser/auth.json"}.save("two");
      umask(before);
      expect(saved && mode_of(f / "state/hawser/auth.json") == (S_IFREG | 0600U)) << mask;
      expect(mode_of(f / "state/hawser/auth.json.lock") == (S_IFREG | 0600U)) << mask;
      expect(mode_of(f / "state/hawser") == (S_IFDIR | 0700U) && mode_of(f / "state") == (S_IFDIR | 0700U)) << mask;
    }
  };

  "T-30 while it is written, no file of the store is ever open to others"_test = [] {
    const folder f;
    const std::string path = f / "hawser/auth.json";
    expect(fixture{path}.save("one"));
    std::atomic<bool> done = false;
    std::atomic<int> seen = 0;
    std::atomic<int> loose = 0;
    const mode_t before = umask(0);
    std::jthread watch{[&] {
      while (!done) {
        for (const char* name : {"auth.json", "auth.json.new", "auth.json.lock"}) {
          const mode_t mode = mode_of(f / "hawser/" + name);
          seen += mode != 0 && std::string_view{name} == "auth.json.new" ? 1 : 0;
          loose += (mode & 077U) != 0 ? 1 : 0;
        }
      }
    }};
    fixture h{path};
    for (int i = 0; i < 5000 && (i < 50 || seen < 20); ++i) expect(h.save("one", i));
    done = true;
    watch.join();
    umask(before);
    expect(loose.load() == 0 && seen.load() > 0) << seen.load() << "looks at a file that was being written";
  };

  "F11 what a newer version wrote and nobody here can read is refused and left alone"_test = [] {
    const folder f;
    const std::string path = f / "auth.json";
    const std::string newer = R"({"version":2,"vault":"c2VhbGVk"})";
    put(path, newer);
    expect_refused(path, "newer version", "use that one");
    expect(text_of(path) == newer && !std::filesystem::exists(path + ".corrupt"));
  };
};

}  // namespace credential_store_test
