// SPDX-License-Identifier: MIT
#include "subscriptions.hpp"

#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "../transports/jsonrpc/protocol.hpp"

namespace hawser {

std::string_view list_changed_method(list_kind what) noexcept {
  switch (what) {
    case list_kind::tools: return protocol::notification::tools_list_changed;
    case list_kind::prompts: return protocol::notification::prompts_list_changed;
    case list_kind::resources:
    case list_kind::resource_templates: return protocol::notification::resources_list_changed;
  }
  return {};
}

result<listen_filter> listen_filter::read(std::string_view params, const server_info& card, std::size_t max_uris) {
  const std::string_view wanted = find_member(params, "notifications");
  if (!wanted.starts_with('{')) return invalid_params("params.notifications is not an object");
  listen_filter filter;
  filter.tools = card.tools && card.lists_change && find_member(wanted, "toolsListChanged") == "true";
  filter.prompts = card.prompts && card.lists_change && find_member(wanted, "promptsListChanged") == "true";
  filter.resources = card.resources && card.lists_change && find_member(wanted, "resourcesListChanged") == "true";
  const std::string_view uris = find_member(wanted, "resourceSubscriptions");
  if (uris.empty()) return filter;
  if (!uris.starts_with('[')) return invalid_params("params.notifications.resourceSubscriptions is not an array");
  bool good = true;
  std::size_t count = 0;
  std::string list = "[";
  for_each_element(uris, [&](std::string_view element) {
    const auto uri = text_of(element);
    good = uri.has_value() && ++count <= max_uris;
    if (good && filter.uris.insert(digest_of(*uri)).second) list.append(list.size() > 1 ? "," : "").append(element);
    return good;
  });
  if (!good)
    return invalid_params("params.notifications.resourceSubscriptions may have up to " + std::to_string(max_uris) +
                          " URIs, which are strings");
  if (!card.resource_updates) filter.uris.clear();
  if (!filter.uris.empty()) filter.uri_list = std::move(list) + ']';
  return filter;
}

std::string listen_filter::json() const {
  object_writer honoured;
  if (tools) honoured.member("toolsListChanged", "true");
  if (prompts) honoured.member("promptsListChanged", "true");
  if (resources) honoured.member("resourcesListChanged", "true");
  if (!uri_list.empty()) honoured.member("resourceSubscriptions", uri_list);
  return honoured.done();
}

bool listen_filter::wants(list_kind what) const noexcept {
  switch (what) {
    case list_kind::tools: return tools;
    case list_kind::prompts: return prompts;
    case list_kind::resources:
    case list_kind::resource_templates: return resources;
  }
  return false;
}

void subscriptions::tell(const listen& whom, std::string_view method, std::string_view params) {
  object_writer meta;
  meta.member(protocol::meta::subscription_id, whom.id);
  object_writer tagged;
  tagged.members_of(params).member(protocol::meta::key, meta.done());
  peer_.notify(method, tagged.done(), whom.id);
}

subscriptions::place subscriptions::add(std::string id, listen_filter filter) {
  all_.push_back({std::move(id), std::move(filter)});
  object_writer honoured;
  honoured.member("notifications", all_.back().filter.json());
  all_.back().filter.uri_list = {};
  tell(all_.back(), protocol::notification::subscriptions_acknowledged, honoured.done());
  return std::prev(all_.end());
}

void subscriptions::notify_list_changed(list_kind what) {
  for (const listen& one : all_) {
    if (one.filter.wants(what)) tell(one, list_changed_method(what), "{}");
  }
}

void subscriptions::notify_resource_updated(std::string_view uri) {
  if (all_.empty()) return;
  object_writer params;
  const std::string which = params.text("uri", uri).done();
  const text_digest digest = digest_of(uri);
  for (const listen& one : all_) {
    if (one.filter.wants(digest)) tell(one, protocol::notification::resources_updated, which);
  }
}

}  // namespace hawser
