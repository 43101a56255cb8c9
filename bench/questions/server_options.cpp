// SPDX-License-Identifier: MIT
#include "server_options.hpp"

#include <cstdlib>

#include "../../transports/http/http_url.hpp"
#include "../../transports/json/json_validator.hpp"

namespace hawser::bench {

namespace {

// A user waits for the end: a server that does not exit by itself is terminated soon.
constexpr shutdown_timeouts hurried{.after_stdin = std::chrono::milliseconds{500},
                                    .after_sigterm = std::chrono::seconds{2},
                                    .after_sigkill = std::chrono::seconds{1}};

error wrong(std::string what) { return error{.code = errc::config, .what = std::move(what)}; }

duration seconds(double count) { return std::chrono::duration_cast<duration>(std::chrono::duration<double>{count}); }

result<stdio_settings> child_for(const server_options& options) {
  stdio_settings made{.command = options.command.front(), .cwd = options.cwd};
  made.args.assign(options.command.begin() + 1, options.command.end());
  for (const std::string& word : options.env) {
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at);
    if (name.empty()) return wrong("--env: no name before the \"=\"");
    if (at != std::string::npos) {
      made.env[name] = word.substr(at + 1);
      continue;
    }
    const char* here = std::getenv(name.c_str());
    if (here == nullptr) return wrong("--env " + name + ": it is not set here; give it with its value");
    made.env[name] = here;
  }
  return made;
}

result<http_settings> remote_for(const server_options& options) {
  http_settings made{.url = options.url};
  if (auto url = http_url::parse(options.url); !url) return prefixed("--url", std::move(url).error());
  for (const std::string& line : options.headers) {
    const std::size_t colon = line.find(':');
    const std::string name = line.substr(0, colon);
    if (colon == std::string::npos || name.empty() || name.find_first_of(" \t\r\n") != std::string::npos)
      return wrong("--header: not of the form \"Name: value\"");
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    const std::string value = begin == std::string::npos ? std::string{} : line.substr(begin);
    if (value.find_first_of("\r\n") != std::string::npos) return wrong("--header " + name + ": more than one line");
    made.headers[name] = value;
  }
  if (options.type == "http") made.type = http_settings::kind::streamable;
  if (options.type == "sse") made.type = http_settings::kind::sse;
  return made;
}

// The name in error messages: the program, or the host.
std::string display_name(const server_options& options) {
  if (options.url.empty()) {
    const std::string& program = options.command.front();
    const std::string base = program.substr(program.rfind('/') + 1);
    return base.empty() ? program : base;
  }
  const std::size_t scheme = options.url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = options.url.find_first_of("/?#", begin);
  const std::string place = options.url.substr(begin, end - begin);
  return place.substr(place.rfind('@') + 1);
}

}  // namespace

result<server_settings> settings_for(const server_options& options) {
  const bool remote = !options.url.empty();
  if (remote != options.command.empty()) return wrong("name one server: a command behind --, or an address with --url");
  if (remote && (!options.env.empty() || !options.cwd.empty()))
    return wrong("--env and --cwd are for a command; the server behind --url runs already");
  if (!remote && (!options.headers.empty() || options.type != "auto"))
    return wrong("--header and --type are for --url; a command speaks over its pipes");
  if (!options.arguments.empty()) {
    auto valid = validate_json(options.arguments);
    if (!valid) return prefixed("--arguments", wrong(valid.error().what));
    const std::size_t first = options.arguments.find_first_not_of(" \t\r\n");
    if (options.arguments[first] != '{') return wrong("--arguments: not a JSON object");
  }
  server_settings made{.name = display_name(options)};
  if (remote) {
    auto to = remote_for(options);
    if (!to) return std::move(to).error();
    made.transport = *std::move(to);
  } else {
    auto child = child_for(options);
    if (!child) return std::move(child).error();
    made.transport = *std::move(child);
  }
  made.timeout = seconds(options.timeout_seconds);
  made.startup_timeout = seconds(options.start_timeout_seconds);
  made.restart = restart_policy::never;  // a crash is a result to report, not to recover from
  made.ladder = hurried;
  return made;
}

}  // namespace hawser::bench
