// SPDX-License-Identifier: MIT
#include "authorization_response.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "../runtime/detail/check.hpp"
#include "display_text.hpp"
#include "url_encoded_form.hpp"

namespace hawser {

namespace {

constexpr std::size_t longest_paste = std::size_t{64} << 10;

// The decoded parameters of the query; wiped on destruction.
class parameters {
 public:
  explicit parameters(std::string_view query) : pairs_(parse_form(query)) {}
  parameters(const parameters&) = delete;
  parameters& operator=(const parameters&) = delete;
  ~parameters() {
    if (!pairs_) return;
    for (auto& [name, value] : *pairs_) cleanse(value.data(), value.size());
  }

  // RFC 6749, "Authorization Response": parameters must not be repeated.
  [[nodiscard]] bool usable() const {
    if (!pairs_) return false;
    constexpr std::array once{"state", "code", "iss", "error", "error_description"};
    return std::all_of(once.begin(), once.end(), [this](std::string_view name) {
      return std::count_if(pairs_->begin(), pairs_->end(), [&](const auto& pair) { return pair.first == name; }) <= 1;
    });
  }
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const {
    for (const auto& [own, value] : *pairs_) {
      if (own == name) return std::string_view{value};
    }
    return std::nullopt;
  }

 private:
  std::optional<std::vector<std::pair<std::string, std::string>>> pairs_;
};

error callback_error(errc code, std::string what) { return error{.code = code, .what = std::move(what)}; }

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view around = " \t\r\n\"'<>";
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

std::string_view without_scheme(std::string_view url) noexcept {
  const std::size_t slashes = url.find("://");
  return slashes == std::string_view::npos ? url : url.substr(slashes + 3);
}

result<authorization_response> bare_code(std::string_view text) {
  const bool visible = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!visible) return callback_error(errc::parse, "what was pasted is neither an address nor a code");
  authorization_response made{.code_only = true};
  // A code copied from a URL is percent-encoded, and a code itself contains no percent sign. A plus stays a plus:
  // outside of a URL it does not mean a space.
  std::string escaped = "code=";
  for (const char c : text) {
    if (c == '+' || c == '&') {
      escaped += form_encode({&c, 1});
    } else {
      escaped += c;
    }
  }
  const parameters only{escaped};
  made.code = secret{only.usable() ? only.find("code").value_or(text) : text};
  cleanse(escaped.data(), escaped.size());
  return made;
}

}  // namespace

result<authorization_response> parse_redirect_query(std::string_view query, const secret& state) {
  detail::require(!state.empty(), "a login without a state cannot tell its answer from a forged one");
  const parameters said{query};
  if (!said.usable()) return callback_error(errc::parse, "the answer of the authorization server cannot be read");
  const auto theirs = said.find("state");
  if (!theirs) return callback_error(errc::auth, "the answer has no state: it may not be of this login");
  if (!equal_in_constant_time(*theirs, state.reveal()))
    return callback_error(errc::auth, "the answer has another state: it is not of this login");
  authorization_response made;
  made.has_iss = said.find("iss").has_value();
  made.iss = said.find("iss").value_or("");
  // The consumer truncates them, after redaction.
  made.error = display_text(said.find("error").value_or(""), query.size());
  made.error_description = display_text(said.find("error_description").value_or(""), query.size());
  if (said.find("error").value_or("").empty()) made.code = secret{said.find("code").value_or("")};
  if (made.code.empty() && said.find("error").value_or("").empty())
    return callback_error(errc::protocol, "the authorization server sent neither a code nor an error");
  // An error of unprintable characters only is still an error.
  if (made.code.empty() && made.error.empty()) made.error = "?";
  return made;
}

result<authorization_response> parse_pasted_response(std::string_view text, std::string_view redirect_uri,
                                                     const secret& state) {
  text = trimmed(text);
  if (text.empty()) return callback_error(errc::parse, "nothing was pasted");
  if (text.size() > longest_paste) return callback_error(errc::too_large, "what was pasted is longer than 64 KiB");
  text = text.substr(0, text.find('#'));
  // Browsers may show a URL without its scheme.
  const std::string_view ours = without_scheme(redirect_uri);
  const std::string_view here = without_scheme(text);
  if (here.starts_with(ours) && here.substr(ours.size()).starts_with('?')) {
    if (here.size() != text.size() && !text.starts_with(redirect_uri))
      return callback_error(errc::parse, "what was pasted is not the address that the browser was sent back to");
    return parse_redirect_query(here.substr(ours.size() + 1), state);
  }
  if (here.size() != text.size() || text.starts_with(ours.substr(0, ours.find('/') + 1)))
    return callback_error(errc::parse,
                          "what was pasted is not the address that the browser was sent back to; it begins with " +
                              std::string{redirect_uri});
  if (text.front() == '?') return parse_redirect_query(text.substr(1), state);
  for (const std::string_view name : {"code=", "state=", "error=", "iss="}) {
    if (text.starts_with(name)) return parse_redirect_query(text, state);
  }
  return bare_code(text);
}

}  // namespace hawser
