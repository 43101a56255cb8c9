// SPDX-License-Identifier: MIT
#include "find_owner.hpp"

#include <boost/json.hpp>
#include <map>

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

using lists_by_server = std::map<std::string, std::vector<result<boost::json::array>>>;

// One server's lists, as soon as it is connected.
task<result<void>> read_lists_of(errand& e, std::string server, const std::vector<list_kind>& kinds,
                                 lists_by_server& into) {
  std::vector<task<result<boost::json::array>>> listings;
  for (const list_kind what : kinds) listings.push_back(list_of(e, server, what));
  auto outcomes = co_await when_all(std::move(listings));
  for (const auto& one : outcomes) {
    if (!one && one.error().code == errc::cancelled) co_return one.error();
  }
  into[server] = std::move(outcomes);
  co_return result<void>{};
}

// Who has resources need not have templates, and many servers do not know the method.
bool has_no_templates(list_kind what, const error& why) {
  return what == list_kind::resource_templates && why.code == errc::remote &&
         why.native == protocol::code::method_not_found;
}

}  // namespace

task<result<server_lists>> lists_of(errand& e, std::string only, std::vector<list_kind> kinds) {
  lists_by_server read;
  const server_step read_lists = [&](std::string name) { return read_lists_of(e, std::move(name), kinds, read); };
  const auto asked = co_await started(e, only, readiness::connected, read_lists);
  if (!asked) co_return asked.error();
  server_lists lists{.code = asked->code};
  for (const std::string& name : asked->ready) {
    std::string noted;  // the same of both lists is said once
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      auto& listed = read[name][i];
      if (listed) {
        lists.all.push_back({.server = name, .what = kinds[i], .elements = *std::move(listed)});
        continue;
      }
      if (has_no_templates(kinds[i], listed.error())) continue;
      if (listed.error().what != noted) note_failure(e, listed.error());
      noted = listed.error().what;
      lists.code = combined(lists.code, code_for_server(listed.error()));
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
