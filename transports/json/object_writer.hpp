// SPDX-License-Identifier: MIT
// Writes a JSON object as text, member by member, and copies members of other objects verbatim, so that unknown members
// pass through byte for byte.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace hawser {

class object_writer {
 public:
  /// `json` is valid JSON.
  object_writer& member(std::string_view name, std::string_view json);
  object_writer& text(std::string_view name, std::string_view value);
  /// Copies every member of an object except those with these names. A value that is not an object has none.
  object_writer& members_of(std::string_view object, std::initializer_list<std::string_view> but = {});

  /// The whole text. Call once.
  [[nodiscard]] std::string done() { return std::move(text_ += '}'); }

 private:
  void begin(std::string_view name);
  std::string text_{'{'};
};

}  // namespace hawser
