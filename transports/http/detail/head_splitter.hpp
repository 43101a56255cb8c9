// SPDX-License-Identifier: MIT
// Cuts incoming bytes at the end of an HTTP head and at its size limit before they reach llhttp, so that both are
// enforced however the bytes are split. Keeps the beginning of the message, which llhttp does not report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "head_line_scanner.hpp"
#include "http_preface.hpp"

namespace hawser::detail {

class head_splitter {
 public:
  enum class kind : bool { request, answer };
  explicit head_splitter(kind of) noexcept : of_(of) {}

  /// The part of `bytes` to parse now. Sets `bare` if the line after that part does not end in CR LF. Precondition:
  /// size() is less than `most`.
  std::string_view next(std::string_view bytes, std::size_t most, bool& bare) {
    const std::string_view allowed = bytes.substr(0, most - size_);
    const auto found = lines_.next(allowed);
    bare = found.what == head_line_scanner::verdict::bare;
    const std::string_view piece = allowed.substr(0, found.size);
    size_ += piece.size();
    note_opening(piece);
    return piece;
  }
  /// Number of bytes returned so far.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The request line with its line end, or the first bytes of a response.
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
  head_line_scanner lines_;
  std::size_t size_ = 0;
  std::string opening_;
};

}  // namespace hawser::detail
