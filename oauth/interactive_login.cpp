// SPDX-License-Identifier: MIT
#include "interactive_login.hpp"

#include <utility>

#include "guarded_login_ui.hpp"
#include "scopes.hpp"
#include "signing_key.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_step_ups = 3;
constexpr duration step_up_window = std::chrono::hours{1};

class scoped_flag {
 public:
  explicit scoped_flag(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  scoped_flag(const scoped_flag&) = delete;
  scoped_flag& operator=(const scoped_flag&) = delete;
  ~scoped_flag() { flag_ = false; }

 private:
  bool& flag_;
};

error not_stored_error(const std::string& why) {
  return error{.code = errc::config, .what = "the login cannot be kept: " + why, .phase = "store"};
}

}  // namespace

task<result<login_summary>> interactive_login::run(login_options request, login_ui& ui) {
  if (in_progress_) co_return error{.code = errc::auth, .what = "somebody is logging in to it already"};
  const scoped_flag in_progress{in_progress_};
  auto allowed = co_await check_allowed(request.persist);
  if (!allowed) co_return allowed.error();
  auto http = co_await connections_.open();
  if (!http) co_return http.error();
  auto done = co_await log_in(**http, std::move(request), ui);
  co_await (*http)->close();
  co_return done;
}

task<result<void>> interactive_login::check_allowed(login_options::persistence persist) {
  if (options_.settings.grant == oauth_settings::grant_kind::client_credentials)
    co_return error{.code = errc::config, .what = "it is configured to log in by itself, without a person"};
  auto exposed = co_await connections_.uses_cleartext();
  if (!exposed) co_return exposed.error();
  if (*exposed)
    co_return error{.code = errc::config,
                    .what =
                        "its url is plain http to another machine, where others could read the login's token: "
                        "use an https url"};
  auto loaded = co_await login_.load();
  if (!loaded) co_return loaded;
  if (persist == login_options::persistence::required) co_return co_await check_persistence();
  co_return result<void>{};
}

// Checked before the browser opens. A store detects that it cannot write when it takes a lock.
task<result<void>> interactive_login::check_persistence() {
  login_key key{.server = options_.url};
  auto refresh_lock = co_await shared_.store.acquire_refresh_lock(std::move(key));
  if (!refresh_lock && refresh_lock.error().code == errc::cancelled) co_return refresh_lock.error();
  if (!refresh_lock) co_return not_stored_error(refresh_lock.error().what);
  if (shared_.store.location().empty()) co_return not_stored_error("there is no place to keep it");
  co_return result<void>{};
}

result<void> interactive_login::count_step_up(const login_options& request) {
  if (requirement_.current() != login_requirement::kind::step_up || !login_.get()) return {};
  const login& known = *login_.get();
  const time_point now = shared_.event_loop.now();
  std::erase_if(step_ups_, [&](time_point earlier) { return earlier + step_up_window < now; });
  const std::string more = scope_union(requirement_.challenged_scope().value_or(""), request.scope);
  const std::string& granted = known.tokens.scope.empty() ? known.requested_scope : known.tokens.scope;
  const bool in_vain = !more.empty() && !request.again && has_scopes(granted, more);
  if (step_ups_.size() >= max_step_ups || in_vain)
    return error{.code = errc::auth,
                 .what =
                     "the server asks for scopes again that the login has been given, or was asked for too "
                     "often; nobody is asked once more"};
  step_ups_.push_back(now);
  return {};
}

task<result<login_summary>> interactive_login::log_in(oauth_http& http, login_options request, login_ui& ui) {
  auto key = co_await load_signing_key(options_.settings);
  if (!key) co_return key.error();
  code_flow_request flow{.server_url = options_.url,
                         .server = connections_.server_url(),
                         .settings = options_.settings,
                         .key = *key,
                         .resource_metadata_url = requirement_.resource_metadata_url(),
                         .challenged_scope = requirement_.challenged_scope(),
                         .user_scope = request.scope,
                         .timeout = request.timeout};
  if (const auto& known = login_.get()) flow.previous_scope = scope_union(known->requested_scope, known->tokens.scope);
  if (auto allowed = count_step_up(request); !allowed) co_return allowed.error();
  const code_flow_context context{.home = shared_.event_loop,
                                  .store = shared_.store,
                                  .http = http,
                                  .opens_browser = shared_.opens_browser,
                                  .now = shared_.now};
  auto issued = co_await run_code_flow(context, std::move(flow), ui);
  if (!issued) co_return issued.error();
  auto refresh_lock = co_await refresh_.exclude(issued->key);
  if (!refresh_lock) co_return refresh_lock.error();
  co_return co_await keep(*std::move(issued), request.persist, ui);
}

task<result<login_summary>> interactive_login::keep(login issued, login_options::persistence persist, login_ui& ui) {
  auto saved = co_await shared_.store.save(options_.url, issued);
  const bool stored = saved.has_value() && !shared_.store.location().empty();
  if (!stored && persist == login_options::persistence::required)
    co_return not_stored_error(saved ? "there is no place to keep it" : saved.error().what);
  // F01: a login that cannot be saved is valid until the program ends.
  if (!saved) {
    guarded_login_ui guarded_ui{shared_.event_loop, ui};
    guarded_ui.show_message("the login cannot be kept for the next time: " + saved.error().what);
  }
  login_summary summary = summarize(options_.url, issued);
  summary.stored = stored;
  requirement_.clear();
  login_.set(std::move(issued), current_login::origin::issued);
  co_return summary;
}

}  // namespace hawser
