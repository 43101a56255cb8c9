// SPDX-License-Identifier: MIT
// The token store in a private file: readable only by the user from its first byte, replaced atomically, and shared by
// all processes of the user without lost updates.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../runtime/async/semaphore.hpp"
#include "../../runtime/loop/loop.hpp"
#include "memory_credential_store.hpp"

namespace hawser {

struct file_credential_store_options {
  duration refresh_lock_timeout = hawser::refresh_lock_timeout;
  duration file_lock_timeout = std::chrono::seconds{15};  ///< for the file itself, which is locked only briefly
};

class file_credential_store final : public credential_store {
 public:
  using options = file_credential_store_options;

  /// An empty path stores nothing. If the file cannot be used (no home directory, not writable, no locks), the store
  /// logs that once and continues in memory.
  file_credential_store(loop& event_loop, std::string path, options store_options = {});
  ~file_credential_store() override;

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
  [[nodiscard]] std::string location() const override { return memory_ ? std::string{} : path_; }

 private:
  // Returns whether it changed anything; runs on the thread pool, possibly after the store is destroyed.
  using edit = std::function<bool(credential_set&)>;
  // A login that could not be written.
  struct pending_save {
    std::string server_url;
    login entry;
    bool compared = false;
    std::optional<token_set>
        replaced{};  // the file's tokens for its key at that time; if they differ now, they are newer
  };

  bool is_in_memory();
  void fall_back_to_memory(const error& why, credential_set contents);
  void report_damage(const std::string& damage);
  // Removes entries for which the file has newer tokens; returns whether others remain.
  static bool apply_pending(credential_set& contents, std::vector<pending_save>& pending);
  void add_pending(pending_save save);
  task<result<credential_set>> read_set();
  template <class T>
  task<result<T>> query(std::function<T(const credential_set&)> question);
  task<result<void>> update(edit change);
  task<result<void>> update_file(edit change);
  task<result<void>> save_uncancelled(std::string server_url, login entry);

  loop& event_loop_;
  std::string path_;
  options options_;
  semaphore update_semaphore_{1};  // one change at a time; the lock file excludes other processes
  std::vector<pending_save> pending_saves_;
  std::unique_ptr<memory_credential_store> memory_;  // replaces the file once it proved unusable
  bool damage_reported_ = false;
};

/// $XDG_STATE_HOME/hawser/auth.json, or ~/.local/state/hawser/auth.json; empty if there is no home directory. Relative
/// paths are ignored.
std::string default_store_path(const std::function<std::optional<std::string>(std::string_view)>& variable);

}  // namespace hawser
