// SPDX-License-Identifier: MIT
// The rows of one server, built once and shared by every table that contains them: one block of rows, one of exposed
// names.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../exposed_name.hpp"
#include "../tool_row.hpp"

namespace hawser::detail {

class server_rows {
 public:
  /// A tool without a row, because an earlier tool of the list has its exposed name.
  struct duplicate {
    const tool* definition;
    std::uint32_t row;  ///< the row that has the name
  };

  /// `seed` must be the seed of the registry's index.
  server_rows(const naming_options& names, std::uint64_t seed, server_id id, std::string_view server_name,
              std::shared_ptr<const tool_list> tools);
  /// The same rows with another state.
  server_rows(const server_rows& other, availability state);
  server_rows(const server_rows&) = delete;
  server_rows& operator=(const server_rows&) = delete;
  ~server_rows() = default;

  [[nodiscard]] std::span<const tool_row> rows() const noexcept { return rows_; }  ///< sorted by exposed name
  [[nodiscard]] std::span<const duplicate> duplicates() const noexcept { return duplicates_; }
  [[nodiscard]] const tool_list& tools() const noexcept { return *tools_; }
  [[nodiscard]] const std::string& server_name() const noexcept { return text_->server_name; }

 private:
  struct text {
    std::string server_name;
    std::unique_ptr<char[]> exposed;  // the concatenated names
  };
  void expose(const naming_options& names, std::uint64_t seed, server_id id);
  void sort();
  void drop_duplicates();

  std::shared_ptr<const tool_list> tools_;
  std::shared_ptr<text> text_;  // shared with the block for the other availability
  std::vector<tool_row> rows_;
  std::vector<duplicate> duplicates_;
};

}  // namespace hawser::detail
