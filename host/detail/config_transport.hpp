// SPDX-License-Identifier: MIT
// The keys of an entry that say how a server is reached: by which program, or at which address.
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

  /// Whether the key was one of these.
  bool take(const config_member& m);
  /// When all keys were taken: which one it is. Of no use if there were errors.
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
  // The keys that were there, whatever they were called.
  slot command_, args_, env_, inherit_env_, cwd_, url_, headers_, type_, tls_, proxy_, oauth_;
};

}  // namespace hawser::detail
