// SPDX-License-Identifier: MIT
// Where the sources lie, for tests that read them or data beside them.
#pragma once

#include <string>

namespace hawser::testing {

std::string source_root();

}  // namespace hawser::testing
