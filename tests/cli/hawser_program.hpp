// SPDX-License-Identifier: MIT
// The real `hawser` as a child of a test, with a configuration and a cache folder of the test's own.
#pragma once

#include <string>
#include <vector>

#include "../support/temporary_folder.hpp"

namespace hawser::testing {

struct ended_program {
  int code = -1;  ///< as shells count: 128 + N for signal N
  std::string out{};
  std::string err{};
};

/// What its stdin, stdout and stderr are. A terminal's descriptor stands for all three.
struct program_ends {
  std::string input{};  ///< what stdin has
  int out = -1;         ///< another descriptor instead of one that is read back
  int err = -1;         ///< the same for stderr
  int terminal = -1;
  std::vector<int> closed{};            ///< of 0, 1 and 2: those that it does not get at all
  std::string program_name = "hawser";  ///< which program of ours it is
};

class running_program {
 public:
  running_program(std::vector<std::string> words, std::vector<std::string> environment, const program_ends& ends);
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;
  ~running_program();

  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;
  /// Waits for a text on stdout or stderr; false if the program ended or ten seconds passed without it.
  bool says(const std::string& text);
  void signal(int number) const;
  ended_program wait();

 private:
  bool reap(int options);  // whether it has ended
  int pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  int status_ = -1;
};

/// A folder with `mcp.json`, in which `hawser` is to be called as if nobody had ever called it there.
class cli_fixture {
 public:
  /// Servers: "demo" and "old" (demo-server of either era), "broken" (no such program), "off" (disabled), "noisy"
  /// (writes to stderr), "mute" (never answers). Only those that are named.
  explicit cli_fixture(const std::vector<std::string>& servers);

  ended_program run(std::vector<std::string> words, const program_ends& ends = {}) const;
  [[nodiscard]] std::unique_ptr<running_program> start(std::vector<std::string> words,
                                                       const program_ends& ends = {}) const;
  /// In the command line of every server.
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  void write(const std::string& name, const std::string& content) const;

  temporary_folder folder;
  std::vector<std::string> environment{};  ///< more of it

 private:
  std::string token_;
};

}  // namespace hawser::testing
