// SPDX-License-Identifier: MIT
#include "find_owner.hpp"

#include <boost/json.hpp>

#include "../runtime/timeout.hpp"
#include "../runtime/when.hpp"
#include "../transports/json_text.hpp"
#include "../transports/protocol.hpp"
#include "nearest_names.hpp"

namespace hawser::cli {

namespace {

task<result<boost::json::array>> list_of(errand& e, std::string server, list_kind what) {
  auto listing = e.servers.list(server, what);
  const auto bound = time_left(e);
  if (!bound) co_return co_await std::move(listing);
  auto listed = co_await with_timeout(*bound, std::move(listing));
  if (!listed && listed.error().code == errc::timed_out && listed.error().server.empty())
    co_return out_of_time(e, server, "its list was not read");
  co_return listed;
}

// Who has resources need not have templates, and many servers do not know the method.
bool has_no_templates(list_kind what, const error& why) {
  return what == list_kind::resource_templates && why.code == errc::remote &&
         why.native == protocol::code::method_not_found;
}

}  // namespace

task<result<server_lists>> lists_of(errand& e, std::string only, std::vector<list_kind> kinds) {
  const auto asked = co_await started(e, only, readiness::connected);
  if (!asked) co_return asked.error();
  server_lists lists{.code = asked->code};
  std::vector<task<result<boost::json::array>>> listings;
  for (const std::string& name : asked->ready) {
    for (const list_kind what : kinds) {
      lists.all.push_back({.server = name, .what = what});
      listings.push_back(list_of(e, name, what));
    }
  }
  auto outcomes = co_await when_all(std::move(listings));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i]) {
      lists.all[i].elements = *std::move(outcomes[i]);
    } else if (outcomes[i].error().code == errc::cancelled) {
      co_return outcomes[i].error();
    } else if (!has_no_templates(lists.all[i].what, outcomes[i].error())) {
      note_failure(e, outcomes[i].error());
      lists.code = combined(lists.code, code_for_server(outcomes[i].error()));
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
  std::vector<list_kind> kinds{what};
  const auto lists = co_await lists_of(e, {}, std::move(kinds));
  if (!lists) co_return lists.error();
  std::vector<std::string> owners;
  nearest_names near{value};
  for (const server_list& one : lists->all) {
    bool lists_it = false;
    for (const boost::json::value& element : one.elements) {
      const std::string name = text_in(element, member);
      lists_it = lists_it || name == value;
      near.consider(name);
    }
    if (lists_it) owners.push_back(one.server);
  }
  if (owners.size() == 1) co_return std::move(owners.front());
  error why;
  // Where somebody could not be asked, nobody knows.
  why.code = lists->code == exit_code::ok ? errc::tool_unknown : errc::server_gone;
  if (owners.empty()) {
    why.what = "no server lists " + json_string(value) + "; name the server with --server if it has it all the same" +
               suggestion(near.best());
  } else {
    why.what = json_string(value) + " is listed by more than one server; name one with --server:";
    for (const std::string& owner : owners) why.what.append(" ").append(owner);
  }
  co_return why;
}

}  // namespace hawser::cli
