// SPDX-License-Identifier: MIT
#include "line_framer.hpp"
#include "../detail/byte_order_mark.hpp"

#include <cstring>

namespace hawser {

std::string_view line_framer::trimmed(std::string_view line) noexcept {
  if (first_ && line.starts_with(detail::byte_order_mark)) line.remove_prefix(detail::byte_order_mark.size());
  first_ = false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

line_framer::frame line_framer::next(std::string_view unread) noexcept {
  std::size_t begin = 0;
  while (true) {
    const std::size_t from = begin + searched_;
    const void* hit = from < unread.size() ? std::memchr(unread.data() + from, '\n', unread.size() - from) : nullptr;
    if (hit == nullptr) {
      searched_ = unread.size() - begin;
      // The byte order mark does not count, and one more byte may be the carriage return of a line that just fits.
      const bool marked = first_ && unread.starts_with(detail::byte_order_mark);
      const std::size_t length = searched_ - (marked ? detail::byte_order_mark.size() : 0);
      const bool over = length > max_line_ + 1 || (length == max_line_ + 1 && unread.back() != '\r');
      return {over ? found::too_large : found::nothing, {}, begin};
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(hit) - unread.data());
    searched_ = 0;
    const std::string_view line = trimmed(unread.substr(begin, end - begin));
    begin = end + 1;
    if (line.size() > max_line_) return {found::too_large, {}, begin};
    if (!line.empty()) return {found::line, line, begin};
  }
}

line_framer::frame line_framer::last(std::string_view unread) noexcept {
  frame f = next(unread);
  if (f.what != found::nothing) return f;
  const std::string_view line = trimmed(unread.substr(f.used));
  searched_ = 0;
  if (line.size() > max_line_) return {found::too_large, {}, unread.size()};
  return {line.empty() ? found::nothing : found::line, line, unread.size()};
}

}  // namespace hawser
