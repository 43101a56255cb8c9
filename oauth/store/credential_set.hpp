// SPDX-License-Identifier: MIT
// The contents of a credential store as a value: queries and changes. No I/O; credential_format writes and reads it as
// text.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../runtime/error.hpp"
#include "../login.hpp"

namespace hawser {

class credential_set {
 public:
  struct client_entry {
    std::string issuer{};
    client_identity client{};
    boost::json::object unknown_members;
  };
  struct login_entry {
    login value{};
    std::vector<std::string> servers{};  ///< every URL it was saved for; the last entry with a URL is valid for it
    boost::json::object unknown_members;
  };

  credential_set();

  /// As the functions of credential_store.
  [[nodiscard]] std::optional<login> find_for_server(std::string_view server_url) const;
  [[nodiscard]] std::optional<login> find(const login_key& key) const;
  void save(const std::string& server_url, login entry);
  bool remove(const login_key& key, const std::optional<secret>& only_if_refresh_is);
  std::vector<login> forget(const std::string& server_url);
  [[nodiscard]] bool has_server(const std::string& server_url) const;
  [[nodiscard]] std::optional<client_identity> find_client(std::string_view issuer) const;
  void save_client(const std::string& issuer, client_identity client);
  bool remove_client(std::string_view issuer, std::string_view client_id);
  [[nodiscard]] std::vector<std::pair<std::string, login>> all() const;

  /// The format version of the text that it was read from.
  [[nodiscard]] std::int64_t version() const noexcept { return version_; }
  void set_version(std::int64_t version) noexcept { version_ = version; }
  [[nodiscard]] const std::vector<client_entry>& clients() const noexcept { return clients_; }
  /// Ordered by last save.
  [[nodiscard]] const std::vector<login_entry>& logins() const noexcept { return logins_; }
  /// Adds an entry as it was written. False if there is one for the same issuer, or with the same key.
  bool add(client_entry entry);
  bool add(login_entry entry);
  /// Members of the text that this version does not know. They are kept.
  [[nodiscard]] const boost::json::object& unknown_members() const noexcept { return unknown_members_; }
  void set_unknown_members(boost::json::object members) { unknown_members_ = std::move(members); }
  /// For all JSON of this set: wipes freed memory.
  [[nodiscard]] const boost::json::storage_ptr& memory() const noexcept { return memory_; }

 private:
  std::int64_t version_ = 1;
  boost::json::storage_ptr memory_;
  std::vector<client_entry> clients_;
  std::vector<login_entry> logins_;
  boost::json::object unknown_members_;
};

}  // namespace hawser
