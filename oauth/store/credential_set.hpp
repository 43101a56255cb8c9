// SPDX-License-Identifier: MIT
// The contents of a token store as a value: queries, changes, and the file format. No I/O.
//
// The text is JSON, one line per entry:
// {"version":1,"clients":{"ISSUER":{…,"sum":"…"}},"logins":[{…,"servers":["URL"],"sum":"…"}],"sum":"…"}
// Each entry's sum covers the whole entry, so that a flipped bit is never used as a token and intact entries can be
// told from damaged ones. Unknown members are kept in place. A later version whose files may be read and written by
// these rules must compute its sums by them; one whose files may not must change the sums, and is then refused.
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
  struct parse_result;

  credential_set();
  /// errc::config if a newer version wrote it and this one cannot read it. Damage is not an error: all entries that can
  /// be verified are read.
  static result<parse_result> parse(std::string_view text);
  /// A secret, because it contains tokens.
  [[nodiscard]] secret serialize() const;

  /// As the functions of credential_store.
  [[nodiscard]] std::optional<login> find_for_server(std::string_view server_url) const;
  [[nodiscard]] std::optional<login> find(const login_key& key) const;
  void save(const std::string& server_url, login what);
  bool remove(const login_key& key, const std::optional<secret>& only_if_refresh_is);
  std::vector<login> forget(const std::string& server_url);
  [[nodiscard]] bool has_server(const std::string& server_url) const;
  [[nodiscard]] std::optional<client_identity> find_client(std::string_view issuer) const;
  void save_client(const std::string& issuer, client_identity who);
  bool remove_client(std::string_view issuer, std::string_view client_id);
  [[nodiscard]] std::vector<std::pair<std::string, login>> all() const;

 private:
  friend class credential_format_reader;
  struct client_entry {
    std::string issuer{};
    client_identity who{};
    boost::json::object rest;  // unknown members
  };
  struct login_entry {
    login what{};
    std::vector<std::string> servers{};  // every URL it was saved for; the last entry with a URL is valid for it
    boost::json::object rest;
  };

  std::int64_t version_ = 1;
  boost::json::storage_ptr memory_;  // wipes freed memory
  std::vector<client_entry> clients_;
  std::vector<login_entry> logins_;  // ordered by last save
  boost::json::object rest_;
};

struct credential_set::parse_result {
  credential_set book{};
  std::string damage{};  ///< what is wrong with the text; empty = intact
};

}  // namespace hawser
