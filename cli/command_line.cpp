// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../runtime/library_version.hpp"
#include "../transports/json/json_text.hpp"
#include "commands/bench_program.hpp"
#include "commands/command_context.hpp"
#include "commands/commands.hpp"
#include "commands/error_document.hpp"
#include "commands/nearest_names.hpp"
#include "commands/run.hpp"
#include "demo/demo_server.hpp"
#include "exit_code.hpp"

namespace hawser::cli {

namespace {

// Takes the common options that precede the command.
using chosen_command = std::function<int(terminal&, const common_options&)>;

// Operands (arguments that are not options) that are kept away from CLI11, because it alters some of them: it parses
// "[a,b]" as a list.
struct operand_list {
  enum class options_end : std::uint8_t {
    at_the_marker,     // options may appear between operands, up to "--"
    at_first_operand,  // what follows belongs to the command that is run
  };
  std::vector<std::string>* to;
  std::size_t named;  // this many operands before the list have options of their own
  std::size_t least;  // the minimum number of operands in the list
  const char* what;   // the error message if there are fewer
  options_end options = options_end::at_the_marker;
};

struct syntax {
  CLI::App& app;
  common_options before{};  // those before the command
  chosen_command chosen{};
  bool takes_common = true;  // whether the chosen command accepts the common options
  std::map<const CLI::App*, operand_list> lists{};
};

// Options after the command take precedence.
void take_missing(common_options& to, const common_options& from) {
  if (to.config.empty()) to.config = from.config;
  if (!to.timeout_seconds) to.timeout_seconds = from.timeout_seconds;
  to.json = to.json || from.json;
  to.verbose = to.verbose || from.verbose;
  to.quiet = to.quiet || from.quiet;
  to.no_cache = to.no_cache || from.no_cache;
}

// The options live as long as the command line, because their subcommand refers to them.
template <class Options>
Options& chooses(syntax& s, CLI::App& command, int (*run)(terminal&, const Options&)) {
  const auto options = std::make_shared<Options>();
  command.callback([&s, options, run] {
    s.takes_common = std::is_base_of_v<common_options, Options>;
    s.chosen = [options, run](terminal& screen, [[maybe_unused]] const common_options& before) {
      if constexpr (std::is_base_of_v<common_options, Options>) take_missing(*options, before);
      return run(screen, *options);
    };
  });
  return *options;
}

// For the help text only: run_command_line() fills the list.
void add_operands(syntax& s, CLI::App& command, const char* name, const char* help, operand_list list) {
  command.add_option(name, *list.to, help);
  s.lists.emplace(&command, list);
}

// CLI::Range lets "nan" pass.
CLI::Validator finite_number() {
  const auto check = [](const std::string& text) {
    double number = 0;
    const bool finite = !CLI::detail::lexical_cast(text, number) || std::isfinite(number);
    return finite ? std::string{} : "\"" + text + "\" is not a number of seconds";
  };
  return CLI::Validator{check, ""};
}

void add_common(CLI::App& command, common_options& to) {
  constexpr double longest = 366.0 * 24 * 3600;
  const char* group = "Common options";
  command
      .add_option("--config", to.config, "where the servers are configured; else $HAWSER_CONFIG or $MCP_CONFIG_PATH")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--json", to.json, "prints JSON for programs; of a failure {error: {message, code, executed, ...}}")
      ->group(group);
  command.add_option("--timeout", to.timeout_seconds, "how long the command may take in all")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, longest).description("") & finite_number())
      ->group(group);
  command.add_flag("-v,--verbose", to.verbose, "shows every message to and from servers on stderr, whole")
      ->group(group);
  command.add_flag("-q,--quiet", to.quiet, "no warnings and no progress; results and errors are printed all the same")
      ->group(group);
  command.add_flag("--no-cache", to.no_cache, "neither uses nor keeps what was learned about servers")->group(group);
}

