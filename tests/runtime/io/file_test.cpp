// SPDX-License-Identifier: MIT
#include "../../../runtime/io/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/crypto.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace file_test {

using namespace hawser;
using testing::counted;
using testing::run;

using folder = testing::temporary_folder;

void put(const std::string& path, const std::string& content) { std::ofstream{path, std::ios::binary} << content; }

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

mode_t mode_of(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
}

template <class T>
bool fails(const result<T>& r, errc code, const std::string& about) {
  return r.has_error() && r.error().code == code && r.error().what.find(about) != std::string::npos;
}

// A file may have so many bytes meanwhile, which is as near as a test comes to a full disk.
result<void> replace_with_limit(rlim_t bytes, const std::string& path, const std::string& content) {
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit low{.rlim_cur = bytes, .rlim_max = before.rlim_max};
  expect(setrlimit(RLIMIT_FSIZE, &low) == 0);
  auto outcome = run(replace_file(path, content));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal_before);
  return outcome;
}

task<void> replacing(std::string path, std::string content) {
  const counted frame;
  const auto r = co_await replace_file(std::move(path), std::move(content));
  expect(r.has_value() || r.error().code == errc::cancelled);
}

task<void> two_at_once(std::string path, std::string a, std::string b) {
  scope s{co_await this_context()};
  s.spawn(replacing(path, a));
  s.spawn(replacing(path, b));
  co_await s.join();
}

task<void> reading(std::string path) {
  const counted frame;
  const auto r = co_await read_file(path, 100);
  expect(r.has_value() ? *r == "content" : r.error().code == errc::cancelled);
}

// Yields beside the task, so that there are steps to stop it at while the pool is at work.
task<void> beside_yields(task<void> child) {
  scope s{co_await this_context()};
  s.spawn(std::move(child));
  for (int i = 0; i < 5; ++i) co_await yield();
  co_await s.join();
}

