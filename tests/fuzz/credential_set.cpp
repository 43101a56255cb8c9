// SPDX-License-Identifier: MIT
// Any text is a store, a damaged one or one of a newer version. What is read of it can be written, and comes back as it
// was. A sum is against accidents: a fuzzer that sees what it is compared with writes sums, too.
#include "../../oauth/store/credential_set.hpp"
#include "target.hpp"

namespace {

std::string difference(std::string_view text) {
  using namespace hawser;
  const auto read = credential_set::parse(text);
  if (!read) return read.error().code == errc::config ? "" : "another error";
  const secret written = read->book.serialize();
  const auto again = credential_set::parse(written.reveal());
  if (!again || !again->damage.empty()) return "what was read cannot be written";
  if (again->book.serialize().reveal() != written.reveal()) return "it does not come back as it was";
  if (again->book.all() != read->book.all()) return "other logins";
  for (const auto& [url, one] : read->book.all()) {
    if (read->book.find_for_server(url) != one || read->book.find(one.key) != one) return "a login that is not found";
  }
  return "";
}

}  // namespace

void hawser::testing::fuzz_one(std::string_view input) { must_be_empty(difference(input)); }
