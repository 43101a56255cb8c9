// SPDX-License-Identifier: MIT
#include "stdio_connection.hpp"

#include <cstdio>

#include "../harness.hpp"

namespace hawser::bench {

const prepared_request& echo_request() {
  static const prepared_request request = prepared_request::tool_call("echo");
  return request;
}

std::string_view echo_arguments() { return R"({"text":"hi"})"; }

const call_options& usual_deadlines() {
  static const call_options options;
  return options;
}

std::string echo_line() {
  std::string line;
  echo_request().append_to(line, 3'932'160'001, echo_arguments());
  return line;
}

namespace {

stdio_channel_options stdio_options_for(stdio output, std::vector<std::string> arguments, wire_limits limits) {
  stdio_channel_options options;
  options.what = {.program = sibling("bench_mcp_server"), .arguments = std::move(arguments), .output = output};
  options.limits = limits;
  return options;
}

}  // namespace

stdio_connection::stdio_connection(loop& home, stdio output, std::vector<std::string> arguments, wire_limits limits)
    : keeper_(home),
      wire_(keeper_, stdio_options_for(output, std::move(arguments), limits)),
      side_(home, wire_, listener_) {}

task<bool> stdio_connection::open() {
  auto opened = co_await wire_.open(side_);
  if (!opened) std::fprintf(stderr, "hawser-bench: %s\n", opened.error().what.c_str());
  co_return opened.has_value();
}

task<void> stdio_connection::close() {
  auto closed = co_await wire_.close();
  ignore(closed, "the numbers are taken");
  auto ended = co_await keeper_.close();
  ignore(ended, "the numbers are taken");
}

}  // namespace hawser::bench
