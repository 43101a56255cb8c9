// SPDX-License-Identifier: MIT
// Runs a function in a process of its own under ptrace(2). Every system call, on any thread, is reported before it
// executes and can be made to fail, to be delayed, or to kill the process.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "ut.hpp"

namespace hawser::testing {

struct traced_call {
  int index = 0;  // counts from 0 over all threads
  long number = 0;
  std::string file{};        // its path, or the target of its descriptor; empty for other calls
  unsigned long second = 0;  // its arguments
  unsigned long third = 0;
};

struct traced_action {
  bool kill = false;
  int fail_with = 0;  // an errno, instead of executing it
  std::chrono::milliseconds hold{0};
};

using traced_policy = std::function<traced_action(const traced_call&)>;

class traced_child {
 public:
  /// Returns the status from waitpid(2).
  static int run(const std::function<int()>& what, const traced_policy& policy) {
    traced_child child{policy};
    return child.run(what);
  }

 private:
  explicit traced_child(const traced_policy& policy) : policy_(policy) {}

  int run(const std::function<int()>& what) {
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      raise(SIGSTOP);
      _exit(what());
    }
    int status = 0;
    expect(waitpid(pid_, &status, __WALL) == pid_ && WIFSTOPPED(status)) << "this system lets nobody trace";
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    ptrace(PTRACE_SETOPTIONS, pid_, nullptr, options);
    resume(pid_, 0);
    while (true) {
      const int who = waitpid(-pid_, &status, __WALL | (held_.empty() ? 0 : WNOHANG));
      if (who < 0) return end_;
      if (who == 0) {
        let_go();
        continue;
      }
      if (!WIFSTOPPED(status)) {
        if (who == pid_) end_ = status;
        continue;
      }
      stopped(who, status);
    }
  }

  void stopped(int thread, int status) {
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) return at_call(thread);
    const bool born = signal == SIGSTOP && known_.insert(thread).second && thread != pid_;
    resume(thread, born || (status >> 16) != 0 ? 0 : signal);
  }

  void at_call(int thread) {
    __ptrace_syscall_info call{};
    ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call);
    if (call.op == PTRACE_SYSCALL_INFO_EXIT) {
      if (const auto failing = failing_.find(thread); failing != failing_.end()) {
        set_outcome(thread, -failing->second);
        failing_.erase(failing);
      }
      return resume(thread, 0);
    }
    const traced_action verdict = policy_({.index = next_++,
                                           .number = static_cast<long>(call.entry.nr),
                                           .file = file_of(thread, call),
                                           .second = call.entry.args[1],
                                           .third = call.entry.args[2]});
    if (verdict.kill) {
      ::kill(pid_, SIGKILL);
      return;
    }
    if (verdict.fail_with != 0) {
      skip_call(thread);
      failing_[thread] = verdict.fail_with;
    }
    if (verdict.hold.count() > 0) {
      held_[thread] = std::chrono::steady_clock::now() + verdict.hold;
    } else {
      resume(thread, 0);
    }
  }

  void let_go() {
    usleep(500);  // polling interval; no system call waits for both a timeout and a child
    for (auto one = held_.begin(); one != held_.end();) {
      if (std::chrono::steady_clock::now() < one->second) {
        ++one;
        continue;
      }
      resume(one->first, 0);
      one = held_.erase(one);
    }
  }

  static void resume(int thread, int signal) { ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal)); }

#if defined(__x86_64__)
  static void skip_call(int thread) { ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, orig_rax), -1L); }
  static void set_outcome(int thread, long value) {
    ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, rax), value);
  }
#else
  static void skip_call(int thread) {
    int none = -1;
    iovec piece{&none, sizeof none};
    ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &piece);
  }
  static void set_outcome(int thread, long value) {
    user_regs_struct registers{};
    iovec piece{&registers, sizeof registers};
    ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &piece);
    registers.regs[0] = static_cast<unsigned long>(value);
    ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &piece);
  }
#endif

  [[nodiscard]] std::string file_of(int thread, const __ptrace_syscall_info& call) const {
    static const std::set<long> by_descriptor{SYS_read,  SYS_write, SYS_fsync, SYS_fchmod,
                                              SYS_close, SYS_flock, SYS_fstat, SYS_fdatasync};
    static const std::set<long> by_folder{SYS_openat,     SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_faccessat,
                                          SYS_faccessat2, SYS_mkdirat,  SYS_fchmodat, SYS_newfstatat};
#if defined(__x86_64__)
    static const std::set<long> by_name{SYS_open, SYS_mkdir, SYS_chmod, SYS_stat, SYS_lstat, SYS_rename, SYS_unlink};
#else
    static const std::set<long> by_name{};
#endif
    const long number = static_cast<long>(call.entry.nr);
    if (by_descriptor.contains(number)) return path_of(call.entry.args[0]);
    if (by_name.contains(number)) return text_at(thread, call.entry.args[0]);
    if (!by_folder.contains(number)) return {};
    std::string name = text_at(thread, call.entry.args[1]);
    if (name.empty()) return path_of(call.entry.args[0]);
    if (name.starts_with('/') || static_cast<int>(call.entry.args[0]) == AT_FDCWD) return name;
    return path_of(call.entry.args[0]) + '/' + name;
  }

  [[nodiscard]] std::string path_of(unsigned long descriptor) const {
    std::error_code none;
    const auto link = "/proc/" + std::to_string(pid_) + "/fd/" + std::to_string(static_cast<int>(descriptor));
    return std::filesystem::read_symlink(link, none).string();
  }

  static std::string text_at(int thread, unsigned long address) {
    std::string text;
    while (text.size() < 4096) {  // byte by byte: the memory after the text may not be readable
      char byte = 0;
      const iovec here{&byte, 1};
      const iovec there{reinterpret_cast<void*>(address + text.size()), 1};  // NOLINT(performance-no-int-to-ptr)
      if (process_vm_readv(thread, &here, 1, &there, 1, 0) != 1 || byte == 0) break;
      text += byte;
    }
    return text;
  }

  const traced_policy& policy_;
  int pid_ = 0;
  int next_ = 0;
  int end_ = 0;
  std::set<int> known_;
  std::map<int, int> failing_;
  std::map<int, std::chrono::steady_clock::time_point> held_;
};

}  // namespace hawser::testing
