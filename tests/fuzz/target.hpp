// SPDX-License-Identifier: MIT
// What every fuzz target shares: libFuzzer's entry, and the way to say what is wrong. A target defines fuzz_one().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace hawser::testing {

void fuzz_one(std::string_view input);

inline void must_be_empty(const std::string& difference) {
  if (difference.empty()) return;
  std::fprintf(stderr, "DIFFERENCE: %s\n", difference.c_str());
  std::abort();
}

}  // namespace hawser::testing

extern "C" inline __attribute__((used)) int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  // libFuzzer's own array has room behind the input; here the first byte beyond it is poisoned.
  const std::vector<char> exact(bytes, bytes + size);
  hawser::testing::fuzz_one({exact.data(), exact.size()});
  return 0;
}
