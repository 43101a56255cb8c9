// SPDX-License-Identifier: MIT
// Elicitation forms: parses the restricted JSON schema into fields, and the user's input into values. Pure;
// form_dialog.hpp does the user interaction.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/error.hpp"

namespace hawser::cli {

/// One field. Its texts are from the server: untrusted.
struct form_field {
  enum class kind : std::uint8_t { text, number, integer, boolean, choice, choices };
  struct option {
    std::string value;
    std::string title;
  };
  kind what = kind::text;
  std::string name{};
  std::string title{};  ///< the name, if the schema has no title
  std::string description{};
  bool required = false;
  std::optional<boost::json::value> default_value{};
  std::vector<option> options{};    ///< for choices
  std::string format{};             ///< of a text: email, uri, date, date-time; others are not checked
  std::optional<double> minimum{};  ///< number of characters, the number itself, or number of choices
  std::optional<double> maximum{};
};

/// The fields in the order of the schema. errc::protocol names a member whose type the protocol does not allow.
result<std::vector<form_field>> parse_form_schema(const boost::json::object& schema);

/// The maximum number of options that are shown with their numbers: more would push the prompt off the screen.
inline constexpr std::size_t form_options_shown = 50;

/// Parses and validates a line for the field. errc::parse describes what is expected. A choice is given by its
/// number, its value or its title, several of them separated by commas. A displayed number always means the option it
/// is shown with, even if another option has that number as its value.
result<boost::json::value> parse_answer(const form_field& field, std::string_view line);

/// For display: a choice as in the list, with its title and value; of several, each in quotes.
std::string display_answer(const form_field& field, const boost::json::value& value);

/// The text that a user would type for this value.
std::string answer_text(const form_field& field, const boost::json::value& value);

/// A short description of the expected input: "a number, 1 to 10".
std::string answer_hint(const form_field& field);

}  // namespace hawser::cli
