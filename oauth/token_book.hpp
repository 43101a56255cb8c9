// SPDX-License-Identifier: MIT
// Everything a token store knows, as a value: what can be asked of it, what can be changed, and the text of it that
// stands in a file. No I/O.
//
// The text is JSON, a line for each entry:
//   {"version":1,"clients":{"ISSUER":{…,"sum":"…"}},"logins":[{…,"servers":["URL"],"sum":"…"}],"sum":"…"}
// Each entry's sum covers all of it, so that a bit that flipped is never used as a token, and sound entries can be
// told from broken ones. Members that nobody here knows are kept where they were. A later version that may be read and
// written by these rules keeps its sums by them; one that may not has to change them, and is then refused.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../runtime/error.hpp"
#include "login.hpp"

namespace hawser {

class token_book {
 public:
  struct reading;

  token_book();
  /// errc::config for what a newer version wrote and this one cannot read. What is damaged is no error: whatever can
  /// be verified is read.
  static result<reading> read(std::string_view text);
  /// All of it has tokens inside.
  [[nodiscard]] secret text() const;

  /// As the functions of token_store.
  [[nodiscard]] std::optional<login> of_server(std::string_view server_url) const;
  [[nodiscard]] std::optional<login> find(const login_key& key) const;
  void save(const std::string& server_url, login what);
  bool remove(const login_key& key, const std::optional<secret>& only_if_refresh_is);
  std::vector<login> forget(const std::string& server_url);
  [[nodiscard]] bool knows(const std::string& server_url) const;
  [[nodiscard]] std::optional<client_identity> client_of(std::string_view issuer) const;
  void save_client(const std::string& issuer, client_identity who);
  bool forget_client(std::string_view issuer, std::string_view client_id);
  [[nodiscard]] std::vector<std::pair<std::string, login>> all() const;

 private:
  friend class token_book_reader;
  struct client_entry {
    std::string issuer{};
    client_identity who{};
    boost::json::object rest;  // what nobody here knows
  };
  struct login_entry {
    login what{};
    std::vector<std::string> servers{};  // every URL it was saved for; the last entry that has a URL is the URL's
    boost::json::object rest;
  };

  std::int64_t version_ = 1;
  boost::json::storage_ptr memory_;  // overwrites what it gives back
  std::vector<client_entry> clients_;
  std::vector<login_entry> logins_;  // who was saved last stands last
  boost::json::object rest_;
};

struct token_book::reading {
  token_book book{};
  std::string damage{};  ///< what is wrong with the text; empty = it is sound
};

}  // namespace hawser
