// SPDX-License-Identifier: MIT
// Asks the user at the terminal for the input that a server requests. Always shows which server asks, always allows
// to decline, and sends nothing before a review.
#pragma once

#include "../../host/session/input_handlers.hpp"
#include "line_source.hpp"
#include "output.hpp"

namespace hawser::cli {

/// A form, field by field, with a review at the end. End of input (Ctrl-D) cancels.
task<result<elicitation_answer>> ask_form(output& to, line_source& from, form_request asked);

/// Asks for consent to visit a page. Shows the complete URL with its host highlighted. Does not open it; the user
/// does.
task<result<elicitation_answer>> ask_url(output& to, line_source& from, url_request asked);

}  // namespace hawser::cli
