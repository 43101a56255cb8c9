// SPDX-License-Identifier: MIT
#include "credential_store.hpp"

#include "../../runtime/async/semaphore.hpp"
#include "../../runtime/async/timeout.hpp"

namespace hawser {

namespace {

task<result<credential_store::refresh_lock>> wait_for_refresh_lock(std::shared_ptr<semaphore> place) {
  struct held {
    std::shared_ptr<semaphore> of;  // declared before the permit, so destroyed after it
    semaphore::permit permit;
  };
  auto permit = co_await place->acquire();
  if (!permit) co_return std::move(permit).error();
  auto both = std::make_shared<held>();
  both->of = std::move(place);
  both->permit = *std::move(permit);
  co_return credential_store::refresh_lock{std::move(both)};
}

}  // namespace

memory_credential_store::~memory_credential_store() = default;

task<result<std::optional<login>>> memory_credential_store::find_for_server(std::string server_url) {
  co_return book_.find_for_server(server_url);
}

task<result<std::optional<login>>> memory_credential_store::find(login_key key) { co_return book_.find(key); }

task<result<void>> memory_credential_store::save(std::string server_url, login what) {
  book_.save(server_url, std::move(what));
  co_return result<void>{};
}

task<result<bool>> memory_credential_store::remove(login_key key, std::optional<secret> only_if_refresh_is) {
  co_return book_.remove(key, only_if_refresh_is);
}

task<result<std::vector<login>>> memory_credential_store::forget(std::string server_url) {
  co_return book_.forget(server_url);
}

task<result<std::optional<client_identity>>> memory_credential_store::find_client(std::string issuer) {
  co_return book_.find_client(issuer);
}

task<result<void>> memory_credential_store::save_client(std::string issuer, client_identity who) {
  book_.save_client(issuer, std::move(who));
  co_return result<void>{};
}

task<result<void>> memory_credential_store::remove_client(std::string issuer, std::string client_id) {
  book_.remove_client(issuer, client_id);
  co_return result<void>{};
}

task<result<std::vector<std::pair<std::string, login>>>> memory_credential_store::all() { co_return book_.all(); }

task<result<credential_store::refresh_lock>> memory_credential_store::acquire_refresh_lock(login_key key) {
  std::shared_ptr<semaphore>& place = refresh_locks_[key];
  if (!place) place = std::make_shared<semaphore>(1);
  auto led = co_await with_timeout(refresh_lock_timeout, wait_for_refresh_lock(place));
  if (!led && led.error().code == errc::timed_out)
    co_return error{.code = errc::timed_out,
                    .what = "the login at " + key.issuer + ": another thread is renewing it; try again"};
  co_return led;
}

std::string default_store_path(const std::function<std::optional<std::string>(std::string_view)>& variable) {
  const auto folder = [&](std::string_view name) {
    auto value = variable(name);
    return value && value->starts_with('/') ? *std::move(value) : std::string{};
  };
  if (const std::string state = folder("XDG_STATE_HOME"); !state.empty()) return state + "/hawser/auth.json";
  if (const std::string home = folder("HOME"); !home.empty()) return home + "/.local/state/hawser/auth.json";
  return {};
}

}  // namespace hawser
