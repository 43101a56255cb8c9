// SPDX-License-Identifier: MIT
// What one child is given and sees. How it ends is child_end_test's business, how whole trees do process_tree_test's.
#include "../../../runtime/process/child.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "../../support/temporary_folder.hpp"
#include "children.hpp"

namespace child_test {

using namespace hawser;
using namespace hawser::testing::children;
using testing::fixture_command;
using testing::run;

// How often a process has this very file open.
long opened(int pid, const std::string& file) {
  const std::filesystem::directory_iterator all{"/proc/" + std::to_string(pid) + "/fd"};
  return std::count_if(begin(all), end(all), [&](const auto& one) {
    std::error_code gone;
    return std::filesystem::read_symlink(one, gone) == file;
  });
}

// What a child, its warden and the keeper have of a file that careless threads of the host open all the time. Each time
// with a keeper of its own, since only that one is started by the host itself.
task<void> descriptors_many_times(int times, std::string careless) {
  const context where = co_await this_context();
  for (int i = 0; i < times; ++i) {
    keeper k{*where.loop};
    auto seen = co_await outcome_of(k, fixture_command("x", "descriptors"));
    expect(seen.has_value() && seen->output == "0 1 2 \n") << (seen ? seen->output : seen.error().what);
    auto made = co_await k.spawn(fixture_command("x", "echo"));
    expect(fatal(made.has_value()));
    const int warden = parent_of(made->pid());
    const int keeper_itself = parent_of(warden);
    expect(parent_of(keeper_itself) == getpid());
    for (const int one : {made->pid(), warden, keeper_itself}) expect(opened(one, careless) == 0_l);
    auto ended = co_await made->shutdown(quick);
    auto closed = co_await k.close();
    expect(ended.has_value() && closed.has_value());
  }
}

task<std::string> where_am_i(keeper& k, std::string directory) {
  command c = fixture_command("x", "place");
  c.directory = std::move(directory);
  auto done = co_await outcome_of(k, std::move(c));
  co_return done ? done->output.substr(0, done->output.find('\n')) : done.error().what;
}

task<void> host_moves(std::string home) {
  const context where = co_await this_context();
  keeper k{*where.loop};
  expect(chdir("/usr") == 0);
  expect(co_await where_am_i(k, "") == std::string{"/usr"});
  expect(chdir("/") == 0);
  expect(co_await where_am_i(k, "") == std::string{"/"}) << "the directory of the host, not of the keeper's start";
  expect(co_await where_am_i(k, "usr/bin") == std::string{"/usr/bin"});
  expect(chdir(home.c_str()) == 0);
  auto closed = co_await k.close();
  expect(closed.has_value());
}

const suite<"child"> tests = [] {
  "a child gets its arguments untouched, its directory, a session and a group of its own"_test = [] {
    command c = fixture_command("x", "place", {"a b", "$HOME", "*", "", "\"quoted\"", "ünï"});
    c.directory = "/usr";
    expect(output_of(c) == std::string{"/usr\n11\na b\n$HOME\n*\n\n\"quoted\"\nünï\n"});
  };

  "a child sees the safe variables, what it is given and nothing else"_test = [] {
    setenv("HAWSER_TEST_CANARY", "secret", 1);
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    setenv("TERM", "dumb", 1);
    setenv("LOGNAME", "() { :; }; echo run by a shell", 1);
    command c = fixture_command("x", "environment");
    c.env.set = {{"GIVEN", "a=b"}, {"TERM", "vt100"}};
    const std::string seen = output_of(c);
    expect(seen.find("GIVEN=a=b\n") != std::string::npos);
    expect(seen.find("TERM=vt100\n") != std::string::npos) << "what is given wins";
    expect(seen.find("LOGNAME") == std::string::npos) << "a function is no value";
    std::istringstream lines{seen};
    for (std::string line; std::getline(lines, line);) {
      const std::string name = line.substr(0, line.find('='));
      const std::vector<std::string> allowed{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "GIVEN"};
      expect(std::find(allowed.begin(), allowed.end(), name) != allowed.end()) << line;
    }
    c.env.from = environment::base::inherit;
    expect(output_of(c).find("HAWSER_TEST_CANARY=secret\n") != std::string::npos) << "inheriting is a choice";
    c.env = {.from = environment::base::empty, .set = {{"ONLY", "1"}}};
    expect(output_of(c) == std::string{"ONLY=1\n"});
    unsetenv("HAWSER_TEST_CANARY");
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("LOGNAME");
  };

  "a child sees descriptors 0, 1 and 2, and keeper and warden none of ours, also while other threads open files"_test =
      [] {
        const testing::temporary_folder folder;
        const std::string file = folder / "careless";
        std::atomic<bool> stop = false;
        std::vector<std::thread> openers;
        for (int t = 0; t < 2; ++t) {
          openers.emplace_back([&] {
            while (!stop) {
              const int careless =
                  open(file.c_str(), O_RDWR | O_CREAT, 0600);  // without O_CLOEXEC, as careless programs do
              close(careless);
            }
          });
        }
        run(descriptors_many_times(testing::rounds(testing::instrumented ? 50 : 150), file));
        stop = true;
        for (std::thread& t : openers) t.join();
      };

  "A01 a command that does not exist is named with the PATH it was looked for in"_test = [] {
    command c{.program = "no-such-program-here"};
    c.env.set["PATH"] = "/bin:/usr/bin";
    const auto begin = std::chrono::steady_clock::now();
    const auto r = outcome(c);
    expect(std::chrono::steady_clock::now() - begin < 1s);
    expect(fatal(r.has_error()));
    expect(r.error().code == errc::spawn && r.error().native == ENOENT);
    expect(r.error().what ==
           std::string{"spawn \"no-such-program-here\": No such file or directory (looked in PATH=/bin:/usr/bin)"})
        << r.error().what;
  };

  "an empty part of PATH is not the working directory"_test = [] {
    const testing::temporary_folder folder;
    std::ofstream{folder / "trap"} << "#!/bin/sh\nexit 7\n";
    std::filesystem::permissions(folder / "trap", std::filesystem::perms::owner_all);
    for (const char* path : {"", ":", "/nowhere:", "/nowhere::/nowhere", ":/nowhere"}) {
      command c{.program = "trap", .directory = folder.path};
      c.env.set["PATH"] = path;
      const auto r = outcome(c);
      expect(r.has_error() && r.error().native == ENOENT) << path;
    }
    command by_name{.program = "trap", .directory = folder.path};
    by_name.env.set["PATH"] = folder.path;
    const auto r = outcome(by_name);
    expect(r.has_value() && r->status.code == 7);
  };

  "A02 a file that cannot be executed is an error with its reason, and no shell tries it"_test = [] {
    const std::string folder = std::filesystem::temp_directory_path() / testing::new_token();
    std::filesystem::create_directory(folder);
    std::ofstream{folder + "/script"} << "echo run by a shell\n";
    expect(outcome(command{.program = folder + "/script"}).error().native == EACCES);
    chmod((folder + "/script").c_str(), 0755);
    expect(outcome(command{.program = folder + "/script"}).error().native == ENOEXEC);
    expect(outcome(command{.program = folder}).error().native == EISDIR);
    std::filesystem::remove_all(folder);
  };

  "CMD-11 a program that is a directory, is not executable, or has no interpreter is said to be that"_test = [] {
    const testing::temporary_folder folder;
    const auto said = [&](const std::string& program) {
      command c{.program = program};
      c.env.set["PATH"] = folder.path;
      const auto r = outcome(c);
      return r ? std::string{"it ran"} : r.error().what;
    };
    const auto write = [&](const char* name, const char* text, unsigned mode) {
      std::ofstream{folder / name} << text;
      chmod((folder / name).c_str(), mode);
    };
    std::filesystem::create_directory(folder / "folder");
    expect(said(folder / "folder") == "spawn \"" + (folder / "folder") + "\": Is a directory; name a program");
    expect(said("folder") == "spawn \"folder\": No such file or directory (looked in PATH=" + folder.path + ')');
    write("plain", "#!/bin/sh\n", 0644);
    for (const std::string& program : {std::string{"plain"}, folder / "plain"})
      expect(
          said(program).ends_with("Permission denied; the file must be executable: chmod +x, or run it by its "
                                  "interpreter"))
          << said(program);
    write("script", "echo x\n", 0755);
    expect(said("script").find("a script needs a first line such as #!/bin/sh") != std::string::npos) << said("script");
    write("orphan", "#!/no/such/interpreter\n", 0755);
    for (const std::string& program : {std::string{"orphan"}, folder / "orphan"})
      expect(
          said(program).ends_with("the file is there, but not its interpreter, which the first line of a script names"))
          << said(program);
  };

  "CMD-11 a working directory that cannot be used is named, and PATH is not blamed for it"_test = [] {
    const testing::temporary_folder folder;
    std::ofstream{folder / "file"} << "x";
    for (const auto& [directory, why] :
         {std::pair{folder / "missing", "No such file or directory"}, std::pair{folder / "file", "Not a directory"}}) {
      const auto r = outcome(command{.program = "sh", .directory = directory});
      expect(fatal(r.has_error()));
      expect(r.error().what == "spawn \"sh\": working directory \"" + directory + "\": " + why) << r.error().what;
    }
  };

  "A33 a working directory that is not there is an error that says so"_test = [] {
    command c = fixture_command("x", "exit");
    c.directory = "/no/such/directory";
    const auto r = outcome(c);
    expect(r.has_error() && r.error().native == ENOENT);
    expect(r.error().what.find("working directory") != std::string::npos) << r.error().what;
  };

  "texts that no process can be given are refused before anything starts"_test = [] {
    expect(outcome(command{.program = ""}).has_error());
    expect(outcome(fixture_command("x", "exit", {std::string{"a\0b", 3}})).has_error());
    command c = fixture_command("x", "exit");
    c.env.set["BAD=NAME"] = "1";
    expect(outcome(c).error().code == errc::spawn);
  };

  "arguments and environment of a megabyte arrive"_test = [] {
    command c = fixture_command("x", "environment");
    c.env = {.from = environment::base::empty, .set = {{"BIG", std::string(100'000, 'v')}}};
    for (int i = 0; i < 10; ++i) c.arguments.emplace_back(100'000, 'a');
    expect(output_of(c).size() == 4U + 100'000U + 1U);
  };

  "a child starts in the directory that the host is in now"_test = [] {
    run(host_moves(std::filesystem::current_path()));
  };
};

}  // namespace child_test
