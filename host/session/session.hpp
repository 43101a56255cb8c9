// SPDX-License-Identifier: MIT
// One connection to one MCP server, from opening its channel to closing it. The calls are the same for every protocol
// revision. Loop thread only. Restarting a server whose session ended is the job of `server`.
#pragma once

#include <boost/json/array.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/wait_group.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "change_listener.hpp"
#include "list_reader.hpp"
#include "multi_round_trip.hpp"
#include "response_cache.hpp"
#include "server_requests.hpp"
#include "session_context.hpp"
#include "session_listener.hpp"
#include "tool_page.hpp"
#include "url_elicitations.hpp"

namespace hawser {

class session final : private peer_listener {
 public:
  session(const session_context& shared_context, std::string server_name, std::unique_ptr<channel> server_channel,
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
    return list_subscription_.unacknowledged() + resource_subscription_.unacknowledged();
  }
  [[nodiscard]] const peer_counters& counters() const noexcept { return peer_.counters(); }

  /// How many times the list of tools has changed.
  [[nodiscard]] std::uint64_t tool_changes() const noexcept { return lists_.tool_changes(); }
  /// Fetches all pages within the limits, or returns an error.
  task<result<tool_listing>> list_tools();
  task<result<boost::json::array>> list(list_kind kind);
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
  class tool_call;
  enum class state : std::uint8_t { unopened, opened, closing, closed };

  void on_request(std::string_view method, std::string_view params, responder answer) override;
  void on_notification(std::string_view method, std::string_view params) override;
  void on_reset(const error& reason) override;
  void on_closed(const error& reason) override;

  task<result<void>> negotiate(open_options options);
  void set_negotiated(negotiated_peer server);
  task<result<void>> closed_event();

  [[nodiscard]] bool has_method(std::string_view name) const noexcept;
  prepared_request prepare_request(std::string_view method, std::string_view members) const;
  task<result<void>> call_briefly(std::string method, std::string members);
  std::shared_ptr<const tool_call> tool_call_of(const std::string& name);
  task<result<void>> set_subscription(std::string uri, bool wanted);

  void list_changed(list_kind kind);
  void resource_updated(const std::string& uri);
  void on_lists_missed();
  void on_updates_missed();
  void log_warning(const std::string& text);

  session_context context_;
  std::string server_name_;
  std::unique_ptr<channel> channel_;
  session_listener& listener_;
  peer peer_;
  negotiated_peer negotiated_;
  std::string meta_;  // the members of `_meta` in every request; empty in the legacy era
  event closing_;
  response_cache cache_;  // modern era only: legacy results carry no ttl
  list_reader lists_;
  server_requests server_requests_;
  url_elicitations url_elicitations_;
  multi_round_trip multi_round_trip_;
  change_listener list_subscription_;      // modern era only
  change_listener resource_subscription_;  // modern era only
  // Not by hashes: a server chooses the names.
  std::map<std::string, std::shared_ptr<const tool_call>> tool_calls_;
  std::set<std::string> subscribed_;
  std::unique_ptr<scope> work_;
  state state_ = state::unopened;
  std::string_view phase_;
  bool exited_on_probe_ = false;
  bool expired_ = false;
  evidence era_evidence_ = evidence::none;
  wait_group users_;
  std::optional<result<void>> close_result_;  // set at the end of close()
  event closed_;
  wait_group closers_;  // callers waiting in close()
};

}  // namespace hawser
