// SPDX-License-Identifier: MIT
#include "wiped_text.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <new>

#include "../../runtime/crypto.hpp"
#include "../../runtime/detail/check.hpp"
#include "../../transports/json/json_tree.hpp"

namespace hawser {

namespace json = boost::json;

namespace {

constexpr std::size_t wiped_depth = 32;

void add_all(wiped_text& to, json::serializer& from) {
  std::array<char, 1024> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): the serializer fills it
  while (!from.done()) {
    const auto read = from.read(piece.data(), piece.size());
    to.add(std::string_view{read.data(), read.size()});
  }
  cleanse(piece.data(), piece.size());
}

}  // namespace

// The alignment is left to operator new, whose default is always enough: Boost.JSON 1.83 deallocates the keys of a
// partially parsed object with another alignment than it allocated them with.
void* wiping_memory::do_allocate(std::size_t size, std::size_t alignment) {
  detail::require(alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "JSON asked for memory of an unusual alignment");
  return ::operator new(size);
}

void wiping_memory::do_deallocate(void* memory, std::size_t size, std::size_t /*alignment*/) {
  cleanse(memory, size);
  ::operator delete(memory);
}

wiped_text::~wiped_text() { cleanse(text_.data(), text_.size()); }

void wiped_text::add(std::string_view piece) {
  if (text_.capacity() - text_.size() < piece.size()) {
    std::string wider;
    wider.reserve(std::max(text_.capacity() * 2, text_.size() + piece.size()));
    wider += text_;
    cleanse(text_.data(), text_.size());
    text_.swap(wider);
  }
  text_ += piece;
}

void wiped_text::add_json(const json::value& value) {
  json::serializer from;
  from.reset(&value);
  add_all(*this, from);
}

void wiped_text::add_string(std::string_view text) {
  json::serializer from;
  from.reset(json::string_view{text.data(), text.size()});
  add_all(*this, from);
}

std::optional<json::value> parse_wiped(std::string_view text, const json::storage_ptr& memory) {
  if (!check_json_tree(text, {.max_depth = wiped_depth})) return std::nullopt;
  json::parse_options options;
  options.max_depth = wiped_depth;
  options.numbers = json::number_precision::precise;  // numbers of unknown members are kept as they were
  json::parser parser{memory, options};
  parser.reset(memory);
  boost::system::error_code failed;
  parser.write(text.data(), text.size(), failed);
  if (failed) return std::nullopt;
  return parser.release();
}

}  // namespace hawser
