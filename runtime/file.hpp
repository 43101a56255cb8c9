// SPDX-License-Identifier: MIT
// Whole files, read and replaced on the pool. Not a file system library: configuration, tokens and caches need this
// much.
#pragma once

#include <cstddef>
#include <string>

#include "error.hpp"
#include "task.hpp"

namespace hawser {

/// errc::too_large if there are more than `max_bytes`; nothing is returned in part. Only regular files.
task<result<std::string>> read_file(std::string path, std::size_t max_bytes);

/// The file is either the old one or the new one, complete and on disk, whatever happens in between. Mode 0600 from
/// the first byte, whatever the umask. A stop ends the wait, not a replacement that has begun: that one may end after
/// another that is begun later, and win.
task<result<void>> replace_file(std::string path, std::string content);

}  // namespace hawser
