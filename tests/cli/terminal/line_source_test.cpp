// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/line_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace line_source_test {

using namespace hawser;
using testing::run;

// Another stdin for as long as it lives.
class borrowed_stdin {
 public:
  explicit borrowed_stdin(int descriptor) : own_(fcntl(0, F_DUPFD_CLOEXEC, 3)) { dup2(descriptor, 0); }
  borrowed_stdin(const borrowed_stdin&) = delete;
  borrowed_stdin& operator=(const borrowed_stdin&) = delete;
  ~borrowed_stdin() {
    dup2(own_, 0);
    close(own_);
  }

 private:
  int own_;
};

task<std::vector<std::string>> all_lines() {
  const context where = co_await this_context();
  std::vector<std::string> lines;
  auto from = cli::open_standard_lines(*where.loop);
  if (!from) co_return lines;
  while (true) {
    auto line = co_await (*from)->next();
    if (!line) {
      expect(line.error().code == errc::closed);
      co_return lines;
    }
    lines.push_back(*std::move(line));
  }
}

const suite<"line_source"> tests = [] {
  "a pipe brings its lines, also a last one that has no end"_test = [] {
    int ends[2];
    expect(fatal(pipe2(ends, O_CLOEXEC) == 0));
    expect(write(ends[1], "one\n\nthree", 10) == 10);
    close(ends[1]);
    {
      const borrowed_stdin in{ends[0]};
      expect(run(all_lines()) == std::vector<std::string>{"one", "", "three"});
    }
    close(ends[0]);
  };

  "a file brings its lines, and one without any is at its end"_test = [] {
    for (const std::string text : {"", "one\ntwo\n", "one\ntwo"}) {
      const int file = memfd_create("lines", MFD_CLOEXEC);
      expect(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
      lseek(file, 0, SEEK_SET);
      {
        const borrowed_stdin in{file};
        const auto lines = run(all_lines());
        expect(lines == (text.empty() ? std::vector<std::string>{} : std::vector<std::string>{"one", "two"})) << text;
      }
      close(file);
    }
  };
};

}  // namespace line_source_test
