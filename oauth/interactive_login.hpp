// SPDX-License-Identifier: MIT
// Login by a person, one at a time: checks whether it is allowed and worthwhile, runs the authorization code flow, and
// saves the new login.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "code_flow.hpp"
#include "current_login.hpp"
#include "login_requirement.hpp"
#include "login_summary.hpp"
#include "oauth_http_factory.hpp"
#include "token_refresh.hpp"

namespace hawser {

/// Options of an interactive login.
struct login_options {
  /// Whether a login may be kept in memory only, if the store cannot save it.
  enum class persistence : std::uint8_t { if_possible, required };
  std::string scope{};  ///< in addition to what the server requires
  bool again = false;   ///< log in even if there is a working login
  duration timeout = std::chrono::minutes{5};
  persistence persist = persistence::if_possible;
};

class interactive_login {
 public:
  /// All parameters must outlive it.
  interactive_login(const login_context& shared, const server_login_options& options, current_login& login,
                    login_requirement& requirement, oauth_http_factory& connections, token_refresh& refresh)
      : shared_(shared),
        options_(options),
        login_(login),
        requirement_(requirement),
        connections_(connections),
        refresh_(refresh) {}

  /// Refused while another one is in progress. T-27: at most three step-ups an hour.
  task<result<login_summary>> run(login_options request, login_ui& ui);

 private:
  task<result<void>> check_allowed(login_options::persistence persist);
  task<result<void>> check_persistence();
  [[nodiscard]] result<void> count_step_up(const login_options& request);
  task<result<login_summary>> log_in(oauth_http& http, login_options request, login_ui& ui);
  task<result<login_summary>> keep(login issued, login_options::persistence persist, login_ui& ui);

  const login_context& shared_;
  const server_login_options& options_;
  current_login& login_;
  login_requirement& requirement_;
  oauth_http_factory& connections_;
  token_refresh& refresh_;
  bool in_progress_ = false;
  std::vector<time_point> step_ups_;
};

}  // namespace hawser
