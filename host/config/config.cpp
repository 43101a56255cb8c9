// SPDX-License-Identifier: MIT
#include "config.hpp"

#include <cstdlib>
#include <map>
#include <utility>

#include "../../runtime/io/file.hpp"
#include "../../transports/json/json_text.hpp"
#include "detail/config_server.hpp"

namespace hawser {

namespace {

using detail::config_dialect;
using detail::config_member;
using detail::config_node;
using detail::config_reader;
using detail::dialect_evidence;
using detail::entry_use;

// Real configuration files are some ten kilobytes at most.
constexpr std::size_t max_config_bytes = std::size_t{1} << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t longest_shown = 500;

void spoil(config_result& config, std::string_view file, std::string what, detail::text_position at = {0, 0}) {
  config.usable = false;
  config.problems.push_back({.file = std::string{file}, .line = at.line, .column = at.column, .what = std::move(what)});
}

// VS Code's settings and newer opencode files have `mcp` with `servers` inside; in older opencode files `mcp` holds the
// servers directly.
config_node inner_servers(config_reader& from, const config_node& mcp) {
  const std::string_view servers = find_member(mcp.json, "servers");
  if (!servers.starts_with('{')) return mcp;
  for (const char* key : {"command", "url", "type"})
    if (!find_member(servers, key).empty()) return mcp;
  for (const config_member& m : from.members(mcp))
    if (m.name == "servers") return m.value;
  return mcp;
}

// Determined before the entry is read, because other keys may precede this one.
bool is_disabled(const config_node& entry) {
  return entry.is_object() &&
         (find_member(entry.json, "disabled") == "true" || find_member(entry.json, "enabled") == "false");
}

class config_document {
 public:
  config_document(config_reader& from, config_result& into) : from_(from), into_(into) {}

  void read() {
    const config_node root = from_.root();
    if (!root.is_object()) return unusable(root, "must be an object with \"mcpServers\"");
    const std::vector<config_member> members = from_.members(root);
    bool servers = members.empty();
    for (const config_member& m : members) {
      if (m.name == "hawser") {
        read_own(m.value);
        servers = true;
      } else if (m.name == "mcpServers" || m.name == "servers" || m.name == "context_servers") {
        find_entries(m.value, config_dialect::unknown);
        servers = true;
      } else if (m.name == "mcp" && detail::is_gemini_policy(m.value.json)) {
        from_.warning(m, "has no effect here: which servers Gemini may use");
      } else if (m.name == "mcp") {
        const config_node inner = inner_servers(from_, m.value);
        find_entries(inner, inner.json == m.value.json ? config_dialect::opencode : config_dialect::unknown);
        servers = true;
      }
    }
    if (!servers)
      from_.warning(config_member{.key = root.json}, R"(has no "mcpServers", so there are no servers in it)");
    read_entries(detail::evidence_in_file(root.json));
  }

 private:
  void unusable(const config_node& at, const char* what) {
    from_.error(at, what);
    into_.usable = false;
  }

  void find_entries(const config_node& at, config_dialect place) {
    if (!at.is_object()) return unusable(at, "must be an object with an entry for each server");
    for (config_member& found : from_.members(at)) {
      entry one{.at = std::move(found)};
      if (one.at.value.is_object()) one.shows = detail::evidence_in_entry(one.at.value.json);
      one.shows.add(place);
      entries_.push_back(std::move(one));
    }
  }

  // The dialect follows from the entry's own keys and the file; if neither determines it, from the other entries.
  void read_entries(const dialect_evidence& file) {
    dialect_evidence all;
    for (const entry& one : entries_) all.add(one.shows);
    for (entry& one : entries_) {
      one.shows.add(file);
      read_entry(one.at, one.shows.empty() ? all.verdict() : one.shows.verdict());
    }
  }

  void read_entry(const config_member& at, config_dialect dialect) {
    from_.begin_entry(at.name, dialect, is_disabled(at.value) ? entry_use::disabled : entry_use::enabled);
    const auto [earlier, fresh] = names_.try_emplace(at.name, at.key);
    if (!fresh) {
      from_.error(at, "is the name of another server, too: the one in line " +
                          std::to_string(from_.line_of(earlier->second)) + " stays");
    } else if (auto server = detail::read_server(at, dialect, from_)) {
      into_.settings.servers.push_back(*std::move(server));
    } else {
      into_.refused.push_back(at.name);
    }
    from_.end_entry();
  }

