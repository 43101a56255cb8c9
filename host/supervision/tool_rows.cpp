// SPDX-License-Identifier: MIT
#include "tool_rows.hpp"

#include <algorithm>
#include <set>

#include "../../runtime/redaction.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_omitted = 100;

}  // namespace

tool_rows::tool_rows(const configured_server& server) : server_(server) {
  // load_config rejects bad patterns. With settings built by hand, a bad pattern admits every tool.
  if (auto filter = tool_filter::parse(server.settings().tools)) filter_ = *std::move(filter);
  filter_.access = server.settings().access;
}

void tool_rows::publish(const std::shared_ptr<const tool_list>& listed, skipped_tools skipped) {
  admitted_ = admitted(listed);
  admitted_names_.clear();
  for (const tool& listed_tool : admitted_->tools()) admitted_names_.push_back(listed_tool.name);
  std::sort(admitted_names_.begin(), admitted_names_.end());
  const auto outcome = server_.shared().tools.replace(server_.id(), server_.name(), admitted_);
  count_ = admitted_->size() - outcome.refused;
  refused_ = skipped.count + listed->size() - count_;
  omitted_ = std::move(skipped.described);
  if (omitted_.size() > max_omitted) omitted_.resize(max_omitted);
  for (const refusal& refused : outcome.refusals) {
    if (omitted_.size() < max_omitted) omitted_.push_back({.tool = refused.tool, .what = refused.what});
  }
  // Tool names come from the server.
  for (omitted_tool& entry : omitted_)
    entry = {.tool = server_.redacted(entry.tool), .what = server_.redacted(entry.what)};
  // Logged at info level only: it is in the status, and does not affect calls of other tools.
  for (const omitted_tool& entry : omitted_) server_.log(log_level::info, entry.what);
  report_table(outcome);
}

void tool_rows::set_available() {
  expiry_.reset();
  report_table(server_.shared().tools.set_available(server_.id(), availability::available));
}

void tool_rows::set_unavailable() {
  report_table(server_.shared().tools.set_available(server_.id(), availability::unavailable));
}

void tool_rows::remove() {
  expiry_.reset();
  count_ = 0;
  report_table(server_.shared().tools.remove(server_.id()));
}

void tool_rows::set_expiry(time_point expiry) {
  if (count_ > 0) expiry_ = expiry;
}

void tool_rows::report_table(const registry::outcome& outcome) const {
  if (outcome.changed) server_.report({.what = host_change::kind::tools, .version = outcome.version});
}

result<void> tool_rows::admits_call(std::string_view tool, tool_list_state list_state) const {
  const auto refused = [&](const std::string& why) {
    return error{.code = errc::tool_unknown, .what = "the tool \"" + std::string{tool} + "\" " + why};
  };
  if (tool.empty()) return refused("cannot be called: tools/call needs one \"name\"");
  if (!filter_.admits_name(tool)) return refused("is excluded by \"tools\" in its configuration");
  const server_settings& settings = server_.settings();
  const bool unrestricted = settings.access == tool_access::any;
  const std::string rule =
      unrestricted ? R"("tools")" : R"("access": ")" + std::string{to_string(settings.access)} + '"';
  if (list_state != tool_list_state::current) {
    if (unrestricted && settings.tools.empty()) return {};
    return refused("cannot be checked against " + rule +
                   (list_state == tool_list_state::being_read ? ": its tools have changed and are not listed again yet"
                                                              : ": its tools could not be listed"));
  }
  if (std::binary_search(admitted_names_.begin(), admitted_names_.end(), tool)) return {};
  // A server may accept another spelling of an excluded tool's name, so only listed names are admitted.
  if (unrestricted) return refused("is not listed by the server");
  return refused("is not admitted by " + rule + " in its configuration");
}

result<void> tool_rows::resolve(tool_reference& target, tool_list_state list_state) const {
  const registry& table = server_.shared().tools;
  if (target.exposed.empty() || table.version() == target.version) return admits_call(target.tool, list_state);
  const table_ref held = table.table();
  const tool_row* row = held->find(target.exposed);
  if (row != nullptr && row->server == server_.id()) {
    target = tool_reference{*row, held};
    return admits_call(target.tool, list_state);
  }
  if (auto admitted = admits_call(target.tool, list_state); !admitted) return admitted;
  return error{.code = errc::tool_unknown, .what = "it does not list the tool \"" + target.tool + "\" any more"};
}

std::shared_ptr<const tool_list> tool_rows::admitted(const std::shared_ptr<const tool_list>& listed) const {
  const server_settings& settings = server_.settings();
  if (settings.tools.empty() && settings.access == tool_access::any) return listed;
  // A server may list a name twice, with different annotations. The call names only the tool, so if one of them is
  // refused, both are.
  std::set<std::string_view> refused;
  for (const tool& listed_tool : listed->tools()) {
    if (!admits(settings.access, listed_tool.hints)) refused.insert(listed_tool.name);
  }
  auto rest = std::make_shared<tool_list>();
  rest->keep(listed);
  for (const tool& listed_tool : listed->tools()) {
    if (filter_.admits_name(listed_tool.name) && !refused.contains(listed_tool.name)) rest->add(listed_tool);
  }
  return rest;
}

}  // namespace hawser
