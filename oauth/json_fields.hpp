// SPDX-License-Identifier: MIT
// Members of documents that somebody else wrote: a member of the wrong kind is an error that names the document and the
// member; null counts as absent, as many servers write it.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/error.hpp"

namespace hawser {

class json_fields {
 public:
  /// Both live longer. `where` names the document in errors.
  json_fields(const boost::json::object& of, std::string_view where) noexcept : of_(of), where_(where) {}

  [[nodiscard]] const boost::json::value* find(std::string_view name) const noexcept;
  [[nodiscard]] result<std::optional<std::string>> text(std::string_view name) const;
  /// Nothing or the empty text is an error, too.
  [[nodiscard]] result<std::string> required_text(std::string_view name) const;
  [[nodiscard]] result<std::optional<std::vector<std::string>>> texts(std::string_view name) const;
  /// A whole number, also where it is written as a text or with a fraction, which is dropped; nothing for anything
  /// else. What is further than 10^12 from zero is cut to that.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const noexcept;
  /// Whether it is there and `true`.
  [[nodiscard]] bool says(std::string_view name) const noexcept;
  /// errc::protocol: `where: the field "name" …`.
  [[nodiscard]] error fault(std::string_view name, std::string_view what) const;

 private:
  const boost::json::object& of_;
  std::string_view where_;
};

}  // namespace hawser
