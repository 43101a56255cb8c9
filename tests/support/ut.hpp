// SPDX-License-Identifier: MIT
// The only include of boost-ext ut. ut's own junit reporter crashes under clang (ut #637), so the tests use our own
// runner, which also selects tests by text, times them, and ends a hanging test with its name.
#pragma once

#include <boost/ut.hpp>

#include "runner.hpp"

template <>
inline auto boost::ut::cfg<boost::ut::override> = hawser::testing::runner{};

using namespace boost::ut;  // NOLINT(google-build-using-namespace,google-global-names-in-headers): tests only
