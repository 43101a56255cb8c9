// SPDX-License-Identifier: MIT
// `hawser logout`: deletes a server's stored tokens and revokes them if the authorization server supports it.
#include <boost/json.hpp>

#include "command_context.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

void print_logout(command_context& e, const std::string& name, const logout_report& report) {
  for (const std::string& one : report.failures)
    report_failure(e, {.code = errc::auth, .what = "not revoked: " + one, .server = name, .phase = "revoke"});
  if (e.options.json) {
    boost::json::array failures;
    for (const std::string& one : report.failures) failures.emplace_back(one);
    const boost::json::object all{
        {"name", name}, {"removed", report.removed}, {"revoked", report.revoked}, {"failures", std::move(failures)}};
    print_document(e, boost::json::serialize(all));
    return;
  }
  if (report.removed == 0) {
    e.screen.out.line({"no login to ", escaped(name), " was kept"});
  } else {
    e.screen.out.line({"logged out of ", escaped(name),
                       report.revoked > 0        ? text_piece{"; its tokens are revoked"}
                       : report.failures.empty() ? text_piece{"; the server does not offer to revoke tokens"}
                                                 : text_piece{""}});
  }
}

task<result<exit_code>> log_out(command_context& e, const server_options& options) {
  const auto known = select_servers(e, options.server);
  if (!known) co_return known.error();
  e.progress.show(safe_text{"logging out of ", escaped(options.server)});
  const auto report = co_await e.servers.log_out(options.server);
  e.progress.end();
  if (!report) co_return report.error();
  print_logout(e, options.server, *report);
  co_return report->failures.empty() ? exit_code::ok : exit_code::unreachable;
}

}  // namespace

int logout_command(terminal& screen, const server_options& options) {
  command_plan plan;
  plan.work = [&](command_context& e) { return log_out(e, options); };
  plan.subject = command_subject::server_or_all(options.server);
  return run_command(screen, options, std::move(plan));
}

}  // namespace hawser::cli
