// SPDX-License-Identifier: MIT
// Opens the envelope of a JSON-RPC message in one pass over its bytes: what kind it is, its id, and where its parts
// lie. The pass validates everything but the inside of a result: there it makes sure of UTF-8, closed strings, balanced
// brackets and their depth, and leaves the grammar to whoever uses the result. Pure: no I/O, no tree.
#pragma once

#include <string>
#include <string_view>

#include "json_validator.hpp"
#include "message.hpp"

namespace hawser {

class scanner {
 public:
  explicit scanner(json_limits limits = {}) noexcept : limits_(limits) {}

  /// Never fails: what cannot be used comes back as message_kind::unusable with the reason, and with the id where it
  /// can be read, so that the call it answers need not wait for its deadline. Valid until the next scan.
  message_view scan(std::string_view bytes);

 private:
  json_limits limits_;
  std::string method_;  // decoded, where it has escapes
};

}  // namespace hawser
