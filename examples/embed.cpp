// SPDX-License-Identifier: MIT
// Embeds Hawser in a program: reads a configuration, adds a native tool, and calls a tool by name.
//
//   example_embed mcp.json files__read_file '{"path":"notes.txt"}'
#include <boost/json/parse.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "../host/config/config.hpp"
#include "../host/host.hpp"
#include "../runtime/process/standard_descriptors.hpp"

int main(int argc, char** argv) {
  if (!hawser::open_standard_descriptors()) return 1;  // otherwise sockets of the host could become stdout
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s CONFIG TOOL [JSON]\n", argv[0]);
    return 2;
  }
  std::ifstream file{argv[1]};
  std::string text;
  std::getline(file, text, '\0');
  if (!file.eof()) {
    std::fprintf(stderr, "%s cannot be read\n", argv[1]);
    return 2;
  }
  const hawser::config_result config = hawser::parse_config(text, argv[1], hawser::process_variables());
  for (const auto& problem : config.problems) std::fprintf(stderr, "%s\n", problem.text().c_str());

  hawser::host host{config.settings};
  const auto added =
      host.add_tool("greet", "greets somebody", R"({"type":"object","properties":{"name":{"type":"string"}}})",
                    [](const boost::json::object& arguments) {
                      const auto* name = arguments.if_contains("name");
                      const bool named = name != nullptr && name->is_string();
                      return hawser::envelope::of_text("hello " + std::string{named ? name->get_string() : "you"});
                    });
  if (!added) std::fprintf(stderr, "%s\n", added.error().what.c_str());

  if (const auto started = host.start(); !started) {  // servers start in the background …
    std::fprintf(stderr, "%s\n", started.error().what.c_str());
    return 1;
  }
  if (const auto settled = host.settled().get(); !settled) {  // … until each is ready or has failed with a reason
    std::fprintf(stderr, "%s\n", settled.error().what.c_str());
    return 1;
  }
  for (const auto& server : host.status())
    std::fprintf(stderr, "%s: %s %s\n", server.name.c_str(), std::string{to_string(server.state)}.c_str(),
                 server.reason.c_str());

  boost::system::error_code bad;
  const boost::json::value arguments = boost::json::parse(argc > 3 ? argv[3] : "{}", bad);
  if (bad || !arguments.is_object()) {
    std::fprintf(stderr, "the arguments are no JSON object\n");
    return 2;
  }
  const auto answer = host.call(argv[2], arguments.get_object(), {.timeout = std::chrono::seconds{30}}).get();
  std::printf("%s\n", hawser::render_for_model(answer).output.c_str());
  const bool printed = std::fflush(stdout) == 0;
  return printed && answer && !answer->is_error() ? 0 : 1;
}
