// SPDX-License-Identifier: MIT
// `hawser logout`: deletes a server's stored tokens and revokes them if the authorization server supports it.
#include <boost/json.hpp>

#include "../errand.hpp"
#include "commands.hpp"

namespace hawser::cli {

namespace {

void print_logout(errand& e, const std::string& name, const logout_report& report) {
  for (const std::string& one : report.failures)
    note_failure(e, {.code = errc::auth, .what = "not revoked: " + one, .server = name, .phase = "revoke"});
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
                       report.revoked > 0        ? piece{"; its tokens are revoked"}
                       : report.failures.empty() ? piece{"; the server does not offer to revoke tokens"}
                                                 : piece{""}});
  }
}

task<result<exit_code>> log_out(errand& e, const server_options& options) {
  const auto known = wanted_servers(e, options.server);
  if (!known) co_return known.error();
  e.waiting.show(safe_text{"logging out of ", escaped(options.server)});
  const auto report = co_await e.servers.log_out(options.server);
  e.waiting.end();
  if (!report) co_return report.error();
  print_logout(e, options.server, *report);
  co_return report->failures.empty() ? exit_code::ok : exit_code::unreachable;
}

}  // namespace

int logout_command(terminal& screen, const server_options& options) {
  errand_plan plan;
  plan.work = [&](errand& e) { return log_out(e, options); };
  plan.about = command_subject::server_or_all(options.server);
  return run_errand(screen, options, std::move(plan));
}

}  // namespace hawser::cli
