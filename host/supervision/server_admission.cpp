// SPDX-License-Identifier: MIT
// Which of a server's tools its configuration admits, both for listing and at the time of a call.
#include <algorithm>
#include <set>

#include "server.hpp"

namespace hawser {

// Whether the tools have changed since they were listed. Irrelevant if only name patterns apply, as names do not change
// their meaning.
bool server::outdated() const {
  return settings_.access != tool_access::any && listed_ && session_ && session_->tool_changes() != listed_changes_;
}

task<result<session*>> server::wait_for_session_with_tools() {
  auto at = co_await wait_for_session();
  const std::uint64_t failed_before = failed_listings_;
  while (at && outdated() && failed_listings_ == failed_before) {
    if (!listing_ && !changed_first_) {  // the previous listing failed
      changed_last_ = context_.session.home.now();
      changed_first_ = changed_last_;
      wake_.set();
    }
    changed_.reset();
    auto waited = co_await changed_.wait();
    if (!waited) co_return annotated(waited.error(), "list");
    at = co_await wait_for_session();
  }
  co_return at;
}

result<void> server::admits_call(std::string_view tool) const {
  const auto refused = [&](const std::string& why) {
    return error{.code = errc::tool_unknown, .what = "the tool \"" + std::string{tool} + "\" " + why};
  };
  if (tool.empty()) return refused("cannot be called: tools/call needs one \"name\"");
  if (!filter_.admits_name(tool)) return refused("is excluded by \"tools\" in its configuration");
  const bool unrestricted = settings_.access == tool_access::any;
  const std::string rule =
      unrestricted ? R"("tools")" : R"("access": ")" + std::string{to_string(settings_.access)} + '"';
  if (!listed_ || outdated()) {
    // Cached tools from an earlier run may be listed, but not used to admit calls.
    if (unrestricted && settings_.tools.empty()) return {};
    const bool being_listed = listing_ || changed_first_.has_value();
    return refused(
        "cannot be checked against " + rule +
        (being_listed ? ": its tools have changed and are not listed again yet" : ": its tools could not be listed"));
  }
  if (std::binary_search(admitted_names_.begin(), admitted_names_.end(), tool)) return {};
  // A server may accept another spelling of an excluded tool's name, so only listed names are admitted.
  if (unrestricted) return refused("is not listed by the server");
  return refused("is not admitted by " + rule + " in its configuration");
}

// A target resolved before a wait may be outdated: every start lists the tools again.
result<void> server::resolve(tool_reference& target) const {
  if (target.exposed.empty() || context_.tools.version() == target.version) return admits_call(target.tool);
  const table_ref held = context_.tools.table();
  const tool_row* row = held->find(target.exposed);
  if (row != nullptr && row->server == id_) {
    target = tool_reference{*row, held};
    return admits_call(target.tool);
  }
  if (auto admitted = admits_call(target.tool); !admitted) return admitted;
  return error{.code = errc::tool_unknown, .what = "it does not list the tool \"" + target.tool + "\" any more"};
}

std::shared_ptr<const tool_list> server::admitted(const std::shared_ptr<const tool_list>& listed) const {
  if (settings_.tools.empty() && settings_.access == tool_access::any) return listed;
  // A server may list a name twice, with different annotations. The call names only the tool, so if one of them is
  // refused, both are.
  std::set<std::string_view> refused;
  for (const tool& one : listed->tools()) {
    if (!admits(settings_.access, one.hints)) refused.insert(one.name);
  }
  auto rest = std::make_shared<tool_list>();
  rest->keep(listed);
  for (const tool& one : listed->tools()) {
    if (filter_.admits_name(one.name) && !refused.contains(one.name)) rest->add(one);
  }
  return rest;
}

}  // namespace hawser
