// SPDX-License-Identifier: MIT
#include "config_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "terminal/standard_input.hpp"

namespace hawser::cli {

namespace {

// Reads directly and not through the thread pool: nothing else runs yet, and a thread would cost more than the read.
// Unlike read_file(), it accepts pipes: --config <(generate).
result<std::string> whole_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return error{.code = errc::config, .what = path + ": " + std::strerror(errno)};
  auto text = read_all(file);
  ::close(file);
  if (!text) return prefixed(path, std::move(text).error());
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

loaded_settings read_configuration(const common_options& options, output& complaints) {
  const auto choice = choose_config(options.config, process_variables());
  if (!choice) return {.usable = true};
  loaded_settings read{.file = choice->path};
  const auto text = whole_file(choice->path);
  if (!text) {
    error why = text.error();
    why.what += " (named by " + std::string{choice->source} + ')';
    complaints.line({"hawser: ", escaped(why.what)});
    read.failure = std::move(why);
    return read;
  }
  config_result loaded = parse_config(*text, choice->path, process_variables());
  if (!loaded.usable) {
    for (const config_problem& problem : loaded.problems) print_problem(complaints, problem);
  }
  read.usable = loaded.usable;
  const auto wrong = [](const config_problem& one) { return one.severity != config_problem::kind::warning; };
  const auto first = std::ranges::find_if(loaded.problems, wrong);
  read.failure.code = errc::config;
  read.failure.what = first != loaded.problems.end() ? first->text() : choice->path + " is no configuration";
  read.settings = std::move(loaded.settings);
  read.problems = std::move(loaded.problems);
  read.refused_servers = std::move(loaded.refused);
  return read;
}

bool loaded_settings::refuses(std::string_view server) const {
  return std::ranges::find(refused_servers, server) != refused_servers.end();
}

const config_problem* loaded_settings::first_error_of(std::string_view server) const {
  if (server.empty()) return nullptr;
  const auto concerns = [&](const config_problem& one) {
    return one.severity == config_problem::kind::error && one.server == server;
  };
  const auto found = std::ranges::find_if(problems, concerns);
  // In this order because there are at most a hundred problems but any number of refused entries.
  return found != problems.end() && refuses(server) ? &*found : nullptr;
}

std::string loaded_settings::refusal_reason(std::string_view server) const {
  const config_problem* first = first_error_of(server);
  return first != nullptr ? first->text() : file + ": error: more than a hundred problems; correct the first ones";
}

void print_problem(output& to, const config_problem& problem) {
  const bool harmless = problem.severity == config_problem::kind::warning;
  to.line({styled(harmless ? text_style::yellow : text_style::red, escaped(problem.text()))});
}

std::string cache_folder(const common_options& options) {
  if (options.no_cache) return {};
  std::string folder = variable("XDG_CACHE_HOME");
  if (!folder.starts_with('/')) {
    folder = variable("HOME");
    if (!folder.starts_with('/')) return {};
    folder += "/.cache";
  }
  return folder + "/hawser";
}

}  // namespace hawser::cli
