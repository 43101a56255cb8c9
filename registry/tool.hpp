// SPDX-License-Identifier: MIT
// A tool as its server described it, and the list that owns its bytes. Nothing is parsed here: schemas stay raw JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hawser {

/// A hint as given by the server; an unset hint is neither yes nor no.
enum class hint_value : std::uint8_t { unset, no, yes };

/// MCP's ToolAnnotations. They are hints from an untrusted server: they may reduce prompts, but never grant a
/// permission.
struct tool_hints {
  hint_value read_only = hint_value::unset;
  hint_value destructive = hint_value::unset;
  hint_value idempotent = hint_value::unset;
  hint_value open_world = hint_value::unset;

  // Unset hints have the defaults of the specification.
  [[nodiscard]] bool is_read_only() const noexcept { return read_only == hint_value::yes; }
  [[nodiscard]] bool is_destructive() const noexcept { return destructive != hint_value::no; }
  [[nodiscard]] bool is_idempotent() const noexcept { return idempotent == hint_value::yes; }
  [[nodiscard]] bool is_open_world() const noexcept { return open_world != hint_value::no; }

  friend bool operator==(const tool_hints&, const tool_hints&) = default;
};

/// Views into bytes that a tool_list owns or keeps alive. There may be a hundred thousand tools, so a tool owns
/// nothing. An empty view means that the member was absent.
struct tool {
  std::string_view name;
  std::string_view title{};
  std::string_view description{};
  std::string_view input_schema{};   ///< raw JSON, as sent
  std::string_view output_schema{};  ///< raw JSON, as sent
  std::string_view json{};           ///< the whole tool object, as sent
  tool_hints hints{};

  friend bool operator==(const tool&, const tool&) = default;
};

/// The tools of one server, in the order of its list. Built on one thread, then shared as const.
class tool_list {
 public:
  tool_list() = default;
  tool_list(tool_list&&) noexcept = default;
  tool_list& operator=(tool_list&&) noexcept = default;
  tool_list(const tool_list&) = delete;  // the copy's views would point into the original
  tool_list& operator=(const tool_list&) = delete;
  ~tool_list() = default;

  /// Keeps bytes alive that the views of some tools point into, such as a page of the answer, without copying them.
  void keep(std::shared_ptr<const void> bytes) { kept_.push_back(std::move(bytes)); }
  /// Stores a decoded or generated text. The view stays valid as long as the list exists, even if the list is moved.
  [[nodiscard]] std::string_view own(std::string text) { return owned_.emplace_front(std::move(text)); }
  /// The views must point into bytes that this list keeps or owns, or into static memory.
  void add(const tool& one) { tools_.push_back(one); }
  template <class F>
  void drop_if(F unwanted) {
    std::erase_if(tools_, unwanted);
  }
  void reserve(std::size_t count) { tools_.reserve(count); }
  /// Frees reserved memory after the last add().
  void shrink() { tools_.shrink_to_fit(); }

  [[nodiscard]] std::span<const tool> tools() const noexcept { return tools_; }
  [[nodiscard]] std::size_t size() const noexcept { return tools_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tools_.empty(); }

  /// Equal if both lists have the same tools in the same order, byte for byte.
  friend bool operator==(const tool_list& a, const tool_list& b) { return a.tools_ == b.tools_; }

 private:
  std::vector<tool> tools_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::forward_list<std::string> owned_;  // a list, because a short string lives inside its object, which must not move
};

}  // namespace hawser
