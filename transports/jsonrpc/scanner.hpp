// SPDX-License-Identifier: MIT
// Parses the envelope of a JSON-RPC message in one pass over its bytes: its kind, its id, and the positions of its
// parts. The pass validates everything except the content of a result: there it checks UTF-8, closed strings, balanced
// brackets and their depth, and leaves the grammar to the code that uses the result. Pure: no I/O, no tree.
#pragma once

#include <string>
#include <string_view>

#include "../json/json_validator.hpp"
#include "message.hpp"

namespace hawser {

class scanner {
 public:
  explicit scanner(json_limits limits = {}) noexcept : limits_(limits) {}

  /// Never fails: an invalid message is returned as message_kind::unusable with the reason, and with the id if it can
  /// be read, so that the call it responds to does not wait for its deadline. Valid until the next scan.
  message_view scan(std::string_view bytes);

 private:
  json_limits limits_;
  std::string method_;  // decoded, if it has escapes
};

}  // namespace hawser
