// SPDX-License-Identifier: MIT
// Reading and replacing whole files on the thread pool, for configuration, tokens and caches. Not a file system
// library.
#pragma once

#include <cstddef>
#include <string>

#include "../async/task.hpp"
#include "../error.hpp"

namespace hawser {

/// errc::too_large if the file has more than `max_bytes`; there are no partial results. Regular files only.
task<result<std::string>> read_file(std::string path, std::size_t max_bytes);

/// Atomic: at any time the file is either the complete old one or the complete new one, which has been synced to disk.
/// Mode 0600 from the first byte, independent of the umask. A stop ends the wait, but not a replacement that has
/// started. That one may finish after a later call and overwrite its result.
task<result<void>> replace_file(std::string path, std::string content);

}  // namespace hawser
