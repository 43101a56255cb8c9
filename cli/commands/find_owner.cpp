// SPDX-License-Identifier: MIT
#include "find_owner.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <set>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "nearest_names.hpp"

namespace hawser::cli {

namespace {

task<result<boost::json::array>> list_of(command_context& e, std::string server, list_kind what) {
  auto listing = e.servers.list(server, what);
  const auto bound = time_left(e);
  if (!bound) co_return co_await std::move(listing);
  auto listed = co_await with_timeout(*bound, std::move(listing));
  if (!listed && listed.error().code == errc::timed_out && listed.error().server.empty())
    co_return timeout_error(e, server, "its list was not read");
  co_return listed;
}

using lists_by_server = std::map<std::string, std::vector<result<boost::json::array>>>;

// Reads one server's lists as soon as it is connected.
task<result<void>> read_lists_of(command_context& e, std::string server, const std::vector<list_kind>& kinds,
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

// A server with resources need not have templates, and many servers do not implement the method.
bool has_no_templates(list_kind what, const error& why) {
  return what == list_kind::resource_templates && why.code == errc::remote &&
         why.native == protocol::code::method_not_found;
}

// Recursive; the parser limits the depth.
void redact_texts(const redaction& hidden, boost::json::value& in) {
  if (boost::json::string* text = in.if_string()) {
    *text = hidden.apply(*text);
  } else if (boost::json::array* elements = in.if_array()) {
    for (boost::json::value& one : *elements) redact_texts(hidden, one);
  } else if (boost::json::object* members = in.if_object()) {
    boost::json::object shown;
    for (auto& member : *members) {
      redact_texts(hidden, member.value());
      shown.insert_or_assign(hidden.apply(member.key()), std::move(member.value()));
    }
    in = std::move(shown);
  }
}

}  // namespace

task<result<server_lists>> read_lists(command_context& e, std::string only, std::vector<list_kind> kinds) {
  lists_by_server read;
  const server_step read_lists = [&](std::string name) { return read_lists_of(e, std::move(name), kinds, read); };
  const auto asked = co_await start_and_report(e, only, readiness::connected, read_lists);
  if (!asked) co_return asked.error();
  server_lists lists{.code = asked->code};
  for (const std::string& name : asked->ready) {
    std::string noted;  // the same error of both lists is printed once
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      auto& listed = read[name][i];
      if (listed) {
        lists.all.push_back({.server = name, .what = kinds[i], .elements = *std::move(listed)});
        continue;
      }
      if (has_no_templates(kinds[i], listed.error())) continue;
      if (listed.error().what != noted) report_failure(e, listed.error());
      noted = listed.error().what;
      lists.code = combine_exit_codes(lists.code, exit_code_for_server(listed.error()));
    }
  }
  co_return lists;
}

void redact(command_context& e, server_lists& lists) {
  for (server_list& one : lists.all) {
    for (boost::json::value& element : one.elements) redact_texts(*e.home.redactions(), element);
  }
}

std::string string_member(const boost::json::value& element, std::string_view member) {
  const boost::json::object* members = element.if_object();
  const boost::json::value* found = members != nullptr ? members->if_contains(member) : nullptr;
  const boost::json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string{*text} : std::string{};
}

namespace {

// The owners found so far.
struct owner_search {
  owner_search(std::string of, std::string wanted) : member(std::move(of)), value(std::move(wanted)), near(value) {}
  std::string member;
  std::string value;
  nearest_names near;
  std::vector<std::string> owners{};
  std::set<std::string> asked{};
  event found{};
};

// Asks one server as soon as it is connected.
task<result<void>> look_at(command_context& e, std::string server, list_kind what, owner_search& in) {
  const auto listed = co_await list_of(e, server, what);
  if (!listed && !has_no_templates(what, listed.error())) co_return listed.error();
  in.asked.insert(server);
  if (!listed) co_return result<void>{};
  bool lists_it = false;
  for (const boost::json::value& element : *listed) {
    const std::string name = string_member(element, in.member);
    lists_it = lists_it || name == in.value;
    in.near.consider(name);
  }
  if (!lists_it) co_return result<void>{};
  in.owners.push_back(std::move(server));
  in.found.set();
  co_return result<void>{};
}

// How long to wait for the other servers after one has it: connected servers answer within that time, and a hanging
// server does not block the command.
duration patience_with_others(const common_options& options) {
  constexpr duration usual = std::chrono::seconds{1};
  constexpr int part = 4;  // the rest is for the request to the owner
  return std::min(usual, options.timeout().value_or(part * usual) / part);
}

task<result<void>> long_enough(event& found, duration patience) {
  auto there = co_await found.wait();
  if (!there) co_return there;
  co_return co_await sleep_for(patience);
}

// Names the servers that were not asked: they may have it, too.
void tell_not_asked(const command_context& e, const owner_search& search) {
  std::string others;
  for (const server_status& one : e.servers.status()) {
    if (!one.enabled || search.asked.contains(one.name)) continue;
    others.append(others.empty() ? "" : ", ").append(one.name);
    const bool there = one.state == server_state::ready;
    others.append(" (").append(there ? "its list cannot be read" : to_string(one.state)).append(")");
  }
  for (const std::string& name : e.config.refused_servers)
    others.append(others.empty() ? "" : ", ").append(name).append(" (its configuration has errors)");
  if (others.empty() || e.options.quiet) return;
  e.screen.err.line({"hawser: server ", escaped(json_string(search.owners.front())), " has ",
                     escaped(json_string(search.value)), "; not asked: ", escaped(others)});
}

error not_one_owner(const owner_search& search) {
  error why{.code = errc::tool_unknown};
  if (search.owners.empty()) {
    why.what = "no server lists " + json_string(search.value) +
               "; name the server with --server if it has it all the same" + suggestion(search.near.best());
    return why;
  }
  std::set<std::string> sorted{search.owners.begin(), search.owners.end()};
  why.what = json_string(search.value) + " is listed by more than one server; name one with --server:";
  for (const std::string& owner : sorted) why.what.append(" ").append(owner);
  return why;
}

}  // namespace

task<result<std::string>> find_owner(command_context& e, std::string server, list_kind what, std::string member,
                                     std::string value) {
  const auto names = select_servers(e, server);
  if (!names) co_return names.error();
  if (!server.empty()) co_return server;
  owner_search search{std::move(member), std::move(value)};
  const server_step look = [&](std::string name) { return look_at(e, std::move(name), what, search); };
  const duration patience = patience_with_others(e.options);
  auto first =
      co_await when_any(start_servers(e, *names, readiness::connected, look), long_enough(search.found, patience));
  const context where = co_await this_context();
  if (where.stop_requested()) co_return cancelled_error();
  if (search.owners.size() == 1) {
    tell_not_asked(e, search);
    co_return std::move(search.owners.front());
  }
  error why = not_one_owner(search);
  why.what = e.home.redactions()->apply(why.what);  // it contains names from a server's list
  const auto& outcomes = std::get<0>(first.values);
  if (!search.owners.empty() || !outcomes) co_return why;
  // If a server could not be asked, the result is not certain.
  const start_report asked = report_outcomes(e, *names, *outcomes);
  if (asked.code != exit_code::ok) why.code = errc::server_gone;
  co_return why;
}

}  // namespace hawser::cli