void add_servers(syntax& s) {
  CLI::App* list =
      s.app.add_subcommand("list", "the configured servers and what was last known of them; starts nothing");
  add_common(*list, chooses(s, *list, list_command));
  list->footer(
      "An entry that cannot be used has the state invalid, with what is wrong; the exit code is then 3.\n"
      "--json: {\"servers\":[{name, state, reason, transport, target, tools, ...}]}\n"
      "Example: hawser list --config mcp.json");

  CLI::App* get = s.app.add_subcommand("get", "starts one server and shows who it is and what it can do");
  server_options& of_get = chooses(s, *get, get_command);
  get->add_option("name", of_get.server, "the server, as it is called in the configuration")->required();
  add_common(*get, of_get);
  get->footer(
      "--json: one object {name, state, revision, server, capabilities, instructions, ...}\n"
      "Exit code: not 0 if it does not start (4), or its tools cannot be listed (5, 6).\n"
      "Example: hawser get git --config mcp.json");

  CLI::App* watch = s.app.add_subcommand("watch", "starts all servers and shows what changes, until Ctrl-C");
  add_common(*watch, chooses(s, *watch, watch_command));
  watch->footer(
      "On a terminal a table, else a line for each change. Ctrl-C is its regular end: exit code 0.\n"
      "--json: a line for each change, {server: {...}} or {tool, there}\n"
      "Example: hawser watch --json | jq .server.state");

  CLI::App* logs = s.app.add_subcommand("logs", "starts one server and shows what it writes to stderr");
  logs_options& of_logs = chooses(s, *logs, logs_command);
  logs->add_option("name", of_logs.server, "the server, as it is called in the configuration")->required();
  logs->add_flag("-f,--follow", of_logs.follow, "goes on until Ctrl-C, which is then its regular end");
  add_common(*logs, of_logs);
  logs->footer(
      "--json: an object for each line, {line}\n"
      "Example: hawser logs git -f");
}

void add_logins(syntax& s) {
  CLI::App* auth = s.app.add_subcommand("auth", "logs in to a server on the network, by way of a browser");
  auth->alias("login");
  auth_options& of_auth = chooses(s, *auth, auth_command);
  CLI::Option_group* about = auth->add_option_group("What it is about");
  about->add_option("name", of_auth.server, "the server, as it is called in the configuration");
  CLI::Option* status = about->add_flag("--status", of_auth.status, "shows the logins that are kept; asks nobody");
  about->require_option(1);
  auth->add_option("--scope", of_auth.scopes, "what to ask for beside what the server wants; may come again")
      ->type_name("SCOPE")
      ->expected(1)
      ->allow_extra_args(false)
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

  CLI::App* logout =
      s.app.add_subcommand("logout", "forgets a server's login, and has it revoked where that is offered");
  server_options& of_logout = chooses(s, *logout, logout_command);
  logout->add_option("name", of_logout.server, "the server, as it is called in the configuration")->required();
  add_common(*logout, of_logout);
  logout->footer(
      "Exit code 4: it is forgotten here, but could not be revoked there.\n"
      "--json: one object {name, removed, revoked, failures}\n"
      "Example: hawser logout notes");
}

void add_tools(syntax& s) {
  CLI::App* tools = s.app.add_subcommand("tools", "starts the servers and lists their tools");
  server_options& of_tools = chooses(s, *tools, tools_command);
  tools->add_option("server", of_tools.server, "only this server's");
  add_common(*tools, of_tools);
  tools->footer(
      "--json: {\"tools\":[{name, server, definition}], \"left_out\":[{server, tool, what}]}, the definition as the\n"
      "server sent it; with error, and errors where several servers failed\n"
      "A server that cannot be started or listed is named on stderr, and so are tools that cannot be used; the others\n"
      "are listed. Exit code 4: a server did not start; 5: not within --timeout; 6: its list is none.\n"
      "Example: hawser tools git");

  CLI::App* call = s.app.add_subcommand("call", "calls a tool; starts only the server that has it");
  call_command_options& of_call = chooses(s, *call, call_command);
  call->add_option("tool", of_call.tool, "its name, as hawser tools shows it")->required();
  add_operands(s, *call, "arguments", "a JSON object, or key=value ..., or - for JSON from stdin",
               {.to = &of_call.words, .named = 1, .least = 0, .what = ""});
  call->add_option("--server", of_call.server, "the tool is this server's, by the server's own name for it");
  call->add_flag("--raw", of_call.raw, "writes the bytes of the texts and nothing else; not to a terminal");
  add_common(*call, of_call);
  call->footer(
      "The tool is looked up in what is remembered of the servers; a server that was never listed is started if the\n"
      "tool's name begins with its own. A name that nobody has is exit code 1, with the nearest names.\n"
      "A value is taken as the tool's schema says; key:=JSON is always JSON. An array may be given by its elements:\n"
      "tag=a tag=b. Exit code 1: the tool reported an error.\n"
      "A terminal shows the first 5 MB of the text, or what max_result says, and escapes what would control it. A "
      "file\n"
      "or another program gets every byte, a line feed between two blocks, and one at the end where there is none.\n"
      "What is no text is mentioned, [image: image/png, 95 bytes]; --json has its data.\n"
      "--raw writes the texts byte for byte, one behind the other; of a result without blocks the structured value as\n"
      "it was sent. Where a block is no text nothing is written, and the exit code is 8: the call was made.\n"
      "--json: one object {data, meta: {isError, ...}}; of a failed call {error: {message, code, executed, server,\n"
      "phase, data, rpc_code, retry_after}}, where executed is \"no\" or \"unknown\", data and rpc_code are those of "
      "the\n"
      "server's own error, and retry_after is in seconds\n"
      "Examples: hawser call git__log path=. count=3\n"
      "          hawser call git__log '{\"path\": \".\"}'\n"
      "          hawser call --server git log - < arguments.json");
}

