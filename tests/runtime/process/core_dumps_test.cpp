// SPDX-License-Identifier: MIT
#include "../../../runtime/process/core_dumps.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "../../support/ut.hpp"

namespace core_dumps_test {

using namespace hawser;

// How a process that crashes ends, by waitpid(2).
int crash_without_core() {
  const int child = fork();
  if (child == 0) {
    const rlimit all{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &all);
    if (chdir("/proc") != 0) _exit(1);  // where no core can be written, only be tried
    if (!disable_core_dumps() || prctl(PR_GET_DUMPABLE) != 0) _exit(2);
    std::signal(SIGABRT, SIG_DFL);
    kill(getpid(), SIGABRT);
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child);
  return status;
}

const suite<"core files"> tests = [] {
  "T-30 a process that holds tokens dies without a core"_test = [] {
    const int status = crash_without_core();
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !WCOREDUMP(status)) << status;
    expect(prctl(PR_GET_DUMPABLE) != 0) << "and nobody else is concerned";
  };
};

}  // namespace core_dumps_test
