// SPDX-License-Identifier: MIT
#include "oauth_http.hpp"

#include <optional>

#include "../runtime/async/timeout.hpp"
#include "../transports/http/http_fields.hpp"
#include "../transports/json/json_tree.hpp"
#include "../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

bool succeeded(int status) noexcept { return status >= 200 && status < 300; }

http_client_options short_answers(http_client_options options) {
  // A discarded body, such as an error page, may be larger than one that is parsed.
  options.limits.max_body = 4 * oauth_http::max_bytes;
  return options;
}

void read_object(std::string_view text, oauth_response& into) {
  auto value = json_tree(text, {.max_depth = oauth_http::max_depth});
  if (!value) {
    into.fault = value.error().code == errc::too_large
                     ? "nests too deeply, has too many values, or names that collide in a hash table"
                     : "is not JSON: " + value.error().what;
  } else if (!value->is_object()) {
    into.fault = "is not a JSON object";
  } else {
    into.body = std::move(value->get_object());
    into.is_json = true;
  }
}

}  // namespace

// The zone if the host determines it; names are checked after resolution.
std::optional<network_zone> literal_zone(const http_url& url) {
  if (url.host == "localhost" || url.host.ends_with(".localhost")) return network_zone::loopback;  // RFC 6761
  const auto literal = ip_address::parse(url.host);
  if (!literal) return std::nullopt;
  return zone_of(*literal);
}

std::string url_for_message(const http_url& url) { return url.origin() + url.target.substr(0, url.target.find('?')); }

oauth_http::oauth_http(loop& home, resolver& names, http_client_options options, network_zone innermost, duration bound)
    : home_(home),
      names_(names),
      client_(home, names, short_answers(std::move(options))),
      innermost_(innermost),
      bound_(bound) {}

void oauth_http::set_origin_options(http_url server, http_client_options options) {
  server_ = std::move(server);
  server_client_.emplace(home_, names_, short_answers(std::move(options)));
}

http_client& oauth_http::client_for(const http_url& to) noexcept {
  return server_client_ && same_origin(to, server_) ? *server_client_ : client_;
}

task<void> oauth_http::close() {
  co_await client_.close();
  if (server_client_) co_await server_client_->close();
}

task<result<oauth_response>> oauth_http::get(http_url from) {
  if (auto may = check_zone(from); !may) co_return may.error();
  std::string fields = "Accept: application/json\r\n";
  append_field(fields, protocol::header::protocol_version, protocol::revision::latest_legacy);
  client_request what{.method = "GET", .to = &from, .fields = fields, .replayable = true, .innermost = innermost_};
  auto answer = co_await with_timeout(bound_, exchange(what));
  if (!answer) co_return prefixed(url_for_message(from), answer.error());
  co_return answer;
}

task<result<oauth_response>> oauth_http::post_form(http_url to, secret body, secret fields) {
  post_request what{.type = "application/x-www-form-urlencoded", .body = body, .fields = fields};
  co_return co_await post(std::move(to), what);
}

task<result<oauth_response>> oauth_http::post_json(http_url to, secret body, secret fields) {
  post_request what{.type = "application/json", .body = body, .fields = fields};
  co_return co_await post(std::move(to), what);
}

task<result<oauth_response>> oauth_http::post(http_url to, post_request what) {
  if (auto may = check_zone(to); !may) co_return may.error();
  // A reused connection may be closed during the request; then it would be unknown whether a code or refresh token was
  // used up.
  co_await close();
  std::string fields = "Accept: application/json\r\n";
  append_field(fields, "Content-Type", what.type);
  fields.reserve(fields.size() + what.fields.reveal().size());
  const secret all{fields.append(what.fields.reveal())};
  cleanse(fields.data(), fields.size());
  client_request request{.method = "POST",
                         .to = &to,
                         .fields = all.reveal(),
                         .body = what.body.reveal(),
                         .follows_redirects = false,
                         .innermost = innermost_};
  auto answer = co_await with_timeout(bound_, exchange(request));
  if (answer) co_return answer;
  error why = prefixed(url_for_message(to), answer.error());
  if (why.code == errc::timed_out) why.executed = execution::unknown;
  co_return why;
}

task<result<oauth_response>> oauth_http::exchange(client_request what) {
  const bool reads_errors = what.method == "POST";
  http_client& client = client_for(*what.to);
  auto answer = co_await client.fetch(what);
  if (!answer) co_return answer.error();
  oauth_response got{.status = answer->head().status};
  if (!succeeded(got.status) && !reads_errors) co_return got;
  auto body = co_await answer->read_all(max_bytes);
  if (!body) {
    if (body.error().code != errc::too_large || succeeded(got.status)) co_return body.error();
    got.fault = body.error().what;
    co_return got;
  }
  read_object(body->view(), got);
  const std::size_t size = body->size();
  cleanse(body->reserve(0).at - size, size);  // it may contain tokens
  co_return got;
}

// SSRF: behind a proxy, no other code checks an address literal in the URL.
result<void> oauth_http::check_zone(const http_url& to) const {
  const auto zone = literal_zone(to);
  return zone ? check_zone(to, *zone) : result<void>{};
}

result<void> oauth_http::check_zone(const http_url& to, network_zone zone) const {
  if (zone != network_zone::refused && zone <= innermost_) return {};
  return error{
      .code = errc::protocol,
      .what = url_for_message(to) + " is refused: it lies " +
              (zone == network_zone::refused ? "where no server is"
                                             : "in a network further inward than the url that was configured")};
}

task<result<void>> oauth_http::check_browser_zone(http_url page) {
  if (auto may = check_zone(page); !may || literal_zone(page)) co_return may;
  auto addresses = co_await with_timeout(bound_, names_.resolve(page.host));
  if (!addresses && addresses.error().code == errc::cancelled) co_return addresses.error();
  if (!addresses) co_return result<void>{};
  // A browser may use any of the addresses.
  for (const ip_address& one : *addresses) {
    if (auto may = check_zone(page, zone_of(one)); !may) co_return may;
  }
  co_return result<void>{};
}

result<http_url> parse_untrusted_url(std::string_view text, std::string_view what) {
  const auto refused = [&](error why) {
    why.code = errc::protocol;
    return prefixed(what, std::move(why));
  };
  auto url = http_url::parse(text);
  if (!url) return refused(url.error());
  if (text.find('#') != std::string_view::npos)
    return refused({.what = "url \"" + url_for_message(*url) + "\": it has a fragment, which is not allowed there"});
  const auto zone = literal_zone(*url);
  if (zone == network_zone::refused)
    return refused({.what = "url \"" + url_for_message(*url) + "\": it lies where no server is"});
  if (!url->tls && zone != network_zone::loopback)
    return refused({.what = "url \"" + url_for_message(*url) + "\": it is not https, so that anybody could listen"});
  return url;
}

}  // namespace hawser
