// SPDX-License-Identifier: MIT
// The servers of a hub by slot, and the scopes they run in. A slot is used again after its server was removed; the
// generation in server_id distinguishes successive servers.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "../../runtime/async/scope.hpp"
#include "../supervision/server.hpp"

namespace hawser::detail {

class server_slots {
 public:
  /// The slot of native tools, which have no server.
  static constexpr server_id native_id{0, 1};

  explicit server_slots(const server_context& shared_context);
  server_slots(const server_slots&) = delete;
  server_slots& operator=(const server_slots&) = delete;
  ~server_slots() = default;

  /// errc::config if the name is taken, or a setting is invalid. Runs the server if open() was called.
  result<server_id> add(server_settings settings, channel_maker connect);
  /// Stops the server and waits until all its resources are released.
  task<void> remove(server_id id);
  /// Runs all servers.
  void open();
  /// Stops all servers: waiting callers are told.
  void request_stop();
  /// After request_stop(): waits until all resources of the servers are released.
  task<void> join();
  /// Between open() and request_stop().
  [[nodiscard]] bool is_open() const noexcept { return stage_ == stage::open; }

  /// Null if there is none, or it is being removed.
  [[nodiscard]] std::shared_ptr<server> find(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<server> find(server_id id) const;
  /// Those that are being removed, too.
  [[nodiscard]] std::vector<std::shared_ptr<server>> all() const;
  /// Those that could expose a tool by this name, whatever they list now.
  [[nodiscard]] std::vector<std::shared_ptr<server>> possible_owners(const naming_options& naming,
                                                                     std::string_view exposed_name) const;

 private:
  enum class stage : std::uint8_t { created, open, closing };
  struct entry {
    std::uint32_t generation = 0;
    std::shared_ptr<server> instance{};  // shared with the calls in progress
    std::unique_ptr<scope> work{};
    bool removing = false;
  };

  void run(entry& added);

  const server_context& context_;
  stage stage_ = stage::created;
  std::vector<entry> entries_;  // by slot
};

}  // namespace hawser::detail
