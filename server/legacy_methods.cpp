// SPDX-License-Identifier: MIT
// The part of server_session that only the legacy era needs.
#include <algorithm>

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "server_session.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
namespace code = protocol::code;

void respond_rpc_error(responder& answer, const error& why) { answer.fail(why.native, why.what, why.data); }

}  // namespace

void server_session::on_legacy(std::string_view name, std::string_view params, responder answer) {
  if (name == method::initialize) {
    initialize(params, answer);
    return;
  }
  if (!options_.serves_legacy()) {
    respond_rpc_error(answer,
                      invalid_params("params._meta needs the string " + json_string(protocol::meta::protocol_version)));
    return;
  }
  const server_info& card = info_of(service_, method_context_.home);
  const service_method* which = service_method::find(name);
  const bool shared = which != nullptr && card.*which->needs;
  const bool level = name == method::set_level && card.logging;
  const bool watching = name == method::resources_subscribe && card.resource_updates;
  const bool unwatching = name == method::resources_unsubscribe && card.resource_updates;
  if (name == method::ping) {
    answer.result("{}");
  } else if (!shared && !level && !watching && !unwatching) {
    answer.fail(code::method_not_found, "no such method: " + shortened(name));
  } else if (legacy_.view == nullptr) {
    respond_rpc_error(answer, invalid_params("initialize comes first, or " +
                                             json_string(protocol::meta::protocol_version) + " in params._meta"));
  } else if (shared) {
    begin(*which, params, legacy_.view, std::move(answer));
  } else if (level) {
    set_level(params, answer);
  } else if (watching) {
    subscribe(params, answer);
  } else {
    unsubscribe(params, answer);
  }
}

// Initialize: echo the requested version if it is known, else answer with the newest legacy version. A second
// `initialize` starts over.
void server_session::initialize(std::string_view params, responder& answer) {
  const auto requested = text_of(find_member(params, "protocolVersion"));
  if (!requested) {
    respond_rpc_error(answer, invalid_params("params.protocolVersion is not a string"));
    return;
  }
  const auto& served = options_.revisions;
  if (!options_.serves_legacy()) {
    respond_rpc_error(answer, unsupported_version(*requested, served));
    return;
  }
  const auto newest =
      std::find_if(served.rbegin(), served.rend(), [](std::string_view one) { return !protocol::modern(one); });
  const bool known = std::find(served.begin(), served.end(), *requested) != served.end();
  std::string revision{known && !protocol::modern(*requested) ? std::string_view{*requested} : *newest};

  for (const std::string_view name : {"capabilities", "clientInfo"}) {
    if (find_member(params, name).size() <= max_client_text) continue;
    respond_rpc_error(answer, client_text_too_long(name));
    return;
  }
  const auto object_of = [&](std::string_view name) {
    const std::string_view found = find_member(params, name);
    return std::string{found.starts_with('{') ? found : "{}"};
  };
  legacy_ = {};
  legacy_.view = std::make_shared<const client_description>(client_description{
      .revision = revision, .capabilities = object_of("capabilities"), .info = object_of("clientInfo")});
  const server_info& card = info_of(service_, method_context_.home);
  legacy_level_.reset();
  if (card.logging) legacy_level_ = severity::info;  // until the client sets a level
  object_writer result;
  result.text("protocolVersion", revision)
      .member("capabilities", revision_adapter::capabilities(card, revision))
      .member("serverInfo", revision_adapter::server_info_json(card, revision));
  if (!card.instructions.empty()) result.text("instructions", card.instructions);
  answer.result(result.done());
  channel_.negotiated({.revision = std::move(revision)});
}

void server_session::on_notification(std::string_view name, std::string_view /*params*/) {
  if (name == protocol::notification::initialized && legacy_.view != nullptr) legacy_.ready = true;
}

void server_session::set_level(std::string_view params, responder& answer) {
  const auto level = severity_of(text_of(find_member(params, "level")).value_or(""));
  if (!level) {
    respond_rpc_error(answer, invalid_params("params.level is none of the eight levels"));
    return;
  }
  legacy_level_ = level;
  answer.result("{}");
}

void server_session::subscribe(std::string_view params, responder& answer) {
  const auto uri = text_of(find_member(params, "uri"));
  if (!uri) {
    respond_rpc_error(answer, invalid_params("params.uri is not a string"));
    return;
  }
  const text_digest which = digest_of(*uri);  // only compared, so the text is not kept
  if (legacy_.subscribed_uris.size() >= options_.max_subscriptions && !legacy_.subscribed_uris.contains(which)) {
    answer.fail(code::internal_error,
                "more than " + std::to_string(options_.max_subscriptions) + " resources are subscribed to");
  } else {
    legacy_.subscribed_uris.insert(which);
    answer.result("{}");
  }
}

void server_session::unsubscribe(std::string_view params, responder& answer) {
  const auto uri = text_of(find_member(params, "uri"));
  if (!uri) {
    respond_rpc_error(answer, invalid_params("params.uri is not a string"));
    return;
  }
  legacy_.subscribed_uris.erase(digest_of(*uri));
  answer.result("{}");
}

}  // namespace hawser
