// SPDX-License-Identifier: MIT
// Which lines of a program's stderr say what went wrong.
#include "../../../transports/stdio/error_lines.hpp"

#include <string>

#include "../../support/ut.hpp"

namespace error_lines_test {

using hawser::error_position;
using hawser::find_error_lines;

std::string first(std::string_view log) { return std::string{find_error_lines(log, error_position::first)}; }
std::string last(std::string_view log) { return std::string{find_error_lines(log, error_position::last)}; }

const suite<"error_lines"> tests = [] {
  "CMD-11 the error is found before a usage text, and its stack trace is left out"_test = [] {
    expect(first("starting\nError: unknown option '--x'\n\nUsage: thing [options]\n  --help\n") ==
           "Error: unknown option '--x'");
    expect(first("error: no command\nUsage: thing\n  -h\n") == "error: no command");
    expect(first("node:internal\n  throw err;\n\nError: Cannot find module '/x'\n    at load (a.js:1)\n    at b\n") ==
           "Error: Cannot find module '/x'");
    expect(first("Traceback (most recent call last):\n  File \"x\"\nModuleNotFoundError: No module named 'mcp'\n") ==
           "ModuleNotFoundError: No module named 'mcp'");
    expect(first("npm error code E404\nnpm error 404 Not Found\nnpm error 404\nnpm error more\n") ==
           "npm error code E404\nnpm error 404 Not Found\nnpm error 404");
    expect(first("2026-01-01 [ERROR] no token") == "2026-01-01 [ERROR] no token");
    expect(first("panic: runtime\r\n\r\ngoroutine 1") == "panic: runtime\r");
  };

  "CMD-11 of a program that ran, the last error counts"_test = [] {
    const std::string log = "Error: one\n\nfine again\nError: two\nmore of two\n";
    expect(first(log) == "Error: one");
    expect(last(log) == "Error: two\nmore of two");
    expect(last("Error: one\nError: two\nError: three\nError: four\n") == "Error: four");
  };

  "CMD-11 where no line looks like an error there is none"_test = [] {
    expect(first("").empty() and first("\n\n").empty() and last("\n").empty());
    expect(first("listening on 8080\n0 errors, no terrors\nUsage: x\n").empty());
    expect(first(std::string(1000, 'x') + "error: too far behind").empty());
  };
};

}  // namespace error_lines_test
