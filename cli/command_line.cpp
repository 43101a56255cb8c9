// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../runtime/library_version.hpp"
#include "bench_program.hpp"
#include "commands/commands.hpp"
#include "demo_server.hpp"
#include "exit_code.hpp"
#include "run.hpp"

namespace hawser::cli {

namespace {

using chosen_command = std::function<int(terminal&)>;

// The options live as long as the command line: their subcommand refers to them.
template <class Options>
Options& chooses(CLI::App& command, chosen_command& chosen, int (*run)(terminal&, const Options&)) {
  const auto options = std::make_shared<Options>();
  command.callback(
      [&chosen, options, run] { chosen = [options, run](terminal& screen) { return run(screen, *options); }; });
  return *options;
}

void add_common(CLI::App& command, common_options& to) {
  constexpr double longest = 366.0 * 24 * 3600;
  const char* group = "Common options";
  command
      .add_option("--config", to.config, "where the servers are configured; else $HAWSER_CONFIG or $MCP_CONFIG_PATH")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--json", to.json, "prints JSON for programs")->group(group);
  command.add_option("--timeout", to.timeout_seconds, "how long the command may take in all")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, longest).description(""))
      ->group(group);
  command.add_flag("-v,--verbose", to.verbose, "shows every message to and from servers on stderr")->group(group);
  command.add_flag("--no-cache", to.no_cache, "neither uses nor keeps what was learned about servers")->group(group);
}

void add_servers(CLI::App& app, chosen_command& chosen) {
  CLI::App* list = app.add_subcommand("list", "the configured servers and what was last known of them; starts nothing");
  add_common(*list, chooses(*list, chosen, list_command));
  list->footer(
      "--json: {\"servers\":[{name, state, transport, target, tools, ...}]}\n"
      "Example: hawser list --config mcp.json");

  CLI::App* get = app.add_subcommand("get", "starts one server and shows who it is and what it can do");
  server_options& of_get = chooses(*get, chosen, get_command);
  get->add_option("name", of_get.server, "the server, as it is called in the configuration")->required();
  add_common(*get, of_get);
  get->footer(
      "--json: one object {name, state, revision, server, capabilities, instructions, ...}\n"
      "Exit code: not 0 if it does not start (4), or its tools cannot be listed (5, 6).\n"
      "Example: hawser get git --config mcp.json");

  CLI::App* watch = app.add_subcommand("watch", "starts all servers and shows what changes, until Ctrl-C");
  add_common(*watch, chooses(*watch, chosen, watch_command));
  watch->footer(
      "On a terminal a table, else a line for each change. Ctrl-C is its regular end: exit code 0.\n"
      "--json: a line for each change, {server: {...}} or {tool, there}\n"
      "Example: hawser watch --json | jq .server.state");

  CLI::App* logs = app.add_subcommand("logs", "starts one server and shows what it writes to stderr");
  logs_options& of_logs = chooses(*logs, chosen, logs_command);
  logs->add_option("name", of_logs.server, "the server, as it is called in the configuration")->required();
  logs->add_flag("-f,--follow", of_logs.follow, "goes on until Ctrl-C, which is then its regular end");
  add_common(*logs, of_logs);
  logs->footer(
      "--json: an object for each line, {line}\n"
      "Example: hawser logs git -f");
}

