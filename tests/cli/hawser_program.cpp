// SPDX-License-Identifier: MIT
#include "hawser_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "../support/fixture.hpp"
#include "../support/send_signal.hpp"

namespace hawser::testing {

namespace json = boost::json;

namespace {

std::string content_of(int descriptor) {
  std::string all(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
  const ssize_t count = pread(descriptor, all.data(), all.size(), 0);
  all.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return all;
}

int file_with(const std::string& content) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  expect(write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

json::object server(const std::string& program, json::array args) {
  return json::object{{"command", program}, {"args", std::move(args)}};
}

}  // namespace

running_program::running_program(std::vector<std::string> words, std::vector<std::string> environment,
                                 const program_ends& ends)
    : out_(memfd_create("out", MFD_CLOEXEC | MFD_ALLOW_SEALING)), err_(memfd_create("err", MFD_CLOEXEC)) {
  const int input = file_with(ends.input);
  words.insert(words.begin(), program(ends.program_name));
  auto argv = pointers(words);
  auto envp = pointers(environment);
  // Appending, as the three descriptors of a shell do: two writers of one file must not overwrite each other.
  fcntl(out_, F_SETFL, O_APPEND);
  fcntl(err_, F_SETFL, O_APPEND);
  pid_ = fork();
  if (pid_ == 0) {
    const bool at_terminal = ends.terminal >= 0;
    if (at_terminal) {
      setsid();
      ioctl(ends.terminal, TIOCSCTTY, 0);
    }
    dup2(at_terminal ? ends.terminal : input, 0);
    dup2(at_terminal ? ends.terminal : ends.out >= 0 ? ends.out : out_, 1);
    dup2(at_terminal ? ends.terminal : ends.err >= 0 ? ends.err : err_, 2);
    for (const int one : ends.closed) close(one);
    execve(argv.front(), argv.data(), envp.data());
    _exit(126);
  }
  close(input);
}

running_program::~running_program() {
  if (pid_ > 0 && !reap(WNOHANG)) {
    kill(pid_, SIGKILL);
    expect(reap(0));
  }
  close(out_);
  close(err_);
}

bool running_program::reap(int options) {
  if (pid_ > 0 && waitpid(pid_, &status_, options) == pid_) pid_ = -1;
  return pid_ < 0;
}

std::string running_program::out() const { return content_of(out_); }
std::string running_program::err() const { return content_of(err_); }

bool running_program::says(const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{instrumented ? 60 : 20};
  while (std::chrono::steady_clock::now() < until) {
    const bool over = reap(WNOHANG);
    if (out().find(text) != std::string::npos || err().find(text) != std::string::npos) return true;
    if (over) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});  // other processes' words make no event for us
  }
  return false;
}

void running_program::signal(int number) const { send_signal(pid_, number); }

ended_program running_program::wait() {
  reap(0);
  const int code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  return {.code = code, .out = out(), .err = err()};
}

cli_fixture::cli_fixture(const std::vector<std::string>& servers) : token_(new_token()) {
  json::object all;
  for (const std::string& name : servers) {
    const std::string hawser = program("hawser");
    const std::string me = "--name=" + token_;
    if (name == "demo") all[name] = server(hawser, {"demo-server", me});
    if (name == "old") all[name] = server(hawser, {"demo-server", me, "--legacy-only"});
    if (name == "broken") all[name] = server("/nonexistent/program", {});
    if (name == "mute") all[name] = server("/bin/sleep", {"1000"});
    if (name == "noisy") {
      all[name] = server(
          "/bin/sh", {"-c", "echo first words >&2; printf '\\033[2J\\n' >&2; exec \"$0\" demo-server " + me, hawser});
    }
    if (name == "off") {
      all[name] = server(hawser, {"demo-server"});
      all[name].get_object()["enabled"] = false;
    }
  }
  write("mcp.json", json::serialize(json::object{{"mcpServers", std::move(all)}}));
}

void cli_fixture::write(const std::string& name, const std::string& content) const {
  std::ofstream{folder / name} << content;
}

std::unique_ptr<running_program> cli_fixture::start(std::vector<std::string> words, const program_ends& ends) const {
  std::vector<std::string> all{"PATH=/usr/bin:/bin", "TERM=dumb", "HOME=" + folder.path,
                               "XDG_CACHE_HOME=" + (folder / "cache"), "HAWSER_CONFIG=" + (folder / "mcp.json")};
  all.insert(all.begin(), environment.begin(), environment.end());  // of two values of a name, the first one counts
  return std::make_unique<running_program>(std::move(words), std::move(all), ends);
}

ended_program cli_fixture::run(std::vector<std::string> words, const program_ends& ends) const {
  return start(std::move(words), ends)->wait();
}

}  // namespace hawser::testing
