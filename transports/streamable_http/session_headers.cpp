// SPDX-License-Identifier: MIT
#include "detail/session_headers.hpp"

#include <algorithm>

#include "../http/http_fields.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/protocol.hpp"
#include "mcp_fields.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t max_session_id = 1024;

bool is_session_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= max_session_id &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

}  // namespace

void session_headers::negotiated(std::string revision) {
  revision_ = std::move(revision);
  usual_fields_.clear();
}

bool session_headers::start_session(const http_head& head) {
  session_.clear();
  usual_fields_.clear();
  has_session_ = false;
  const auto id = head.fields.find(protocol::header::session_id);
  if (!id) return true;
  if (!is_session_id(*id)) return false;
  append_field(session_, protocol::header::session_id, *id);
  has_session_ = true;
  return true;
}

void session_headers::describe(outbound_post& post, const outgoing_message& message, std::string_view bytes) {
  const bool in_session = !revision_.empty() && !protocol::modern(revision_);
  if (in_session && !message.method.empty() && message.method != protocol::method::initialize) {
    if (usual_fields_.empty()) usual_fields_ = post_fields(message, message.method, {});
    post.fields = usual_fields_;
    post.method = message.method;
    post.names_session = has_session_;
  } else {
    const message_view scanned = scanner_.scan(bytes);
    post.fields = post_fields(message, scanned.method, scanned.params);
    post.method = scanned.method;
    post.names_session = has_session_ && post.fields.find(session_) != std::string::npos;
  }
}

std::string session_headers::post_fields(const outgoing_message& message, std::string_view method,
                                         std::string_view params) const {
  constexpr std::string_view usual =
      "Accept: application/json, text/event-stream\r\nAccept-Encoding: identity\r\nContent-Type: application/json\r\n";
  std::string fields;
  fields.reserve(usual.size() + configured_.size() + session_.size() + message.fields.size() + 160);
  fields += usual;
  fields += configured_;
  const std::string_view meta = params.empty() ? std::string_view{} : find_member(params, "_meta");
  const auto version = text_of(meta.empty() ? meta : find_member(meta, protocol::meta::protocol_version));
  if (version && protocol::modern(*version)) {
    append_modern_fields(fields, *version, method, params);
    fields += message.fields;
  } else if (protocol::modern(revision_)) {
    append_modern_fields(fields, revision_, method, params);
  } else if (method != protocol::method::initialize && !revision_.empty()) {
    append_field(fields, protocol::header::protocol_version, revision_);
    fields += session_;
  }
  return fields;
}

std::string session_headers::ping_fields() const { return post_fields({}, protocol::method::ping, {}); }

std::string session_headers::get_fields(std::string_view last_event) const {
  std::string fields = "Accept: text/event-stream\r\nAccept-Encoding: identity\r\n" + configured_;
  if (!revision_.empty()) append_field(fields, protocol::header::protocol_version, revision_);
  fields += session_;
  if (!last_event.empty()) append_field(fields, protocol::header::last_event_id, last_event);
  return fields;
}

std::string session_headers::delete_fields() const {
  std::string fields = configured_;
  append_field(fields, protocol::header::protocol_version, revision_);
  fields += session_;
  return fields;
}

}  // namespace hawser::detail
