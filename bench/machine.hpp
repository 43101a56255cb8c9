// SPDX-License-Identifier: MIT
// What a figure has to be read with: machine, system, compiler, libraries, date.
#pragma once

#include <string>
#include <vector>

namespace hawser::bench {

std::vector<std::string> machine_facts();

}  // namespace hawser::bench
