// SPDX-License-Identifier: MIT
// What an authorization server sends back through the browser, read and checked in one way, whether the browser brought
// it to us or a person pasted it. Pure. Whether `iss` is the right one is the flow's business.
#pragma once

#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "../runtime/error.hpp"

namespace hawser {

struct callback_answer {
  secret code{};  ///< empty: there is an error instead
  std::string iss{};
  bool has_iss = false;
  std::string error{};              ///< one line, as long as it was said; not shown before `iss` was looked at …
  std::string error_description{};  ///< … like this one
  bool bare = false;                ///< only a code was pasted: nothing says which server gave it
};

/// The query of a redirect. errc::parse: it is no query, or says something twice. errc::auth: its state is missing or
/// another login's. errc::protocol: it is this login's answer and has neither code nor error. Nothing of it is named.
result<callback_answer> read_callback(std::string_view query, const secret& state);

/// What a person pasted: the whole address that the browser ended at, its query, or a bare code, which alone needs no
/// state. Errors as above, and errc::parse for an address that is not of `redirect_uri`.
result<callback_answer> read_pasted(std::string_view text, std::string_view redirect_uri, const secret& state);

}  // namespace hawser
