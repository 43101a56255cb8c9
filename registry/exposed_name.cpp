// SPDX-License-Identifier: MIT
#include "exposed_name.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "detail/hash.hpp"

namespace hawser {

namespace {

// No vowels: few words end like a suffix, and no suffix spells a word. Eight digits of base thirty are 39 bits.
constexpr std::string_view suffix_alphabet = "0123456789bcdfghjklmnpqrstvwxz";
constexpr std::size_t suffix_digits = 8;
constexpr std::size_t suffix_size = suffix_digits + 1;  // including the `_`

constexpr std::size_t smallest_limit = 32;  // with less, little but the suffix would remain
constexpr std::size_t largest_limit = 128;  // MCP's limit for tool names

enum kind : std::uint8_t { other = 0, allowed = 1, of_suffix = 2 };

constexpr std::array<std::uint8_t, 256> kinds = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = allowed;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = allowed;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = allowed;
  table['_'] = table['-'] = allowed;
  for (const char c : suffix_alphabet) table[static_cast<unsigned char>(c)] |= of_suffix;
  return table;
}();

bool is(char c, kind wanted) noexcept { return (kinds[static_cast<unsigned char>(c)] & wanted) != 0; }

bool clean(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return is(c, allowed); });
}

bool looks_suffixed(std::string_view name) noexcept {
  if (name.size() < suffix_size) return false;
  const std::string_view end = name.substr(name.size() - suffix_size);
  return end[0] == '_' && std::all_of(end.begin() + 1, end.end(), [](char c) { return is(c, of_suffix); });
}

// Builds a name in a fixed buffer; drops what does not fit.
class bounded_text {
 public:
  bounded_text(char* to, std::size_t room) noexcept : begin_(to), at_(to), end_(to + room) {}
  void put(char c) noexcept {
    if (at_ != end_) *at_++ = c;
  }
  void put(std::string_view text) noexcept {
    const std::size_t count = std::min(text.size(), static_cast<std::size_t>(end_ - at_));
    if (count > 0) std::memcpy(at_, text.data(), count);
    at_ += count;
  }
  // Writes one `_` for each character that is not allowed; UTF-8 continuation bytes are skipped.
  void put_clean(std::string_view text) noexcept {
    bool inside = false;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const bool continues = inside && (byte & 0xc0U) == 0x80U;
      if (!continues) put(is(c, allowed) ? c : '_');
      inside = byte >= 0x80U;
    }
  }
  [[nodiscard]] std::string_view view() const noexcept { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

 private:
  char* begin_;
  char* at_;
  char* end_;
};

// Each name is hashed with its length, so that moving a character from one name to the other changes the hash.
std::uint64_t hash_of_pair(std::string_view server, std::string_view tool) noexcept {
  return detail::hash_of(tool, detail::hash_of(server, 0));
}

bool plain(const naming_options& names, std::string_view server, std::string_view tool,
           std::string_view joined) noexcept {
  if (tool.empty() || !clean(server) || !clean(tool)) return false;
  if (!server.empty() && joined.find(names.separator) != server.size()) return false;
  return !looks_suffixed(joined);
}

}  // namespace

result<naming_options> validate_naming(naming_options names) {
  if (names.separator != "__" && names.separator != "_" && names.separator != ".")
    return error{.code = errc::config,
                 .what = "name separator \"" + names.separator + R"(" is none of "__", "_", ".")"};
  if (names.limit < smallest_limit || names.limit > largest_limit)
    return error{.code = errc::config,
                 .what = "name limit " + std::to_string(names.limit) + " is not between " +
                         std::to_string(smallest_limit) + " and " + std::to_string(largest_limit)};
  return names;
}

std::size_t write_exposed_name(const naming_options& names, std::string_view server, std::string_view tool,
                               char* to) noexcept {
  const std::string_view separator = server.empty() ? std::string_view{} : names.separator;
  if (server.size() <= names.limit && tool.size() <= names.limit &&
      server.size() + separator.size() + tool.size() <= names.limit) {
    bounded_text name{to, names.limit};
    name.put(server);
    name.put(separator);
    name.put(tool);
    if (plain(names, server, tool, name.view())) return name.view().size();
  }
  bounded_text stem{to, names.limit - suffix_size};
  stem.put_clean(server);
  stem.put(separator);
  stem.put_clean(tool);
  bounded_text suffix{to + stem.view().size(), suffix_size};
  suffix.put('_');
  std::uint64_t hash = hash_of_pair(server, tool);
  for (std::size_t i = 0; i < suffix_digits; ++i, hash /= suffix_alphabet.size())
    suffix.put(suffix_alphabet[hash % suffix_alphabet.size()]);
  return stem.view().size() + suffix_size;
}

bool could_expose(const naming_options& names, std::string_view server, std::string_view exposed) noexcept {
  if (exposed.size() > names.limit) return false;
  if (!looks_suffixed(exposed)) {
    const std::size_t before_tool = server.size() + names.separator.size();
    return exposed.size() > before_tool && exposed.starts_with(server) &&
           exposed.find(names.separator) == server.size() && clean(server) && clean(exposed.substr(before_tool));
  }
  std::array<char, largest_limit> text{};
  bounded_text stem{text.data(), names.limit - suffix_size};
  stem.put_clean(server);
  stem.put(names.separator);
  return exposed.substr(0, exposed.size() - suffix_size).starts_with(stem.view());
}

std::string exposed_name(const naming_options& names, std::string_view server, std::string_view tool) {
  std::string name(names.limit, '\0');
  name.resize(write_exposed_name(names, server, tool, name.data()));
  return name;
}

}  // namespace hawser
