// SPDX-License-Identifier: MIT
// Wraps a credential_store of the embedding program: exceptions become errors and are logged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/guarded.hpp"
#include "../../runtime/loop/loop.hpp"
#include "credential_store.hpp"

namespace hawser {

class guarded_credential_store final : public credential_store {
 public:
  /// Both parameters must outlive it.
  guarded_credential_store(const loop& event_loop, credential_store& inner) noexcept
      : log_(event_loop.log()), inner_(inner) {}

  task<result<std::optional<login>>> find_for_server(std::string server_url) override {
    return call("find_for_server", &credential_store::find_for_server, std::move(server_url));
  }
  task<result<std::optional<login>>> find(login_key key) override {
    return call("find", &credential_store::find, std::move(key));
  }
  task<result<void>> save(std::string server_url, login entry) override {
    return call("save", &credential_store::save, std::move(server_url), std::move(entry));
  }
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override {
    return call("remove", &credential_store::remove, std::move(key), std::move(only_if_refresh_is));
  }
  task<result<std::vector<login>>> forget(std::string server_url) override {
    return call("forget", &credential_store::forget, std::move(server_url));
  }
  task<result<std::optional<client_identity>>> find_client(std::string issuer) override {
    return call("find_client", &credential_store::find_client, std::move(issuer));
  }
  task<result<void>> save_client(std::string issuer, client_identity client) override {
    return call("save_client", &credential_store::save_client, std::move(issuer), std::move(client));
  }
  task<result<void>> remove_client(std::string issuer, std::string client_id) override {
    return call("remove_client", &credential_store::remove_client, std::move(issuer), std::move(client_id));
  }
  task<result<std::vector<std::pair<std::string, login>>>> all() override {
    return call("all", &credential_store::all);
  }
  task<result<refresh_lock>> acquire_refresh_lock(login_key key) override {
    return call("acquire_refresh_lock", &credential_store::acquire_refresh_lock, std::move(key));
  }
  [[nodiscard]] std::string location() const override {
    std::string text;
    call_guarded(log_, "location of the credential store", [&] { text = inner_.location(); });
    return text;
  }

 private:
  template <class T, class... Parameters>
  task<result<T>> call(const char* name, task<result<T>> (credential_store::*function)(Parameters...),
                       Parameters... arguments) {
    return guarded_task(
        std::string{name} + " of the credential store",
        [&inner = inner_, function, ... arguments = std::move(arguments)]() mutable {
          return (inner.*function)(std::move(arguments)...);
        },
        &log_);
  }

  const logger& log_;
  credential_store& inner_;
};

}  // namespace hawser
