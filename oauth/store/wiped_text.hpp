// SPDX-License-Identifier: MIT
// JSON with secrets, read and written without leaving copies in freed memory.
#pragma once

#include <boost/container/pmr/memory_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

/// Wipes memory when it is freed.
class wiping_memory final : public boost::container::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// A text buffer that is wiped when it grows and on destruction.
class wiped_text {
 public:
  wiped_text() = default;
  wiped_text(const wiped_text&) = delete;
  wiped_text& operator=(const wiped_text&) = delete;
  ~wiped_text();

  void add(std::string_view piece);
  void add_json(const boost::json::value& value);
  /// As a JSON string, with quotes and escapes.
  void add_string(std::string_view text);
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::string text_;
};

/// nullopt if it is not one complete value of at most 32 levels. `memory` should wipe what it frees: the parser's
/// temporary memory comes from it, too.
std::optional<boost::json::value> parse_wiped(std::string_view text, const boost::json::storage_ptr& memory);

}  // namespace hawser
