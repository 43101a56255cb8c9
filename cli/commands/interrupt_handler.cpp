// SPDX-License-Identifier: MIT
#include "interrupt_handler.hpp"

#include <unistd.h>

namespace hawser::cli {

task<void> interrupt_handler::listen(signal_set& signals) {
  while (true) {
    auto number = co_await signals.next();
    if (!number) co_return;
    if (signal_ != 0) _exit(128 + *number);
    signal_ = *number;
    stop_.request_stop();
  }
}

}  // namespace hawser::cli