  void read_own(const config_node& at) {
    if (!at.is_object()) return from_.error(at, "must be an object");
    for (const config_member& m : from_.members(at)) read_own_key(m);
  }
  void read_own_key(const config_member& m) {
    host_settings& to = into_.settings;
    if (m.name == "separator") {
      const auto word = from_.text(m.value);
      if (word && validate_naming(naming_options{.separator = *word}))
        to.names.separator = *word;
      else if (word)
        from_.error(m.value, R"(must be "__", "_" or ".")");
    } else if (m.name == "name_limit") {
      take(m, to.names.limit, 32, 128);
    } else if (m.name == "max_message") {
      take(m, to.limits.max_message, 1024, most_bytes);
    } else if (m.name == "max_result") {
      take(m, to.limits.max_result, 1, most_bytes);
    } else if (m.name == "resources") {
      if (m.value.json == R"("text")")
        to.resources = resource_form::text;
      else if (m.value.json == R"("json")")
        to.resources = resource_form::json;
      else
        from_.error(m.value, R"(must be "text" or "json")");
    } else if (m.name == "starting_at_once") {
      take(m, to.limits.starting_at_once, 1, 1'000);
    } else if (m.name == "keep_rows") {
      if (m.value.json == "0")
        to.keep_rows = duration::zero();
      else if (const auto time = from_.time(m.value, detail::time_unit::seconds))
        to.keep_rows = *time;
    } else {
      from_.warning(m, "is not known here and has no effect");
    }
  }
  void take(const config_member& m, std::size_t& to, std::size_t least, std::size_t most) {
    if (const auto value = from_.number(m.value, least, most)) to = *value;
  }

  struct entry {
    config_member at;
    dialect_evidence shows{};
  };

  config_reader& from_;
  config_result& into_;
  std::vector<entry> entries_;
  std::map<std::string, std::string_view> names_;
};

}  // namespace

std::string config_problem::text() const {
  const auto in_one_line = [](std::string_view part) {
    const std::string quoted = json_string(part.substr(0, longest_shown));
    return quoted.substr(1, quoted.size() - 2) + (part.size() > longest_shown ? "…" : "");
  };
  std::string out = in_one_line(file);
  if (line > 0) out += ':' + std::to_string(line) + ':' + std::to_string(column);
  out += severity == kind::error ? ": error: " : ": warning: ";
  if (!pointer.empty()) out += in_one_line(pointer) + ": ";
  return out + what;
}

variable_lookup process_variables() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string{name}.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

config_result parse_config(std::string_view text, std::string_view file, const variable_lookup& env) {
  config_result config;
  if (text.size() > max_config_bytes) {
    spoil(config, file, "larger than 1 MiB: this is no settings file");
    return config;
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    spoil(config, file, "is in UTF-16: save it as UTF-8", {1, 1});
    return config;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string plain{text};
  auto fault = detail::blank_comments(plain);
  if (!fault) fault = detail::find_fault(plain);
  if (fault) {
    const std::string_view other = detail::other_format(text);
    if (!other.empty())
      fault->what = "it looks like " + std::string{other} +
                    R"(, and JSON is expected: {"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}})";
    spoil(config, file, "not JSON: " + fault->what, detail::line_index{plain}.position_of(fault->offset));
    return config;
  }
  config_reader from{plain, file, env, config};
  config_document{from, config}.read();
  return config;
}

task<config_result> load_config(std::string path, variable_lookup env) {
  const auto content = co_await read_file(path, max_config_bytes);
  if (content) co_return parse_config(*content, path, env);
  config_result config;
  // The error already begins with the path, as problems do.
  std::string what = content.error().what;
  if (what.starts_with(path + ": ")) what.erase(0, path.size() + 2);
  spoil(config, path, std::move(what));
  co_return config;
}

std::optional<config_choice> choose_config(std::string_view option, const variable_lookup& env) {
  if (!option.empty()) return config_choice{.path = std::string{option}, .source = "--config"};
  for (const char* name : {"HAWSER_CONFIG", "MCP_CONFIG_PATH"}) {
    if (auto path = env(name); path && !path->empty()) return config_choice{.path = *std::move(path), .source = name};
  }
  return std::nullopt;
}

}  // namespace hawser
