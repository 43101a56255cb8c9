// SPDX-License-Identifier: MIT
// A credential_store in memory: logins end with the program. Refresh locks exclude other coroutines only.
#pragma once

#include <map>
#include <memory>

#include "credential_set.hpp"
#include "credential_store.hpp"

namespace hawser {

class semaphore;

class memory_credential_store final : public credential_store {
 public:
  memory_credential_store() = default;
  /// With initial contents.
  explicit memory_credential_store(credential_set contents) : contents_(std::move(contents)) {}
  ~memory_credential_store() override;

  task<result<std::optional<login>>> find_for_server(std::string server_url) override;
  task<result<std::optional<login>>> find(login_key key) override;
  task<result<void>> save(std::string server_url, login entry) override;
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override;
  task<result<std::vector<login>>> forget(std::string server_url) override;
  task<result<std::optional<client_identity>>> find_client(std::string issuer) override;
  task<result<void>> save_client(std::string issuer, client_identity client) override;
  task<result<void>> remove_client(std::string issuer, std::string client_id) override;
  task<result<std::vector<std::pair<std::string, login>>>> all() override;
  task<result<refresh_lock>> acquire_refresh_lock(login_key key) override;
  [[nodiscard]] std::string location() const override { return {}; }

  [[nodiscard]] credential_set& contents() noexcept { return contents_; }

 private:
  credential_set contents_;
  std::map<login_key, std::shared_ptr<semaphore>> refresh_locks_;
};

}  // namespace hawser
