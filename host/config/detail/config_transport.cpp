// SPDX-License-Identifier: MIT
#include "config_transport.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "../../../transports/http/client/http_proxy.hpp"
#include "../../../transports/json/json_text.hpp"
#include "config_checks.hpp"
#include "config_oauth.hpp"

namespace hawser::detail {

namespace {

constexpr std::string_view argument_advice =
    R"(every user of the machine can read the arguments of a program; use "env" if it reads that)";

bool is_shell(std::string_view program) {
  program.remove_prefix(program.find_last_of('/') + 1);  // npos + 1 is 0
  constexpr std::array<std::string_view, 7> shells{"ash", "bash", "dash", "fish", "ksh", "sh", "zsh"};
  return std::find(shells.begin(), shells.end(), program) != shells.end();
}

}  // namespace

bool transport_reader::take(const config_member& m) {
  if (m.name == "command") {
    take_command(m);
  } else if (m.name == "args") {
    take_args(m);
  } else if (m.name == "env" || m.name == "environment") {  // opencode
    take_env(m);
  } else if (m.name == "inherit_env") {
    if (first(inherit_env_, m)) program_.inherit_env = from_.flag(m.value).value_or(false);
  } else if (m.name == "cwd") {
    if (first(cwd_, m)) program_.cwd = from_.expanded(m.value).value_or(std::string{});
  } else if (m.name == "url" || m.name == "serverUrl") {  // Windsurf
    take_url(m);
  } else if (m.name == "httpUrl") {  // Gemini; its `url` is the older SSE transport
    take_url(m);
    address_.type = http_settings::kind::streamable;
  } else if (m.name == "headers") {
    take_headers(m);
  } else if (m.name == "tls") {
    take_tls(m);
  } else if (m.name == "proxy") {
    take_proxy(m);
  } else if (m.name == "oauth") {
    if (first(oauth_, m)) address_.oauth = read_oauth(m, from_);
  } else if (m.name == "type" || m.name == "transport") {  // Dispatch
    take_type(m);
  } else {
    return false;
  }
  return true;
}

// Two spellings of one key in one entry are an error, because it is unclear which should apply.
bool transport_reader::first(slot& seen, const config_member& m) {
  if (!seen) {
    seen = m;
    return true;
  }
  from_.error(m, "says the same as \"" + seen->name + "\" in line " + std::to_string(from_.line_of(seen->key)));
  return false;
}

void transport_reader::take_command(const config_member& m) {
  if (!first(command_, m)) return;
  if (m.value.is_object()) return take_command_object(m);
  if (m.value.is_array()) {  // opencode: the program and its arguments in one list
    auto words = from_.expanded_words(m.value);
    if (!words) return;
    if (words->empty()) return from_.error(m.value, "is empty");
    program_.command = std::move(words->front());
    program_.args.insert(program_.args.begin(), std::next(words->begin()), words->end());
    from_.warn_of_literal_secrets(m.value, argument_advice);
  } else {
    auto word = from_.expanded_word(m.value);
    if (!word) return;
    program_.command = *std::move(word);
  }
  if (program_.command.empty()) from_.error(m.value, "is empty");
}

// Zed's older form: an object with `path`, `args` and `env`.
void transport_reader::take_command_object(const config_member& m) {
  for (const config_member& part : from_.members(m.value)) {
    if (part.name == "path") {
      program_.command = from_.expanded_word(part.value).value_or(std::string{});
    } else if (part.name == "args") {
      take_args(part);
    } else if (part.name == "env") {
      take_env(part);
    }
  }
  if (program_.command.empty()) from_.error(m.value, "needs a \"path\"");
}

void transport_reader::take_args(const config_member& m) {
  if (!first(args_, m)) return;
  auto words = from_.expanded_words(m.value);
  if (!words) return;
  program_.args.insert(program_.args.end(), words->begin(), words->end());
  from_.warn_of_literal_secrets(m.value, argument_advice);
}

void transport_reader::take_env(const config_member& m) {
  if (!first(env_, m)) return;
  if (!m.value.is_object()) return from_.error(m.value, "must be an object of texts");
  for (const config_member& one : from_.members(m.value)) {
    if (const char* fault = variable_name_fault(one.name)) from_.error(one, fault);
    if (auto value = from_.expanded(one.value)) program_.env.emplace(one.name, *std::move(value));
  }
}

void transport_reader::take_url(const config_member& m) {
  if (!first(url_, m)) return;
  auto url = from_.expanded(m.value);
  if (!url) return;
  if (!from_.has_unset_variables()) {
    if (const char* fault = url_fault(*url)) return from_.error(m.value, fault);
    if (auto parsed = http_url::parse(*url); !parsed) return from_.url_error(m.value, parsed.error());
  }
  address_.url = *std::move(url);
  from_.warn_of_literal_secrets(m.value, R"(put it into a variable and write ${NAME}, or use "headers")");
}

void transport_reader::take_headers(const config_member& m) {
  if (!first(headers_, m)) return;
  if (!m.value.is_object()) return from_.error(m.value, "must be an object of texts");
  std::map<std::string, std::string_view> seen;
  for (const config_member& one : from_.members(m.value)) {
    std::string folded = one.name;
    std::transform(folded.begin(), folded.end(), folded.begin(), lower);
    const auto [earlier, fresh] = seen.try_emplace(std::move(folded), one.key);
    if (!fresh)
      from_.error(one, "is there twice but for its case: see line " + std::to_string(from_.line_of(earlier->second)));
    if (const char* fault = header_name_fault(one.name)) from_.error(one, fault);
    auto value = from_.expanded(one.value);
    if (!value) continue;
    if (const char* fault = header_value_fault(*value)) from_.error(one.value, fault);
    address_.headers.emplace(one.name, *std::move(value));
  }
}

void transport_reader::take_tls(const config_member& m) {
  if (!first(tls_, m)) return;
  if (!m.value.is_object()) return from_.error(m.value, "must be an object with \"ca\", \"cert\" or \"key\"");
  for (const config_member& one : from_.members(m.value)) {
    std::string* file = nullptr;
    if (one.name == "ca") file = &address_.tls.ca_file;
    if (one.name == "cert") file = &address_.tls.certificate_file;
    if (one.name == "key") file = &address_.tls.key_file;
    if (file == nullptr) {
      from_.error(one, "is no key of \"tls\": \"ca\", \"cert\" and \"key\" name files");
    } else {
      *file = from_.expanded(one.value).value_or(std::string{});
    }
  }
  if (address_.tls.certificate_file.empty() != address_.tls.key_file.empty())
    from_.error(m.value, "needs \"cert\" and \"key\" together");
}

void transport_reader::take_proxy(const config_member& m) {
  if (!first(proxy_, m)) return;
  auto proxy = from_.expanded(m.value);
  if (!proxy) return;
  if (*proxy != "none" && !from_.has_unset_variables()) {
    if (auto parsed = http_proxy::parse(*proxy); !parsed) return from_.url_error(m.value, parsed.error());
  }
  address_.proxy = *std::move(proxy);
}

void transport_reader::take_type(const config_member& m) {
  if (!first(type_, m)) return;
  const auto word = from_.text(m.value);
  if (!word || *word == "auto") return;
  const bool streamable =
      *word == "http" || *word == "streamableHttp" || *word == "streamable-http" || *word == "streamable_http";
  if (*word == "stdio" || *word == "local") {
    wanted_ = wanted::program;
  } else if (streamable || *word == "sse" || *word == "remote") {
    wanted_ = wanted::address;
    if (streamable) address_.type = http_settings::kind::streamable;
    if (*word == "sse") address_.type = http_settings::kind::sse;
  } else {
    from_.error(m.value, R"(is not a transport: "stdio", "http", "streamable-http", "sse" or "auto")");
  }
}

const char* transport_reader::contradiction() const {
  if (command_ && url_) return R"(has both "command" and "url": a server is a program or an address)";
  if (command_ && wanted_ == wanted::address) return R"(has a "command", but its type is one for a "url")";
  if (url_ && wanted_ == wanted::program) return R"(has a "url", but its type is the one for a "command")";
  if (command_ || url_) return nullptr;
  switch (wanted_) {
    case wanted::program: return R"(has no "command")";
    case wanted::address: return R"(has no "url")";
    case wanted::either: break;
  }
  return R"(has neither "command" nor "url")";
}

void transport_reader::without_effect(std::initializer_list<const slot*> those, const char* what) {
  for (const slot* key : those)
    if (*key) from_.warning(**key, what);
}

// Gemini expands `$NAME`; other hosts pass it on unchanged, which is useful only for a shell.
void transport_reader::warn_of_shell_variables(const slot& words) {
  if (!words || !words->value.is_array() || from_.dialect() == config_dialect::gemini) return;
  bool bare = false;
  bool shell = is_shell(program_.command);
  for_each_element(words->value.json, [&](std::string_view json) {
    const std::string word = text_of(json).value_or(std::string{});
    bare = bare || has_bare_variable(word);
    shell = shell || word == "-c" || is_shell(word);
    return true;
  });
  if (bare && !shell)
    from_.warning(words->value, "has a `$NAME`, which is passed on as it stands: write `${NAME}` for the variable");
}

transport_reader::transport transport_reader::decide(const config_member& entry) {
  if (const char* fault = contradiction()) from_.error(entry, fault);
  if (url_) {
    without_effect({&args_, &env_, &inherit_env_, &cwd_}, "has no effect on a server that is an address");
    return std::move(address_);
  }
  warn_of_shell_variables(command_);
  warn_of_shell_variables(args_);
  without_effect({&headers_, &tls_, &proxy_, &oauth_}, "has no effect on a server that is a program");
  return std::move(program_);
}

}  // namespace hawser::detail
