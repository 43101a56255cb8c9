// SPDX-License-Identifier: MIT
#include "tool_lookup.hpp"

#include <algorithm>

#include "../../runtime/async/timeout.hpp"

namespace hawser::detail {

std::vector<std::shared_ptr<server>> tool_lookup::starting_owners(std::string_view name) const {
  if (!servers_.is_open()) return {};
  auto owners = servers_.possible_owners(naming_, name);
  for (const auto& owner : owners) owner->start_if_unlisted();
  std::erase_if(owners, [](const auto& owner) { return owner->settled(); });
  return owners;
}

// Bounded by wait_for_owners_within().
task<result<void>> tool_lookup::wait_for_owners(std::string name) const {
  while (table_.table()->find(name) == nullptr && !starting_owners(name).empty()) {
    changed_.reset();
    auto waited = co_await changed_.wait();
    if (!waited) co_return waited;
  }
  co_return result<void>{};
}

task<result<void>> tool_lookup::wait_for_owners_within(duration longest, std::string name) const {
  co_return co_await with_timeout(longest, wait_for_owners(std::move(name)));
}

task<result<void>> tool_lookup::wait_until_listed(std::string name, std::vector<std::shared_ptr<server>> owners,
                                                  const request_options& request) const {
  duration longest = duration::zero();
  for (const auto& owner : owners) {
    const call_options options = owner->options_for(request);
    longest = std::max(longest, std::min(options.idle_timeout, options.hard_timeout));
  }
  auto waiting = wait_for_owners_within(longest, name);
  auto listed = co_await with_stop(request.stop, std::move(waiting));
  if (listed || listed.error().code != errc::timed_out) co_return listed;
  error why{.code = errc::timed_out,
            .what = "the tool \"" + name + "\" is not listed yet: still starting after " + format_duration(longest)};
  co_return owners.front()->annotated(std::move(why), "start");
}

error tool_lookup::unknown_tool_error(const std::string& name) const {
  error why{.code = errc::tool_unknown, .what = "no tool is named \"" + name + '"'};
  for (const auto& owner : servers_.possible_owners(naming_, name)) {
    const server_status status = owner->status();
    if (status.state == server_state::ready) continue;
    why.what += "; server \"" + status.name + "\" is in the state " + std::string{to_string(status.state)};
    if (!status.reason.empty()) why.what += ": " + status.reason;
    if (!status.advice.empty()) why.what += " (" + status.advice + ')';
    why.server = status.name;
  }
  return why;
}

}  // namespace hawser::detail
