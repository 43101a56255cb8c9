// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace hawser {

namespace {
// The variables a program needs to behave as it does for the user; none that may contain a secret or load code.
constexpr std::array<const char*, 6> safe_names{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"};

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }
}  // namespace

std::vector<std::string> environment::compose() const {
  std::map<std::string, std::string> all = set;  // insert() below does not overwrite these
  if (from == base::safe) {
    for (const char* name : safe_names) {
      // A value that begins with "() {" is a function definition, which some shells would import and execute.
      const char* value = std::getenv(name);
      if (value != nullptr && !std::string_view{value}.starts_with("()")) all.insert({name, value});
    }
  } else if (from == base::inherit) {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text{*entry};
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos)
        all.insert({std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}});
    }
  }
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const auto& [name, value] : all) texts.emplace_back(name).append(1, '=').append(value);
  return texts;
}

result<void> command::check() const {
  const auto bad = [](std::string what) { return error{.code = errc::spawn, .what = std::move(what)}; };
  if (program.empty()) return bad("no program was given");
  if (has_nul(program)) return bad("the program's name has a NUL byte in it");
  if (has_nul(directory)) return bad("spawn \"" + program + "\": the directory has a NUL byte in it");
  if (std::any_of(arguments.begin(), arguments.end(), has_nul))
    return bad("spawn \"" + program + "\": an argument has a NUL byte in it");
  for (const auto& [name, value] : env.set) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name) || has_nul(value)) {
      return bad("spawn \"" + program + "\": the environment variable \"" + name +
                 "\" has a bad name or a NUL byte in it");
    }
  }
  return {};
}

}  // namespace hawser
