// SPDX-License-Identifier: MIT
// The lines of an HTTP head, only to know where each of them, and the head, ends. llhttp takes a carriage return
// followed by another one for the end of a status line; here every line ends in CR LF, and neither stands alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hawser::detail {

class head_lines {
 public:
  enum class verdict : std::uint8_t { more, end, bare };
  struct found {
    verdict what = verdict::more;
    std::size_t size = 0;  ///< bytes that are in order: up to the head's end, or before the one that stands alone
  };

  /// Begins anew after an end. Empty lines before the first line are skipped.
  found next(std::string_view bytes) noexcept {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      if (!after_return_ && static_cast<unsigned char>(c) > '\r') {  // nearly every byte
        line_is_empty_ = false;
        continue;
      }
      if (after_return_ != (c == '\n')) return {verdict::bare, i};
      after_return_ = c == '\r';
      if (c == '\n') {
        const bool ended = line_is_empty_ && has_line_;
        has_line_ = !ended && (has_line_ || !line_is_empty_);
        line_is_empty_ = true;
        if (ended) return {verdict::end, i + 1};
      } else if (c != '\r') {
        line_is_empty_ = false;
      }
    }
    return {verdict::more, bytes.size()};
  }

 private:
  bool after_return_ = false;
  bool line_is_empty_ = true;
  bool has_line_ = false;
};

}  // namespace hawser::detail