void add_resources(syntax& s) {
  CLI::App* resources = s.app.add_subcommand("resources", "starts the servers and lists their resources and templates");
  server_options& of_resources = chooses(s, *resources, resources_command);
  resources->add_option("server", of_resources.server, "only this server's");
  add_common(*resources, of_resources);
  resources->footer(
      "--json: {\"resources\":[{server, definition}], \"templates\":[{server, definition}]}\n"
      "Example: hawser resources docs");

  CLI::App* read = s.app.add_subcommand("read", "reads a resource");
  read_options& of_read = chooses(s, *read, read_command);
  read->add_option("uri", of_read.uri, "its address, as hawser resources shows it")->required();
  read->add_option("--server", of_read.server, "the server to ask; without it, the one that lists the address");
  read->add_flag("--raw", of_read.raw, "writes text and bytes as they are and nothing else; not to a terminal");
  add_common(*read, of_read);
  read->footer(
      "Without --server every server is asked who has it. When one does, the others get a second; those that have not\n"
      "answered by then are named on stderr and not waited for. What more than one has needs --server.\n"
      "A terminal shows text escaped and says how long bytes are. A file or another program gets every byte, and a "
      "line\n"
      "feed behind a text that has none; with --raw none is added.\n"
      "--json: the answer as the server sent it, {contents: [...]}\n"
      "Examples: hawser read file:///notes.txt --server files\n"
      "          hawser read image://logo > logo.png");
}

void add_prompts(syntax& s) {
  CLI::App* prompts = s.app.add_subcommand("prompts", "starts the servers and lists their prompts");
  server_options& of_prompts = chooses(s, *prompts, prompts_command);
  prompts->add_option("server", of_prompts.server, "only this server's");
  add_common(*prompts, of_prompts);
  prompts->footer(
      "--json: {\"prompts\":[{server, definition}]}\n"
      "Example: hawser prompts");

  CLI::App* prompt = s.app.add_subcommand("prompt", "fills a prompt in and prints its messages");
  prompt_options& of_prompt = chooses(s, *prompt, prompt_command);
  prompt->add_option("name", of_prompt.name, "its name, as hawser prompts shows it")->required();
  add_operands(s, *prompt, "arguments", "key=value ...", {.to = &of_prompt.words, .named = 1, .least = 0, .what = ""});
  prompt->add_option("--server", of_prompt.server, "the server to ask; without it, the one that lists the prompt");
  add_common(*prompt, of_prompt);
  prompt->footer(
      "Without --server every server is asked who has it. When one does, the others get a second; those that have not\n"
      "answered by then are named on stderr and not waited for. What more than one has needs --server.\n"
      "--json: the answer as the server sent it, {messages: [...]}\n"
      "Example: hawser prompt review language=C++");

  CLI::App* complete = s.app.add_subcommand("complete", "what a server suggests for an argument, a line each");
  complete_options& of_complete = chooses(s, *complete, complete_command);
  CLI::Option_group* of = complete->add_option_group("What the argument belongs to");
  of->add_option("--prompt", of_complete.prompt, "a prompt's name");
  of->add_option("--resource", of_complete.resource, "a resource template, as hawser resources shows it");
  of->require_option(1);
  add_operands(s, *complete, "words", "argument=beginning, then key=value of what is known",
               {.to = &of_complete.words, .named = 0, .least = 1, .what = "argument=beginning is missing"});
  complete->add_option("--server", of_complete.server, "the server to ask; without it, the one that lists it");
  add_common(*complete, of_complete);
  complete->footer(
      "Without --server every server is asked who has it. When one does, the others get a second; those that have not\n"
      "answered by then are named on stderr and not waited for. What more than one has needs --server.\n"
      "--json: the answer as the server sent it, {completion: {values, total, hasMore}}\n"
      "Example: hawser complete --prompt review language=py");
}

