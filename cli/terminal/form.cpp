// SPDX-License-Identifier: MIT
#include "form.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "../../transports/json/json_text.hpp"
#include "code_points.hpp"
#include "number_text.hpp"
#include "text_formats.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;
using kind = form_field::kind;

std::string text_member(const json::object& of, std::string_view name) {
  const json::value* found = of.if_contains(name);
  const json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string{*text} : std::string{};
}

std::optional<double> number_member(const json::object& of, std::string_view name) {
  const json::value* found = of.if_contains(name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

const json::array* array_member(const json::object& of, std::string_view name) {
  const json::value* found = of.if_contains(name);
  return found != nullptr ? found->if_array() : nullptr;
}

// `enum` with or without `enumNames`, or `oneOf`/`anyOf` of {const, title}.
std::vector<form_field::option> options_of(const json::object& schema, std::string_view titled) {
  std::vector<form_field::option> options;
  if (const json::array* values = array_member(schema, "enum")) {
    const json::array* titles = array_member(schema, "enumNames");
    for (std::size_t i = 0; i < values->size(); ++i) {
      const json::string* value = (*values)[i].if_string();
      if (value == nullptr) continue;
      const json::string* title = titles != nullptr && i < titles->size() ? (*titles)[i].if_string() : nullptr;
      options.push_back({std::string{*value}, std::string{title != nullptr ? *title : *value}});
    }
  } else if (const json::array* pairs = array_member(schema, titled)) {
    for (const json::value& pair : *pairs) {
      if (!pair.is_object()) continue;
      std::string value = text_member(pair.get_object(), "const");
      std::string title = text_member(pair.get_object(), "title");
      if (title.empty()) title = value;
      options.push_back({std::move(value), std::move(title)});
    }
  }
  return options;
}

void read_limits(form_field& field, const json::object& schema, std::string_view minimum, std::string_view maximum) {
  field.minimum = number_member(schema, minimum);
  field.maximum = number_member(schema, maximum);
}

// Returns false if the type is not one that the protocol allows.
bool read_kind(form_field& field, const json::object& schema) {
  const std::string type = text_member(schema, "type");
  if (type == "boolean") {
    field.what = kind::boolean;
  } else if (type == "number" || type == "integer") {
    field.what = type == "number" ? kind::number : kind::integer;
    read_limits(field, schema, "minimum", "maximum");
  } else if (type == "array") {
    const json::value* items = schema.if_contains("items");
    if (items == nullptr || !items->is_object()) return false;
    field.what = kind::choices;
    field.options = options_of(items->get_object(), "anyOf");
    if (field.options.empty()) field.options = options_of(items->get_object(), "oneOf");
    read_limits(field, schema, "minItems", "maxItems");
    return !field.options.empty();
  } else if (type == "string" || schema.contains("enum") || schema.contains("oneOf")) {
    field.options = options_of(schema, "oneOf");
    field.what = field.options.empty() ? kind::text : kind::choice;
    field.format = text_member(schema, "format");
    if (field.what == kind::text) read_limits(field, schema, "minLength", "maxLength");
  } else {
    return false;
  }
  return true;
}

error wrong(std::string what) { return error{.code = errc::parse, .what = std::move(what)}; }

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_code_point(text).bytes);
  return count;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string{text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1)};
}

bool outside(const form_field& field, double amount) {
  return (field.minimum && amount < *field.minimum) || (field.maximum && amount > *field.maximum);
}

// Examples: "at least 1", "1 to 10".
std::string span_text(const form_field& field) {
  if (field.minimum && field.maximum) return number_text(*field.minimum) + " to " + number_text(*field.maximum);
  if (field.minimum) return "at least " + number_text(*field.minimum);
  return field.maximum ? "at most " + number_text(*field.maximum) : std::string{};
}

result<json::value> read_text(const form_field& field, std::string_view line) {
  if (outside(field, static_cast<double>(characters_in(line))))
    return wrong("needs " + span_text(field) + " characters");
  const std::string_view format = field.format;
  const bool well_formed = format == "email"       ? is_email(line)
                           : format == "uri"       ? is_uri(line)
                           : format == "date"      ? is_date(line)
                           : format == "date-time" ? is_date_time(line)
                                                   : true;
  if (!well_formed) return wrong("needs " + answer_hint(field));
  return json::value(json::string{line});
}

result<json::value> read_number(const form_field& field, std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  const auto counted = std::from_chars(text.data(), end, whole);
  const bool looks_whole = counted.ptr == end && !text.empty();
  const bool is_whole = looks_whole && counted.ec == std::errc{};
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  const bool is_number = read.ptr == end && read.ec == std::errc{} && std::isfinite(number);
  if (!is_number || (field.what == kind::integer && !looks_whole) || outside(field, number)) {
    return wrong("needs " + answer_hint(field));
  }
  if (field.what == kind::integer && !is_whole)
    return wrong("needs a whole number from " + std::to_string(std::numeric_limits<std::int64_t>::min()) + " to " +
                 std::to_string(std::numeric_limits<std::int64_t>::max()));
  return is_whole ? json::value(whole) : json::value(number);
}

result<json::value> read_boolean(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower == "y" || lower == "yes" || lower == "true" || lower == "1") return json::value(true);
  if (lower == "n" || lower == "no" || lower == "false" || lower == "0") return json::value(false);
  return wrong("needs yes or no");
}

const form_field::option* find_option(const form_field& field, std::string_view text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto counted = std::from_chars(text.data(), end, number);
  const bool is_number = counted.ptr == end && counted.ec == std::errc{} && !text.empty() && number >= 1;
  // A displayed number means the option it is shown with, whatever other options are called.
  const bool shown = is_number && number <= std::min(field.options.size(), form_options_shown);
  if (shown && text == std::to_string(number)) return &field.options[number - 1];
  for (const auto member : {&form_field::option::value, &form_field::option::title}) {
    const auto found = std::ranges::find(field.options, text, member);
    if (found != field.options.end()) return &*found;
  }
  return is_number && number <= field.options.size() ? &field.options[number - 1] : nullptr;
}

