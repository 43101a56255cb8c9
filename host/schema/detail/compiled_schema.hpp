// SPDX-License-Identifier: MIT
// A JSON Schema compiled into a graph: references resolved, keywords checked, and unenforced parts removed. Does not
// evaluate values; see schema_evaluator.
#pragma once

#include <array>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../../runtime/error.hpp"

namespace hawser::detail {

class compiled_schema {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  enum value_type : std::uint8_t {
    null_type = 1,
    boolean_type = 2,
    integer_type = 4,
    number_type = 8,
    string_type = 16,
    array_type = 32,
    object_type = 64,
  };

  /// One schema. Indexes refer to nodes(); views and pointers refer to the schema that was read.
  struct node {
    enum class kind : std::uint8_t { keywords, everything, nothing } is = kind::keywords;
    std::uint8_t types = 0;  ///< bits of value_type; 0 = any
    bool unique_items = false;
    bool lossy = false;  ///< something in it, or in a schema that it applies, is not enforced
    bool has_patterns = false;
    std::string_view reference_text{};
    const boost::json::array* choices = nullptr;
    std::vector<std::string_view> choice_texts{};  ///< the string choices, sorted
    const boost::json::value* constant = nullptr;
    const boost::json::value* multiple_of = nullptr;
    const boost::json::value* maximum = nullptr;
    const boost::json::value* exclusive_maximum = nullptr;
    const boost::json::value* minimum = nullptr;
    const boost::json::value* exclusive_minimum = nullptr;
    std::optional<std::uint64_t> max_length{}, min_length{}, max_items{}, min_items{}, max_contains{}, min_contains{},
        max_properties{}, min_properties{};
    std::vector<std::string_view> required{};
    std::vector<std::pair<std::string_view, std::string_view>> dependent_required{};  ///< the first needs the second
    // Applied to the same value.
    std::size_t reference = none, negated = none, condition = none, consequence = none, alternative = none;
    std::vector<std::size_t> all_of{}, any_of{}, one_of{};
    std::vector<std::pair<std::string_view, std::size_t>> dependent_schemas{};
    // Applied to members or elements.
    std::map<std::string_view, std::size_t> properties{};
    std::vector<std::size_t> prefix_items{};
    std::size_t items = none, additional_items = none, contains = none, property_names = none,
                additional_properties = none, unevaluated_items = none, unevaluated_properties = none;
  };

  /// The schema must outlive the plan. errc::protocol if it is invalid or not supported. Linear in the size of the
  /// schema.
  static result<compiled_schema> read(const boost::json::value& schema);

  /// The first node is the whole schema.
  [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }

 private:
  std::size_t add(const boost::json::value& schema);
  void add_keyword(std::size_t at, std::string_view keyword, const boost::json::value& value);
  bool add_schemas(std::size_t at, std::string_view keyword, const boost::json::value& value);
  bool add_limits(std::size_t at, std::string_view keyword, const boost::json::value& value);
  void add_types(std::size_t at, const boost::json::value& value);
  void add_dependencies(std::size_t at, std::string_view keyword, const boost::json::value& value);
  std::vector<std::size_t> listed(std::string_view keyword, const boost::json::value& value);
  std::vector<std::string_view> names_in(std::string_view keyword, const boost::json::value& value);
  void read_dialect(const boost::json::object& root);
  void resolve(const boost::json::value& root);
  [[nodiscard]] std::size_t place_of(const boost::json::value& root, std::string_view reference) const;
  static std::vector<std::size_t> applied_to_same(const node& n);
  static std::vector<std::size_t> applied(const node& n);
  void find_circles(std::size_t at, std::vector<std::uint8_t>& state);
  void propagate_loss();
  void drop_lossy_keywords();
  void refuse(std::string why);

  std::vector<node> nodes_;
  std::unordered_map<const boost::json::value*, std::size_t> places_;
  std::map<std::string, std::size_t, std::less<>> anchors_;
  bool draft_7_ = false;
  bool lossy_ = false;
  std::string fault_;
};

}  // namespace hawser::detail
