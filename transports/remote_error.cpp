// SPDX-License-Identifier: MIT
#include "remote_error.hpp"

#include <utility>

#include "json_text.hpp"
#include "protocol.hpp"

namespace hawser {

error remote_error(std::string_view json, std::size_t max_text) {
  error e{.code = errc::remote, .what = text_of(find_member(json, "message")).value_or(std::string{})};
  const std::int64_t number = integer_of(find_member(json, "code")).value_or(0);
  e.native = std::in_range<int>(number) ? static_cast<int>(number) : 0;
  e.data = find_member(json, "data");
  if (e.what.empty()) e.what = "the server reports an error without a message";
  if (e.what.size() > max_text) {
    std::size_t cut = max_text;
    while (cut > 0 && (static_cast<unsigned char>(e.what[cut]) & 0xC0) == 0x80) --cut;
    e.what.resize(cut);
    e.what += " …";
  }
  // These say that the request was not understood; after any other error nobody knows how far it came. "Invalid params"
  // is not one of them: common SDKs say it of a tool's bad output, too, and let a tool itself throw it.
  namespace code = protocol::code;
  const bool refused =
      e.native == code::parse_error || e.native == code::invalid_request || e.native == code::method_not_found;
  e.executed = refused ? execution::no : execution::unknown;
  return e;
}

}  // namespace hawser
