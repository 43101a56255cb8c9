// SPDX-License-Identifier: MIT
// The `hawser` program. Each command is a file of its own; this one only reads the command line.
#include <CLI/CLI.hpp>

#include "demo_server.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Hawser: one strong line between a program and every MCP server it uses."};
  app.set_version_flag("--version", "hawser " HAWSER_VERSION);
  app.require_subcommand(1);

  hawser::cli::run_options run;
  CLI::App* run_command = app.add_subcommand("run", "runs a command so that nobody of its process tree outlives it");
  run_command->add_option("command", run.words, "the program and its arguments")->required();
  run_command->add_option("--grace", run.grace_seconds, "seconds between the end of stdin, SIGTERM and SIGKILL")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  run_command->add_option("--directory,-C", run.directory, "where to run it");
  run_command->footer(
      "Ctrl-C or SIGTERM ends the tree step by step; so does the end of hawser, even by SIGKILL.\n"
      "Exit code: the command's own; 128 + N if signal N ended it; 127 if it could not be started.\n"
      "Put -- before a command that has options of its own.");
  run_command->prefix_command(false);

  hawser::cli::demo_server_options demo;
  CLI::App* demo_command = app.add_subcommand("demo-server", "serves MCP on stdin and stdout, to try clients with");
  demo_command->add_option("--name", demo.name, "what it calls itself")->capture_default_str();
  demo_command->add_option("--revision", demo.revision, "speaks this revision only, by its date");
  demo_command->add_flag("--legacy-only", demo.legacy_only, "speaks only revisions with a handshake");
  demo_command->add_flag("--modern-only", demo.modern_only, "speaks only revisions without one");
  demo_command->footer("Ends with 0 when stdin ends, by Ctrl-C or by SIGTERM; the tool crash ends it with 3.");

  CLI11_PARSE(app, argc, argv);
  if (demo_command->parsed()) return hawser::cli::demo_server(demo);
  return hawser::cli::run(run);
}
