// SPDX-License-Identifier: MIT
// A child that misbehaves on request: fixture_child TOKEN MODE [ARGUMENT …]. The token has no effect; it is in the
// command line of this process and of every process it forks, so that a test can look for survivors.
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) _exit(1);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Echoes its input until it ends.
void echo() {
  std::vector<char> piece(65536);
  while (true) {
    const ssize_t count = read(0, piece.data(), piece.size());
    if (count == 0) return;
    if (count < 0 && errno != EINTR) return;
    if (count > 0) write_all(1, {piece.data(), static_cast<std::size_t>(count)});
  }
}

// Ignores its pipes and runs until it is killed.
[[noreturn]] void live_on() {
  while (true) pause();
}

void ready() { write_all(1, "ready\n"); }

void ignore_sigterm() {
  signal(SIGTERM, SIG_IGN);
  ready();
  live_on();  // also ignores the end of its stdin
}

// Like a launcher that exits and leaves the real server behind, with the pipes.
void leave_grandchildren() {
  for (int i = 0; i < 3; ++i) {
    if (fork() == 0) live_on();
  }
  ready();
  _exit(0);
}

void daemonise() {
  if (fork() == 0) {
    setsid();
    const pid_t between = getpid();
    if (fork() != 0) _exit(0);
    while (getppid() == between) usleep(100);  // otherwise two processes would have left the group
    signal(SIGTERM, SIG_IGN);                  // ended only by SIGKILL from a process that still tracks it
    ready();
    for (const int fd : {0, 1, 2}) close(fd);
    open("/dev/null", O_RDWR);
    live_on();
  }
}

// A process that has left the group, with a parent that stays until it is killed.
void keep_a_stray() {
  signal(SIGTERM, SIG_IGN);
  if (fork() == 0) {
    setsid();
    ready();
  }
  live_on();
}

// A worker that has left the group and whose first thread has ended: the system shows it as a zombie, but it
// continues to run.
void end_first_thread() {
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    pthread_t other{};
    pthread_create(&other, nullptr, [](void*) -> void* { live_on(); }, nullptr);
    write_all(1, std::to_string(getpid()) + '\n');
    pthread_exit(nullptr);
  }
  live_on();
}

void close_stdout() {
  ready();
  close(1);
  live_on();
}

void close_stdin() {
  close(0);
  ready();
  live_on();
}

[[noreturn]] void flood(int fd) {
  if (fd != 1) ready();
  const std::string piece(65536, 'x');
  while (true) write_all(fd, piece);
}

void noisy_exit() {
  std::string line;
  for (int i = 0; line.size() < std::size_t{100} * 1024; ++i) line += "complaint number " + std::to_string(i) + '\n';
  write_all(2, line);
  _exit(1);
}

void print_environment() {
  for (char** entry = environ; *entry != nullptr; ++entry) write_all(1, std::string{*entry} + '\n');
}

// Asks the kernel about each number instead of opening /proc/self/fd, which would appear in its own list.
void print_descriptors() {
  std::string list;
  for (int fd = 0; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) list += std::to_string(fd) + ' ';
  }
  write_all(1, list + '\n');
}

void print_place(char** arguments) {
  char directory[4096];
  std::string text = getcwd(directory, sizeof directory) != nullptr ? directory : "?";
  text += '\n' + std::to_string(getsid(0) == getpid()) + std::to_string(getpgrp() == getpid()) + '\n';
  for (; *arguments != nullptr; ++arguments) text += std::string{*arguments} + '\n';
  write_all(1, text);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 2 ? argv[2] : "";
  if (mode == "echo")
    echo();
  else if (mode == "ignore-sigterm")
    ignore_sigterm();
  else if (mode == "leave-grandchildren")
    leave_grandchildren();
  else if (mode == "daemonise") {
    daemonise();
    live_on();
  } else if (mode == "leave-daemon")
    daemonise();
  else if (mode == "keep-a-stray")
    keep_a_stray();
  else if (mode == "end-first-thread")
    end_first_thread();
  else if (mode == "close-stdout")
    close_stdout();
  else if (mode == "close-stdin")
    close_stdin();
  else if (mode == "flood-stderr")
    flood(2);
  else if (mode == "flood-stdout")
    flood(1);
  else if (mode == "exit")
    return argc > 3 ? std::atoi(argv[3]) : 0;
  else if (mode == "noisy-exit")
    noisy_exit();
  else if (mode == "environment")
    print_environment();
  else if (mode == "descriptors")
    print_descriptors();
  else if (mode == "place")
    print_place(argv + 3);
  else if (mode == "crash") {
    signal(SIGABRT, SIG_DFL);
    raise(SIGKILL);
  } else
    return 64;
  return 0;
}
