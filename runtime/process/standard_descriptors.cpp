// SPDX-License-Identifier: MIT
#include "standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "../loop/detail/loop_core.hpp"

namespace hawser {

result<void> open_standard_descriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(wanted, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened in the opposite direction. The lowest free descriptor is the wanted one, because all lower ones are open.
    const int opened = ::open("/dev/null", wanted == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != wanted) return detail::from_errno(opened < 0 ? errno : EMFILE, "/dev/null cannot be opened");
  }
  return {};
}

}  // namespace hawser
