// SPDX-License-Identifier: MIT
// Typed access to members of untrusted JSON documents. A member of the wrong type is an error that names the document
// and the member; null counts as absent, as many servers send it.
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
  /// Both parameters must outlive it. `where` names the document in errors.
  json_fields(const boost::json::object& of, std::string_view where) noexcept : of_(of), where_(where) {}

  [[nodiscard]] const boost::json::value* find(std::string_view name) const noexcept;
  [[nodiscard]] result<std::optional<std::string>> text(std::string_view name) const;
  /// A missing or empty string is an error, too.
  [[nodiscard]] result<std::string> required_text(std::string_view name) const;
  [[nodiscard]] result<std::optional<std::vector<std::string>>> texts(std::string_view name) const;
  /// An integer, also if written as a string or with a fraction, which is dropped; nullopt for anything else. Clamped
  /// to ±10^12.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const noexcept;
  /// Whether it is present and `true`.
  [[nodiscard]] bool is_true(std::string_view name) const noexcept;
  /// errc::protocol: `where: the field "name" …`.
  [[nodiscard]] error field_error(std::string_view name, std::string_view what) const;

 private:
  const boost::json::object& of_;
  std::string_view where_;
};

}  // namespace hawser
