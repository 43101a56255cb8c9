// SPDX-License-Identifier: MIT
// Any text is a store, a damaged one or one of a newer version. What is read of it can be written, and comes back as it
// was. A sum is against accidents: a fuzzer that sees what it is compared with writes sums, too.
#include "../../oauth/store/credential_format.hpp"
#include "target.hpp"

namespace {

std::string difference(std::string_view text) {
  using namespace hawser;
  const auto read = parse_credential_set(text);
  if (!read) return read.error().code == errc::config ? "" : "another error";
  const secret written = serialize_credential_set(read->contents);
  const auto again = parse_credential_set(written.reveal());
  if (!again || !again->damage.empty()) return "what was read cannot be written";
  if (serialize_credential_set(again->contents).reveal() != written.reveal()) return "it does not come back as it was";
  if (again->contents.all() != read->contents.all()) return "other logins";
  for (const auto& [url, one] : read->contents.all()) {
    if (read->contents.find_for_server(url) != one || read->contents.find(one.key) != one)
      return "a login that is not found";
  }
  return "";
}

}  // namespace

void hawser::testing::fuzz_one(std::string_view input) { must_be_empty(difference(input)); }
