// SPDX-License-Identifier: MIT
// Evaluates a value against a compiled_schema and gives up when the budget is spent. Schemas and values come from
// servers, and a few bytes of schema can demand any amount of work. Each schema applied, each value compared and each
// byte of text read is paid for as it happens.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiled_schema.hpp"

namespace hawser::detail {

/// The cost limit of checks, in units of about ten nanoseconds. Several checks may share one.
struct schema_budget {
  std::size_t left = 0;
};

class schema_evaluator {
 public:
  enum class verdict : std::uint8_t { satisfied, violated, given_up };

  schema_evaluator(const compiled_schema& plan, schema_budget& budget) : nodes_(plan.nodes()), budget_(budget) {}

  verdict judge(const boost::json::value& value);
  /// After a violation: what is wrong, and where.
  [[nodiscard]] const std::string& violation() const noexcept { return violation_; }

 private:
  using value = boost::json::value;
  using node = compiled_schema::node;
  // A location in the value, as a list from the inside to the outside.
  struct place {
    const place* outside;
    std::string_view name;  // of a member
    std::size_t index;      // of an element
    enum class kind : std::uint8_t { root, member, element, name } is;
  };
  // Which members or elements have been evaluated, for the `unevaluated…` keywords.
  using evaluated = std::vector<bool>;

  bool spend(std::size_t units) noexcept;
  static std::size_t units_of(std::string_view text) noexcept { return 1 + text.size() / 16; }
  bool wrong(const place& at, std::string_view what);
  [[nodiscard]] static std::string pointer_to(const place& at);

  bool check(std::size_t which, const value& v, const place& at, evaluated* seen);
  bool keywords(const node& n, const value& v, const place& at, evaluated* seen);
  bool quietly(std::size_t which, const value& v, const place& at, evaluated* seen);
  bool type(const node& n, const value& v, const place& at);
  bool choice(const node& n, const value& v, const place& at);
  bool number(const node& n, const value& v, const place& at);
  bool text(const node& n, std::string_view v, const place& at);
  bool in_place(const node& n, const value& v, const place& at, evaluated* seen);
  bool any_of(const node& n, const value& v, const place& at, evaluated* seen);
  bool one_of(const node& n, const value& v, const place& at, evaluated* seen);
  bool conditional(const node& n, const value& v, const place& at, evaluated* seen);
  bool object(const node& n, const boost::json::object& v, const place& at, evaluated* seen);
  bool member_names(const node& n, const boost::json::object& v, const place& at);
  bool array(const node& n, const boost::json::array& v, const place& at, evaluated* seen);
  bool contained(const node& n, const boost::json::array& v, const place& at, evaluated* seen);
  bool unique(const boost::json::array& v);
  bool unevaluated(const node& n, const value& v, const place& at, evaluated& seen);
  bool equal(const value& a, const value& b);
  std::size_t hash(const value& v);
  bool has(const boost::json::object& v, std::string_view name);
  bool has_one_of_many(const boost::json::object& v, std::string_view name);

  const std::vector<node>& nodes_;
  schema_budget& budget_;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;  // > 0 inside a subschema that may fail
  bool given_up_ = false;
  std::string violation_;
};

}  // namespace hawser::detail
