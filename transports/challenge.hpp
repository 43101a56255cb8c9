// SPDX-License-Identifier: MIT
// What a server that refuses a request wants instead: the WWW-Authenticate fields of RFC 9110, as values. Pure, and
// without an opinion on what a scheme or a parameter means.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http_fields.hpp"

namespace hawser {

struct challenge {
  std::string scheme{};                                           ///< as it was written; compared whatever its case
  std::string token68{};                                          ///< this, or parameters, or neither
  std::vector<std::pair<std::string, std::string>> parameters{};  ///< in their order; names in lower case

  /// The first of that name, given in lower case; null if there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
  friend bool operator==(const challenge&, const challenge&) = default;
};

/// Every line stands for itself. What was complete before a fault in a line is kept, the rest of that line is not.
std::vector<challenge> read_challenges(const std::vector<std::string>& fields);

/// The first that asks for a bearer token; null if none does.
const challenge* bearer_challenge(const std::vector<challenge>& all) noexcept;

/// Whether a response with these fields asks for a bearer token.
bool asks_for_bearer_token(const http_fields& fields);

}  // namespace hawser