const suite<"file"> tests = [] {
  "a file is read whole, whatever is in it"_test = [] {
    const folder f;
    for (const std::size_t size : {0UL, 1UL, 65'535UL, 65'536UL, 65'537UL, 300'000UL}) {
      const std::string content = random_bytes(size);
      put(f / "a", content);
      const auto r = run(read_file(f / "a", 300'000));
      expect(r.has_value() && *r == content) << size;
    }
    const auto sizeless = run(read_file("/proc/self/status", 100'000));
    expect(sizeless.has_value() && sizeless->starts_with("Name:") && sizeless->ends_with('\n'));
  };

  "a file may have the limit's size and not a byte more"_test = [] {
    const folder f;
    for (const std::size_t size : {1UL, 10UL, 65'536UL, 200'000UL}) {
      put(f / "a", std::string(size, 'x'));
      expect(run(read_file(f / "a", size)).has_value()) << size;
      expect(fails(run(read_file(f / "a", size - 1)), errc::too_large, f / "a")) << size;
    }
    put(f / "a", "");
    expect(run(read_file(f / "a", 0)).has_value());
  };

  "a missing file is an error that names it"_test = [] {
    const folder f;
    expect(fails(run(read_file(f / "none", 10)), errc::io, f / "none"));
    expect(fails(run(read_file(f / "none/deeper", 10)), errc::io, f / "none/deeper"));
  };

  "what is not a regular file is refused at once"_test = [] {
    const folder f;
    expect(fails(run(read_file(f / "", 10)), errc::io, "not a regular file"));
    expect(fails(run(read_file("/dev/zero", 10)), errc::io, "not a regular file"));
    expect(mkfifo((f / "fifo").c_str(), 0600) == 0);
    expect(fails(run(read_file(f / "fifo", 10)), errc::io, "not a regular file"))
        << "nobody writes, so opening would wait";
  };

  "a file is made or replaced with the new content, and nothing else is left"_test = [] {
    const folder f;
    for (const std::size_t size : {10UL, 0UL, 1'000'000UL, 3UL}) {
      const std::string content = random_bytes(size);
      expect(run(replace_file(f / "a", content)).has_value());
      expect(text_of(f / "a") == content) << size;
      expect(f.entries() == 1_l);
    }
  };

  "F03 what a killed process has left beside a file goes with the next replacement"_test = [] {
    const folder f;
    const auto leave = [&](const std::string& name, std::chrono::minutes age) {
      put(f / name, "half");
      std::filesystem::last_write_time(f / name, std::filesystem::file_time_type::clock::now() - age);
    };
    leave("a.json.Ab12xY", std::chrono::minutes{20});
    leave("a.json.Zz99zZ", std::chrono::minutes{1});
    leave("b.json.Ab12xY", std::chrono::minutes{20});
    leave("a.json.longer-name", std::chrono::minutes{20});
    leave("a.json-Ab12xY", std::chrono::minutes{20});
    std::filesystem::create_directory(f / "a.json.folder");
    expect(run(replace_file(f / "a.json", "new")).has_value());
    expect(text_of(f / "a.json") == "new");
    expect(!std::filesystem::exists(f / "a.json.Ab12xY")) << "left over";
    for (const char* kept : {"a.json.Zz99zZ", "b.json.Ab12xY", "a.json.longer-name", "a.json-Ab12xY", "a.json.folder"})
      expect(std::filesystem::exists(f / kept)) << kept;
  };

  "a replaced file is its owner's alone, whatever the umask and the old mode"_test = [] {
    const folder f;
    for (const mode_t mask : {0000U, 0022U, 0077U, 0777U}) {
      put(f / "open", "old");
      expect(chmod((f / "open").c_str(), 0666) == 0);
      const mode_t before = umask(mask);
      expect(run(replace_file(f / "open", "new")).has_value());
      expect(run(replace_file(f / "fresh", "new")).has_value());
      umask(before);
      expect(mode_of(f / "open") == (S_IFREG | 0600U) && mode_of(f / "fresh") == (S_IFREG | 0600U)) << mask;
      std::filesystem::remove(f / "fresh");
    }
  };

  "replacing a symbolic link replaces the link, not the file it leads to"_test = [] {
    const folder f;
    put(f / "target", "old");
    std::filesystem::create_symlink("target", f / "link");
    expect(run(replace_file(f / "link", "new")).has_value());
    expect(S_ISREG(mode_of(f / "link")) && text_of(f / "link") == "new" && text_of(f / "target") == "old");
  };

  "two replacements at once leave one of them, whole"_test = [] {
    const folder f;
    const std::string a(100'000, 'a');
    const std::string b(100'000, 'b');
    run(two_at_once(f / "x", a, b));
    const std::string now = text_of(f / "x");
    expect((now == a || now == b) && f.entries() == 1_l);
  };

  "a place where no file can be made is an error that names it"_test = [] {
    const folder f;
    put(f / "file", "old");
    expect(fails(run(replace_file(f / "none/a", "new")), errc::io, f / "none/a"));
    expect(fails(run(replace_file(f / "file/a", "new")), errc::io, f / "file/a"));
    expect(fails(run(replace_file("/proc/hawser", "new")), errc::io, "/proc/hawser"));
    expect(text_of(f / "file") == "old" && f.entries() == 1_l);
    std::filesystem::create_directory(f / "folder");
    expect(fails(run(replace_file(f / "folder", "new")), errc::io, f / "folder"));
    expect(S_ISDIR(mode_of(f / "folder")) && f.entries() == 2_l) << "a file that cannot be renamed is removed";
  };

  "a disk that fills up leaves the old file and nothing beside it"_test = [] {
    const folder f;
    put(f / "a", "old");
    expect(fails(replace_with_limit(4096, f / "a", std::string(10'000, 'x')), errc::io, f / "a"));
    expect(text_of(f / "a") == "old" && f.entries() == 1_l);
  };

  "a read stopped at every step ends clean"_test = [] {
    const folder f;
    put(f / "a", "content");
    testing::every_step([&](loop&) { return beside_yields(reading(f / "a")); }, {.waits = true});
  };

  "a replacement stopped at every step leaves the old file or the new one"_test = [] {
    const folder f;
    testing::every_step([&](loop&) {
      const std::string before = text_of(f / "a");
      expect(before.empty() || before == "old" || before == "new content") << before;
      expect(f.entries() <= 1_l) << "no temporary file outlives the loop";
      put(f / "a", "old");
      return beside_yields(replacing(f / "a", "new content"));
    });
    expect(f.entries() == 1_l);
  };
};

}  // namespace file_test