void add_logins(CLI::App& app, chosen_command& chosen) {
  CLI::App* auth = app.add_subcommand("auth", "logs in to a server on the network, by way of a browser");
  auth->alias("login");
  auth_options& of_auth = chooses(*auth, chosen, auth_command);
  CLI::Option_group* about = auth->add_option_group("What it is about");
  about->add_option("name", of_auth.server, "the server, as it is called in the configuration");
  CLI::Option* status = about->add_flag("--status", of_auth.status, "shows the logins that are kept; asks nobody");
  about->require_option(1);
  auth->add_option("--scope", of_auth.scopes, "what to ask for beside what the server wants; may come again")
      ->type_name("SCOPE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->excludes(status);
  auth->add_flag("--again", of_auth.again, "also where there is a login that works")->excludes(status);
  auth->add_flag("--no-browser", of_auth.no_browser,
                 "opens none: prints the address, and reads from stdin what the browser comes back with")
      ->excludes(status);
  auth->add_flag("--session-only", of_auth.session_only,
                 "also where the login cannot be kept: then it ends with this command")
      ->excludes(status);
  add_common(*auth, of_auth);
  auth->footer(
      "Nothing but this command ever asks for a login. It is kept in $XDG_STATE_HOME/hawser, for you alone, and "
      "renewed\n"
      "without asking as long as the server allows. With --no-browser paste the whole address that the browser ends "
      "at,\n"
      "even though it shows an error there; that is for machines without a browser. Ctrl-C changes nothing.\n"
      "Exit code 3: the login cannot be kept.\n"
      "--json: one object {name, url, issuer, resource, client, scope, expires_at, lasting, kept}; with --status "
      "{logins: "
      "[...]}\n"
      "Examples: hawser auth notes\n"
      "          hawser auth notes --scope notes:write --no-browser");

  CLI::App* logout = app.add_subcommand("logout", "forgets a server's login, and has it revoked where that is offered");
  server_options& of_logout = chooses(*logout, chosen, logout_command);
  logout->add_option("name", of_logout.server, "the server, as it is called in the configuration")->required();
  add_common(*logout, of_logout);
  logout->footer(
      "Exit code 4: it is forgotten here, but could not be revoked there.\n"
      "--json: one object {name, removed, revoked, failures}\n"
      "Example: hawser logout notes");
}

void add_tools(CLI::App& app, chosen_command& chosen) {
  CLI::App* tools = app.add_subcommand("tools", "starts the servers and lists their tools");
  server_options& of_tools = chooses(*tools, chosen, tools_command);
  tools->add_option("server", of_tools.server, "only this server's");
  add_common(*tools, of_tools);
  tools->footer(
      "--json: {\"tools\":[{name, server, definition}], \"left_out\":[{server, tool, what}]}, the definition as the\n"
      "server sent it\n"
      "A server that cannot be started or listed is named on stderr, and so are tools that cannot be used; the others\n"
      "are listed. Exit code 4: a server did not start; 5: not within --timeout; 6: its list is none.\n"
      "Example: hawser tools git");

  CLI::App* call = app.add_subcommand("call", "calls a tool; starts only the server that has it");
  call_command_options& of_call = chooses(*call, chosen, call_command);
  call->add_option("tool", of_call.tool, "its name, as hawser tools shows it")->required();
  call->add_option("arguments", of_call.words, "a JSON object, or key=value ..., or - for JSON from stdin");
  call->add_option("--server", of_call.server, "the tool is this server's, by the server's own name for it");
  call->add_flag("--raw", of_call.raw, "writes the text as it is; not to a terminal");
  add_common(*call, of_call);
  call->footer(
      "The tool is looked up in what is remembered of the servers; a server that was never listed is started if the\n"
      "tool's name begins with its own. A name that nobody has is exit code 1, with the nearest names.\n"
      "A value is taken as the tool's schema says; key:=JSON is always JSON. An array may be given by its elements:\n"
      "tag=a tag=b. Text that controls a terminal is printed escaped. Exit code 1: the tool reported an error.\n"
      "--json: one object {data, meta}; of a failed call {error: {code, message, executed, server, phase,\n"
      "retry_after}}, where executed is \"no\" or \"unknown\" and retry_after is in seconds\n"
      "Examples: hawser call git__log path=. count=3\n"
      "          hawser call git__log '{\"path\": \".\"}'\n"
      "          hawser call --server git log - < arguments.json");
}

void add_resources(CLI::App& app, chosen_command& chosen) {
  CLI::App* resources = app.add_subcommand("resources", "starts the servers and lists their resources and templates");
  server_options& of_resources = chooses(*resources, chosen, resources_command);
  resources->add_option("server", of_resources.server, "only this server's");
  add_common(*resources, of_resources);
  resources->footer(
      "--json: {\"resources\":[{server, definition}], \"templates\":[{server, definition}]}\n"
      "Example: hawser resources docs");

  CLI::App* read = app.add_subcommand("read", "reads a resource");
  read_options& of_read = chooses(*read, chosen, read_command);
  read->add_option("uri", of_read.uri, "its address, as hawser resources shows it")->required();
  read->add_option("--server", of_read.server, "the server to ask; without it, the one that lists the address");
  read->add_flag("--raw", of_read.raw, "writes text and bytes as they are; not to a terminal");
  add_common(*read, of_read);
  read->footer(
      "--json: the answer as the server sent it, {contents: [...]}\n"
      "Examples: hawser read file:///notes.txt --server files\n"
      "          hawser read --raw image://logo > logo.png");
}

void add_prompts(CLI::App& app, chosen_command& chosen) {
  CLI::App* prompts = app.add_subcommand("prompts", "starts the servers and lists their prompts");
  server_options& of_prompts = chooses(*prompts, chosen, prompts_command);
  prompts->add_option("server", of_prompts.server, "only this server's");
  add_common(*prompts, of_prompts);
  prompts->footer(
      "--json: {\"prompts\":[{server, definition}]}\n"
      "Example: hawser prompts");

  CLI::App* prompt = app.add_subcommand("prompt", "fills a prompt in and prints its messages");
  prompt_options& of_prompt = chooses(*prompt, chosen, prompt_command);
  prompt->add_option("name", of_prompt.name, "its name, as hawser prompts shows it")->required();
  prompt->add_option("arguments", of_prompt.words, "key=value ...");
  prompt->add_option("--server", of_prompt.server, "the server to ask; without it, the one that lists the prompt");
  add_common(*prompt, of_prompt);
  prompt->footer(
      "--json: the answer as the server sent it, {messages: [...]}\n"
      "Example: hawser prompt review language=C++");

  CLI::App* complete = app.add_subcommand("complete", "what a server suggests for an argument, a line each");
  complete_options& of_complete = chooses(*complete, chosen, complete_command);
  CLI::Option_group* of = complete->add_option_group("What the argument belongs to");
  of->add_option("--prompt", of_complete.prompt, "a prompt's name");
  of->add_option("--resource", of_complete.resource, "a resource template, as hawser resources shows it");
  of->require_option(1);
  complete->add_option("words", of_complete.words, "argument=beginning, then key=value of what is known")->required();
  complete->add_option("--server", of_complete.server, "the server to ask; without it, the one that lists it");
  add_common(*complete, of_complete);
  complete->footer(
      "--json: the answer as the server sent it, {completion: {values, total, hasMore}}\n"
      "Example: hawser complete --prompt review language=py");
}

int run_program(terminal& /*screen*/, const run_options& options) { return run(options); }
int run_demo_server(terminal& /*screen*/, const demo_server_options& options) { return demo_server(options); }

void add_programs(CLI::App& app, chosen_command& chosen) {
  CLI::App* command = app.add_subcommand("run", "runs a command so that nobody of its process tree outlives it");
  run_options& of_run = chooses(*command, chosen, run_program);
  command->add_option("command", of_run.words, "the program and its arguments")->required();
  command->add_option("--grace", of_run.grace_seconds, "seconds between the end of stdin, SIGTERM and SIGKILL")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--directory,-C", of_run.directory, "where to run it");
  command->footer(
      "Ctrl-C or SIGTERM ends the tree step by step; so does the end of hawser, even by SIGKILL.\n"
      "Exit code: the command's own; 128 + N if signal N ended it; 127 if it could not be started.\n"
      "Put -- before a command that has options of its own.");
  command->prefix_command(false);

  CLI::App* demo = app.add_subcommand("demo-server", "serves MCP on stdin and stdout, or by HTTP, to try clients with");
  demo_server_options& of_demo = chooses(*demo, chosen, run_demo_server);
  demo->add_option("--name", of_demo.name, "what it calls itself")->capture_default_str();
  demo->add_option("--revision", of_demo.revision, "speaks this revision only, by its date");
  demo->add_flag("--legacy-only", of_demo.legacy_only, "speaks only revisions with a handshake");
  demo->add_flag("--modern-only", of_demo.modern_only, "speaks only revisions without one");
  CLI::Option* http = demo->add_flag("--http", of_demo.http, "serves by HTTP on 127.0.0.1; prints its URL");
  demo->add_option("--port", of_demo.port, "with --http: where to listen; without it, any port that is free")
      ->needs(http);
  demo->add_flag("--json", of_demo.json, "with --http: prints the URL as JSON for programs")->needs(http);
  demo->footer(
      "Ends with 0 when stdin ends, by Ctrl-C or by SIGTERM; the tool crash ends it with 3.\n"
      "With --http it does not read stdin; the first line it prints is its URL.\n"
      "--json: one object {url}\n"
      "Example: hawser demo-server --http --port 8080");
}

// Here for the help; its words are never read here, see below.
void add_bench(CLI::App& app, chosen_command& /*chosen*/) {
  app.add_subcommand("bench", "measures MCP servers of yours, and Hawser itself; hawser-bench by another name")
      ->footer("Example: hawser bench server -- npx -y @modelcontextprotocol/server-everything");
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (argc > 1 && std::string_view{argv[1]} == "bench") return run_bench(argv + 2);
  terminal screen{terminal::descriptors{}};
  CLI::App app{"Hawser: one strong line between a program and every MCP server it uses."};
  app.set_version_flag("--version", [] {
    return "hawser " + std::string{library_version()} + " (" + std::string{library_commit()} + ")";
  });
  app.require_subcommand(1);
  app.footer(exit_code_help);
  chosen_command chosen;
  for (const auto add : {add_servers, add_logins, add_tools, add_resources, add_prompts, add_programs, add_bench})
    add(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help and --version
    screen.err.line({"hawser: ", escaped(e.what()), "; hawser --help says what there is"});
    return static_cast<int>(exit_code::usage);
  }
  return chosen(screen);
}

}  // namespace hawser::cli
