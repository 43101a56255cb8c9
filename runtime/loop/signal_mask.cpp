// SPDX-License-Identifier: MIT
#include "signal_mask.hpp"

namespace hawser {

signal_mask::signal_mask() noexcept { pthread_sigmask(SIG_SETMASK, nullptr, &blocked_); }

void signal_mask::apply() const noexcept { pthread_sigmask(SIG_SETMASK, &blocked_, nullptr); }

}  // namespace hawser