int run_program(terminal& /*screen*/, const run_options& options) { return run(options); }
int run_demo_server(terminal& /*screen*/, const demo_server_options& options) { return demo_server(options); }

void add_programs(syntax& s) {
  CLI::App* command = s.app.add_subcommand("run", "runs a command so that nobody of its process tree outlives it");
  run_options& of_run = chooses(s, *command, run_program);
  add_operands(s, *command, "command", "the program and its arguments, which are passed as they are",
               {.to = &of_run.words,
                .named = 0,
                .least = 1,
                .what = "the program to run is missing",
                .options = operand_list::options_end::at_first_operand});
  command->add_option("--grace", of_run.grace_seconds, "seconds between the end of stdin, SIGTERM and SIGKILL")
      ->check(CLI::Range(0.0, 3600.0) & finite_number())
      ->capture_default_str();
  command->add_option("--directory,-C", of_run.directory, "where to run it");
  command->footer(
      "Ctrl-C or SIGTERM ends the tree step by step; so does the end of hawser, even by SIGKILL.\n"
      "Exit code: the command's own; 128 + N if signal N ended it; 127 if it could not be started.\n"
      "Options of hawser run stand before the command; -- may stand between them.\n"
      "Example: hawser run --grace 5 -- npx -y some-server");

  CLI::App* demo =
      s.app.add_subcommand("demo-server", "serves MCP on stdin and stdout, or by HTTP, to try clients with");
  demo_server_options& of_demo = chooses(s, *demo, run_demo_server);
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

// Declared for the help text only; CLI11 does not parse their arguments, see run_command_line().
void add_others(syntax& s) {
  s.app.add_subcommand("bench", "measures MCP servers of yours, and Hawser itself; hawser-bench by another name")
      ->footer("Example: hawser bench server -- npx -y @modelcontextprotocol/server-everything");
  s.app.add_subcommand("help", "what a command does; without one, what commands there are")
      ->add_option_function<std::string>("command", [](const std::string&) {}, "its name");
  CLI::App* version = s.app.add_subcommand("version", "which version and commit this is");
  version->footer("--json: one object {version, commit}");
}

CLI::App* find_command(CLI::App& app, std::string_view name) {
  for (CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (one->check_name(std::string{name})) return one;
  }
  return nullptr;
}

// Whether the next argument is the value of this option.
bool takes_next_word(const CLI::App& app, const CLI::App* command, std::string_view word) {
  const auto find = [&](const std::string& name) {
    return (command != nullptr ? *command : app).get_option_no_throw(name);
  };
  const auto has_value = [](const CLI::Option* one) { return one != nullptr && one->get_items_expected_max() > 0; };
  if (word.starts_with("--")) return word.find('=') == std::string_view::npos && has_value(find(std::string{word}));
  for (std::size_t i = 1; i < word.size(); ++i) {  // "-vC folder", but not "-Cfolder"
    if (has_value(find(std::string{'-', word[i]}))) return i + 1 == word.size();
  }
  return false;
}

bool has_option(const CLI::App& of, std::string_view word) {
  if (word.starts_with("--")) return of.get_option_no_throw(std::string{word.substr(0, word.find('='))}) != nullptr;
  return of.get_option_no_throw(std::string{word.substr(0, 2)}) != nullptr;
}

// The command line split by the POSIX rules: operands are the arguments that are neither options nor values of
// options, and everything after the first "--".
struct split_line {
  std::vector<std::string> options;  // including the command
  std::vector<std::string> early;    // options before the command that are not common options
  std::vector<std::string> operands;
  CLI::App* command = nullptr;
};

split_line split(syntax& s, std::span<char* const> words) {
  split_line made;
  const auto rest_from = [&](std::size_t at) {
    made.operands.insert(made.operands.end(), words.begin() + at, words.end());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      rest_from(i + 1);
      break;
    }
    if (word.size() > 1 && word.starts_with('-')) {
      made.options.emplace_back(word);
      if (made.command == nullptr && !has_option(s.app, word)) made.early.emplace_back(word);
      if (takes_next_word(s.app, made.command, word) && i + 1 < words.size()) made.options.emplace_back(words[++i]);
    } else if (made.command == nullptr) {
      made.command = find_command(s.app, word);
      if (made.command == nullptr) {
        made.operands.emplace_back(word);
        // The rest cannot be interpreted, except for the form in which to print the error.
        if (std::ranges::any_of(words.subspan(i), [](std::string_view one) { return one == "--json"; }))
          made.options.emplace_back("--json");
        break;
      }
      made.options.emplace_back(word);
    } else {
      const auto list = s.lists.find(made.command);
      const bool ends = list != s.lists.end() && list->second.options == operand_list::options_end::at_first_operand;
      made.operands.emplace_back(word);
      if (!ends) continue;
      rest_from(i + 1);
      break;
    }
  }
  return made;
}

