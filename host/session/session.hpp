// SPDX-License-Identifier: MIT
// One connection to one MCP server, from opening its channel to closing it. The calls are the same for every protocol
// revision. Loop thread only. Restarting a server whose session ended is the job of `server`.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/wait_group.hpp"
#include "../../runtime/io/byte_budget.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../../transports/streamable_http/mcp_fields.hpp"
#include "../config/settings.hpp"
#include "change_listener.hpp"
#include "client_profile.hpp"
#include "input_dispatcher.hpp"
#include "response_cache.hpp"
#include "session_listener.hpp"
#include "tool_page.hpp"

namespace hawser {

/// Shared by all sessions of a host; outlives them.
struct session_context {
  loop& home;
  const client_profile& client;
  const input_dispatcher& dispatcher;
  const host_limits& limits;
};

class session final : private peer_listener {
 public:
  session(const session_context& shared_context, std::string server, std::unique_ptr<channel> over,
          session_listener& listener);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// How to choose the era: probe the server, or use an era that is already known.
  enum class open_mode : std::uint8_t { probe, legacy, modern };
  struct open_options {
    open_mode how = open_mode::probe;
    std::string revision{};  ///< must belong to the era in `how`; empty = the newest common revision
    duration probe_timeout = std::chrono::seconds{3};
    duration timeout = std::chrono::seconds{30};
  };
  task<result<void>> open(open_options options);
  /// Completes when all system resources are released and no coroutine uses the session any more. Not cut short by a
  /// stop. A second caller waits for the first close() to finish.
  task<result<void>> close();

  [[nodiscard]] const negotiated_peer& negotiated() const noexcept { return negotiated_; }
  /// What open() is waiting for: "connection", or the method of its request. Empty before and after open().
  [[nodiscard]] std::string_view phase() const noexcept { return phase_; }
  /// How the era was determined: given to open() (none), by the server's answer, or by a probe timeout (silence).
  enum class evidence : std::uint8_t { none, answer, timeout };
  [[nodiscard]] evidence era_evidence() const noexcept { return era_evidence_; }
  /// Whether open() failed because the server exited on the probe.
  [[nodiscard]] bool exited_on_probe() const noexcept { return exited_on_probe_; }
  /// Whether the server no longer recognises the session (HTTP 404); a new session is needed.
  [[nodiscard]] bool expired() const noexcept { return expired_; }
  [[nodiscard]] bool is_closed() const noexcept { return closing_.is_set(); }
  /// Call when no message is expected for a while.
  void trim() noexcept { peer_.trim(); }
  /// How many requested change notifications the server did not acknowledge.
  [[nodiscard]] std::size_t unacknowledged() const noexcept {
    return lists_.unacknowledged() + resources_.unacknowledged();
  }
  [[nodiscard]] const peer_counters& counters() const noexcept { return peer_.counters(); }

  /// How many tools/list_changed notifications were received.
  [[nodiscard]] std::uint64_t tool_changes() const noexcept { return tool_changes_; }
  /// Fetches all pages within the limits, or returns an error.
  task<result<tool_listing>> list_tools();
  task<result<boost::json::array>> list(list_kind which);
  /// `arguments`: JSON text. input_dispatcher answers the server's input requests during the call.
  task<result<raw_json>> call_tool(std::string name, std::string arguments, call_options options);
  task<result<raw_json>> read_resource(std::string uri, call_options options);
  task<result<raw_json>> get_prompt(std::string name, std::string arguments, call_options options);
  /// Any request: `params` is a JSON object as text, or empty. In the modern era `_meta` is added.
  task<result<raw_json>> request(std::string method, std::string params, call_options options);
  result<void> notify(std::string_view method, std::string_view params);
  task<result<void>> ping();
  task<result<void>> subscribe(std::string uri);
  task<result<void>> unsubscribe(std::string uri);
  task<result<void>> set_log_level(std::string level);

 private:
  using use = wait_group::guard;
  using page_handler = std::function<result<std::optional<std::string>>(raw_json page)>;

  void on_request(std::string_view method, std::string_view params, responder answer) override;
  void on_notification(std::string_view method, std::string_view params) override;
  void on_reset(const error& why) override;
  void on_closed(const error& why) override;

  task<result<void>> ended();
  task<result<void>> negotiate(open_options options);
  void set_negotiated(negotiated_peer what);
  task<result<void>> read_pages(std::string_view method, const page_handler& take);
  task<result<void>> read_every_page(std::string_view method, const page_handler& take);
  task<result<raw_json>> read_page(std::string_view method, const std::optional<std::string>& cursor);
  void list_changed(list_kind which);
  void resource_updated(const std::string& uri);
  prepared_request prepare_request(std::string_view method, std::string_view members) const;
  class tool_call;
  std::shared_ptr<const tool_call> tool_call_of(const std::string& name);
  task<result<void>> set_subscription(std::string uri, bool wanted);

  void read_header_arguments(const std::shared_ptr<tool_list>& tools, tool_listing& listing);
  result<std::string> header_fields_of(const std::string& tool, std::string_view arguments) const;
  void on_lists_missed();
  void on_updates_missed();
  void log_warning(const std::string& what);

  // session_input.cpp: what servers ask for.
  struct server_request {
    std::string method;
    std::string params;
    responder answer;
    byte_budget::share held;
  };
  // Bytes of unanswered requests of the server, and of the trees made of them.
  static std::size_t most_held(const host_limits& limits) noexcept;
  result<byte_budget::share> room_for_request(std::string_view params);
  void begin_request(server_request request);
  void answer_early_requests();
  static task<void> answer_request(session& self, server_request request);
  task<result<raw_json>> call_with_input(std::string method, std::string members, const call_options& options,
                                         time_point began, std::optional<result<raw_json>> first,
                                         std::string tool = {});
  task<result<void>> admits_retry(std::string tool);
  task<result<std::string>> input_responses(std::string_view requests);
  task<result<void>> visit_pages(const error& required);
  task<result<void>> wait_for_visit(std::string id);

  session_context context_;
  std::string server_;
  std::unique_ptr<channel> channel_;
  session_listener& listener_;
  peer peer_;
  negotiated_peer negotiated_;
  std::string meta_;           // the members of `_meta` in every request; empty in the legacy era
  byte_budget requests_held_;  // by requests of the server that are not answered yet; outlives those
  std::optional<std::vector<server_request>> early_requests_;  // until the era says whether the server may send any
  // Not by hashes: a server chooses the names.
  std::map<std::string, std::shared_ptr<const tool_call>> tool_calls_;
  std::set<std::string> subscribed_;
  std::vector<std::string>
      completed_elicitations_;  // ids of the most recent elicitations that the server reported complete
  event elicitation_completed_;
  response_cache cache_;   // modern era only: legacy results carry no ttl
  change_listener lists_;  // modern era only, like resources_
  change_listener resources_;
  std::unique_ptr<scope> work_;
  event closing_;
  bool opened_ = false;
  bool closing_down_ = false;
  std::string_view phase_;
  bool exited_on_probe_ = false;
  bool expired_ = false;
  std::uint64_t tool_changes_ = 0;
  std::uint64_t list_changes_ = 0;  // for lists of any kind
  // Arguments that are sent as header fields, by tool; only over HTTP in the modern era.
  std::map<std::string, header_arguments, std::less<>> header_arguments_;
  evidence era_evidence_ = evidence::none;
  wait_group users_;
  std::optional<result<void>> closed_;  // set at the end of close()
  event ended_;
  wait_group closers_;  // callers waiting in close()
};

}  // namespace hawser
