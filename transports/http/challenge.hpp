// SPDX-License-Identifier: MIT
// Parses the WWW-Authenticate fields of RFC 9110 into values. Pure; does not interpret schemes or parameters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http_fields.hpp"

namespace hawser {

struct challenge {
  std::string scheme{};                                           ///< as written; compare ignoring case
  std::string token68{};                                          ///< either this or parameters; both may be absent
  std::vector<std::pair<std::string, std::string>> parameters{};  ///< in order of appearance; names in lower case

  /// The first parameter with this name, given in lower case; null if there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
  friend bool operator==(const challenge&, const challenge&) = default;
};

/// Parses each line on its own. Everything before a syntax error in a line is kept; the rest of that line is ignored.
std::vector<challenge> read_challenges(const std::vector<std::string>& fields);

/// The first challenge for a bearer token; null if there is none.
const challenge* bearer_challenge(const std::vector<challenge>& all) noexcept;

/// Whether a response with these fields asks for a bearer token.
bool asks_for_bearer_token(const http_fields& fields);

}  // namespace hawser
