// SPDX-License-Identifier: MIT
// Values of a settings file, each with its place, and the list of what is wrong with them. Knows texts, numbers and
// lists; which keys there are is known to who asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../config.hpp"
#include "config_dialect.hpp"
#include "config_expand.hpp"
#include "config_text.hpp"

namespace hawser::detail {

/// A value as it stands in the file.
struct config_node {
  std::string_view json{};
  std::string pointer{};

  [[nodiscard]] bool is_object() const noexcept { return json.starts_with('{'); }
  [[nodiscard]] bool is_array() const noexcept { return json.starts_with('['); }
  [[nodiscard]] bool is_text() const noexcept { return json.starts_with('"'); }
};

struct config_member {
  std::string name{};      ///< unescaped
  std::string_view key{};  ///< as it stands in the file, without quotes
  config_node value{};
};

/// What the entry that is read is for.
enum class entry_use : std::uint8_t {
  enabled,
  disabled,  ///< its server is listed and never started, so its variables need not be set
};

/// What a plain number of time counts.
enum class time_unit : std::uint8_t {
  seconds,
  milliseconds,
  unstated,  ///< nobody knows, so that a plain number is an error
};

class config_reader {
 public:
  /// `text` is valid JSON and outlives the reader, as do `env` and `into`.
  config_reader(std::string_view text, std::string_view file, const variables& env, loaded_config& into);

  /// What is read and what is wrong from now on belongs to this server's entry, in a file of that dialect.
  void begin_entry(std::string server, config_dialect dialect, entry_use use);
  void end_entry();
  [[nodiscard]] config_dialect dialect() const noexcept { return dialect_; }

  void error(const config_node& at, std::string what);
  void error(const config_member& at, std::string what);  ///< at the key
  void warning(const config_member& at, std::string what);
  void warning(const config_node& at, std::string what);
  [[nodiscard]] std::size_t errors() const noexcept { return errors_; }
  [[nodiscard]] int line_of(std::string_view part) const noexcept { return lines_.line_of(offset_of(part)); }
  [[nodiscard]] std::string_view file() const noexcept { return file_; }

  [[nodiscard]] config_node root() const;
  /// Precondition: an object. A key that is there twice is an error; the first one counts.
  std::vector<config_member> members(const config_node& object);

  // Each of these says what is wrong where it finds nothing.
  std::optional<std::string> text(const config_node& at);
  /// An address that cannot be used, as it stands in the file: what its variables are expanded to may be a secret.
  void url_error(const config_node& at, const hawser::error& why);
  /// With its variables put in, and without NUL characters. In a disabled entry those that are not set stay.
  std::optional<std::string> expanded(const config_node& at);
  /// Whether the last of such texts has variables that stayed: then nobody knows whether it could be used.
  [[nodiscard]] bool has_unset_variables() const noexcept { return unset_; }
  /// The same for a word of a command line, where a `$` may be meant for a shell.
  std::optional<std::string> expanded_word(const config_node& at);
  std::optional<std::vector<std::string>> texts(const config_node& at);
  std::optional<std::vector<std::string>> expanded_words(const config_node& at);
  /// What expanded() has put into texts since this was last asked for, where it may be a secret.
  std::vector<std::string> take_expansions() { return std::exchange(expansions_, {}); }
  /// A warning about what stands in the file itself, with no variable, and looks like a secret. One at most for a list,
  /// whose elements are the arguments of a program.
  void warn_of_literal_secrets(const config_node& at, std::string_view advice);
  std::optional<bool> flag(const config_node& at);
  std::optional<std::size_t> number(const config_node& at, std::size_t least, std::size_t most);
  /// More than nothing and at most a day.
  std::optional<duration> time(const config_node& at, time_unit plain);

 private:
  using text_reader = std::optional<std::string> (config_reader::*)(const config_node&);
  std::optional<std::vector<std::string>> list_of(const config_node& at, text_reader one);
  std::optional<std::string> expanded_as(const config_node& at, text_place place);
  [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - text_.data());
  }
  void add(config_problem::kind how, std::string_view part, std::string pointer, std::string what);

  std::string_view text_;
  std::string_view file_;
  const variables& env_;
  loaded_config& into_;
  text_lines lines_;
  std::string server_;
  config_dialect dialect_ = config_dialect::unknown;
  entry_use use_ = entry_use::enabled;
  bool unset_ = false;
  std::size_t errors_ = 0;
  std::vector<std::string> expansions_;
};

}  // namespace hawser::detail
