// SPDX-License-Identifier: MIT
#include "memory_credential_store.hpp"

#include "../../runtime/async/semaphore.hpp"
#include "../../runtime/async/timeout.hpp"

namespace hawser {

namespace {

task<result<credential_store::refresh_lock>> wait_for_refresh_lock(std::shared_ptr<semaphore> lock) {
  struct held_permit {
    std::shared_ptr<semaphore> lock;  // declared before the permit, so destroyed after it
    semaphore::permit permit;
  };
  auto permit = co_await lock->acquire();
  if (!permit) co_return std::move(permit).error();
  auto held = std::make_shared<held_permit>();
  held->lock = std::move(lock);
  held->permit = *std::move(permit);
  co_return credential_store::refresh_lock{std::move(held)};
}

}  // namespace

memory_credential_store::~memory_credential_store() = default;

task<result<std::optional<login>>> memory_credential_store::find_for_server(std::string server_url) {
  co_return contents_.find_for_server(server_url);
}

task<result<std::optional<login>>> memory_credential_store::find(login_key key) { co_return contents_.find(key); }

task<result<void>> memory_credential_store::save(std::string server_url, login entry) {
  contents_.save(server_url, std::move(entry));
  co_return result<void>{};
}

task<result<bool>> memory_credential_store::remove(login_key key, std::optional<secret> only_if_refresh_is) {
  co_return contents_.remove(key, only_if_refresh_is);
}

task<result<std::vector<login>>> memory_credential_store::forget(std::string server_url) {
  co_return contents_.forget(server_url);
}

task<result<std::optional<client_identity>>> memory_credential_store::find_client(std::string issuer) {
  co_return contents_.find_client(issuer);
}

task<result<void>> memory_credential_store::save_client(std::string issuer, client_identity client) {
  contents_.save_client(issuer, std::move(client));
  co_return result<void>{};
}

task<result<void>> memory_credential_store::remove_client(std::string issuer, std::string client_id) {
  contents_.remove_client(issuer, client_id);
  co_return result<void>{};
}

task<result<std::vector<std::pair<std::string, login>>>> memory_credential_store::all() { co_return contents_.all(); }

task<result<credential_store::refresh_lock>> memory_credential_store::acquire_refresh_lock(login_key key) {
  std::shared_ptr<semaphore>& lock = refresh_locks_[key];
  if (!lock) lock = std::make_shared<semaphore>(1);
  auto acquired = co_await with_timeout(refresh_lock_timeout, wait_for_refresh_lock(lock));
  if (!acquired && acquired.error().code == errc::timed_out)
    co_return error{.code = errc::timed_out,
                    .what = "the login at " + key.issuer + ": another thread is renewing it; try again"};
  co_return acquired;
}

}  // namespace hawser