result<json::value> read_choices(const form_field& field, std::string_view line) {
  json::array chosen;
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find(','), line.size());
    const std::string text = trimmed(line.substr(0, comma));
    line.remove_prefix(std::min(comma + 1, line.size()));
    if (text.empty()) continue;
    const form_field::option* option = find_option(field, text);
    if (option == nullptr) return wrong(json_string(text) + " is not among them");
    const json::value value(json::string{option->value});
    if (std::ranges::find(chosen, value) == chosen.end()) chosen.push_back(value);
  }
  if (outside(field, static_cast<double>(chosen.size()))) return wrong("needs " + span_text(field) + " of them");
  return json::value(std::move(chosen));
}

const form_field::option* option_of(const form_field& field, const json::value& value) {
  const json::string* text = value.if_string();
  if (text == nullptr) return nullptr;
  const auto found = std::ranges::find(field.options, std::string_view{*text}, &form_field::option::value);
  return found != field.options.end() ? &*found : nullptr;
}

// A default is a value, not user input.
bool takes_default(const form_field& field, const json::value& default_value) {
  if (field.what == kind::choice) return option_of(field, default_value) != nullptr;
  if (field.what != kind::choices) return parse_answer(field, answer_text(field, default_value)).has_value();
  const json::array* several = default_value.if_array();
  return several != nullptr && !outside(field, static_cast<double>(several->size())) &&
         std::ranges::all_of(*several, [&](const json::value& one) { return option_of(field, one) != nullptr; });
}

std::string titled(const form_field::option& one, bool quoted) {
  const auto text = [&](const std::string& part) { return quoted ? json_string(part) : part; };
  return one.title == one.value ? text(one.value) : text(one.title) + " (" + text(one.value) + ')';
}

}  // namespace

result<std::vector<form_field>> parse_form_schema(const json::object& schema) {
  std::vector<form_field> fields;
  const json::value* properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) {
    return error{.code = errc::protocol, .what = "the form has no \"properties\""};
  }
  const json::array* required = array_member(schema, "required");
  for (const auto& property : properties->get_object()) {
    form_field field{.name = std::string{property.key()}};
    const json::object* described = property.value().if_object();
    if (described == nullptr || !read_kind(field, *described)) {
      return error{.code = errc::protocol,
                   .what = "the form's member " + json_string(field.name) + " is of no kind that forms may have"};
    }
    field.title = text_member(*described, "title");
    if (field.title.empty()) field.title = field.name;
    field.description = text_member(*described, "description");
    field.required = required != nullptr && std::ranges::find(*required, json::value(field.name)) != required->end();
    const json::value* default_value = described->if_contains("default");
    // A default that the form would reject is ignored.
    if (default_value != nullptr && takes_default(field, *default_value)) field.default_value = *default_value;
    fields.push_back(std::move(field));
  }
  return fields;
}

result<json::value> parse_answer(const form_field& field, std::string_view line) {
  const std::string text = trimmed(line);
  switch (field.what) {
    case kind::text: return read_text(field, text);
    case kind::number:
    case kind::integer: return read_number(field, text);
    case kind::boolean: return read_boolean(text);
    case kind::choices: return read_choices(field, text);
    case kind::choice: break;
  }
  const form_field::option* option = find_option(field, text);
  if (option == nullptr) return wrong("needs one of the choices: its number, or its text");
  return json::value(json::string{option->value});
}

std::string answer_text(const form_field& field, const json::value& value) {
  if (const json::string* text = value.if_string()) return std::string{*text};
  if (const bool* yes = value.if_bool()) return *yes ? "yes" : "no";
  if (const json::array* several = value.if_array(); several != nullptr && field.what == kind::choices) {
    std::string all;
    for (const json::value& one : *several) {
      all.append(all.empty() ? "" : ", ")
          .append(one.is_string() ? std::string{one.get_string()} : json::serialize(one));
    }
    return all;
  }
  return json::serialize(value);
}

std::string display_answer(const form_field& field, const json::value& value) {
  if (field.what == kind::choice) {
    const form_field::option* option = option_of(field, value);
    if (option != nullptr) return titled(*option, false);
  }
  const json::array* several = value.if_array();
  if (field.what != kind::choices || several == nullptr) return answer_text(field, value);
  if (several->empty()) return "(none of them)";
  std::string all;
  for (const json::value& one : *several) {
    const form_field::option* option = option_of(field, one);
    all.append(all.empty() ? "" : ", ").append(option != nullptr ? titled(*option, true) : json::serialize(one));
  }
  return all;
}

std::string answer_hint(const form_field& field) {
  const std::string span = span_text(field);
  const auto with_span = [&](const std::string& what, const char* unit) {
    return span.empty() ? what : what + ", " + span + unit;
  };
  switch (field.what) {
    case kind::number: return with_span("a number", "");
    case kind::integer: return with_span("a whole number", "");
    case kind::boolean: return "yes or no";
    case kind::choice: return "one of these";
    case kind::choices: return with_span("any of these, with commas between", "");
    case kind::text: break;
  }
  if (field.format == "email") return "an address like name@example.org";
  if (field.format == "uri") return "an address like https://example.org/page";
  if (field.format == "date") return "a date like 2026-02-28";
  if (field.format == "date-time") return "a time like 2026-02-28T12:00:00Z";
  return with_span("text", " characters");
}

}  // namespace hawser::cli
