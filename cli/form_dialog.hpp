// SPDX-License-Identifier: MIT
// Asking the person at the terminal what a server wants to know. Who asks is always shown, saying no is always
// possible, and nothing is sent before it was looked at once more.
#pragma once

#include "../host/input.hpp"
#include "line_source.hpp"
#include "output.hpp"

namespace hawser::cli {

/// A form, question by question, with a review at the end. The end of input (Ctrl-D) cancels.
task<result<elicitation_answer>> ask_form(output& to, line_source& from, form_request asked);

/// Consent to visiting a page, which is shown whole, its host marked. It is not opened: the user does that.
task<result<elicitation_answer>> ask_url(output& to, line_source& from, url_request asked);

}  // namespace hawser::cli
