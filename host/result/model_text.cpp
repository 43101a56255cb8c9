// SPDX-License-Identifier: MIT
#include "model_text.hpp"

#include "../../transports/json/json_text.hpp"
#include "detail/truncate.hpp"

namespace hawser {

namespace {

// An error may quote a server's output; a model needs only its beginning.
constexpr std::size_t longest_reason = 2'000;

std::string server_of(const error& e) { return e.server.empty() ? "the MCP server" : "MCP server \"" + e.server + '"'; }

// The reason, without the prefix that names the server.
std::string reason(const error& e) {
  std::string_view what = e.what;
  const std::string prefix = "server \"" + e.server + "\": ";
  if (!e.server.empty() && what.starts_with(prefix)) what.remove_prefix(prefix.size());
  if (what.empty()) return "";
  return ": " + std::string{detail::utf8_prefix(what, longest_reason)};
}

const char* outcome_of(const error& e) {
  return e.executed == execution::unknown ? ". The call may or may not have been executed: check before repeating it."
                                          : ". The call was not executed.";
}

std::string sentence(const error& e) {
  switch (e.code) {
    case errc::cancelled: return "The call was cancelled" + std::string{outcome_of(e)};
    case errc::timed_out: return "The call timed out: " + server_of(e) + " did not answer in time" + outcome_of(e);
    case errc::closed:
    case errc::server_gone:
    case errc::spawn:
    case errc::io: {
      const std::string which = e.server.empty() ? "" : " (\"" + e.server + "\")";
      return "MCP server unreachable" + which + reason(e) + outcome_of(e);
    }
    case errc::tool_unknown: return "There is no such tool" + reason(e) + ". Use one of the tools that are listed.";
    case errc::remote: {
      const std::string code = e.native != 0 ? " (code " + std::to_string(e.native) + ')' : "";
      return "The call was refused by " + server_of(e) + code + reason(e) + outcome_of(e);
    }
    case errc::auth:
      return "MCP server needs a login" + (e.server.empty() ? "" : " (\"" + e.server + "\")") + reason(e) +
             ". Only the user can log in" + outcome_of(e);
    case errc::config: return "The call cannot be made" + reason(e) + outcome_of(e);
    case errc::parse:
    case errc::too_large:
    case errc::protocol: break;
  }
  return "The answer of " + server_of(e) + " cannot be used" + reason(e) + outcome_of(e);
}

}  // namespace

model_text render_for_model(const result<envelope>& outcome) {
  if (outcome) return {.error = outcome->is_error(), .output = outcome->text()};
  return {.error = true, .output = sentence(outcome.error())};
}

std::string model_text::to_json() const {
  return std::string{"{\"error\":"} + (error ? "true" : "false") + ",\"output\":" + json_string(output) + '}';
}

}  // namespace hawser
