// SPDX-License-Identifier: MIT
// The version of the linked library. <hawser/version.hpp>, which the build generates, has the version of the headers as
// macros. The two differ if a program was compiled against another release.
#pragma once

#include <string_view>

namespace hawser {

/// "0.2.0". Any thread.
std::string_view library_version() noexcept;

/// The abbreviated commit the library was built from, with "-dirty" if the sources had uncommitted changes; "unknown"
/// outside a checkout. Any thread.
std::string_view library_commit() noexcept;

}  // namespace hawser
