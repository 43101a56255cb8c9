// SPDX-License-Identifier: MIT
#include "http_proxy.hpp"

#include <cstdlib>

#include "../../../runtime/io/address.hpp"
#include "../http_fields.hpp"
#include "../network_zone.hpp"

namespace hawser {

namespace {

std::string variable(const char* lower, const char* upper) {
  const char* found = std::getenv(lower);
  if (found == nullptr && upper != nullptr) found = std::getenv(upper);
  return found == nullptr ? std::string{} : std::string{found};
}

int digit_of(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
    if (low >= 0) i += 2;
    decoded += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
  }
  return decoded;
}

// Whether this entry of the list matches the host.
bool excepts(std::string_view entry, const http_url& url) {
  if (entry == "*") return true;
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view port = entry.substr(end + 1);
    if (!port.empty() && port != ':' + std::to_string(url.port)) return false;
    entry = entry.substr(1, end - 1);
  } else if (const std::size_t colon = entry.rfind(':'); colon != entry.npos && entry.find(':') == colon) {
    if (entry.substr(colon + 1) != std::to_string(url.port)) return false;
    entry = entry.substr(0, colon);
  }
  if (entry.starts_with('*')) entry.remove_prefix(1);
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty() || entry.size() > url.host.size()) return false;
  const std::string_view host{url.host};
  if (!equal_ignoring_case(host.substr(host.size() - entry.size()), entry)) return false;
  return host.size() == entry.size() || (host[host.size() - entry.size() - 1] == '.' && !ip_address::parse(host));
}

bool is_loopback(const http_url& url) {
  if (url.host == "localhost" || url.host.ends_with(".localhost")) return true;
  const auto literal = ip_address::parse(url.host);
  return literal && zone_of(*literal) == network_zone::loopback;
}

}  // namespace

result<http_proxy> http_proxy::parse(std::string_view text) {
  const std::size_t scheme = text.find("://");
  std::string address{scheme == text.npos ? "http://" : text.substr(0, scheme + 3)};
  std::string_view rest = scheme == text.npos ? text : text.substr(scheme + 3);
  http_proxy proxy;
  const std::size_t at = rest.substr(0, rest.find('/')).rfind('@');
  if (at != rest.npos) {
    const secret login{percent_decoded(rest.substr(0, at))};
    proxy.authorization = secret{"Basic " + base64(login.reveal())};
    rest.remove_prefix(at + 1);
  }
  address += rest;
  auto parsed = http_url::parse(address);
  if (!parsed) return prefixed("proxy", parsed.error());
  if (parsed->tls)
    return error{.code = errc::config, .what = "proxy " + parsed->text() + ": only http proxies are supported"};
  proxy.at = *std::move(parsed);
  return proxy;
}

void http_proxy::append_login(std::string& head) const {
  if (authorization.empty()) return;
  constexpr std::string_view name = "Proxy-Authorization";
  constexpr std::size_t line_ends = 8;  // two line ends, and the separator of name and value
  head.reserve(head.size() + name.size() + authorization.reveal().size() + line_ends);
  append_field(head, name, authorization.reveal());
}

proxy_rules proxy_rules::from_environment() {
  return {.for_http = variable("http_proxy", nullptr),
          .for_https = variable("https_proxy", "HTTPS_PROXY"),
          .except = variable("no_proxy", "NO_PROXY")};
}

result<std::optional<http_proxy>> proxy_rules::choose(const http_url& url) const {
  const std::string& proxy = url.tls ? for_https : for_http;
  if (proxy.empty() || is_loopback(url)) return std::optional<http_proxy>{};
  std::string_view list{except};
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (excepts(trim_blanks(list.substr(0, comma)), url)) return std::optional<http_proxy>{};
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  auto parsed = http_proxy::parse(proxy);
  if (!parsed) return parsed.error();
  return std::optional<http_proxy>{*std::move(parsed)};
}

}  // namespace hawser
