// SPDX-License-Identifier: MIT
// The tools of the embedding program: their rows in the registry, and calls of their functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "../../runtime/loop/loop_proxy.hpp"
#include "../hub.hpp"

namespace hawser::detail {

class native_tools {
 public:
  /// A call ends when `closing` is set. `on_change` is told of every new table.
  native_tools(registry& table, const naming_options& naming, loop_proxy_ptr proxy, executor runs_functions,
               event& closing, std::function<void(const host_change&)> on_change);
  native_tools(const native_tools&) = delete;
  native_tools& operator=(const native_tools&) = delete;
  ~native_tools() = default;

  /// See hub::add_tool().
  result<void> add(native_tool added);
  bool remove(std::string_view name);
  /// An error's `executed` tells whether the function was called.
  task<result<envelope>> call(std::string name, std::string arguments, duration longest);

 private:
  registry::outcome publish();
  task<result<envelope>> call_function(std::string name, std::string arguments);

  registry& table_;
  const naming_options& naming_;
  loop_proxy_ptr proxy_;
  executor runs_functions_;
  event& closing_;
  std::function<void(const host_change&)> on_change_;
  std::map<std::string, std::shared_ptr<const native_tool>, std::less<>> tools_;
};

}  // namespace hawser::detail
