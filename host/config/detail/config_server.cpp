// SPDX-License-Identifier: MIT
#include "config_server.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "../../../transports/jsonrpc/protocol.hpp"
#include "config_checks.hpp"
#include "config_transport.hpp"

namespace hawser::detail {

namespace {

// Common keys of other hosts that have no meaning here.
constexpr std::array<std::string_view, 12> of_others{"$schema",  "alwaysAllow", "autoApprove", "description",
                                                     "gallery",  "icon",        "name",        "note",
                                                     "settings", "source",      "trust",       "version"};
constexpr std::size_t most_at_once = 100'000;

template <class T>
void set(T& to, std::optional<T> value) {
  if (value) to = *std::move(value);
}

class server_reader {
 public:
  server_reader(config_dialect dialect, config_reader& from) : dialect_(dialect), from_(from) {}

  void take(const config_member& m) {
    if (take_setting(m) || transport_.take(m)) return;
    if (std::find(of_others.begin(), of_others.end(), m.name) == of_others.end())
      from_.warning(m, "is not known here and has no effect");
  }

  server_settings finish(const config_member& entry) {
    if (enabled_ && disabled_ && *enabled_ == *disabled_)
      from_.error(entry, R"("enabled" and "disabled" contradict each other)");
    to_.enabled = enabled_.value_or(!disabled_.value_or(false));
    to_.transport = transport_.decide(entry);
    to_.name = entry.name;
    to_.expansions = from_.take_expansions();
    to_.origin = std::string{from_.file()} + ':' + std::to_string(from_.line_of(entry.key));
    return std::move(to_);
  }

 private:
  bool take_setting(const config_member& m) {
    const config_node& value = m.value;
    if (m.name == "enabled") {
      enabled_ = from_.flag(value);
    } else if (m.name == "disabled") {
      disabled_ = from_.flag(value);
    } else if (m.name == "timeout") {
      take_timeout(value);
    } else if (m.name == "silence") {
      to_.silence = from_.time(value, time_unit::seconds);
    } else if (m.name == "startup_timeout") {
      set(to_.startup_timeout, from_.time(value, time_unit::seconds));
    } else if (m.name == "restart") {
      take_restart(value);
    } else if (m.name == "lazy") {
      set(to_.lazy, from_.flag(value));
    } else if (m.name == "concurrency") {
      set(to_.concurrency, from_.number(value, 0, most_at_once));
    } else if (m.name == "tools") {
      take_tools(value);
    } else if (m.name == "access") {
      take_access(value);
    } else if (m.name == "protocol") {
      take_protocol(value);
    } else {
      return false;
    }
    return true;
  }

  void take_timeout(const config_node& at) {
    switch (dialect_) {
      case config_dialect::opencode: return take_timeout_of_opencode(at);
      case config_dialect::hawser:
      case config_dialect::cline: to_.timeout = from_.time(at, time_unit::seconds); return;
      case config_dialect::claude:
      case config_dialect::gemini: to_.timeout = from_.time(at, time_unit::milliseconds); return;
      case config_dialect::unknown: to_.timeout = from_.time(at, time_unit::unstated); return;
    }
  }

  // A plain number is the startup timeout; newer files have both.
  void take_timeout_of_opencode(const config_node& at) {
    if (!at.is_object()) return set(to_.startup_timeout, from_.time(at, time_unit::milliseconds));
    for (const config_member& m : from_.members(at)) {
      if (m.name == "startup") {
        set(to_.startup_timeout, from_.time(m.value, time_unit::milliseconds));
      } else if (m.name == "request") {
        to_.timeout = from_.time(m.value, time_unit::milliseconds);
      } else {
        from_.warning(m, "is not known here and has no effect");
      }
    }
  }

  void take_restart(const config_node& at) {
    if (at.json == "true" || at.json == R"("backoff")") {
      to_.restart = restart_policy::with_backoff;
    } else if (at.json == "false" || at.json == R"("never")") {
      to_.restart = restart_policy::never;
    } else {
      from_.error(at, R"(must be "backoff" or "never")");
    }
  }

  void take_tools(const config_node& at) {
    auto patterns = from_.texts(at);
    if (!patterns) return;
    if (!tool_filter::parse(*patterns))
      from_.error(at,
                  "has a pattern that could never match: it takes the letters of a name, `*` for any characters, "
                  "and a `!` in front to leave out");
    to_.tools = *std::move(patterns);
  }

  void take_access(const config_node& at) {
    const auto word = from_.text(at);
    if (!word) return;
    if (const auto access = parse_tool_access(*word)) {
      to_.access = *access;
    } else {
      from_.error(at, R"(must be "any", "not-declared-write" or "declared-read-only")");
    }
  }

  void take_protocol(const config_node& at) {
    using era = protocol_choice::kind;
    const auto word = from_.text(at);
    if (!word || *word == "auto") return;
    if (*word == "legacy" || *word == "modern") {
      to_.protocol.era = *word == "legacy" ? era::legacy : era::modern;
    } else if (protocol::known_revision(*word)) {
      to_.protocol = {.era = protocol::modern(*word) ? era::modern : era::legacy, .revision = *word};
    } else {
      from_.error(at, R"(must be "auto", "legacy", "modern" or a revision that is known here, )" +
                          std::string{protocol::revision::all.front()} + " to " +
                          std::string{protocol::revision::latest});
    }
  }

  config_dialect dialect_;
  config_reader& from_;
  transport_reader transport_{from_};
  server_settings to_;
  std::optional<bool> enabled_;
  std::optional<bool> disabled_;
};

}  // namespace

std::optional<server_settings> read_server(const config_member& entry, config_dialect dialect, config_reader& from) {
  const std::size_t before = from.errors();
  if (const char* fault = server_name_fault(entry.name)) from.error(entry, fault);
  if (!entry.value.is_object()) {
    from.error(entry.value, "must be an object with the settings of a server");
    return std::nullopt;
  }
  server_reader reader{dialect, from};
  for (const config_member& m : from.members(entry.value)) reader.take(m);
  server_settings settings = reader.finish(entry);
  if (from.errors() != before) return std::nullopt;
  return settings;
}

}  // namespace hawser::detail
