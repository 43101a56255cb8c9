// SPDX-License-Identifier: MIT
// The bytes of an HTTP head as they are given to a grammar: up to the head's end or the end of its limit, so that both
// hold whatever the splits. Remembers how the message began, for what the grammar does not tell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "head_lines.hpp"
#include "http_preface.hpp"

namespace hawser::detail {

class head_pieces {
 public:
  enum class kind : bool { request, answer };
  explicit head_pieces(kind of) noexcept : of_(of) {}

  /// What of `bytes` is to be read now; `bare`: behind it, a line is not ended as it should be. Precondition: there is
  /// room below `most`.
  std::string_view next(std::string_view bytes, std::size_t most, bool& bare) {
    const std::string_view allowed = bytes.substr(0, most - size_);
    const auto found = lines_.next(allowed);
    bare = found.what == head_lines::verdict::bare;
    const std::string_view piece = allowed.substr(0, found.size);
    size_ += piece.size();
    note_opening(piece);
    return piece;
  }
  /// The bytes that were given so far.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The line of a request with its end, or the first bytes of an answer.
  [[nodiscard]] const std::string& opening() const noexcept { return opening_; }
  void restart() noexcept {
    lines_ = {};
    size_ = 0;
    opening_.clear();
  }

 private:
  void note_opening(std::string_view piece) {
    if (of_ == kind::answer) {
      opening_.append(piece.substr(0, max_preface - std::min(opening_.size(), max_preface)));
      return;
    }
    // RFC 9112, "Message Parsing": empty lines before a request are skipped.
    if (opening_.empty()) piece.remove_prefix(std::min(piece.find_first_not_of("\r\n"), piece.size()));
    if (opening_.ends_with('\n')) return;
    opening_.append(piece.substr(0, std::min(piece.find('\n'), piece.size() - 1) + 1));
  }

  kind of_;
  head_lines lines_;
  std::size_t size_ = 0;
  std::string opening_;
};

}  // namespace hawser::detail
