// SPDX-License-Identifier: MIT
// The first program of README.md, which shows statements only: ./dev check install cuts them out of README.md into two
// files, the includes and the rest, and runs this with files_server.sh as its argument.
#include "readme_includes.inc"

#include <string>

namespace {

int complain(const hawser::error& why) {
  std::fprintf(stderr, "%s\n", why.what.c_str());
  return 1;
}

int readme_program(const std::string& text) {
#include "readme_statements.inc"
  return 0;
}

}  // namespace

int main(int /*count*/, char** words) {
  return readme_program(R"({"mcpServers": {"files": {"command": "sh", "args": [")" + std::string{words[1]} +
                        R"("]}}})");
}
