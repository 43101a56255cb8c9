// SPDX-License-Identifier: MIT
#include "object_writer.hpp"

#include <algorithm>

#include "json_text.hpp"

namespace hawser {

void object_writer::begin(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  append_quoted(text_, name);
  text_ += ':';
}

object_writer& object_writer::member(std::string_view name, std::string_view json) {
  begin(name);
  text_ += json;
  return *this;
}

object_writer& object_writer::text(std::string_view name, std::string_view value) {
  begin(name);
  append_quoted(text_, value);
  return *this;
}

object_writer& object_writer::members_of(std::string_view object, std::initializer_list<std::string_view> but) {
  if (object.empty() || object.front() != '{') return *this;
  for_each_member(object, [&](std::string_view raw, std::string_view value) {
    if (std::any_of(but.begin(), but.end(), [&](std::string_view one) { return same_name(raw, one); })) return true;
    if (text_.size() > 1) text_ += ',';
    text_ += '"';
    text_ += raw;
    text_ += "\":";
    text_ += value;
    return true;
  });
  return *this;
}

}  // namespace hawser
