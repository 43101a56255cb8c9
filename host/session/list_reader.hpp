// SPDX-License-Identifier: MIT
// Reads the paged lists of one server within the limits of the host, caches pages for as long as the server allows
// (modern era), and knows which arguments of a listed tool are sent as header fields.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../../transports/jsonrpc/list_kind.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../../transports/streamable_http/mcp_fields.hpp"
#include "../config/settings.hpp"
#include "negotiated_peer.hpp"
#include "response_cache.hpp"
#include "tool_page.hpp"

namespace hawser {

class list_reader {
 public:
  /// All of them outlive this object. `meta`: the members of `_meta` in every request.
  list_reader(peer& connection, const negotiated_peer& negotiated, const std::string& meta, response_cache& cache,
              const host_limits& limits)
      : peer_(connection), negotiated_(negotiated), meta_(meta), cache_(cache), limits_(limits) {}

  /// From now on header_fields() has the arguments that the schema of a tool marks. A tool whose marks are invalid is
  /// left out of the list.
  void read_header_arguments() noexcept { reads_header_arguments_ = true; }

  /// Fetches all pages within the limits, or returns an error.
  task<result<tool_listing>> tools();
  task<result<boost::json::array>> list(list_kind kind);

  /// A list has changed: its cached pages are invalid.
  void on_changed(list_kind kind);
  /// How many times the list of tools has changed.
  [[nodiscard]] std::uint64_t tool_changes() const noexcept { return tool_changes_; }

  /// The header lines for a call of `tool` with these arguments (JSON text), by the last list of tools.
  [[nodiscard]] result<std::string> header_fields(const std::string& tool, std::string_view arguments) const;

 private:
  using page_handler = std::function<result<std::optional<std::string>>(raw_json page)>;

  task<result<void>> read_pages(std::string_view method, const page_handler& handler);
  task<result<void>> read_every_page(std::string_view method, const page_handler& handler);
  task<result<raw_json>> read_page(std::string_view method, const std::optional<std::string>& cursor);
  void store_header_arguments(const std::shared_ptr<tool_list>& tools, tool_listing& listing);

  peer& peer_;
  const negotiated_peer& negotiated_;
  const std::string& meta_;
  response_cache& cache_;
  const host_limits& limits_;
  bool reads_header_arguments_ = false;
  std::map<std::string, header_arguments, std::less<>> header_arguments_;  // by tool
  std::uint64_t tool_changes_ = 0;
  std::uint64_t list_changes_ = 0;  // of lists of any kind
};

}  // namespace hawser
