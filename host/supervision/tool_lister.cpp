// SPDX-License-Identifier: MIT
#include "tool_lister.hpp"

namespace hawser {

task<result<void>> tool_lister::list() {
  changes_.reset();
  listing_ = true;
  auto listed = co_await read_list();
  listing_ = false;
  if (!listed) ++failures_;
  slot_.changed().set();
  co_return listed;
}

task<result<void>> tool_lister::read_list() {
  if (!slot_.negotiated().can.tools) {
    rows_.publish(std::make_shared<tool_list>());
    listed_ = true;
    listed_changes_ = slot_.current()->tool_changes();
    co_return result<void>{};
  }
  auto listing = co_await slot_.current()->list_tools();
  if (!listing) co_return listing.error();
  accept(*listing);
  co_return result<void>{};
}

void tool_lister::accept(const tool_listing& listing) {
  skipped_tools skipped{.count = listing.skipped_count};
  for (const skipped_tool& entry : listing.skipped)
    skipped.described.push_back({.tool = entry.name, .what = "tool \"" + entry.name + "\": " + entry.why});
  rows_.publish(listing.tools, std::move(skipped));
  listed_ = true;
  listed_changes_ = listing.changes;
  unsaved_ = listing.tools;
}

bool tool_lister::outdated() const {
  const session* current = slot_.current();
  return server_.settings().access != tool_access::any && listed_ && current != nullptr &&
         current->tool_changes() != listed_changes_;
}

tool_list_state tool_lister::state() const {
  if (listed_ && !outdated()) return tool_list_state::current;
  return is_list_expected() ? tool_list_state::being_read : tool_list_state::unreadable;
}

}  // namespace hawser
