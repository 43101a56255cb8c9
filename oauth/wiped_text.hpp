// SPDX-License-Identifier: MIT
// JSON with secrets in it, read and written without leaving copies of them in memory that was given back.
#pragma once

#include <boost/container/pmr/memory_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hawser {

/// Overwrites what it gives back.
class wiping_memory final : public boost::container::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Text that overwrites itself when it ends, and whenever it moves because it grew.
class wiped_text {
 public:
  wiped_text() = default;
  wiped_text(const wiped_text&) = delete;
  wiped_text& operator=(const wiped_text&) = delete;
  ~wiped_text();

  void add(std::string_view piece);
  void add_json(const boost::json::value& value);
  /// With quotes and escapes.
  void add_string(std::string_view text);
  [[nodiscard]] std::string_view view() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Nothing if it is not one complete value of at most 32 levels. The memory should be a wiping one: what the parser
/// needs on its way comes from it, too.
std::optional<boost::json::value> parse_wiped(std::string_view text, const boost::json::storage_ptr& memory);

}  // namespace hawser
