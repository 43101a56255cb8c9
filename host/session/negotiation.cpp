// SPDX-License-Identifier: MIT
#include "negotiation.hpp"

#include <algorithm>

#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

namespace code = protocol::code;

call_options within(duration time_limit) {
  // No cancellation is sent: `initialize` must not be cancelled, and a legacy server would not understand it.
  return {
      .idle_timeout = time_limit, .hard_timeout = time_limit, .on_abandon = call_options::cancellation_notice::omit};
}

std::string discover_params(const client_profile& client, std::string_view revision) {
  return R"({"_meta":{)" + client.modern_meta(revision) + "}}";
}

// The newest common revision of an era, from the `supported` list of an unsupported-version error.
std::optional<std::string> offered(const error& e, bool modern) {
  std::optional<std::string> newest;
  const std::string_view supported = e.data.empty() ? std::string_view{} : find_member(e.data, "supported");
  if (supported.empty() || supported.front() != '[') return newest;
  for_each_element(supported, [&](std::string_view json) {
    auto date = text_of(json);
    const bool fits = date && protocol::known_revision(*date) && protocol::modern(*date) == modern;
    if (fits && (!newest || *newest < *date)) newest = *std::move(date);
    return true;
  });
  return newest;
}

error nothing_in_common(const error& e) {
  return error{.code = errc::protocol,
               .what = "no protocol revision in common: the server says \"" + e.what + '"',
               .data = e.data};
}

}  // namespace

task<result<probe_result>> probe(peer& connection, const client_profile& client, duration time_limit) {
  const auto request =
      prepared_request::verbatim(protocol::method::discover, discover_params(client, protocol::revision::latest));
  const call_options options = within(time_limit);
  auto answer = co_await connection.call(request, {}, options);
  const bool refused =
      answer.has_error() && answer.error().code == errc::remote && answer.error().native == code::unsupported_version;
  if (const auto other = refused ? offered(answer.error(), true) : std::nullopt) {
    // Version negotiation: retry once with a revision that the server named, even if it is the one that it refused.
    const auto again = prepared_request::verbatim(protocol::method::discover, discover_params(client, *other));
    answer = co_await connection.call(again, {}, options);
  }
  if (answer) {
    auto read = read_discover_result(*answer);
    if (!read) co_return probe_result{};
    if (read->revision.empty())
      co_return error{.code = errc::protocol,
                      .what = "no protocol revision in common: the server knows only later ones"};
    if (!read->modern()) co_return probe_result{};
    co_return probe_result{.modern = *std::move(read)};
  }
  const error& e = answer.error();
  switch (e.code) {
    case errc::remote:
      // A modern server that cannot serve us. Any other error, whatever its code, means a legacy server.
      if (e.native == code::unsupported_version && !offered(e, false)) co_return nothing_in_common(e);
      if (e.native == code::header_mismatch || e.native == code::missing_capability) co_return e;
      co_return probe_result{};
    case errc::timed_out: co_return probe_result{.by_timeout = true};
    case errc::protocol:
    case errc::parse: co_return probe_result{};
    default: co_return e;
  }
}

task<result<negotiated_peer>> initialize(peer& connection, const client_profile& client, std::string revision,
                                         bool pinned, duration time_limit) {
  // Version negotiation: the modern era has no handshake, so its revisions are never offered by initialize.
  if (protocol::modern(revision))
    co_return error{.code = errc::config, .what = "the revision " + revision + " cannot be offered by initialize"};
  const auto request = prepared_request::verbatim(protocol::method::initialize, client.initialize_params(revision));
  const call_options options = within(time_limit);
  auto answer = co_await connection.call(request, {}, options);
  if (!answer) co_return prefixed("initialize", answer.error());
  auto read = read_initialize_result(*answer);
  if (!read) co_return read;
  if (pinned && read->revision != revision)
    co_return error{.code = errc::protocol,
                    .what = "the server speaks " + read->revision + ", and only " + revision + " is allowed for it"};
  connection.negotiated(peer_info{read->revision}, true);
  connection.notify(protocol::notification::initialized);
  co_return read;
}

}  // namespace hawser
