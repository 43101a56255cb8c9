// SPDX-License-Identifier: MIT
// What there is in a JSON Schema, before anybody believes it: which schema applies which others, to the same value or
// to those below it. From that it is known whether a check ends, how deep it goes and what it costs at most. Judges no
// value.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/error.hpp"

namespace hawser::detail {

/// Of the value that is to be checked.
struct instance_shape {
  std::size_t values = 0;
  std::size_t depth = 0;
  std::size_t longest_array = 0;
};

class schema_plan {
 public:
  /// errc::protocol for what is no schema or is not supported.
  static result<schema_plan> read(const boost::json::value& schema);

  [[nodiscard]] bool draft_7() const noexcept { return draft_7_; }
  /// At most so many steps one inside the other, and so many in all.
  [[nodiscard]] std::size_t steps_deep(const instance_shape& instance) const noexcept;
  [[nodiscard]] std::size_t steps(const instance_shape& instance) const;
  /// The schema without what is not enforced, what depends on that, and what says nothing to a check.
  [[nodiscard]] boost::json::value rebuilt() const { return rebuilt(0); }

 private:
  enum class reach : std::uint8_t {
    same,   ///< applies to the value itself
    one,    ///< to one of the values below it, and no two of this keyword to the same
    each,   ///< to any of the values below it
    never,  ///< only where something refers to it
  };
  struct edge {
    std::string keyword;
    std::string name;  ///< of an entry, where the keyword has several by name
    enum class form : std::uint8_t { single, listed, named, reference } how;
    reach to;
    std::size_t child;
  };
  struct node {
    const boost::json::value* schema;
    std::vector<edge> edges{};
    std::size_t height = 0;  ///< the longest way to go without going down in the value
    bool lossy = false;      ///< something in it, or in what it applies, is not enforced
  };

  std::size_t add(const boost::json::value& schema, const std::string& pointer);
  void add_keyword(std::size_t at, std::string_view keyword, const boost::json::value& value,
                   const std::string& pointer);
  void add_children(std::size_t at, edge one, const boost::json::value& value, const std::string& pointer);
  void add_word(std::size_t at, std::string_view keyword, const boost::json::value& value);
  void read_dialect(const boost::json::object& root);
  void resolve();
  void measure(std::size_t at, std::vector<std::uint8_t>& state);
  void spread_loss();
  void refuse(std::string why);
  [[nodiscard]] std::size_t own_steps(const node& n, const instance_shape& instance) const noexcept;
  [[nodiscard]] boost::json::value rebuilt(std::size_t at) const;
  [[nodiscard]] bool keeps(const node& n, std::string_view keyword) const;

  std::vector<node> nodes_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< by pointer and by anchor, with the `#`
  bool draft_7_ = false;
  bool lossy_ = false;
  std::string fault_;
};

}  // namespace hawser::detail
