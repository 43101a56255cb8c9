// SPDX-License-Identifier: MIT
#include "library_version.hpp"

#include <hawser/version.hpp>

namespace hawser {

std::string_view library_version() noexcept { return HAWSER_VERSION; }

std::string_view library_commit() noexcept { return HAWSER_COMMIT; }

}  // namespace hawser
