// SPDX-License-Identifier: MIT
// The main function of every test program: PROGRAM [--list] [TEXT …] runs the tests whose "suite: name" or file name
// contains one of the texts, or all of them. A text that selects nothing is a failure: it is misspelt, or its test
// was renamed.
#include <algorithm>
#include <cctype>

#include "ut.hpp"

namespace hawser::testing {

namespace {
std::string lowered(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}
}  // namespace

bool runner::selected(std::string_view name, std::string_view file) const {
  if (patterns_.empty()) return true;
  file.remove_prefix(file.rfind('/') + 1);
  const std::string text = lowered(name);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return text.find(pattern) != std::string::npos || file.find(pattern) != std::string_view::npos;
  });
}

int runner::run(int argc, const char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view{argv[i]} == "--list") {
      listing_ = true;
    } else {
      patterns_.push_back(lowered(argv[i]));
    }
  }
  const char* longer = std::getenv("HAWSER_TEST_DEADLINE");  // seconds; for long runs of tests that are usually short
  watchdog guard{std::chrono::seconds{longer != nullptr ? std::atoi(longer) : instrumented ? 300 : 120}};
  watchdog_ = &guard;
  std::sort(suites_.begin(), suites_.end(), [](const registered& a, const registered& b) { return a.name < b.name; });
  for (const registered& s : suites_) {
    suite_ = s.name;
    s.run();
  }
  if (listing_) return 0;
  std::printf("%d passed, %d failed", passed_, failed_);
  if (skipped_ > 0) std::printf(", %d skipped", skipped_);
  std::printf("\n");
  const bool nothing = !patterns_.empty() && passed_ + failed_ + skipped_ == 0;
  if (nothing) std::fprintf(stderr, "no test of this program has such a name\n");
  return failed_ > 0 || nothing ? 1 : 0;
}

}  // namespace hawser::testing

int main(int argc, const char** argv) { return boost::ut::cfg<boost::ut::override>.run(argc, argv); }
