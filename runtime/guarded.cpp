// SPDX-License-Identifier: MIT
#include "guarded.hpp"

#include <exception>

namespace hawser {

error thrown_error(std::string_view callback) {
  std::string what{callback};
  try {
    throw;
  } catch (const std::exception& thrown) {
    what.append(" threw: ").append(thrown.what());
  } catch (...) {
    what += " threw something that is no std::exception";
  }
  return error{.code = errc::protocol, .what = std::move(what)};
}

}  // namespace hawser
