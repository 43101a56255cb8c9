// SPDX-License-Identifier: MIT
// The text of a credential_set: writing, reading, and recovering what can be verified from a damaged text.
//
// The text is JSON, one line per entry:
// {"version":1,"clients":{"ISSUER":{…,"sum":"…"}},"logins":[{…,"servers":["URL"],"sum":"…"}],"sum":"…"}
// Each entry's sum covers the whole entry, so that a flipped bit is never used as a token and intact entries can be
// told from damaged ones. Unknown members are kept in place. A later version whose files may be read and written by
// these rules must compute its sums by them; one whose files may not must change the sums, and is then refused.
#pragma once

#include <string>
#include <string_view>

#include "credential_set.hpp"

namespace hawser {

struct parsed_credential_set {
  credential_set contents{};
  std::string damage{};  ///< what is wrong with the text; empty = intact
};

/// errc::config if a newer version wrote it and this one cannot read it. Damage is not an error: all entries that can
/// be verified are read.
result<parsed_credential_set> parse_credential_set(std::string_view text);

/// A secret, because it contains tokens.
secret serialize_credential_set(const credential_set& contents);

}  // namespace hawser
