// SPDX-License-Identifier: MIT
#include "config_reader.hpp"

#include <charconv>
#include <map>
#include <utility>

#include "../../../transports/http/http_url.hpp"
#include "../../../transports/json/json_text.hpp"
#include "../../detail/json_pointer.hpp"
#include "../secrets.hpp"

namespace hawser::detail {

namespace {

// Bounds the report for a file full of errors.
constexpr std::size_t most_problems = 100;
constexpr duration longest_time = std::chrono::hours{24};

// Parses "30s": a number and its unit.
std::optional<std::pair<double, duration>> timed(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [behind, failure] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (failure != std::errc{}) return std::nullopt;
  const std::string_view unit{behind, static_cast<std::size_t>(end - behind)};
  if (unit == "ms") return std::pair{number, duration{std::chrono::milliseconds{1}}};
  if (unit == "s") return std::pair{number, duration{std::chrono::seconds{1}}};
  if (unit == "m") return std::pair{number, duration{std::chrono::minutes{1}}};
  if (unit == "h") return std::pair{number, duration{std::chrono::hours{1}}};
  return std::nullopt;
}

// An option whose value is a variable has no literal value here, so the next argument must not be taken for it.
std::string without_variables(std::string text) {
  for (std::size_t open = text.find("${"); open != text.npos; open = text.find("${", open)) {
    const std::size_t close = text.find('}', open);
    text.replace(open, close == text.npos ? text.npos : close + 1 - open, "-");
  }
  return text;
}

}  // namespace

config_reader::config_reader(std::string_view text, std::string_view file, const variable_lookup& env,
                             config_result& into)
    : text_(text), file_(file), env_(env), into_(into), lines_(text) {}

void config_reader::begin_entry(std::string server, config_dialect dialect, entry_use use) {
  server_ = std::move(server);
  dialect_ = dialect;
  use_ = use;
}

void config_reader::end_entry() { begin_entry({}, config_dialect::unknown, entry_use::enabled); }

void config_reader::error(const config_node& at, std::string what) {
  add(config_problem::kind::error, at.json, at.pointer, std::move(what));
}
void config_reader::error(const config_member& at, std::string what) {
  add(config_problem::kind::error, at.key, at.value.pointer, std::move(what));
}
void config_reader::warning(const config_member& at, std::string what) {
  add(config_problem::kind::warning, at.key, at.value.pointer, std::move(what));
}

void config_reader::warning(const config_node& at, std::string what) {
  add(config_problem::kind::warning, at.json, at.pointer, std::move(what));
}

void config_reader::add(config_problem::kind severity, std::string_view part, std::string pointer, std::string what) {
  if (severity == config_problem::kind::error) ++errors_;
  if (into_.problems.size() > most_problems) return;
  if (into_.problems.size() == most_problems) {
    pointer.clear();
    server_.clear();
    what = "there are more problems than these";
  }
  const text_position where = lines_.position_of(offset_of(part));
  into_.problems.push_back({.severity = severity,
                            .file = std::string{file_},
                            .line = where.line,
                            .column = where.column,
                            .pointer = std::move(pointer),
                            .server = server_,
                            .what = std::move(what)});
}

config_node config_reader::root() const {
  const std::size_t first = text_.find_first_not_of(" \t\r\n");
  return {.json = text_.substr(first, text_.find_last_not_of(" \t\r\n") + 1 - first)};
}

std::vector<config_member> config_reader::members(const config_node& object) {
  std::vector<config_member> found;
  std::map<std::string, std::string_view, std::less<>> seen;
  for_each_member(object.json, [&](std::string_view key, std::string_view json) {
    config_member member{.name = unescaped(key), .key = key};
    member.value = {.json = json, .pointer = pointer_below(object.pointer, member.name)};
    const auto [earlier, fresh] = seen.try_emplace(member.name, key);
    if (fresh) {
      found.push_back(std::move(member));
    } else {
      error(member, "is there twice: the first one is in line " + std::to_string(line_of(earlier->second)));
    }
    return true;
  });
  return found;
}

std::optional<std::string> config_reader::text(const config_node& at) {
  auto value = text_of(at.json);
  if (!value) error(at, "must be a text");
  return value;
}

void config_reader::url_error(const config_node& at, const hawser::error& why) {
  // The reason follows the quoted URL.
  const std::size_t quote = why.what.rfind("\": ");
  const std::string reason = quote == std::string::npos ? ": it cannot be used" : why.what.substr(quote + 1);
  error(at, "url " + url_for_error(text_of(at.json).value_or(std::string{})) + reason);
}

std::optional<std::string> config_reader::expanded(const config_node& at) { return expanded_as(at, text_place::value); }
std::optional<std::string> config_reader::expanded_word(const config_node& at) {
  return expanded_as(at, text_place::command_line);
}

std::optional<std::string> config_reader::expanded_as(const config_node& at, text_place place) {
  auto value = text(at);
  if (!value) return std::nullopt;
  const bool used = use_ == entry_use::enabled;
  const expansion_rules rules{
      .dialect = dialect_, .place = place, .unset = used ? unset_variable::is_an_error : unset_variable::stays};
  auto whole = expand(*value, rules, env_, expansions_);
  unset_ = whole && !whole->complete;
  if (!whole) {
    error(at, whole.error().what);
    return std::nullopt;
  }
  if (whole->text.find('\0') != std::string::npos) {
    error(at, "has a NUL character, which cannot be passed on");
    return std::nullopt;
  }
  return std::move(whole->text);
}

std::optional<std::vector<std::string>> config_reader::list_of(const config_node& at, text_reader one) {
  if (!at.is_array()) {
    error(at, "must be a list of texts");
    return std::nullopt;
  }
  std::vector<std::string> values;
  std::size_t index = 0;
  bool good = true;
  for_each_element(at.json, [&](std::string_view json) {
    auto value = (this->*one)({.json = json, .pointer = pointer_below(at.pointer, std::to_string(index++))});
    good = good && value.has_value();
    if (value) values.push_back(*std::move(value));
    return true;
  });
  if (!good) return std::nullopt;
  return values;
}

std::optional<std::vector<std::string>> config_reader::texts(const config_node& at) {
  return list_of(at, &config_reader::text);
}
std::optional<std::vector<std::string>> config_reader::expanded_words(const config_node& at) {
  return list_of(at, &config_reader::expanded_word);
}

void config_reader::warn_of_literal_secrets(const config_node& at, std::string_view advice) {
  std::vector<std::string> literals;
  const auto take = [&](std::string_view json) {
    literals.push_back(without_variables(text_of(json).value_or(std::string{})));
    return true;
  };
  if (at.is_array()) {
    for_each_element(at.json, take);
  } else {
    take(at.json);
  }
  const bool suspicious = at.is_array() ? !secret_parts(literals).empty() : !token_parts(literals.front()).empty();
  if (suspicious) warning(at, "has what looks like a secret: " + std::string{advice});
}

std::optional<bool> config_reader::flag(const config_node& at) {
  if (at.json == "true") return true;
  if (at.json == "false") return false;
  error(at, "must be true or false");
  return std::nullopt;
}

std::optional<std::size_t> config_reader::number(const config_node& at, std::size_t least, std::size_t most) {
  const auto value = integer_of(at.json);
  if (value && *value >= 0 && static_cast<std::size_t>(*value) >= least && static_cast<std::size_t>(*value) <= most)
    return static_cast<std::size_t>(*value);
  error(at, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<duration> config_reader::time(const config_node& at, time_unit plain) {
  std::optional<std::pair<double, duration>> value;
  if (const auto number = number_of(at.json)) {
    if (plain == time_unit::unstated) {
      error(at,
            "is a plain number, which is seconds in the files of some hosts and milliseconds in those of others, and "
            R"(nothing here shows whose file this is: write a text with its unit like "500ms", "30s", "2m")");
      return std::nullopt;
    }
    const bool seconds = plain == time_unit::seconds;
    value.emplace(*number, seconds ? duration{std::chrono::seconds{1}} : duration{std::chrono::milliseconds{1}});
  } else if (const auto word = text_of(at.json)) {
    value = timed(*word);
  }
  if (!value) {
    const std::string_view number = plain == time_unit::seconds        ? "must be a number of seconds, or a text"
                                    : plain == time_unit::milliseconds ? "must be a number of milliseconds, or a text"
                                                                       : "must be a text";
    error(at, std::string{number} + R"( with its unit like "500ms", "30s", "2m")");
    return std::nullopt;
  }
  const double length = value->first * static_cast<double>(value->second.count());
  if (length >= 1 && length <= static_cast<double>(longest_time.count()))
    return duration{static_cast<std::int64_t>(length)};
  error(at, plain == time_unit::seconds
                ? R"(must be more than 0 and at most a day: a plain number is seconds, milliseconds are "500ms")"
                : "must be more than 0 and at most a day");
  return std::nullopt;
}

}  // namespace hawser::detail
