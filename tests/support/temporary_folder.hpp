// SPDX-License-Identifier: MIT
// A temporary folder that is removed with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include "ut.hpp"

namespace hawser::testing {

struct temporary_folder {
  temporary_folder() { expect(mkdtemp(path.data()) != nullptr); }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + '/' + name; }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator{path}, std::filesystem::directory_iterator{});
  }
  std::string path = std::filesystem::temp_directory_path() / "hawser_test.XXXXXX";
};

}  // namespace hawser::testing
