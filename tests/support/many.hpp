// SPDX-License-Identifier: MIT
// Scales the number of repetitions in tests down under a sanitizer.
#pragma once

#include "ut.hpp"

namespace hawser::testing {

/// The number of repetitions for something that takes linear time: a tenth under a sanitizer, which is slower.
constexpr std::size_t many(std::size_t count) { return instrumented ? count / 10 : count; }

}  // namespace hawser::testing
