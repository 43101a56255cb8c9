// SPDX-License-Identifier: MIT
// `application/x-www-form-urlencoded`, for queries and bodies of token requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../runtime/crypto.hpp"

namespace hawser {

/// Encodes all but unreserved characters as %XX: safe in a query, in a body and before base64 (RFC 6749, 2.3.1).
std::string form_encode(std::string_view text);

/// Pairs in the order added. The text is wiped on destruction, as it contains secrets.
class url_encoded_form {
 public:
  url_encoded_form() = default;
  url_encoded_form(const url_encoded_form&) = delete;
  url_encoded_form& operator=(const url_encoded_form&) = delete;
  ~url_encoded_form() { cleanse(text_.data(), text_.size()); }

  url_encoded_form& add(std::string_view name, std::string_view value);
  /// Omitted if empty: `scope=` differs from no scope.
  url_encoded_form& add_unless_empty(std::string_view name, std::string_view value) {
    return value.empty() ? *this : add(name, value);
  }
  url_encoded_form& add_all(const url_encoded_form& other);
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] secret to_secret() const { return secret{text_}; }

 private:
  void make_room(std::size_t more);
  std::string text_;
};

/// Decodes the pairs of a query or body, in order. nullopt if an escape is invalid or there are more than 64.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_form(std::string_view text);

}  // namespace hawser
