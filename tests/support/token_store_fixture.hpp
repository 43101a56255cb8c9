// SPDX-License-Identifier: MIT
// A token store with its own loop, and its log messages.
#pragma once

#include <optional>
#include <string>

#include "../../oauth/store/file_credential_store.hpp"
#include "logins.hpp"
#include "ut.hpp"

namespace hawser::testing {

struct token_store_fixture {
  explicit token_store_fixture(const std::string& path, file_credential_store_options o = {}) : store(l, path, o) {}
  template <class T>
  T run(task<T> what) {
    return l.run(std::move(what));
  }
  std::optional<login> find_for_server(const std::string& url) {
    auto found = run(store.find_for_server(url));
    expect(found.has_value()) << (found ? "" : found.error().what);
    return found ? *std::move(found) : std::nullopt;
  }
  bool save(const std::string& name, int generation = 1) {
    return run(store.save(url_of(name), sample_login(name, generation))).has_value();
  }
  std::string said;
  loop l{loop::options{
      .log = logger{[this](const log_record& r) { said += std::string{r.text} + '\n'; }, log_level::info}}};
  file_credential_store store;
};

}  // namespace hawser::testing
