// SPDX-License-Identifier: MIT
// The forms that servers may ask a user to fill in: from the restricted JSON schema to questions, and from what the
// user typed to values. Pure; form_dialog.hpp talks with the user.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"

namespace hawser::cli {

/// One question. The texts are the server's: untrusted.
struct form_field {
  enum class kind : std::uint8_t { text, number, integer, boolean, choice, choices };
  struct option {
    std::string value;
    std::string title;
  };
  kind what = kind::text;
  std::string name{};
  std::string title{};  ///< the name, where the schema has none
  std::string description{};
  bool required = false;
  std::optional<boost::json::value> preset{};
  std::vector<option> options{};  ///< of a choice
  std::string format{};           ///< of a text: email, uri, date, date-time; others are not checked
  std::optional<double> least{};  ///< characters of a text, the number itself, or how many choices
  std::optional<double> most{};
};

/// The questions in the order of the schema. errc::protocol names a member that is not of the kinds the protocol
/// allows.
result<std::vector<form_field>> read_form(const boost::json::object& schema);

/// How many options of a choice are shown, with their numbers: more would push the question off the screen.
inline constexpr std::size_t form_options_shown = 50;

/// The value that a line means, checked against the field. errc::parse says what would be right. A choice is given by
/// its number, its value or its title, several of them with commas between; a number that is shown means what it stands
/// before, also where another option has it as its value.
result<boost::json::value> read_answer(const form_field& field, std::string_view line);

/// For the user's eyes: a choice as it stands in the list, with its title and its value; of several each in quotes.
std::string shown_answer(const form_field& field, const boost::json::value& value);

/// What the user would type for this value.
std::string answer_text(const form_field& field, const boost::json::value& value);

/// What kind of answer is wanted, in a few words: "a number, 1 to 10".
std::string answer_hint(const form_field& field);

}  // namespace hawser::cli
