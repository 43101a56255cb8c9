// SPDX-License-Identifier: MIT
// Small JSON exchanges with authorization servers, which a server named and nobody vouches for: short, bounded in time,
// size and depth, never further inward than where the user pointed. What the answers mean is said elsewhere.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "../runtime/crypto.hpp"
#include "../runtime/redaction.hpp"
#include "../transports/http_client.hpp"

namespace hawser {

struct web_answer {
  int status = 0;
  boost::json::object body{};  ///< empty unless is_json
  bool is_json = false;        ///< an object, not deeper than 32
  std::string fault{};         ///< what else it is: "is not JSON: …"
};

/// How the URL is named in errors: without its query.
std::string named(const http_url& url);

/// How far inward a URL says itself that it leads: an address, or `localhost`. Nothing: its name has to be resolved.
std::optional<network_zone> typed_zone(const http_url& url);

class web {
 public:
  /// Of an answer that is used; with more it ends with errc::too_large.
  static constexpr std::size_t max_bytes = std::size_t{256} << 10;
  static constexpr std::size_t max_depth = 32;

  /// `innermost` is the zone of the URL that the user typed. `names` lives longer. Every exchange ends after `bound`.
  web(loop& home, resolver& names, http_client_options options, network_zone innermost,
      duration bound = std::chrono::seconds{15});

  /// Exchanges with the origin of `server` are made with these options from now on.
  void reach_by(http_url server, http_client_options options);

  /// Errors name the URL: errc::io, closed and timed_out pass, others do not. Whatever the status, an answer is no
  /// error; the body is read of a success only. Redirects are followed within the origin.
  task<result<web_answer>> get(http_url from);
  /// Redirects are answers here. `fields` are ready header lines. Sent once, over a connection of its own: `executed`
  /// says whether it can have arrived.
  task<result<web_answer>> post_form(http_url to, secret body, secret fields = {});
  task<result<web_answer>> post_json(http_url to, secret body, secret fields = {});
  /// Whether a person may be led there: not further inward than the URL of the user, by none of the name's addresses. A
  /// name that cannot be resolved here is a proxy's to resolve. errc::protocol names the URL.
  task<result<void>> may_be_shown(http_url page);
  /// Every exchange has ended by then.
  task<void> close();
  /// What must not be in texts.
  [[nodiscard]] const redaction& hidden() const noexcept { return *home_.hidden(); }

 private:
  struct posting {
    std::string_view type;
    const secret& body;
    const secret& fields;
  };
  task<result<web_answer>> post(http_url to, posting what);
  task<result<web_answer>> exchange(http_request what);
  [[nodiscard]] result<void> reachable(const http_url& to) const;
  [[nodiscard]] result<void> reachable(const http_url& to, network_zone zone) const;

  http_client& client_for(const http_url& to) noexcept;

  loop& home_;
  resolver& names_;
  http_client client_;
  http_url server_;
  std::optional<http_client> server_client_;  // for the origin of server_
  network_zone innermost_;
  duration bound_;
};

/// E02: a URL that a server told us: https, or http on this machine; no userinfo, no fragment, nobody's metadata
/// service. The error, errc::protocol, names `what` ("the token endpoint") and the URL.
result<http_url> learned_url(std::string_view text, std::string_view what);

}  // namespace hawser
