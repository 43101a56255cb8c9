// SPDX-License-Identifier: MIT
// A URL that is accepted reads the same when it is written down, and has nothing in it that could leave its place on
// the wire. An input is a URL, or a URL, a space and a reference.
#include <string>

#include "../../runtime/io/address.hpp"
#include "../../transports/http/http_fields.hpp"
#include "../../transports/http/http_url.hpp"
#include "target.hpp"

namespace hawser::testing {

namespace {

void check(const result<http_url>& url) {
  if (!url) {
    if (url.error().code != errc::config) must_be_empty("another kind of error");
    for (const char c : url.error().what)
      if (c < 0x20 || c > 0x7E) must_be_empty("an error that spoils a terminal");
    return;
  }
  const auto again = http_url::parse(url->text());
  if (!again || *again != *url) must_be_empty("reads differently when written anew: " + url->text());
  if (url->port == 0 || url->host.empty() || !url->target.starts_with('/')) must_be_empty("a part is missing");
  for (const char c : url->target)
    if (c <= 0x20 || c > 0x7E || c == '#') must_be_empty("a target that would end the line");
  if (!valid_field_value(url->authority())) must_be_empty("an authority that would end the line");
  const bool bracketed = url->host.find(':') != std::string::npos;
  if (bracketed && !ip_address::parse(url->host)) must_be_empty("a host that is no address");
  for (const char c : url->host)
    if (c == '@' || c == '/' || c == '%' || c == '\\' || c == '[' || (c >= 'A' && c <= 'Z'))
      must_be_empty("a strange host");
  const std::string last = url->host.substr(url->host.rfind('.') + 1);
  if (!bracketed && last.find_first_not_of("0123456789") == std::string::npos && !ip_address::parse(url->host))
    must_be_empty("a number that is no strict address: " + url->host);
  if (!same_origin(*url, *again)) must_be_empty("an origin of its own");
}

}  // namespace

void fuzz_one(std::string_view input) {
  const std::size_t space = input.find(' ');
  const auto url = http_url::parse(input.substr(0, space));
  check(url);
  if (!url || space == std::string_view::npos) return;
  const std::string_view reference = input.substr(space + 1);
  const auto led_to = url->resolve(reference);
  check(led_to);
  if (!led_to) return;
  if (reference.starts_with('/') && !reference.starts_with("//") && !same_origin(*url, *led_to))
    must_be_empty("a path that leads elsewhere");
}

}  // namespace hawser::testing
