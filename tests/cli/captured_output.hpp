// SPDX-License-Identifier: MIT
// A printer whose bytes a test reads back.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "../../cli/terminal/output.hpp"

namespace hawser::testing {

class captured_output {
 public:
  captured_output()
      : descriptor_(memfd_create("output", MFD_CLOEXEC)), out(descriptor_, cli::output::buffering::line) {}
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  ~captured_output() { close(descriptor_); }

  [[nodiscard]] std::string text() {
    out.write_available();
    std::string all(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    const ssize_t count = pread(descriptor_, all.data(), all.size(), 0);
    all.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return all;
  }

 private:
  int descriptor_;

 public:
  cli::output out;
};

}  // namespace hawser::testing
