// SPDX-License-Identifier: MIT
// A second HTTP/1.1 parser, written directly after RFC 9112, on complete input and without regard to speed: it must
// read whatever the strict parser accepts in the same way. It has no limits.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "../../transports/http/http_fields.hpp"

namespace hawser::testing {

struct reference_message {
  int status = 0;
  std::string method{};
  std::string target{};
  http_fields fields{};
  std::string body{};
  std::size_t used = 0;
};

class http_reference {
 public:
  enum class side : bool { request, response };
  http_reference(side from, std::string_view bytes, bool no_body) : from_(from), bytes_(bytes), no_body_(no_body) {}

  /// nullopt if the message is malformed or incomplete at the end of the connection.
  std::optional<reference_message> read() {
    while (true) {
      made_ = {};
      const bool opened = from_ == side::request ? read_request_line() : read_status_line();
      if (!opened || !read_fields(made_.fields)) return std::nullopt;
      if (from_ == side::request || made_.status >= 200) break;
      if (made_.status == 101) return std::nullopt;
      skip_empty_lines();
    }
    if (!read_body()) return std::nullopt;
    made_.used = at_;
    return made_;
  }

 private:
  std::optional<std::string_view> line() {
    const std::size_t end = bytes_.find("\r\n", at_);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = bytes_.substr(at_, end - at_);
    if (found.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
    at_ = end + 2;
    return found;
  }

  void skip_empty_lines() {
    while (at_ < bytes_.size() && (bytes_[at_] == '\r' || bytes_[at_] == '\n')) ++at_;
  }

  bool read_request_line() {
    skip_empty_lines();
    const auto text = line();
    if (!text || std::count(text->begin(), text->end(), ' ') != 2) return false;
    const std::size_t first = text->find(' ');
    const std::size_t second = text->rfind(' ');
    made_.method = text->substr(0, first);
    made_.target = text->substr(first + 1, second - first - 1);
    const std::string_view version = text->substr(second + 1);
    minor_ = version.empty() ? 0 : version.back() - '0';
    return valid_field_name(made_.method) && !made_.target.empty() && (version == "HTTP/1.1" || version == "HTTP/1.0");
  }

  bool read_status_line() {
    const auto text = line();
    if (!text || text->size() < 12 || !(text->starts_with("HTTP/1.1 ") || text->starts_with("HTTP/1.0 "))) return false;
    if (text->size() > 12 && (*text)[12] != ' ') return false;
    minor_ = (*text)[7] - '0';
    const auto number = number_of(text->substr(9, 3), 10);
    made_.status = number ? static_cast<int>(*number) : 0;
    return made_.status >= 100;
  }

  bool read_fields(http_fields& to) {
    while (true) {
      const auto text = line();
      if (!text) return false;
      if (text->empty()) return true;
      const std::size_t colon = std::min(text->find(':'), text->size());
      const std::string_view name = text->substr(0, colon);
      std::string_view value = text->substr(std::min(colon + 1, text->size()));
      while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
      while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
      if (colon == text->size() || !valid_field_name(name) || !valid_field_value(value)) return false;
      to.add(std::string{name}, std::string{value});
    }
  }

  bool read_body() {
    const auto coding = made_.fields.find("transfer-encoding");
    const auto length = made_.fields.find("content-length");
    if (made_.fields.count("content-length") + made_.fields.count("transfer-encoding") > 1) return false;
    if (coding && (minor_ == 0 || !equal_ignoring_case(*coding, "chunked"))) return false;
    const auto size = length ? number_of(*length, 10) : std::nullopt;
    if (length && !size) return false;
    if (no_body_ || made_.status == 204 || made_.status == 304) return true;
    if (coding) return read_chunks();
    if (length) return take(*size);
    return from_ == side::request || take(bytes_.size() - at_);
  }

  bool read_chunks() {
    while (true) {
      const auto text = line();
      if (!text) return false;
      const std::size_t digits = std::min(text->find(';'), text->size());
      const auto size = number_of(text->substr(0, digits), 16);
      if (!size) return false;
      http_fields trailers;
      if (*size == 0) return read_fields(trailers);
      if (!take(*size) || bytes_.substr(at_, 2) != "\r\n") return false;
      at_ += 2;
    }
  }

  bool take(std::uint64_t size) {
    if (size > bytes_.size() - at_) return false;
    made_.body += bytes_.substr(at_, size);
    at_ += size;
    return true;
  }

  static std::optional<std::uint64_t> number_of(std::string_view text, unsigned radix) {
    std::uint64_t number = 0;
    if (text.empty()) return std::nullopt;
    for (const char c : text) {
      const std::size_t digit = std::string_view{"0123456789abcdef"}.find(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
      if (digit >= radix || number > (~std::uint64_t{0} - digit) / radix) return std::nullopt;
      number = number * radix + digit;
    }
    return number;
  }

  side from_;
  std::string_view bytes_;
  bool no_body_;
  std::size_t at_ = 0;
  int minor_ = 0;
  reference_message made_;
};

}  // namespace hawser::testing
