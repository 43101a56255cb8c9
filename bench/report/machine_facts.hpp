// SPDX-License-Identifier: MIT
// The environment of a measurement: machine, system, compiler, libraries, date.
#pragma once

#include <string>
#include <vector>

namespace hawser::bench {

std::vector<std::string> machine_facts();

}  // namespace hawser::bench