std::string version_line() {
  return "hawser " + std::string{library_version()} + " (" + std::string{library_commit()} + ")";
}

std::vector<std::string> option_names(const CLI::App& of) {
  std::vector<std::string> names;
  for (const CLI::Option* one : of.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : one->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
    for (const std::string& alias : one->get_aliases()) names.push_back(alias);
  }
  return names;
}

// Suggestions for a mistyped word; the word may also be a prefix of the right one.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  nearest_names near{word};
  for (const std::string& name : names) near.consider(name, name.starts_with(word) ? word : std::string{});
  return suggestion(near.best());
}

// The error for an unknown command, with suggestions.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  return "there is no command " + json_string(word) + did_you_mean(word, command_names(app));
}

// The error from CLI11, with suggestions.
std::string syntax_error(const CLI::App& app, const CLI::App* command, const CLI::ParseError& why) {
  std::string text = why.what();
  const std::vector<std::string> known = option_names(command != nullptr ? *command : app);
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("--")) return text + did_you_mean(word.substr(0, word.find('=')), known);
  }
  return text;
}

// The error in the options before the command, if any: CLI11 would blame the arguments after them.
std::string fault_before_command(const CLI::App& app, const split_line& line) {
  if (line.early.empty()) return {};
  const std::string& word = line.early.front();
  const std::string name = word.substr(0, word.find('='));
  if (line.command != nullptr && has_option(*line.command, word))
    return "the option " + json_string(name) + " stands behind its command: hawser " + line.command->get_name() + ' ' +
           name;
  return "there is no common option " + json_string(name) + did_you_mean(name, option_names(app));
}

bool wants_json(const split_line& line) { return std::ranges::find(line.options, "--json") != line.options.end(); }

int refuse_line(terminal& screen, const split_line& line, const std::string& why) {
  const std::string help = line.command != nullptr ? "hawser help " + line.command->get_name() : "hawser help";
  screen.err.line({"hawser: ", escaped(why), why.ends_with('?') ? text_piece{" "} : text_piece{"; "}, escaped(help),
                   " says what there is"});
  if (wants_json(line)) print_error_document(screen.out, {.code = errc::parse, .what = why});
  return finish_output(screen, exit_code::usage);
}

int print_version(terminal& screen, const split_line& line) {
  if (wants_json(line)) {
    screen.out.line(escaped_json("{\"version\":" + json_string(library_version()) +
                                 ",\"commit\":" + json_string(library_commit()) + '}'));
  } else {
    screen.out.line(escaped(version_line()));
  }
  return finish_output(screen, exit_code::ok);
}

