// SPDX-License-Identifier: MIT
// HTTP requests with JSON responses to authorization servers. A server named them, so they are untrusted: bounded in
// time, size and depth, and never in a more internal network zone than the configured URL. Callers interpret the
// responses.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "../runtime/redaction.hpp"
#include "../transports/http/client/http_client.hpp"

namespace hawser {

struct oauth_response {
  int status = 0;
  boost::json::object body{};  ///< empty unless is_json
  bool is_json = false;        ///< a JSON object at most 32 levels deep
  std::string fault{};         ///< why it is not: "is not JSON: …"
};

/// The URL for errors: without its query.
std::string url_for_message(const http_url& url);

/// The network zone that the host itself determines: an address literal or `localhost`. nullopt: the name must be
/// resolved.
std::optional<network_zone> literal_zone(const http_url& url);

class oauth_http {
 public:
  /// Limit of a body that is parsed; beyond it errc::too_large.
  static constexpr std::size_t max_bytes = std::size_t{256} << 10;
  static constexpr std::size_t max_depth = 32;

  /// `innermost` is the zone of the configured URL. `names` must outlive this object. Every exchange ends after
  /// `bound`.
  oauth_http(loop& home, resolver& names, http_client_options options, network_zone innermost,
             duration bound = std::chrono::seconds{15});

  /// From now on, requests to the origin of `server` use these options.
  void set_origin_options(http_url server, http_client_options options);

  /// Errors name the URL: errc::io, closed and timed_out are temporary, others are not. Any status is a response, not
  /// an error; the body is read only on success. Redirects are followed within the origin.
  task<result<oauth_response>> get(http_url from);
  /// Redirects are not followed, but returned. `fields` are complete header lines. Sent once, over a new connection:
  /// `executed` says whether it may have arrived.
  task<result<oauth_response>> post_form(http_url to, secret body, secret fields = {});
  task<result<oauth_response>> post_json(http_url to, secret body, secret fields = {});
  /// Whether a browser may be sent there: no address of the name may be in a more internal zone than the configured
  /// URL. A name that cannot be resolved here is left to a proxy. errc::protocol names the URL.
  task<result<void>> check_browser_zone(http_url page);
  /// All exchanges must have ended.
  task<void> close();
  /// The secrets to remove from texts.
  [[nodiscard]] const redaction& redactions() const noexcept { return *home_.redactions(); }

 private:
  struct post_request {
    std::string_view type;
    const secret& body;
    const secret& fields;
  };
  task<result<oauth_response>> post(http_url to, post_request what);
  task<result<oauth_response>> exchange(client_request what);
  [[nodiscard]] result<void> check_zone(const http_url& to) const;
  [[nodiscard]] result<void> check_zone(const http_url& to, network_zone zone) const;

  http_client& client_for(const http_url& to) noexcept;

  loop& home_;
  resolver& names_;
  http_client client_;
  http_url server_;
  std::optional<http_client> server_client_;  // for the origin of server_
  network_zone innermost_;
  duration bound_;
};

/// E02: a URL received from a server: https, or http on this machine; no userinfo, no fragment, no link-local metadata
/// service. The error, errc::protocol, names `what` ("the token endpoint") and the URL.
result<http_url> parse_untrusted_url(std::string_view text, std::string_view what);

}  // namespace hawser
