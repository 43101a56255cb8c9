// SPDX-License-Identifier: MIT
// Reads typed values of a configuration file with their locations, and collects the problems. The caller decides which
// keys are valid.
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

/// A value as written in the file.
struct config_node {
  std::string_view json{};
  std::string pointer{};

  [[nodiscard]] bool is_object() const noexcept { return json.starts_with('{'); }
  [[nodiscard]] bool is_array() const noexcept { return json.starts_with('['); }
  [[nodiscard]] bool is_text() const noexcept { return json.starts_with('"'); }
};

struct config_member {
  std::string name{};      ///< unescaped
  std::string_view key{};  ///< as written in the file, without quotes
  config_node value{};
};

/// Whether the entry being read is enabled.
enum class entry_use : std::uint8_t {
  enabled,
  disabled,  ///< listed but never started, so its variables need not be set
};

/// The unit of a plain number.
enum class time_unit : std::uint8_t {
  seconds,
  milliseconds,
  unstated,  ///< unknown, so a plain number is an error
};

class config_reader {
 public:
  /// `text` must be valid JSON and outlive the reader, as must `env` and `into`.
  config_reader(std::string_view text, std::string_view file, const variable_lookup& env, config_result& into);

  /// Following values and problems belong to this server's entry, in a file of that dialect.
  void begin_entry(std::string server, config_dialect dialect, entry_use use);
  void end_entry();
  [[nodiscard]] config_dialect dialect() const noexcept { return dialect_; }

  void error(const config_node& at, std::string what);
  void error(const config_member& at, std::string what);  ///< reported at the key
  void warning(const config_member& at, std::string what);
  void warning(const config_node& at, std::string what);
  [[nodiscard]] std::size_t errors() const noexcept { return errors_; }
  [[nodiscard]] int line_of(std::string_view part) const noexcept { return lines_.line_of(offset_of(part)); }
  [[nodiscard]] std::string_view file() const noexcept { return file_; }

  [[nodiscard]] config_node root() const;
  /// Precondition: an object. A duplicate key is an error; the first one is used.
  std::vector<config_member> members(const config_node& object);

  // Each of these reports a problem if it returns nothing.
  std::optional<std::string> text(const config_node& at);
  /// Reports an invalid URL as written in the file: expanded variables may be secret.
  void url_error(const config_node& at, const hawser::error& why);
  /// The text with variables expanded and without NUL characters. In a disabled entry, unset variables stay unchanged.
  std::optional<std::string> expanded(const config_node& at);
  /// Whether the last expanded text still contains unset variables, so that it cannot be checked.
  [[nodiscard]] bool has_unset_variables() const noexcept { return unset_; }
  /// The same for a word of a command line, where a `$` may be meant for a shell.
  std::optional<std::string> expanded_word(const config_node& at);
  std::optional<std::vector<std::string>> texts(const config_node& at);
  std::optional<std::vector<std::string>> expanded_words(const config_node& at);
  /// The possibly secret values that expanded() has inserted since the last call.
  std::vector<std::string> take_expansions() { return std::exchange(expansions_, {}); }
  /// Warns about literal text that looks like a secret. At most one warning for a list, whose elements are the
  /// arguments of a program.
  void warn_of_literal_secrets(const config_node& at, std::string_view advice);
  std::optional<bool> flag(const config_node& at);
  std::optional<std::size_t> number(const config_node& at, std::size_t least, std::size_t most);
  /// More than zero and at most a day.
  std::optional<duration> time(const config_node& at, time_unit plain);

 private:
  using text_reader = std::optional<std::string> (config_reader::*)(const config_node&);
  std::optional<std::vector<std::string>> list_of(const config_node& at, text_reader one);
  std::optional<std::string> expanded_as(const config_node& at, text_place place);
  [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - text_.data());
  }
  void add(config_problem::kind severity, std::string_view part, std::string pointer, std::string what);

  std::string_view text_;
  std::string_view file_;
  const variable_lookup& env_;
  config_result& into_;
  line_index lines_;
  std::string server_;
  config_dialect dialect_ = config_dialect::unknown;
  entry_use use_ = entry_use::enabled;
  bool unset_ = false;
  std::size_t errors_ = 0;
  std::vector<std::string> expansions_;
};

}  // namespace hawser::detail
