// SPDX-License-Identifier: MIT
// Reads the keys of an entry that select the transport: a command or a URL.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>

#include "config_reader.hpp"

namespace hawser::detail {

class transport_reader {
 public:
  using transport = std::variant<stdio_settings, http_settings>;

  explicit transport_reader(config_reader& from) : from_(from) {}

  /// Returns whether the key is one of these.
  bool take(const config_member& m);
  /// Call after all keys. The result is meaningless if there were errors.
  transport decide(const config_member& entry);

 private:
  using slot = std::optional<config_member>;
  enum class wanted : std::uint8_t { either, program, address };

  bool first(slot& seen, const config_member& m);
  void take_command(const config_member& m);
  void take_command_object(const config_member& m);
  void take_args(const config_member& m);
  void take_env(const config_member& m);
  void take_url(const config_member& m);
  void take_headers(const config_member& m);
  void take_type(const config_member& m);
  void take_tls(const config_member& m);
  void take_proxy(const config_member& m);
  void warn_of_shell_variables(const slot& words);
  const char* contradiction() const;
  void without_effect(std::initializer_list<const slot*> those, const char* what);

  config_reader& from_;
  stdio_settings program_;
  http_settings address_;
  wanted wanted_ = wanted::either;
  // The keys found, by whatever spelling.
  slot command_, args_, env_, inherit_env_, cwd_, url_, headers_, type_, tls_, proxy_, oauth_;
};

}  // namespace hawser::detail
