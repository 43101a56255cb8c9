// SPDX-License-Identifier: MIT
#include "find_owner.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "../transports/json_text.hpp"

namespace hawser::cli {

task<result<server_lists>> lists_of(errand& e, std::string only, list_kind what) {
  const auto names = wanted_servers(e, only);
  if (!names) co_return names.error();
  const auto ready = co_await started(e, *names);
  if (!ready) co_return ready.error();
  server_lists lists{.complete = ready->size() == names->size()};
  for (const std::string& name : *ready) {
    auto listed = co_await e.servers.list(name, what);
    if (listed) {
      lists.all.push_back({.server = name, .elements = *std::move(listed)});
    } else if (listed.error().code == errc::cancelled) {
      co_return std::move(listed).error();
    } else {
      complain(e.screen.err, listed.error());
      lists.complete = false;
    }
  }
  co_return lists;
}

std::string text_in(const boost::json::value& element, std::string_view member) {
  const boost::json::object* members = element.if_object();
  const boost::json::value* found = members != nullptr ? members->if_contains(member) : nullptr;
  const boost::json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string{*text} : std::string{};
}

task<result<std::string>> find_owner(errand& e, std::string server, list_kind what, std::string member,
                                     std::string value) {
  if (!server.empty()) {
    const auto known = wanted_servers(e, server);
    if (!known) co_return known.error();
    co_return server;
  }
  const auto lists = co_await lists_of(e, {}, what);
  if (!lists) co_return lists.error();
  std::vector<std::string> owners;
  for (const server_list& one : lists->all) {
    const auto is_it = [&](const boost::json::value& element) { return text_in(element, member) == value; };
    if (std::ranges::any_of(one.elements, is_it)) owners.push_back(one.server);
  }
  if (owners.size() == 1) co_return std::move(owners.front());
  error why;
  why.code = lists->complete ? errc::tool_unknown : errc::server_gone;
  if (owners.empty()) {
    why.what = "no server lists " + json_string(value) + "; name the server with --server if it has it all the same";
  } else {
    why.what = json_string(value) + " is listed by more than one server; name one with --server:";
    for (const std::string& owner : owners) why.what.append(" ").append(owner);
  }
  co_return why;
}

}  // namespace hawser::cli
