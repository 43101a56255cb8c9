// SPDX-License-Identifier: MIT
// Decides whether a request may still be sent, at the time at which a transport writes it. A request may wait for a
// connection, or be sent again after a refusal, for so long that the decision to send it is out of date.
#pragma once

#include <memory>

#include "../runtime/error.hpp"

namespace hawser {

class send_check {
 public:
  send_check() = default;
  send_check(const send_check&) = delete;
  send_check& operator=(const send_check&) = delete;
  virtual ~send_check() = default;

  /// An error becomes that of the request, and nothing of it is written. Earlier attempts, if any, were not executed.
  [[nodiscard]] virtual result<void> may_send() const = 0;
};

/// Null: it may always be sent.
using send_check_ref = std::shared_ptr<const send_check>;

}  // namespace hawser
