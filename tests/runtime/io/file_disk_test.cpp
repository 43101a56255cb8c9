// SPDX-License-Identifier: MIT
// What a disk, and a power cut, can do to a file that is being replaced.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "../../../runtime/io/file.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/traced_child.hpp"
#include "../../support/ut.hpp"

namespace file_disk_test {

using namespace hawser;
using testing::traced_action;
using testing::traced_call;
using testing::traced_child;

using folder = testing::temporary_folder;

enum outcome : int { replaced = 0, refused = 10, unnamed = 11 };

// In the child.
int replace(const std::string& path) {
  loop l;
  const auto done = l.run(replace_file(path, "new"));
  if (done) return replaced;
  return done.error().what.find(path.substr(0, path.rfind('/'))) == std::string::npos ? unnamed : refused;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

// A word for what must be in order; empty for what need not.
std::string_view step_of(const traced_call& call) {
  switch (call.number) {
    case SYS_write: return "write ";
    case SYS_fsync: return "sync ";
    case SYS_renameat:
    case SYS_renameat2: return "rename ";
#if defined(__x86_64__)
    case SYS_rename: return "rename ";
#endif
    default: return "";
  }
}

// The folder, or the file that is to take the place of the old one, whatever its name is.
std::string_view who(const traced_call& call, const folder& f) {
  if (call.file == f.path) return "folder";
  return call.file.starts_with(f / "a.") ? "new file" : "something else";
}

const suite<"file on disk"> tests = [] {
  "a new content is on the disk before it gets its name, and its name before the replacement ends"_test = [] {
    const folder f;
    std::ofstream{f / "a"} << "old";
    std::vector<std::string> steps;
    const int status = traced_child::run([&] { return replace(f / "a"); },
                                         [&](const traced_call& call) {
                                           const std::string_view step = step_of(call);
                                           if (!step.empty() && call.file.starts_with(f.path))
                                             steps.push_back(std::string{step} + std::string{who(call, f)});
                                           return traced_action{};
                                         });
    expect(WIFEXITED(status) && WEXITSTATUS(status) == replaced);
    expect(steps == std::vector<std::string>{"write new file", "sync new file", "rename new file", "sync folder"})
        << steps.size();
    expect(text_of(f / "a") == "new");
  };

  "a file system that knows no syncing of folders is no error"_test = [] {
    const folder f;
    const int status = traced_child::run([&] { return replace(f / "a"); },
                                         [&](const traced_call& call) {
                                           const bool of_folder = call.number == SYS_fsync && call.file == f.path;
                                           return traced_action{.fail_with = of_folder ? EINVAL : 0};
                                         });
    expect(WIFEXITED(status) && WEXITSTATUS(status) == replaced);
    expect(text_of(f / "a") == "new");
  };

  "an error of the disk, in whichever call, is told and leaves the old file or the new one"_test = [] {
    int failures = 0;
    for (bool hit = true; hit; ++failures) {
      const folder f;
      std::ofstream{f / "a"} << "old";
      hit = false;
      bool closing = false;
      int next = 0;
      std::string_view last;
      const int status = traced_child::run([&] { return replace(f / "a"); },
                                           [&](const traced_call& call) {
                                             if (!call.file.starts_with(f.path)) return traced_action{};
                                             if (next++ != failures) return traced_action{};
                                             hit = true;
                                             last = step_of(call);
                                             // What a descriptor was used for has been synced, or is only a folder.
                                             closing = call.number == SYS_close && call.file == f.path;
                                             return traced_action{.fail_with = EIO};
                                           });
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      expect(code == (hit && !closing ? refused : replaced)) << "call" << failures << last << "outcome" << code;
      const std::string now = text_of(f / "a");
      expect(now == "new" || (code == refused && now == "old")) << "call" << failures << last << now;
      expect(f.entries() == 1_l) << "call" << failures << last;
    }
    expect(failures > 7_i) << "make, mode, write, sync, close, rename, open the folder, sync it";
  };
};

}  // namespace file_disk_test
