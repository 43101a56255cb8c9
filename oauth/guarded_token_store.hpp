// SPDX-License-Identifier: MIT
// Wraps a token_store of the embedding program: exceptions become errors and are logged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../runtime/guarded.hpp"
#include "../runtime/loop.hpp"
#include "token_store.hpp"

namespace hawser {

class guarded_token_store final : public token_store {
 public:
  /// Both parameters must outlive it.
  guarded_token_store(const loop& home, token_store& inner) noexcept : log_(home.log()), inner_(inner) {}

  task<result<std::optional<login>>> of_server(std::string server_url) override {
    return call("of_server", &token_store::of_server, std::move(server_url));
  }
  task<result<std::optional<login>>> find(login_key key) override {
    return call("find", &token_store::find, std::move(key));
  }
  task<result<void>> save(std::string server_url, login what) override {
    return call("save", &token_store::save, std::move(server_url), std::move(what));
  }
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override {
    return call("remove", &token_store::remove, std::move(key), std::move(only_if_refresh_is));
  }
  task<result<std::vector<login>>> forget(std::string server_url) override {
    return call("forget", &token_store::forget, std::move(server_url));
  }
  task<result<std::optional<client_identity>>> client_of(std::string issuer) override {
    return call("client_of", &token_store::client_of, std::move(issuer));
  }
  task<result<void>> save_client(std::string issuer, client_identity who) override {
    return call("save_client", &token_store::save_client, std::move(issuer), std::move(who));
  }
  task<result<void>> forget_client(std::string issuer, std::string client_id) override {
    return call("forget_client", &token_store::forget_client, std::move(issuer), std::move(client_id));
  }
  task<result<std::vector<std::pair<std::string, login>>>> all() override { return call("all", &token_store::all); }
  task<result<lead>> take_lead(login_key key) override {
    return call("take_lead", &token_store::take_lead, std::move(key));
  }
  [[nodiscard]] std::string kept_at() const override {
    std::string where;
    call_guarded(log_, "kept_at of the token store", [&] { where = inner_.kept_at(); });
    return where;
  }

 private:
  template <class T, class... Parameters>
  task<result<T>> call(const char* name, task<result<T>> (token_store::*function)(Parameters...), Parameters... given) {
    return guarded_task(
        std::string{name} + " of the token store",
        [&inner = inner_, function, ... given = std::move(given)]() mutable {
          return (inner.*function)(std::move(given)...);
        },
        &log_);
  }

  const logger& log_;
  token_store& inner_;
};

}  // namespace hawser
