// SPDX-License-Identifier: MIT
// Echoes its stdin to its stdout until end of input.
#include <unistd.h>

int main() {
  static char bytes[65536];
  while (true) {
    const ssize_t count = read(0, bytes, sizeof bytes);
    if (count <= 0) return 0;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = write(1, bytes + done, static_cast<size_t>(count - done));
      if (written <= 0) return 0;
      done += written;
    }
  }
}
