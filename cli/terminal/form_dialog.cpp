// SPDX-License-Identifier: MIT
#include "form_dialog.hpp"

#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "form.hpp"
#include "text_formats.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;
using action = elicitation_answer::action;

/// The outcome of one field: a value, no value because it was skipped, or the end of the whole form.
struct step {
  std::optional<json::value> value{};
  std::optional<action> end{};
};

void introduce(output& to, const std::string& server, const std::string& message) {
  to.line({styled(text_style::bold, "server "), styled(text_style::bold, escaped(server)),
           styled(text_style::bold, " asks:")});
  to.line(escaped(message, some_lines));
}

std::optional<action> refusal_in(std::string_view line) {
  if (line == "/decline") return action::decline;
  if (line == "/cancel") return action::cancel;
  return std::nullopt;
}

void describe(output& to, const form_field& field) {
  to.line({});
  if (!field.description.empty()) to.line({styled(text_style::dim, escaped(field.description))});
  for (std::size_t i = 0; i < std::min(field.options.size(), form_options_shown); ++i) {
    const form_field::option& one = field.options[i];
    const bool titled = one.title != one.value;
    to.print({"  ", decimal(static_cast<std::int64_t>(i + 1)), ") ", escaped(one.title)});
    if (titled) to.print({styled(text_style::dim, safe_text{" (", escaped(one.value), ")"})});
    to.line({});
  }
  if (field.options.size() > form_options_shown) {
    to.line({"  ... and ", decimal(static_cast<std::int64_t>(field.options.size() - form_options_shown)), " more"});
  }
}

void prompt(output& to, const form_field& field, const std::optional<json::value>& default_value) {
  to.print({styled(text_style::bold, escaped(field.title)), " (", escaped(answer_hint(field))});
  if (!field.required) to.print({", optional"});
  to.print({")"});
  if (default_value) to.print({" [", escaped(display_answer(field, *default_value)), "]"});
  to.print({": "});
  to.write_available();
}

// End of input cancels the form; any other failure is an error.
result<step> end_of_input(error why) {
  if (why.code == errc::closed) return step{.end = action::cancel};
  return why;
}

task<result<step>> ask_field(output& to, line_source& from, const form_field& field,
                             std::optional<json::value> default_value) {
  describe(to, field);
  while (true) {
    prompt(to, field, default_value);
    auto line = co_await from.next();
    if (!line) co_return end_of_input(std::move(line).error());
    if (const auto end = refusal_in(*line)) co_return step{.end = end};
    if (*line == "/skip" && !field.required) co_return step{};
    if (line->empty() && default_value) co_return step{.value = std::move(default_value)};
    if (line->empty() && !field.required) co_return step{};
    auto value = parse_answer(field, *line);
    // An empty text is not accepted for a required field.
    if (value && !(line->empty() && field.required)) co_return step{.value = std::move(*value)};
    to.line({styled(text_style::yellow, value ? escaped("an answer is required") : escaped(value.error().what))});
  }
}

void review(output& to, const std::vector<form_field>& fields, const std::vector<std::optional<json::value>>& answers) {
  to.line({});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    to.print({"  ", escaped(fields[i].title), ": "});
    if (answers[i]) {
      // Shown in full, however long, because the user consents to sending it.
      to.line(escaped(display_answer(fields[i], *answers[i]), whole_line));
    } else {
      to.line({styled(text_style::dim, "(left out)")});
    }
  }
}

json::object content_of(const std::vector<form_field>& fields, std::vector<std::optional<json::value>>& answers) {
  json::object content;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (answers[i]) content.emplace(fields[i].name, std::move(*answers[i]));
  }
  return content;
}

enum class decision : std::uint8_t { send, edit, decline, cancel };

std::optional<decision> decision_in(std::string_view line) {
  if (line == "y" || line == "yes") return decision::send;
  if (line == "e" || line == "edit") return decision::edit;
  if (line == "d" || line == "decline" || line == "/decline" || line == "n" || line == "no") return decision::decline;
  if (line == "c" || line == "cancel" || line == "/cancel") return decision::cancel;
  return std::nullopt;
}

task<result<decision>> decide(output& to, line_source& from, safe_text question) {
  while (true) {
    to.print({styled(text_style::bold, question)});
    to.write_available();
    auto line = co_await from.next();
    if (!line && line.error().code == errc::closed) co_return decision::cancel;
    if (!line) co_return std::move(line).error();
    if (const auto decided = decision_in(*line)) co_return *decided;
  }
}

}  // namespace

task<result<elicitation_answer>> ask_form(output& to, line_source& from, form_request asked) {
  introduce(to, asked.server, asked.message);
  const auto fields = parse_form_schema(asked.schema);
  if (!fields) {
    to.line({styled(text_style::yellow, "declined: "), escaped(fields.error().what)});
    co_return elicitation_answer{};
  }
  to.line({styled(text_style::dim, "Enter takes what stands in brackets, /skip leaves an optional answer out")});
  to.line({styled(text_style::dim, "/decline says no, /cancel or Ctrl-D gives no answer; give no passwords here")});
  std::vector<std::optional<json::value>> answers;
  for (const form_field& field : *fields) answers.push_back(field.default_value);
  while (true) {
    for (std::size_t i = 0; i < fields->size(); ++i) {
      auto answered = co_await ask_field(to, from, (*fields)[i], answers[i]);
      if (!answered) co_return std::move(answered).error();
      if (answered->end) co_return elicitation_answer{.what = *answered->end};
      answers[i] = std::move(answered->value);
    }
    review(to, *fields, answers);
    safe_text question{"send this to ", escaped(asked.server), "? (y)es, (e)dit, (d)ecline, (c)ancel: "};
    const auto decided = co_await decide(to, from, std::move(question));
    if (!decided) co_return decided.error();
    if (*decided == decision::send) {
      co_return elicitation_answer{.what = action::accept, .content = content_of(*fields, answers)};
    }
    if (*decided != decision::edit) {
      co_return elicitation_answer{.what = *decided == decision::decline ? action::decline : action::cancel};
    }
  }
}

task<result<elicitation_answer>> ask_url(output& to, line_source& from, url_request asked) {
  introduce(to, asked.server, asked.message);
  // Shown in full, however long, because the user consents to visiting it.
  const url_parts parts = split_url(asked.url);
  to.line({"  ", escaped(parts.before, whole_line), styled(text_style::cyan, escaped(parts.host, whole_line)),
           escaped(parts.behind, whole_line)});
  if (!parts.host.empty()) to.line({"  host: ", styled(text_style::bold, escaped(parts.host, whole_line))});
  if (parts.has_user)
    to.line({styled(text_style::yellow, "  what stands before the @ is a user's name, not the host")});
  if (parts.is_foreign) to.line({styled(text_style::yellow, "  the host has characters that can look like others")});
  while (true) {
    safe_text question{"do you agree to visit this page? It is not opened for you. (y)es, (d)ecline, (c)ancel: "};
    const auto decided = co_await decide(to, from, std::move(question));
    if (!decided) co_return decided.error();
    if (*decided == decision::edit) continue;
    co_return elicitation_answer{.what = *decided == decision::send      ? action::accept
                                         : *decided == decision::decline ? action::decline
                                                                         : action::cancel};
  }
}

}  // namespace hawser::cli
