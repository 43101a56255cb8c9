// SPDX-License-Identifier: MIT
// Calls of names that are not in the table: which servers could expose the tool, and waiting for those that are
// starting.
#include <algorithm>

#include "../runtime/async/timeout.hpp"
#include "detail/hub_core.hpp"

namespace hawser::detail {

std::vector<std::shared_ptr<server>> hub_core::possible_owners(std::string_view name) const {
  std::vector<std::shared_ptr<server>> found;
  for (const entry& one : entries) {
    if (one.instance && !one.removing && could_expose(settings.names, one.instance->name(), name))
      found.push_back(one.instance);
  }
  return found;
}

// The possible owners whose tools are still to be listed. None before the hub is open, because no server is starting.
std::vector<std::shared_ptr<server>> hub_core::starting_owners(std::string_view name) {
  if (!open || closing.is_set()) return {};
  auto found = possible_owners(name);
  for (const auto& one : found) one->start_if_unlisted();
  std::erase_if(found, [](const auto& one) { return one->settled(); });
  return found;
}

// Bounded by owners_settled_within().
task<result<void>> hub_core::owners_settled(std::string name) {
  while (table.table()->find(name) == nullptr && !starting_owners(name).empty()) {
    changed.reset();
    auto waited = co_await changed.wait();
    if (!waited) co_return waited;
  }
  co_return result<void>{};
}

task<result<void>> hub_core::owners_settled_within(duration bound, std::string name) {
  co_return co_await with_timeout(bound, owners_settled(std::move(name)));
}

// Waits until the name is in the table, or no server that could expose it is starting.
task<result<void>> hub_core::until_listed(std::string name, const request_options& caller_options) {
  const auto owners = starting_owners(name);
  if (owners.empty()) co_return result<void>{};
  if (calls.count() > settings.limits.max_total_pending) co_return too_many_calls();
  duration bound = duration::zero();
  for (const auto& one : owners) {
    const call_options rpc_options = one->options_for(caller_options);
    bound = std::max(bound, std::min(rpc_options.idle_timeout, rpc_options.hard_timeout));
  }
  auto waiting = owners_settled_within(bound, name);
  auto listed = co_await with_stop(caller_options.stop, std::move(waiting));
  if (closing.is_set()) co_return error{.code = errc::closed, .what = "the host is stopped"};
  if (listed || listed.error().code != errc::timed_out) co_return listed;
  error why{.code = errc::timed_out,
            .what = "the tool \"" + name + "\" is not listed yet: still starting after " + format_duration(bound)};
  co_return owners.front()->annotated(std::move(why), "start");
}

error hub_core::unknown_tool(const std::string& name) const {
  error why{.code = errc::tool_unknown, .what = "no tool is named \"" + name + '"'};
  for (const auto& owner : possible_owners(name)) {
    const server_status now = owner->status();
    if (now.state == server_state::ready) continue;
    why.what += "; server \"" + now.name + "\" is in the state " + std::string{to_string(now.state)};
    if (!now.reason.empty()) why.what += ": " + now.reason;
    if (!now.advice.empty()) why.what += " (" + now.advice + ')';
    why.server = now.name;
  }
  return why;
}

}  // namespace hawser::detail
