// SPDX-License-Identifier: MIT
#include "negotiated_peer.hpp"

#include <algorithm>

#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

// Still sent by servers older than the first release; identical on the wire to the first revision.
constexpr std::string_view before_the_first = "2024-10-07";

std::string_view object_member(std::string_view object, std::string_view name) {
  const std::string_view found = is_object(object) ? find_member(object, name) : std::string_view{};
  return is_object(found) ? found : std::string_view{};
}

bool says_true(std::string_view object, std::string_view name) {
  return is_object(object) && find_member(object, name) == "true";
}

server_capabilities parse_capabilities(std::string_view json) {
  const auto tools = object_member(json, "tools");
  const auto resources = object_member(json, "resources");
  const auto prompts = object_member(json, "prompts");
  return {.tools = !tools.empty(),
          .tools_changes = says_true(tools, "listChanged"),
          .resources = !resources.empty(),
          .resources_changes = says_true(resources, "listChanged"),
          .subscribe = says_true(resources, "subscribe"),
          .prompts = !prompts.empty(),
          .prompts_changes = says_true(prompts, "listChanged"),
          .completions = !object_member(json, "completions").empty(),
          .logging = !object_member(json, "logging").empty()};
}

implementation implementation_of(std::string_view json) {
  if (!is_object(json)) return {};
  return {.name = text_of(find_member(json, "name")).value_or(""),
          .version = text_of(find_member(json, "version")).value_or(""),
          .title = text_of(find_member(json, "title")).value_or("")};
}

error not_usable(std::string_view method, std::string_view what) {
  return error{.code = errc::protocol, .what = "the answer to " + std::string{method} + ' ' + std::string{what}};
}

result<negotiated_peer> common_parts(const raw_json& answer, std::string_view method) {
  if (auto valid = answer.check(); !valid) return prefixed("the answer to " + std::string{method}, valid.error());
  const std::string_view json = answer.text();
  if (!is_object(json)) return not_usable(method, "is no object");
  const std::string_view capabilities = object_member(json, "capabilities");
  return negotiated_peer{.can = parse_capabilities(capabilities),
                         .capabilities = std::string{capabilities.empty() ? std::string_view{"{}"} : capabilities},
                         .instructions = text_of(find_member(json, "instructions")).value_or("")};
}

}  // namespace

bool negotiated_peer::modern() const noexcept { return protocol::modern(revision); }

result<negotiated_peer> read_initialize_result(const raw_json& answer) {
  constexpr std::string_view method = protocol::method::initialize;
  auto read = common_parts(answer, method);
  if (!read) return read;
  const auto revision = text_of(find_member(answer.text(), "protocolVersion"));
  if (!revision) return not_usable(method, "names no protocolVersion");
  const bool ours =
      *revision == before_the_first || (protocol::known_revision(*revision) && !protocol::modern(*revision));
  if (!ours) {
    const bool readable = revision->size() <= 40;
    return not_usable(method,
                      "names the protocol revision " +
                          (readable ? '"' + *revision + '"' : "of " + std::to_string(revision->size()) + " bytes") +
                          ", which is not one of ours");
  }
  read->revision = *revision;
  read->server = implementation_of(find_member(answer.text(), "serverInfo"));
  return read;
}

result<negotiated_peer> read_discover_result(const raw_json& answer) {
  constexpr std::string_view method = protocol::method::discover;
  auto read = common_parts(answer, method);
  if (!read) return read;
  const std::string_view versions = find_member(answer.text(), "supportedVersions");
  if (versions.empty() || versions.front() != '[') return not_usable(method, "has no list of supportedVersions");
  for_each_element(versions, [&](std::string_view json) {
    const auto date = text_of(json);
    if (date && protocol::known_revision(*date)) read->revision = std::max(read->revision, *date);
    return true;
  });
  // The final specification puts it in `_meta`; servers written to earlier drafts put it in the body.
  const std::string_view meta = object_member(answer.text(), protocol::meta::key);
  std::string_view info = object_member(meta, protocol::meta::server_info);
  if (info.empty()) info = object_member(answer.text(), "serverInfo");
  read->server = implementation_of(info);
  return read;
}

}  // namespace hawser
