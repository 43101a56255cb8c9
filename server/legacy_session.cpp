// SPDX-License-Identifier: MIT
#include "legacy_session.hpp"

#include <algorithm>

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
namespace code = protocol::code;

void respond_rpc_error(responder& answer, const error& why) { answer.fail(why.native, why.what, why.data); }

}  // namespace

const service_method* legacy_session::handle(std::string_view name, std::string_view params, responder& answer) {
  if (name == method::initialize) {
    initialize(params, answer);
    return nullptr;
  }
  if (!options_.serves_legacy()) {
    respond_rpc_error(answer,
                      invalid_params("params._meta needs the string " + json_string(protocol::meta::protocol_version)));
    return nullptr;
  }
  const server_info& info = info_of(service_, loop_);
  const service_method* shared = service_method::find(name);
  if (shared != nullptr && !(info.*shared->needs)) shared = nullptr;
  const bool sets_level = name == method::set_level && info.logging;
  const bool subscribes = name == method::resources_subscribe && info.resource_updates;
  const bool unsubscribes = name == method::resources_unsubscribe && info.resource_updates;
  if (name == method::ping) {
    answer.result("{}");
  } else if (shared == nullptr && !sets_level && !subscribes && !unsubscribes) {
    answer.fail(code::method_not_found, "no such method: " + shortened(name));
  } else if (client_ == nullptr) {
    respond_rpc_error(answer, invalid_params("initialize comes first, or " +
                                             json_string(protocol::meta::protocol_version) + " in params._meta"));
  } else if (shared != nullptr) {
    return shared;
  } else if (sets_level) {
    set_level(params, answer);
  } else if (subscribes) {
    subscribe(params, answer);
  } else {
    unsubscribe(params, answer);
  }
  return nullptr;
}

// Initialize: echo the requested version if it is known, else answer with the newest legacy version. A second
// `initialize` starts over.
void legacy_session::initialize(std::string_view params, responder& answer) {
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
  const auto newest = std::find_if(served.rbegin(), served.rend(),
                                   [](std::string_view revision) { return !protocol::modern(revision); });
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
  ready_ = false;
  subscribed_uris_.clear();
  client_ = std::make_shared<const client_description>(client_description{
      .revision = revision, .capabilities = object_of("capabilities"), .info = object_of("clientInfo")});
  const server_info& info = info_of(service_, loop_);
  log_level_.reset();
  if (info.logging) log_level_ = severity::info;  // until the client sets a level
  object_writer result;
  result.text("protocolVersion", revision)
      .member("capabilities", revision_adapter::capabilities(info, revision))
      .member("serverInfo", revision_adapter::server_info_json(info, revision));
  if (!info.instructions.empty()) result.text("instructions", info.instructions);
  answer.result(result.done());
  channel_.negotiated({.revision = std::move(revision)});
}

void legacy_session::on_notification(std::string_view method) noexcept {
  if (method == protocol::notification::initialized && client_ != nullptr) ready_ = true;
}

bool legacy_session::is_subscribed(std::string_view uri) const {
  return !subscribed_uris_.empty() && subscribed_uris_.contains(digest_of(uri));
}

void legacy_session::set_level(std::string_view params, responder& answer) {
  const auto level = severity_of(text_of(find_member(params, "level")).value_or(""));
  if (!level) {
    respond_rpc_error(answer, invalid_params("params.level is none of the eight levels"));
    return;
  }
  log_level_ = level;
  answer.result("{}");
}

void legacy_session::subscribe(std::string_view params, responder& answer) {
  const auto uri = text_of(find_member(params, "uri"));
  if (!uri) {
    respond_rpc_error(answer, invalid_params("params.uri is not a string"));
    return;
  }
  const text_digest digest = digest_of(*uri);  // only compared, so the text is not kept
  if (subscribed_uris_.size() >= options_.max_subscriptions && !subscribed_uris_.contains(digest)) {
    answer.fail(code::internal_error,
                "more than " + std::to_string(options_.max_subscriptions) + " resources are subscribed to");
  } else {
    subscribed_uris_.insert(digest);
    answer.result("{}");
  }
}

void legacy_session::unsubscribe(std::string_view params, responder& answer) {
  const auto uri = text_of(find_member(params, "uri"));
  if (!uri) {
    respond_rpc_error(answer, invalid_params("params.uri is not a string"));
    return;
  }
  subscribed_uris_.erase(digest_of(*uri));
  answer.result("{}");
}

}  // namespace hawser
