// SPDX-License-Identifier: MIT
// `hawser auth`: interactive login to a server; `--status` shows the stored logins.
#include <boost/json.hpp>
#include <chrono>

#include "../../runtime/redaction.hpp"
#include "../terminal/table.hpp"
#include "../terminal/terminal_login.hpp"
#include "command_context.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

namespace json = boost::json;

json::object login_json(const login_summary& of, const std::vector<std::string>& names) {
  json::object made;
  if (!names.empty()) made.emplace("name", names.front());
  made.emplace("url", of.server);
  if (of.issuer.empty()) return made;
  made.emplace("issuer", of.issuer);
  made.emplace("resource", of.resource);
  made.emplace("client", of.client);
  made.emplace("scope", of.scope);
  if (of.expires_at != 0) made.emplace("expires_at", of.expires_at);
  made.emplace("lasting", of.renewable);
  made.emplace("kept", of.stored);
  return made;
}

void append_padded(safe_text& to, unsigned number) {
  if (number < 10) to += "0";
  to += decimal(number);
}

// "2026-11-16 18:05 UTC", for any number that a server sends.
safe_text readable_time(std::int64_t unix_seconds) {
  constexpr std::int64_t end_of_9999 = 253402300799;
  if (unix_seconds < 0 || unix_seconds > end_of_9999) return safe_text{"a day far away"};
  const std::chrono::sys_seconds at{std::chrono::seconds{unix_seconds}};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{at - day};
  safe_text text = decimal(static_cast<int>(date.year()));
  text += "-";
  append_padded(text, static_cast<unsigned>(date.month()));
  text += "-";
  append_padded(text, static_cast<unsigned>(date.day()));
  text += " ";
  append_padded(text, static_cast<unsigned>(time.hours().count()));
  text += ":";
  append_padded(text, static_cast<unsigned>(time.minutes().count()));
  text += " UTC";
  return text;
}

cell lasting_cell(const login_summary& of) {
  if (!of.stored) return {.text = safe_text{"until this command ends"}, .colour = text_style::yellow};
  if (of.renewable) return {.text = safe_text{"renewed by itself"}, .colour = text_style::green};
  if (of.expires_at == 0) return {.text = safe_text{"unknown"}};
  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (of.expires_at <= now) return {.text = safe_text{"expired"}, .colour = text_style::red};
  return {.text = safe_text{"until ", readable_time(of.expires_at)}, .colour = text_style::yellow};
}

// The configured names of the servers with this URL.
std::vector<std::string> names_of(const command_context& e, const std::string& url) {
  std::vector<std::string> names;
  for (const server_status& one : e.servers.status()) {
    if (one.target == url) names.push_back(one.name);
  }
  return names;
}

safe_text shown_names(const std::vector<std::string>& names, const std::string& url) {
  if (names.empty()) return escaped(url);
  safe_text text = escaped(names.front());
  for (std::size_t i = 1; i < names.size(); ++i) text += safe_text{", ", escaped(names[i])};
  return text;
}

// The path of a URL may contain a secret.
void redact(command_context& e, login_summary& of) {
  for (std::string* text : {&of.server, &of.issuer, &of.resource, &of.scope}) *text = e.home.redactions()->apply(*text);
}

task<result<exit_code>> show_logins(command_context& e) {
  auto kept = co_await e.servers.logins();
  if (!kept) co_return kept.error();
  for (login_summary& one : *kept) redact(e, one);
  if (e.options.json) {
    json::array all;
    for (const login_summary& one : *kept) all.push_back(login_json(one, names_of(e, one.server)));
    print_document(e, json::serialize(json::object{{"logins", std::move(all)}}));
  } else if (kept->empty()) {
    e.screen.err.line("no login is kept; hawser auth NAME makes one");
  } else {
    table rows{"SERVER", "LASTS", "SCOPE", "ISSUER"};
    for (const login_summary& one : *kept) {
      rows.add({{shown_names(names_of(e, one.server), one.server), text_style::bold},
                lasting_cell(one),
                {one.scope.empty() ? safe_text{"-"} : escaped(one.scope, whole_line)},
                {escaped(one.issuer)}});
    }
    rows.print_to(e.screen.out);
  }
  co_return exit_code::ok;
}

void print_login(command_context& e, const std::string& name, const login_summary& made) {
  if (e.options.json) {
    print_document(e, json::serialize(login_json(made, {name})));
    return;
  }
  if (made.issuer.empty()) {
    e.screen.out.line({escaped(name), " wants no login"});
    return;
  }
  e.screen.out.line({"logged in to ", styled(text_style::bold, escaped(name)), " by ", escaped(made.issuer)});
  if (!made.scope.empty()) e.screen.out.line({"scope: ", escaped(made.scope)});
  const cell lasts = lasting_cell(made);
  e.screen.out.line({"lasts: ", styled(lasts.colour, lasts.text)});
}

task<result<exit_code>> log_in_server(command_context& e, const auth_options& options) {
  const auto known = select_servers(e, options.server);
  if (!known) co_return known.error();
  using persistence = login_options::persistence;
  login_options wish{.again = options.again,
                     .persist = options.session_only ? persistence::if_possible : persistence::required};
  for (const std::string& one : options.scopes) wish.scope.append(wish.scope.empty() ? "" : " ").append(one);
  terminal_login desk{e.screen,       e.progress,
                      options.server, options.no_browser ? terminal_login::mode::paste : terminal_login::mode::browser,
                      nullptr,        e.home.redactions()};
  e.progress.show(safe_text{"asking ", escaped(options.server)});
  auto made = co_await e.servers.authenticate(options.server, std::move(wish), desk);
  desk.finish();
  if (!made) {
    error why = made.error();
    if (why.phase == "store") why.what += "; --session-only logs in until this command ends";
    co_return why;
  }
  redact(e, *made);
  print_login(e, options.server, *made);
  co_return exit_code::ok;
}

}  // namespace

int auth_command(terminal& screen, const auth_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return options.status ? show_logins(e) : log_in_server(e, options); };
  plan.subject = {.type = options.status ? command_subject::kind::nothing : command_subject::kind::server,
                  .name = options.server};
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli
