// SPDX-License-Identifier: MIT
// The token store in a private file: readable only by the user from its first byte, replaced atomically, and shared by
// all processes of the user without lost updates.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../runtime/loop.hpp"
#include "../runtime/semaphore.hpp"
#include "token_store.hpp"

namespace hawser {

struct file_token_store_options {
  duration lead_patience = hawser::lead_patience;
  duration lock_patience = std::chrono::seconds{15};  ///< for the file itself, which is locked only briefly
};

class file_token_store final : public token_store {
 public:
  using options = file_token_store_options;

  /// An empty path stores nothing. If the file cannot be used (no home directory, not writable, no locks), the store
  /// logs that once and continues in memory.
  file_token_store(loop& home, std::string path, options o = {});
  ~file_token_store() override;

  task<result<std::optional<login>>> of_server(std::string server_url) override;
  task<result<std::optional<login>>> find(login_key key) override;
  task<result<void>> save(std::string server_url, login what) override;
  task<result<bool>> remove(login_key key, std::optional<secret> only_if_refresh_is) override;
  task<result<std::vector<login>>> forget(std::string server_url) override;
  task<result<std::optional<client_identity>>> client_of(std::string issuer) override;
  task<result<void>> save_client(std::string issuer, client_identity who) override;
  task<result<void>> forget_client(std::string issuer, std::string client_id) override;
  task<result<std::vector<std::pair<std::string, login>>>> all() override;
  task<result<lead>> take_lead(login_key key) override;
  [[nodiscard]] std::string kept_at() const override { return memory_ ? std::string{} : path_; }

 private:
  // Returns whether it changed anything; runs on the thread pool, possibly after the store is destroyed.
  using edit = std::function<bool(token_book&)>;
  // A login that could not be written.
  struct unsaved {
    std::string server_url;
    login what;
    bool compared = false;
    std::optional<token_set> over{};  // the file's tokens for its key at that time; if they differ now, they are newer
  };

  bool in_memory();
  void go_on_in_memory(const error& why, token_book known);
  void tell_of_damage(const std::string& damage);
  // Removes entries for which the file has newer tokens; returns whether others remain.
  static bool put_into(token_book& book, std::vector<unsaved>& these);
  void keep_unsaved(unsaved one);
  task<result<token_book>> look();
  template <class T>
  task<result<T>> ask(std::function<T(const token_book&)> question);
  task<result<void>> change(edit what);
  task<result<void>> change_file(edit what);
  task<result<void>> save_for_good(std::string server_url, login what);

  loop& home_;
  std::string path_;
  options options_;
  semaphore turn_{1};  // one change at a time; the lock file excludes other processes
  std::vector<unsaved> unsaved_;
  std::unique_ptr<memory_token_store> memory_;  // replaces the file once it proved unusable
  bool told_of_damage_ = false;
};

}  // namespace hawser