// The error in the arguments of `hawser version`, if any; CLI11 does not parse them.
std::string fault_of_version(const split_line& line) {
  for (const std::string& word : line.options) {
    const bool known = word == "version" || word == "--json" || word == "-q" || word == "--quiet";
    if (!known) return "version has no option " + json_string(word);
  }
  return line.operands.empty() ? std::string{} : "version takes no " + json_string(line.operands.front());
}

// Common options other than --quiet are invalid for commands that use no servers.
std::string misplaced_option(const syntax& s) {
  for (const char* name : {"--config", "--json", "--timeout", "--verbose", "--no-cache"}) {
    if (s.app.count(name) > 0) return name;
  }
  return {};
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (argc > 1 && std::string_view{argv[1]} == "bench") return run_bench(argv + 2);
  terminal screen{terminal::descriptors{}};
  const std::span<char* const> words = std::span{argv, static_cast<std::size_t>(argc)}.subspan(argc > 0 ? 1 : 0);
  CLI::App app{"Hawser: one strong line between a program and every MCP server it uses.", "hawser"};
  app.set_version_flag("--version", version_line);
  app.require_subcommand(1);
  app.footer(exit_code_help);
  syntax s{.app = app};
  add_common(app, s.before);
  for (const auto add : {add_servers, add_logins, add_tools, add_resources, add_prompts, add_programs, add_others})
    add(s);

  split_line line = split(s, words);
  const std::string name = line.command != nullptr ? line.command->get_name() : std::string{};
  if (const std::string fault = fault_before_command(app, line); !fault.empty())
    return refuse_line(screen, line, fault);
  if (line.command == nullptr && !line.operands.empty())
    return refuse_line(screen, line, unknown_command(app, line.operands.front()));
  if (name == "bench") return refuse_line(screen, line, "options of bench stand behind it");
  const bool asks_for_help =
      std::ranges::any_of(line.options, [](const std::string& one) { return one == "--help" || one == "-h"; });
  if (name == "version" && !asks_for_help) {
    const std::string fault = fault_of_version(line);
    return fault.empty() ? print_version(screen, line) : refuse_line(screen, line, fault);
  }
  if (name == "help") {
    line.command = nullptr;
    line.options = {"--help"};
    if (!line.operands.empty()) {
      const CLI::App* about = find_command(app, line.operands.front());
      if (about == nullptr) return refuse_line(screen, line, unknown_command(app, line.operands.front()));
      if (about->get_name() == "bench") {
        std::string help = "--help";
        std::array<char*, 2> asked{help.data(), nullptr};
        return run_bench(asked.data());
      }
      line.options.insert(line.options.begin(), about->get_name());
    }
    line.operands.clear();
  }

  const auto list = s.lists.find(line.command);
  std::vector<std::string> parsed = line.options;
  std::size_t named = line.operands.size();
  if (list != s.lists.end()) named = std::min(named, list->second.named);
  const std::span<std::string> operands{line.operands};
  // "--" is passed to CLI11 only if needed: after it, CLI11 does not accept arguments that belong to an option group.
  if (std::ranges::any_of(operands.first(named), [](const std::string& one) { return one.starts_with('-'); }))
    parsed.emplace_back("--");
  parsed.insert(parsed.end(), operands.begin(), operands.begin() + named);
  try {
    std::ranges::reverse(parsed);  // CLI11 expects them in reverse
    app.parse(std::move(parsed));
  } catch (const CLI::CallForHelp&) {
    screen.out.print({escaped(app.help(), whole_text)});
    return finish_output(screen, exit_code::ok);
  } catch (const CLI::CallForVersion&) {
    return print_version(screen, line);
  } catch (const CLI::ParseError& e) {
    return refuse_line(screen, line,
                       line.command == nullptr ? "a command is missing" : syntax_error(app, line.command, e));
  }
  if (list != s.lists.end()) {
    std::vector<std::string>& to = *list->second.to;
    to.assign(operands.begin() + named, operands.end());
    if (to.size() < list->second.least) return refuse_line(screen, line, list->second.what);
  }
  if (const std::string misplaced = misplaced_option(s); !s.takes_common && !misplaced.empty())
    return refuse_line(screen, line, name + " has no common option " + misplaced);
  return s.chosen(screen, s.before);
}

}  // namespace hawser::cli
