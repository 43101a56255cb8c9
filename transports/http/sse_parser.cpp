// SPDX-License-Identifier: MIT
#include "sse_parser.hpp"
#include "../detail/byte_order_mark.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hawser {

namespace {

constexpr std::size_t kept_capacity = std::size_t{64} << 10;  // a larger buffer is freed after its event

std::optional<std::chrono::milliseconds> pause_of(std::string_view digits) noexcept {
  using rep = std::chrono::milliseconds::rep;
  constexpr rep most = std::numeric_limits<rep>::max();
  if (digits.empty()) return std::nullopt;
  rep count = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const rep digit = c - '0';
    count = count > (most - digit) / 10 ? most : count * 10 + digit;
  }
  return std::chrono::milliseconds{count};
}

void clear(std::string& text) noexcept {
  text.clear();
  if (text.capacity() > kept_capacity) text.shrink_to_fit();
}

// Finds the next CR or LF. Each of the two is searched for only once per position: a stream that uses only one of them
// must not cost a search through everything for each line.
class line_ends {
 public:
  explicit line_ends(std::string_view bytes) noexcept : bytes_(bytes) {}

  std::size_t from(std::size_t begin) noexcept {
    if (!searched_ || feed_ < begin) feed_ = bytes_.find('\n', begin);
    if (!searched_ || return_ < begin) return_ = bytes_.find('\r', begin);
    searched_ = true;
    return std::min(feed_, return_);  // npos is the largest
  }

 private:
  std::string_view bytes_;
  std::size_t feed_ = 0;
  std::size_t return_ = 0;
  bool searched_ = false;
};

}  // namespace

result<void> sse_parser::too_large() {
  broken_ = true;
  return error{.code = errc::too_large,
               .what = "event stream: an event has more than " + std::to_string(max_event_) + " bytes"};
}

result<void> sse_parser::feed(std::string_view bytes, sse_listener& to) {
  if (broken_) return too_large();
  line_ends ends{bytes};
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    if (after_return_) {
      after_return_ = false;
      if (bytes[begin] == '\n') {
        ++begin;
        continue;
      }
    }
    const std::size_t end = ends.from(begin);
    const std::string_view piece = bytes.substr(begin, end - begin);
    const std::size_t held = type_.size() + data_.size() + id_.size() + line_.size();
    if (held + piece.size() > max_event_) return too_large();
    if (end == std::string_view::npos) {
      line_.append(piece);
      return {};
    }
    begin = end + 1;
    after_return_ = bytes[end] == '\r';
    if (line_.empty()) {
      take_line(piece, to);
    } else {
      line_.append(piece);
      take_line(line_, to);
      clear(line_);
    }
  }
  return {};
}

void sse_parser::take_line(std::string_view line, sse_listener& to) {
  if (first_ && line.starts_with(detail::byte_order_mark)) line.remove_prefix(detail::byte_order_mark.size());
  first_ = false;
  if (line.empty()) return dispatch(to);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  std::string_view value;
  if (colon != std::string_view::npos) value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  take_field(line.substr(0, colon), value, to);
}

void sse_parser::take_field(std::string_view name, std::string_view value, sse_listener& to) {
  if (name == "data") {
    data_.append(value).append(1, '\n');
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    // The id is kept for the whole stream and sent back in a header field, so its length is limited.
    if (value.size() > max_id || value.find('\0') != std::string_view::npos) return;
    id_ = value;
    has_id_ = true;
  } else if (name == "retry") {
    if (const auto pause = pause_of(value)) to.on_retry(*pause);
  }
}

void sse_parser::dispatch(sse_listener& to) {
  if (has_id_) last_id_.swap(id_);  // without an id, an empty line costs nothing
  if (!data_.empty()) {
    const std::string_view lines{data_.data(), data_.size() - 1};
    to.on_event({.type = type_, .data = lines, .id = last_id_, .has_id = has_id_});
  }
  clear(type_);
  clear(data_);
  id_.clear();
  has_id_ = false;
}

}  // namespace hawser
