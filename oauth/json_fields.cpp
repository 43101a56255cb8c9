// SPDX-License-Identifier: MIT
#include "json_fields.hpp"

#include <algorithm>
#include <charconv>

namespace hawser {

namespace {

constexpr std::int64_t furthest = 1'000'000'000'000;

template <class Number>
std::int64_t cut(Number number) noexcept {
  return static_cast<std::int64_t>(std::clamp<Number>(number, -furthest, furthest));
}

std::optional<std::int64_t> digits_of(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return cut(number);
}

}  // namespace

const boost::json::value* json_fields::find(std::string_view name) const noexcept {
  const boost::json::value* found = of_.if_contains(boost::json::string_view{name.data(), name.size()});
  return found == nullptr || found->is_null() ? nullptr : found;
}

result<std::optional<std::string>> json_fields::text(std::string_view name) const {
  const boost::json::value* found = find(name);
  if (found == nullptr) return std::optional<std::string>{};
  if (!found->is_string()) return field_error(name, "is no text");
  return std::optional<std::string>{std::in_place, std::string_view{found->get_string()}};
}

result<std::string> json_fields::required_text(std::string_view name) const {
  auto read = text(name);
  if (!read) return read.error();
  if (!read->has_value() || (*read)->empty()) return field_error(name, "is missing");
  return **std::move(read);
}

result<std::optional<std::vector<std::string>>> json_fields::texts(std::string_view name) const {
  const boost::json::value* found = find(name);
  if (found == nullptr) return std::optional<std::vector<std::string>>{};
  if (!found->is_array()) return field_error(name, "is no list");
  std::optional<std::vector<std::string>> all{std::in_place};
  for (const boost::json::value& one : found->get_array()) {
    if (!one.is_string()) return field_error(name, "has an element that is no text");
    all->emplace_back(std::string_view{one.get_string()});
  }
  return all;
}

std::optional<std::int64_t> json_fields::number(std::string_view name) const noexcept {
  const boost::json::value* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_int64()) return cut(found->get_int64());
  if (found->is_uint64()) return furthest;  // Boost.JSON uses uint64 only for numbers too large for int64
  if (found->is_double()) return cut(found->get_double());
  if (found->is_string()) return digits_of(found->get_string());
  return std::nullopt;
}

bool json_fields::is_true(std::string_view name) const noexcept {
  const boost::json::value* found = find(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

error json_fields::field_error(std::string_view name, std::string_view what) const {
  return error{.code = errc::protocol,
               .what = std::string{where_}.append(": the field \"").append(name).append("\" ").append(what)};
}

}  // namespace hawser
