// SPDX-License-Identifier: MIT
#include "client_description.hpp"

#include <algorithm>

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// `{"elicitation":{"url":{}}}` from its two names; the inner one may be empty.
std::string capability(std::string_view outer, std::string_view inner) {
  std::string inside = inner.empty() ? "{}" : object_writer{}.member(inner, "{}").done();
  return object_writer{}.member(outer, inside).done();
}

}  // namespace

bool client_description::modern() const noexcept { return protocol::modern(revision); }

// Client features: a capability is an object; `elicitation:{}` means form mode, the only mode before 2025-11-25.
std::string client_description::missing_capabilities(const input_request& question) const {
  const auto declares = [&](std::string_view outer, std::string_view inner) {
    const std::string_view found = find_member(capabilities, outer);
    return is_object(found) && (inner.empty() || is_object(find_member(found, inner)));
  };
  if (question.method == protocol::method::roots_list)
    return declares("roots", {}) ? std::string{} : capability("roots", {});
  if (question.method == protocol::method::create_message) {
    const bool with_tools = !find_member(question.params, "tools").empty();
    const std::string_view inner = with_tools ? "tools" : "";
    return declares("sampling", inner) ? std::string{} : capability("sampling", inner);
  }
  const bool url = text_of(find_member(question.params, "mode")) == "url";
  if (declares("elicitation", url ? "url" : "form")) return {};
  if (!url && declares("elicitation", {}) && !declares("elicitation", "url")) return {};
  return capability("elicitation", url ? "url" : "form");
}

// Modern era: there is no handshake; every request identifies its client in `_meta`.
result<client_description> read_modern_client(std::string_view params, std::span<const std::string_view> served) {
  namespace key = protocol::meta;
  const std::string_view meta = find_member(params, key::key);
  const auto version = text_of(find_member(meta, key::protocol_version));
  if (!version) return invalid_params("params._meta needs the string " + json_string(key::protocol_version));
  const bool known = std::find(served.begin(), served.end(), *version) != served.end();
  if (!known || !protocol::modern(*version)) return unsupported_version(*version, served);
  const std::string_view capabilities = find_member(meta, key::client_capabilities);
  if (!is_object(capabilities))
    return invalid_params("params._meta needs the object " + json_string(key::client_capabilities));
  for (const std::string_view name : {"roots", "sampling", "elicitation"}) {
    const std::string_view declared = find_member(capabilities, name);
    if (!declared.empty() && !is_object(declared))
      return invalid_params("the client capability " + json_string(name) + " is not an object");
  }
  const std::string_view info = find_member(meta, key::client_info);
  if (capabilities.size() > max_client_text) return client_text_too_long(key::client_capabilities);
  if (info.size() > max_client_text) return client_text_too_long(key::client_info);
  return client_description{.revision = *version,
                            .capabilities = std::string{capabilities},
                            .info = std::string{is_object(info) ? info : "{}"}};
}

error client_text_too_long(std::string_view member) {
  return invalid_params(json_string(member) + " has more than " + std::to_string(max_client_text) + " bytes");
}

std::string newest_first(std::span<const std::string_view> revisions) {
  std::string list = "[";
  for (auto revision = revisions.rbegin(); revision != revisions.rend(); ++revision) {
    if (list.size() > 1) list += ',';
    append_quoted(list, *revision);
  }
  return list + ']';
}

error unsupported_version(std::string_view requested, std::span<const std::string_view> served) {
  return error{
      .code = errc::remote,
      .what = "protocol version " + json_string(shortened(requested)) + " is not served here",
      .native = protocol::code::unsupported_version,
      .data = object_writer{}.member("supported", newest_first(served)).text("requested", shortened(requested)).done()};
}

}  // namespace hawser
