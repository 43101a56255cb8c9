// SPDX-License-Identifier: MIT
// The version of the library that is linked. <hawser/version.hpp>, which the build generates, has the version of the
// headers as macros; the two differ where a program was compiled against another release.
#pragma once

#include <string_view>

namespace hawser {

/// "0.2.0". Any thread.
std::string_view library_version() noexcept;

/// The commit that the library was built from, abbreviated, with "-dirty" where the sources had uncommitted changes;
/// "unknown" outside a checkout. Any thread.
std::string_view library_commit() noexcept;

}  // namespace hawser
