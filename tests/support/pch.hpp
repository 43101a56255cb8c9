// SPDX-License-Identifier: MIT
// What every test includes anyway, compiled once.
#pragma once

#include <boost/json.hpp>

#include "run.hpp"
#include "ut.hpp"
