// SPDX-License-Identifier: MIT
#pragma once

#include "ut.hpp"

namespace hawser::testing {

/// How many of something that takes linear time: a tenth under a sanitizer, where everything takes longer.
constexpr std::size_t many(std::size_t count) { return instrumented ? count / 10 : count; }

}  // namespace hawser::testing
