// SPDX-License-Identifier: MIT
// The only way to boost-ext ut. ut's own junit reporter crashes under clang (ut #637), so the tests run under a runner
// of ours: it also selects tests by text, times them, and ends one that hangs with its name.
#pragma once

#include <boost/ut.hpp>

#include "runner.hpp"

template <>
inline auto boost::ut::cfg<boost::ut::override> = hawser::testing::runner{};

using namespace boost::ut;  // NOLINT(google-build-using-namespace,google-global-names-in-headers): tests only
