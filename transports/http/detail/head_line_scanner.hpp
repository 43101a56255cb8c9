// SPDX-License-Identifier: MIT
// Finds the end of each line of an HTTP head, and of the head itself. llhttp accepts a carriage return followed by
// another one as the end of a status line; here every line must end in CR LF, and a lone CR or LF is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hawser::detail {

class head_line_scanner {
 public:
  enum class verdict : std::uint8_t { more, end, bare };
  struct found {
    verdict what = verdict::more;
    std::size_t size = 0;  ///< valid bytes: up to the end of the head, or up to the lone CR or LF
  };

  /// Starts over after an end. Empty lines before the first line are skipped.
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
