// SPDX-License-Identifier: MIT
// What each revision of the protocol has: methods and notifications by direction and capability, features, error codes.
// docs/protocol.md shows the same tables, and a test compares the two. Spelling and values are in protocol.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol.hpp"

namespace hawser::protocol {

/// Both ends belong to the range; an empty one is open. Empty is also the revision before negotiation: it counts as the
/// first.
struct revision_range {
  std::string_view first{};
  std::string_view last{};

  [[nodiscard]] constexpr bool contains(std::string_view date) const noexcept {
    return (first.empty() || date >= first) && (last.empty() || date <= last);
  }
};

inline constexpr revision_range every_revision{};
inline constexpr revision_range legacy_revisions{.last = revision::latest_legacy};
inline constexpr revision_range modern_revisions{.first = revision::v2026_07_28};

/// Who sends a message.
enum class sender : std::uint8_t { client, server, either };
/// An input request is no JSON-RPC request: it stands in a result of the type `input_required`.
enum class message_type : std::uint8_t { request, input_request, notification };

struct method_rule {
  std::string_view name;
  message_type type;
  sender from;
  revision_range revisions{};
  std::string_view capability{};  ///< that must be declared by whoever offers it; empty = none
  bool repeatable = false;        ///< has no effect, so that it may be sent again after a failure
  bool cacheable = false;         ///< the result says for how long, since 2026-07-28
};

/// A name has more than one row where revisions differ. What Hawser does not speak (tasks) is not listed.
inline constexpr std::array methods{
    method_rule{.name = method::initialize,
                .type = message_type::request,
                .from = sender::client,
                .revisions = legacy_revisions,
                .repeatable = true},
    method_rule{.name = method::discover,
                .type = message_type::request,
                .from = sender::client,
                .revisions = modern_revisions,
                .repeatable = true,
                .cacheable = true},
    method_rule{.name = method::ping,
                .type = message_type::request,
                .from = sender::either,
                .revisions = legacy_revisions,
                .repeatable = true},
    method_rule{.name = method::tools_list,
                .type = message_type::request,
                .from = sender::client,
                .capability = "tools",
                .repeatable = true,
                .cacheable = true},
    method_rule{
        .name = method::tools_call, .type = message_type::request, .from = sender::client, .capability = "tools"},
    method_rule{.name = method::resources_list,
                .type = message_type::request,
                .from = sender::client,
                .capability = "resources",
                .repeatable = true,
                .cacheable = true},
    method_rule{.name = method::resources_templates_list,
                .type = message_type::request,
                .from = sender::client,
                .capability = "resources",
                .repeatable = true,
                .cacheable = true},
    method_rule{.name = method::resources_read,
                .type = message_type::request,
                .from = sender::client,
                .capability = "resources",
                .cacheable = true},
    method_rule{.name = method::resources_subscribe,
                .type = message_type::request,
                .from = sender::client,
                .revisions = legacy_revisions,
                .capability = "resources.subscribe"},
    method_rule{.name = method::resources_unsubscribe,
                .type = message_type::request,
                .from = sender::client,
                .revisions = legacy_revisions,
                .capability = "resources.subscribe"},
    method_rule{.name = method::prompts_list,
                .type = message_type::request,
                .from = sender::client,
                .capability = "prompts",
                .repeatable = true,
                .cacheable = true},
    method_rule{
        .name = method::prompts_get, .type = message_type::request, .from = sender::client, .capability = "prompts"},
    method_rule{
        .name = method::complete, .type = message_type::request, .from = sender::client, .capability = "completions"},
    method_rule{.name = method::set_level,
                .type = message_type::request,
                .from = sender::client,
                .revisions = legacy_revisions,
                .capability = "logging"},
    method_rule{.name = method::subscriptions_listen,
                .type = message_type::request,
                .from = sender::client,
                .revisions = modern_revisions},
    method_rule{.name = method::roots_list,
                .type = message_type::request,
                .from = sender::server,
                .revisions = legacy_revisions,
                .capability = "roots"},
    method_rule{.name = method::roots_list,
                .type = message_type::input_request,
                .from = sender::server,
                .revisions = modern_revisions,
                .capability = "roots"},
    method_rule{.name = method::create_message,
                .type = message_type::request,
                .from = sender::server,
                .revisions = legacy_revisions,
                .capability = "sampling"},
    method_rule{.name = method::create_message,
                .type = message_type::input_request,
                .from = sender::server,
                .revisions = modern_revisions,
                .capability = "sampling"},
    method_rule{.name = method::elicit,
                .type = message_type::request,
                .from = sender::server,
                .revisions = {.first = revision::v2025_06_18, .last = revision::latest_legacy},
                .capability = "elicitation"},
    method_rule{.name = method::elicit,
                .type = message_type::input_request,
                .from = sender::server,
                .revisions = modern_revisions,
                .capability = "elicitation"},
    method_rule{.name = notification::initialized,
                .type = message_type::notification,
                .from = sender::client,
                .revisions = legacy_revisions},
    method_rule{.name = notification::cancelled, .type = message_type::notification, .from = sender::either},
    method_rule{.name = notification::progress,
                .type = message_type::notification,
                .from = sender::either,
                .revisions = legacy_revisions},
    method_rule{.name = notification::progress,
                .type = message_type::notification,
                .from = sender::server,
                .revisions = modern_revisions},
    method_rule{.name = notification::message,
                .type = message_type::notification,
                .from = sender::server,
                .capability = "logging"},
    method_rule{.name = notification::tools_list_changed,
                .type = message_type::notification,
                .from = sender::server,
                .capability = "tools.listChanged"},
    method_rule{.name = notification::resources_list_changed,
                .type = message_type::notification,
                .from = sender::server,
                .capability = "resources.listChanged"},
    method_rule{.name = notification::resources_updated,
                .type = message_type::notification,
                .from = sender::server,
                .capability = "resources.subscribe"},
    method_rule{.name = notification::prompts_list_changed,
                .type = message_type::notification,
                .from = sender::server,
                .capability = "prompts.listChanged"},
    method_rule{.name = notification::roots_list_changed,
                .type = message_type::notification,
                .from = sender::client,
                .revisions = legacy_revisions,
                .capability = "roots.listChanged"},
    method_rule{.name = notification::subscriptions_acknowledged,
                .type = message_type::notification,
                .from = sender::server,
                .revisions = modern_revisions},
    method_rule{.name = notification::elicitation_complete,
                .type = message_type::notification,
                .from = sender::server,
                .revisions = {revision::v2025_11_25, revision::v2025_11_25},
                .capability = "elicitation.url"},
};

/// The rule of a message in a revision; null if it does not have it.
constexpr const method_rule* find_method(std::string_view name, sender from, std::string_view date) noexcept {
  for (const method_rule& rule : methods) {
    const bool sent = rule.from == from || rule.from == sender::either;
    if (sent && rule.name == name && rule.revisions.contains(date)) return &rule;
  }
  return nullptr;
}
constexpr bool has_method(std::string_view name, sender from, std::string_view date) noexcept {
  return find_method(name, from, date) != nullptr;
}

/// Whether only the modern era has this request of a client, so that it shows the era.
constexpr bool is_modern_request(std::string_view name) noexcept {
  for (const method_rule& rule : methods) {
    if (rule.name == name)
      return rule.type == message_type::request && rule.from == sender::client &&
             rule.revisions.first == modern_revisions.first;
  }
  return false;
}

/// Whether a request may be sent again after a failure, in any revision that has it.
constexpr bool is_repeatable(std::string_view name) noexcept {
  return std::any_of(methods.begin(), methods.end(),
                     [&](const method_rule& rule) { return rule.repeatable && rule.name == name; });
}
constexpr bool is_cacheable(std::string_view name) noexcept {
  return std::any_of(methods.begin(), methods.end(),
                     [&](const method_rule& rule) { return rule.cacheable && rule.name == name; });
}

/// Parts of messages that not every revision has.
enum class feature : std::uint8_t {
  handshake,
  batches,
  server_requests,
  request_meta,
  input_required,
  cache_hints,
  header_arguments,
  progress_message,
  completions_capability,
  audio_content,
  resource_links,
  structured_content,
  any_structured_content,
  titles,
  icons,
};

struct feature_rule {
  feature id;
  std::string_view description;
  revision_range revisions;
};

inline constexpr std::array features{
    feature_rule{feature::handshake, "`initialize` and sessions", legacy_revisions},
    feature_rule{feature::batches, "JSON-RPC batches", {revision::v2025_03_26, revision::v2025_03_26}},
    feature_rule{feature::server_requests, "requests sent by the server", legacy_revisions},
    feature_rule{feature::request_meta, "version, client and log level in the `_meta` of every request",
                 modern_revisions},
    feature_rule{feature::input_required, "`resultType`, with `input_required` results", modern_revisions},
    feature_rule{feature::cache_hints, "`ttlMs` and `cacheScope` in results", modern_revisions},
    feature_rule{feature::header_arguments, "arguments in `Mcp-Param-` header fields", modern_revisions},
    feature_rule{feature::progress_message, "`message` in progress notifications", {.first = revision::v2025_03_26}},
    feature_rule{feature::completions_capability, "the capability `completions`", {.first = revision::v2025_03_26}},
    feature_rule{feature::audio_content, "content of the type `audio`", {.first = revision::v2025_03_26}},
    feature_rule{feature::resource_links, "content of the type `resource_link`", {.first = revision::v2025_06_18}},
    feature_rule{feature::structured_content,
                 "`structuredContent` and `outputSchema`, for objects",
                 {.first = revision::v2025_06_18}},
    feature_rule{feature::any_structured_content, "`structuredContent` and `outputSchema` of any type",
                 modern_revisions},
    feature_rule{feature::titles, "`title` of a client or server", {.first = revision::v2025_06_18}},
    feature_rule{feature::icons,
                 "`icons`; `description` and `websiteUrl` of a client or server",
                 {.first = revision::v2025_11_25}},
};

constexpr bool has(feature id, std::string_view date) noexcept {
  return features[static_cast<std::size_t>(id)].revisions.contains(date);
}

/// What an error response says about the request.
enum class dispatch : std::uint8_t {
  unknown,          ///< a handler may have run
  refused,          ///< no handler has run
  refused_if_no_id  ///< no handler has run if the id of the response is null
};

struct error_rule {
  int code;
  std::string_view meaning;
  revision_range revisions;
  dispatch dispatched = dispatch::unknown;
};

/// "Invalid request", "method not found" and "invalid params" prove nothing: common SDKs let a tool throw them, and use
/// them for a tool's bad output. Before 2026-07-28, servers could use the codes of that revision for anything.
inline constexpr std::array errors{
    error_rule{code::parse_error, "parse error", every_revision, dispatch::refused_if_no_id},
    error_rule{code::invalid_request, "invalid request", every_revision},
    error_rule{code::method_not_found, "method not found", every_revision},
    error_rule{code::invalid_params, "invalid params", every_revision},
    error_rule{code::internal_error, "internal error", every_revision},
    error_rule{code::resource_not_found, "resource not found", legacy_revisions},
    error_rule{code::header_mismatch, "header fields and body differ", modern_revisions, dispatch::refused},
    error_rule{code::missing_capability, "missing client capability", modern_revisions, dispatch::refused},
    error_rule{code::unsupported_version, "unsupported protocol version", modern_revisions, dispatch::refused},
    error_rule{code::url_elicitation_required, "the user has to visit pages first", legacy_revisions},
    error_rule{code::user_rejected, "the user declined", every_revision},
};

/// The rule of a code in a revision; null if the revision gives it no meaning.
constexpr const error_rule* find_error(int code, std::string_view date) noexcept {
  for (const error_rule& rule : errors) {
    if (rule.code == code && rule.revisions.contains(date)) return &rule;
  }
  return nullptr;
}
constexpr bool has_error(int code, std::string_view date) noexcept { return find_error(code, date) != nullptr; }

static_assert(
    [] {
      for (std::size_t i = 0; i < features.size(); ++i) {
        if (features[i].id != static_cast<feature>(i)) return false;
      }
      return true;
    }(),
    "has() finds a feature by its position");

}  // namespace hawser::protocol
