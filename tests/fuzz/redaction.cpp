// SPDX-License-Identifier: MIT
// Of any text around a secret, in any of its forms, nothing is left that would be found again; and a text without one
// is not touched.
#include "../../runtime/redaction.hpp"
#include "target.hpp"

namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) {
    out += "0123456789ABCDEF"[c / 16];
    out += "0123456789abcdef"[c % 16];
  }
  return out;
}

std::string difference(std::string_view text) {
  using namespace hawser;
  constexpr std::string_view hidden = "s3cr3t/+\"x y";
  redaction known;
  known.add(hidden);
  const std::string clean = known.apply(text);
  if (known.matches(text) == (clean == text)) return "found and not taken out, or the other way round";
  if (clean.find(hidden) != std::string::npos) return "it is still there";
  const std::size_t middle = text.size() / 2;
  for (const std::string& form : {std::string{hidden}, hex(hidden), base64(hidden), base64url(hidden)}) {
    const std::string around =
        std::string{text.substr(0, middle)} + ' ' + form + ' ' + std::string{text.substr(middle)};
    const std::string without = known.apply(around);
    if (without.find(form) != std::string::npos) return "a form is still there";
    if (!clean.empty() && clean == text && without.size() < text.size()) return "more than the secret was taken out";
  }
  return "";
}

}  // namespace

void hawser::testing::fuzz_one(std::string_view input) { must_be_empty(difference(input)); }
