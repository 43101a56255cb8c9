// SPDX-License-Identifier: MIT
#include "guarded.hpp"

#include <exception>

namespace hawser {

error thrown_error(std::string_view callback) {
  std::string what{callback};
  try {
    throw;
  } catch (const std::exception& thrown) {
    const char* said = thrown.what();  // the exception class is the program's, so what() may return null
    what.append(" threw: ").append(said != nullptr ? said : "an exception without a text");
  } catch (...) {
    what += " threw something that is no std::exception";
  }
  return error{.code = errc::protocol, .what = std::move(what), .executed = execution::unknown};
}

}  // namespace hawser
