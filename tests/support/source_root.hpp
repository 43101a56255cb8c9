// SPDX-License-Identifier: MIT
// The path of the sources, for tests that read them or data beside them.
#pragma once

#include <string>

namespace hawser::testing {

std::string source_root();

}  // namespace hawser::testing
