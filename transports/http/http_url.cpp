// SPDX-License-Identifier: MIT
#include "http_url.hpp"

#include <algorithm>
#include <boost/url.hpp>
#include <optional>

#include "../../runtime/io/address.hpp"
#include "../detail/is_digit.hpp"

namespace hawser {

namespace {

namespace urls = boost::urls;

constexpr std::size_t max_url = std::size_t{8} << 10;
constexpr std::size_t max_name = 253;  // RFC 1035, without the trailing dot
constexpr std::size_t max_label = 63;

std::uint16_t own_port(bool tls) noexcept { return tls ? 443 : 80; }

}  // namespace

std::string url_for_error(std::string_view text) {
  text = text.substr(0, text.find_first_of("?#"));
  std::string plain{text};
  if (const std::size_t slashes = text.find("//"); slashes != std::string_view::npos) {
    // Up to the last `@` in the text: a slash in a password is what makes such a text an invalid URL.
    const std::size_t begin = slashes + 2;
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos && at >= begin)
      plain.erase(begin, at + 1 - begin);
  }
  // Not cut within the path: the beginning of a secret there would not be recognised as one any more.
  if (plain.size() > 200) {
    const std::size_t path = plain.find('/', std::min(plain.find("//"), plain.size() - 2) + 2);
    if (path > 200) return "of " + std::to_string(plain.size()) + " bytes";
    plain.replace(path + 1, std::string::npos, "...");
  }
  std::replace_if(plain.begin(), plain.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return '"' + plain + '"';
}

namespace {

error refused(std::string_view text, std::string_view why) {
  return error{.code = errc::config, .what = "url " + url_for_error(text) + ": " + std::string{why}};
}

// Some resolvers read such a name as an IPv4 address, each in a different way: 127.1, 0x7f000001, 017.0.0.1 (WHATWG
// URL, "ends in a number checker").
bool ends_in_number(std::string_view host) noexcept {
  const std::string_view last = host.substr(host.rfind('.') + 1);  // npos + 1 is 0
  if (!last.empty() && std::all_of(last.begin(), last.end(), detail::is_digit)) return true;
  return last.starts_with("0x") && last.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

// What is wrong with a host name, if anything.
std::optional<std::string_view> fault_of(std::string_view name) noexcept {
  if (name.size() > max_name) return "the host is longer than 253 bytes";
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    if (label.empty() || label.size() > max_label) return "a part of the host is empty or longer than 63 bytes";
    for (const char c : label) {
      if ((c >= 'a' && c <= 'z') || detail::is_digit(c) || c == '-' || c == '_') continue;
      return "the host has a character that no name has; other alphabets are written in their xn-- form";
    }
    if (dot == std::string_view::npos) return std::nullopt;
    name.remove_prefix(dot + 1);
  }
}

result<std::string> canonical_host(std::string_view text, const urls::url_view& url) {
  std::string host{std::string_view{url.encoded_host()}};
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (host.starts_with('[')) {
    const auto address = ip_address::parse(std::string_view{host}.substr(1, host.size() - 2));
    if (!address) return refused(text, "the host is no IPv6 address; zone identifiers are not supported");
    return address->to_string();
  }
  if (host.ends_with('.')) host.pop_back();
  if (host.empty()) return refused(text, "there is no host");
  if (ends_in_number(host)) {
    const auto address = ip_address::parse(host);
    if (!address) return refused(text, "the host is a number, but no address in the form 192.0.2.1");
    return address->to_string();
  }
  if (const auto fault = fault_of(host)) return refused(text, *fault);
  return host;
}

}  // namespace

result<http_url> http_url::parse(std::string_view text) {
  if (text.size() > max_url) return refused(text, "it is longer than 8 KiB");
  const auto parsed = urls::parse_uri(text);
  if (!parsed) return refused(text, "it is not an absolute url");
  const urls::url_view& url = *parsed;
  http_url made;
  made.tls = url.scheme_id() == urls::scheme::https;
  if (!made.tls && url.scheme_id() != urls::scheme::http) return refused(text, "the scheme is neither http nor https");
  if (!url.has_authority()) return refused(text, "there is no host");
  if (url.has_userinfo()) return refused(text, "it has a user name; credentials do not belong into a url");
  auto host = canonical_host(text, url);
  if (!host) return std::move(host).error();
  made.host = std::move(*host);
  made.port = own_port(made.tls);
  if (url.has_port() && !url.port().empty()) {
    made.port = url.port_number();  // also 0 if the number does not fit
    if (made.port == 0) return refused(text, "the port is not between 1 and 65535");
  }
  made.target = std::string{std::string_view{url.encoded_path()}};
  if (!made.target.starts_with('/')) made.target.insert(0, 1, '/');
  if (url.has_query()) made.target.append(1, '?').append(std::string_view{url.encoded_query()});
  return made;
}

result<http_url> http_url::resolve(std::string_view reference) const {
  if (reference.size() > max_url) return refused(reference, "it is longer than 8 KiB");
  const auto relative = urls::parse_uri_reference(reference);
  if (!relative) return refused(reference, "it is not a url");
  const std::string here = text();
  const auto from = urls::parse_uri(here);
  if (!from) return refused(here, "it is not an absolute url");
  urls::url led_to;
  if (!urls::resolve(*from, *relative, led_to)) return refused(reference, "it cannot be resolved");
  auto made = parse(led_to.buffer());
  // RFC 3986, "Remove Dot Segments": there is nothing above the root. Boost 1.83 keeps such segments.
  if (made) {
    const auto climbs = [&] {
      return made->target.starts_with("/..") && (made->target + '/').find_first_of("/?", 3) == 3;
    };
    while (climbs()) made->target.erase(0, 3);
    if (!made->target.starts_with('/')) made->target.insert(0, 1, '/');
  }
  return made;
}

std::string http_url::authority() const {
  std::string made = host.find(':') == std::string::npos ? host : '[' + host + ']';
  if (port != own_port(tls)) made.append(1, ':').append(std::to_string(port));
  return made;
}

std::string http_url::origin() const { return (tls ? "https://" : "http://") + authority(); }

std::string http_url::text() const { return origin() + target; }

bool same_origin(const http_url& a, const http_url& b) noexcept {
  return a.tls == b.tls && a.host == b.host && a.port == b.port;
}

}  // namespace hawser
