// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <algorithm>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol_table.hpp"
#include "detail/short_call.hpp"
#include "detail/unless_closed.hpp"
#include "negotiation.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
namespace note = protocol::notification;
using protocol::feature;

constexpr std::string_view log_levels[] = {"debug", "info",     "notice", "warning",
                                           "error", "critical", "alert",  "emergency"};

error unknown_level(const std::string& level) {
  std::string known;
  for (const std::string_view name : log_levels) known += (known.empty() ? "" : ", ") + std::string{name};
  return error{.code = errc::config, .what = "no level of logging: \"" + level + "\"; it is one of " + known};
}

peer_limits limits_of(const host_limits& limits) {
  return {.max_pending = limits.max_pending, .max_queued = limits.max_queued};
}

// Returns `json` without surrounding whitespace if it is a JSON object; otherwise an empty view.
std::string_view object_in(std::string_view json) {
  if (!raw_json{json}.check()) return {};
  constexpr std::string_view space = " \t\r\n";
  json.remove_prefix(json.find_first_not_of(space));
  json.remove_suffix(json.size() - 1 - json.find_last_not_of(space));
  return json.front() == '{' ? json : std::string_view{};
}

// Returns the text between the object's braces, without the members for which `leave_out` returns true.
template <class F>
std::string members_of(std::string_view object, F leave_out) {
  std::string members;
  for_each_member(object, [&](std::string_view name, std::string_view value) {
    if (leave_out(name)) return true;
    members += members.empty() ? "\"" : ",\"";
    members += name;
    members += "\":";
    members += value;
    return true;
  });
  return members;
}

}  // namespace

session::session(const session_context& shared_context, std::string server_name,
                 std::unique_ptr<channel> server_channel, session_listener& listener)
    : context_(shared_context),
      server_name_(std::move(server_name)),
      channel_(std::move(server_channel)),
      listener_(listener),
      peer_(shared_context.home, *channel_, *this, limits_of(shared_context.limits)),
      lists_(peer_, negotiated_, meta_, cache_, shared_context.limits),
      server_requests_(peer_, shared_context.dispatcher, server_name_, closing_, shared_context.limits),
      url_elicitations_(shared_context.dispatcher, server_name_, closing_),
      multi_round_trip_({.context = context_,
                         .connection = peer_,
                         .negotiated = negotiated_,
                         .meta = meta_,
                         .server_name = server_name_,
                         .listener = listener_,
                         .pages = url_elicitations_,
                         .closing = closing_}),
      list_subscription_(peer_, meta_,
                         {[this] { on_lists_missed(); }, [this](const std::string& text) { log_warning(text); }}),
      resource_subscription_(
          peer_, meta_, {[this] { on_updates_missed(); }, [this](const std::string& text) { log_warning(text); }}) {}

session::~session() {
  const bool idle = state_ == state::unopened || state_ == state::closed;
  detail::require(idle, "a session was destroyed before it was closed");
}

task<result<void>> session::open(open_options options) {
  const use guard{users_};
  const context here = co_await this_context();
  work_ = std::make_unique<scope>(context{here.loop, nullptr});
  server_requests_.start(*work_);
  state_ = state::opened;
  phase_ = "connection";
  auto open = co_await channel_->open(peer_);
  if (!open) co_return open;
  auto negotiated = co_await negotiate(std::move(options));
  if (negotiated) phase_ = {};
  co_return negotiated;
}

task<result<void>> session::negotiate(open_options options) {
  const bool pinned = !options.revision.empty();
  if (pinned && options.how == open_mode::probe)  // the revision determines the era, so no probe is needed
    options.how = protocol::modern(options.revision) ? open_mode::modern : open_mode::legacy;
  if (options.how != open_mode::legacy) {
    // Over HTTP a slow answer does not mean a legacy server, so the full timeout applies.
    const bool patient = options.how == open_mode::modern || channel_->is_http();
    const duration bound = patient ? options.timeout : options.probe_timeout;
    server_requests_.hold();
    phase_ = method::discover;
    auto found = co_await probe(peer_, context_.client, bound);
    if (!found) {
      exited_on_probe_ = found.error().code == errc::closed && !channel_->is_http();
      co_return prefixed(method::discover, found.error());
    }
    if (found->by_timeout && channel_->is_http())
      co_return error{.code = errc::timed_out, .what = "no answer to " + std::string{method::discover}};
    era_evidence_ = found->by_timeout ? evidence::timeout : evidence::answer;
    if (found->modern) {
      if (pinned && found->modern->revision != options.revision)
        co_return error{.code = errc::protocol,
                        .what = "the server speaks " + found->modern->revision + ", and only " + options.revision +
                                " is allowed for it"};
      set_negotiated(*std::move(found->modern));
      co_return {};
    }
    if (options.how == open_mode::modern)
      co_return error{.code = errc::protocol, .what = "the server does not speak 2026-07-28 or later"};
    server_requests_.answer_held();
  }
  std::string revision = pinned ? options.revision : std::string{protocol::revision::latest_legacy};
  phase_ = method::initialize;
  auto agreed = co_await initialize(peer_, context_.client, std::move(revision), pinned, options.timeout);
  if (!agreed) co_return agreed.error();
  set_negotiated(*std::move(agreed));
  co_return {};
}

void session::set_negotiated(negotiated_peer server) {
  negotiated_ = std::move(server);
  if (!negotiated_.modern()) return;
  peer_.negotiated(peer_info{negotiated_.revision}, protocol::has(feature::server_requests, negotiated_.revision));
  server_requests_.drop_held();
  if (channel_->is_http() && protocol::has(feature::header_arguments, negotiated_.revision))
    lists_.read_header_arguments();
  meta_ = context_.client.modern_meta(negotiated_.revision);
  work_->spawn(list_subscription_.run());
  work_->spawn(resource_subscription_.run());
  std::string filter;
  const auto add = [&](bool offered, std::string_view name) {
    if (!offered) return;
    filter += filter.empty() ? "{" : ",";
    append_quoted(filter, name);
    filter += ":true";
  };
  add(negotiated_.can.tools_changes, "toolsListChanged");
  add(negotiated_.can.prompts_changes, "promptsListChanged");
  add(negotiated_.can.resources_changes, "resourcesListChanged");
  if (!filter.empty()) list_subscription_.set_filter(filter + '}');
}

task<result<void>> session::close() {
  if (state_ == state::unopened || state_ == state::closed) co_return {};
  if (state_ == state::closing) {
    const use guard{closers_};
    auto waited = co_await shield(std::chrono::hours{24}, closed_event());
    ignore(waited, "the first close() has time limits of its own");
    co_return *close_result_;
  }
  state_ = state::closing;
  closing_.set();
  work_->request_stop();
  close_result_ = co_await channel_->close();
  co_await work_->join();
  co_await users_.wait();
  state_ = state::closed;
  closed_.set();
  co_await closers_.wait();  // after this the owner may destroy the session
  co_return *close_result_;
}

task<result<void>> session::closed_event() { co_return co_await closed_.wait(); }

void session::on_closed(const error& reason) {
  closing_.set();
  listener_.on_session_closed(reason);
}

void session::on_reset(const error& reason) {
  expired_ = true;
  context_.home.log().write(log_level::info, server_name_, reason.what);
}

void session::on_request(std::string_view method, std::string_view params, responder answer) {
  server_requests_.receive(method, params, std::move(answer));
}

bool session::has_method(std::string_view name) const noexcept {
  return protocol::has_method(name, protocol::sender::client, negotiated_.revision);
}

prepared_request session::prepare_request(std::string_view method, std::string_view members) const {
  return prepared_request{{.method = method, .members = members, .meta = meta_}};
}

// The constant parts of the calls of one tool. Whether the tool is admitted is decided by what is known of it when a
// call is written.
class session::tool_call final : public send_check {
 public:
  tool_call(const session_listener& listener, std::string name, std::string_view meta)
      : listener_(listener), name_(std::move(name)), request_(prepared_request::tool_call(name_, meta)) {}

  [[nodiscard]] result<void> may_send() const override { return listener_.admits_call(name_); }
  [[nodiscard]] const prepared_request& request() const noexcept { return request_; }

 private:
  const session_listener& listener_;
  std::string name_;
  prepared_request request_;
};

std::shared_ptr<const session::tool_call> session::tool_call_of(const std::string& name) {
  auto known = tool_calls_.find(name);
  if (known == tool_calls_.end())
    known = tool_calls_.emplace(name, std::make_shared<const tool_call>(listener_, name, meta_)).first;
  return known->second;
}

task<result<raw_json>> session::call_tool(std::string name, std::string arguments, call_options options) {
  const use guard{users_};
  const time_point began = context_.home.coarse_now();
  const std::shared_ptr<const tool_call> known = tool_call_of(name);  // the map may change during the await
  const prepared_request& request = known->request();
  options.check = known;
  auto fields = lists_.header_fields(name, arguments);
  if (!fields) co_return fields.error();
  options.fields = *std::move(fields);
  auto answer = co_await peer_.call(request, arguments, options);
  const auto left = [&] {
    return std::max(duration{1}, options.hard_timeout - options.elapsed_before - (context_.home.now() - began));
  };
  if (answer.has_error() && answer.error().code == errc::tool_unknown) {
    // Not admitted when it would have been written. If that is because the tools have changed, the new list decides.
    std::string same = name;
    // A new session must not be waited for: this one cannot end before its calls have.
    auto asking = detail::unless_closed(closing_, listener_.admits_retry(std::move(same)));
    auto admitted = co_await with_timeout(left(), std::move(asking));
    if (!admitted) co_return admitted.error();
    fields = lists_.header_fields(name, arguments);
    if (!fields) co_return fields.error();
    options.fields = *std::move(fields);
    call_options rest = options;
    rest.elapsed_before += context_.home.now() - began;
    answer = co_await peer_.call(request, arguments, rest);
  }
  if (answer.has_error() && answer.error().native == protocol::code::header_mismatch &&
      answer.error().code == errc::remote && answer.error().executed == execution::no &&
      protocol::has_error(protocol::code::header_mismatch, negotiated_.revision) && channel_->is_http()) {
    // Header mismatch: the tool may have changed since it was listed.
    auto listed = co_await with_timeout(left(), list_tools());
    if (!listed) {
      const bool ended = listed.error().code == errc::timed_out || listed.error().code == errc::cancelled;
      if (!ended) co_return answer;
      co_return prefixed("the tools were listed again after \"" + answer.error().what + '"', listed.error());
    }
    if (auto admitted = listener_.on_tools_relisted(name, *listed); !admitted) co_return admitted.error();
    auto now = lists_.header_fields(name, arguments);
    if (!now || *now == options.fields) co_return answer;
    options.fields = *std::move(now);
    call_options rest = options;
    rest.elapsed_before += context_.home.now() - began;
    answer = co_await peer_.call(request, arguments, rest);
  }
  const bool usual = answer.has_value() && !protocol::has(feature::input_required, negotiated_.revision);
  if (usual) co_return answer;
  std::string members = R"("name":)" + json_string(name);
  if (!arguments.empty()) members += R"(,"arguments":)" + arguments;
  std::string method{method::tools_call};
  co_return co_await multi_round_trip_.call(std::move(method), std::move(members), options, began, std::move(answer),
                                            std::move(name));
}

task<result<raw_json>> session::read_resource(std::string uri, call_options options) {
  const use guard{users_};
  std::string method{method::resources_read};
  if (const cached_response* known = cache_.find(method, uri, context_.home.now()))
    co_return raw_json{known->result->text()};
  const time_point began = context_.home.coarse_now();
  std::string members = R"("uri":)" + json_string(uri);
  const prepared_request request = prepare_request(method, members);
  auto first = co_await peer_.call(request, {}, options);
  // Caching: a result that needed no input may be reused; one that needed input is valid for this call only.
  if (first && protocol::has(feature::cache_hints, negotiated_.revision) && first->check())
    cache_.put(method, uri,
               {std::make_shared<const raw_json>(first->text()), cache_hints::of(first->text()), context_.home.now()});
  co_return co_await multi_round_trip_.call(std::move(method), std::move(members), options, began, std::move(first));
}

task<result<raw_json>> session::get_prompt(std::string name, std::string arguments, call_options options) {
  const use guard{users_};
  std::string method{method::prompts_get};
  std::string members = R"("name":)" + json_string(name);
  if (!arguments.empty()) members += R"(,"arguments":)" + arguments;
  const time_point began = context_.home.coarse_now();
  co_return co_await multi_round_trip_.call(std::move(method), std::move(members), options, began, std::nullopt);
}

task<result<raw_json>> session::request(std::string method, std::string params, call_options options) {
  const use guard{users_};
  std::string members;
  std::string meta;
  if (!params.empty()) {
    const std::string_view object = object_in(params);
    if (object.empty()) co_return error{.code = errc::parse, .what = "the params of " + method + " are no JSON object"};
    // The caller's `_meta` members are kept, except those that Hawser sets itself.
    const std::string ours = '{' + meta_ + '}';
    members = members_of(object, [](std::string_view name) { return same_name(name, protocol::meta::key); });
    const std::string_view own = find_member(object, protocol::meta::key);
    if (own.starts_with('{')) {
      meta = members_of(own, [&](std::string_view name) {
        return same_name(name, protocol::meta::progress_token) || !find_member(ours, unescaped(name)).empty();
      });
    }
  }
  if (!meta.empty() && !meta_.empty()) meta += ',';
  meta += meta_;
  const prepared_request made{{.method = method, .members = members, .meta = meta}};
  co_return co_await peer_.call(made, {}, options);
}

result<void> session::notify(std::string_view method, std::string_view params) {
  if (is_closed()) return error{.code = errc::closed, .what = "the session is closed"};
  if (!params.empty() && object_in(params).empty())
    return error{.code = errc::parse, .what = "the params of " + std::string{method} + " are no JSON object"};
  peer_.notify(method, params);
  return {};
}

task<result<tool_listing>> session::list_tools() {
  const use guard{users_};
  co_return co_await lists_.tools();
}

task<result<boost::json::array>> session::list(list_kind kind) {
  const use guard{users_};
  co_return co_await lists_.list(kind);
}

void session::list_changed(list_kind kind) {
  lists_.on_changed(kind);
  listener_.on_list_changed(kind);
}

void session::resource_updated(const std::string& uri) {
  cache_.invalidate(method::resources_read, uri);
  listener_.on_resource_updated(uri);
}

// A request of the session itself, of which only success matters.
task<result<void>> session::call_briefly(std::string method, std::string members) {
  const prepared_request request = prepare_request(method, members);
  const call_options limits = detail::short_call();
  auto answer = co_await peer_.call(request, {}, limits);
  if (!answer) co_return answer.error();
  co_return {};
}

task<result<void>> session::subscribe(std::string uri) { return set_subscription(std::move(uri), true); }
task<result<void>> session::unsubscribe(std::string uri) { return set_subscription(std::move(uri), false); }

task<result<void>> session::set_subscription(std::string uri, bool wanted) {
  const use guard{users_};
  if (!negotiated_.can.subscribe || (wanted && !resource_subscription_.is_supported()))
    co_return error{.code = errc::protocol, .what = "the server offers no subscriptions to resources"};
  if (has_method(method::resources_subscribe)) {
    std::string method{wanted ? method::resources_subscribe : method::resources_unsubscribe};
    std::string members = R"("uri":)" + json_string(uri);
    auto answered = co_await call_briefly(std::move(method), std::move(members));
    if (!answered) co_return answered;
  }
  if (wanted) {
    subscribed_.insert(std::move(uri));
  } else {
    subscribed_.erase(uri);
  }
  if (has_method(method::subscriptions_listen)) {
    std::string uris;
    for (const std::string& subscribed : subscribed_) {
      uris += uris.empty() ? "" : ",";
      append_quoted(uris, subscribed);
    }
    resource_subscription_.set_filter(uris.empty() ? uris : R"({"resourceSubscriptions":[)" + uris + "]}");
  }
  co_return {};
}

task<result<void>> session::set_log_level(std::string level) {
  const use guard{users_};
  // Logging can be turned off only where each request has the level: by sending none.
  const bool level_per_request = protocol::has(feature::request_meta, negotiated_.revision);
  const bool known = std::find(std::begin(log_levels), std::end(log_levels), level) != std::end(log_levels);
  if (!known && !(level.empty() && level_per_request)) co_return unknown_level(level);
  if (level_per_request) {
    meta_ = context_.client.modern_meta(negotiated_.revision);
    if (!level.empty()) meta_ += ',' + json_string(protocol::meta::log_level) + ':' + json_string(level);
    tool_calls_.clear();
    co_return {};
  }
  if (!negotiated_.can.logging) co_return error{.code = errc::protocol, .what = "the server offers no logging"};
  std::string method{method::set_level};
  std::string members = R"("level":)" + json_string(level);
  co_return co_await call_briefly(std::move(method), std::move(members));
}

// Without ping, server/discover is the request that every server must answer.
task<result<void>> session::ping() {
  const use guard{users_};
  std::string method{has_method(method::ping) ? method::ping : method::discover};
  std::string members;
  co_return co_await call_briefly(std::move(method), std::move(members));
}

void session::on_lists_missed() {
  if (negotiated_.can.tools_changes) list_changed(list_kind::tools);
  if (negotiated_.can.prompts_changes) list_changed(list_kind::prompts);
  if (negotiated_.can.resources_changes) list_changed(list_kind::resources);
}

void session::on_updates_missed() {
  for (const std::string& uri : subscribed_) resource_updated(uri);
}

void session::log_warning(const std::string& text) {
  context_.home.log().write(log_level::warning, server_name_, text);
}

void session::on_notification(std::string_view method, std::string_view params) {
  // Subscriptions: where they exist, a change notification counts only if it belongs to one of ours.
  const bool welcome = !has_method(method::subscriptions_listen) || list_subscription_.is_subscribed(params) ||
                       resource_subscription_.is_subscribed(params);
  const auto text = [&](std::string_view name) {
    return params.empty() ? std::string{} : text_of(find_member(params, name)).value_or("");
  };
  if (method == note::tools_list_changed) {
    if (welcome) list_changed(list_kind::tools);
  } else if (method == note::prompts_list_changed) {
    if (welcome) list_changed(list_kind::prompts);
  } else if (method == note::resources_list_changed) {
    if (welcome) list_changed(list_kind::resources);
  } else if (method == note::resources_updated) {
    if (welcome) resource_updated(text("uri"));
  } else if (method == note::message) {
    listener_.on_log_message(text("level"), params.empty() ? params : find_member(params, "data"));
  } else if (method == note::elicitation_complete) {
    url_elicitations_.on_complete(text("elicitationId"));
  } else if (method == note::cancelled) {
    const auto request = params.empty() ? std::nullopt : integer_of(find_member(params, "requestId"));
    list_subscription_.on_cancelled(request.value_or(0));
    resource_subscription_.on_cancelled(request.value_or(0));
  } else if (method == note::subscriptions_acknowledged) {
    // Over HTTP requests can overtake each other: data read before the subscription was active may have changed since.
    const bool late = channel_->is_http();
    if (list_subscription_.on_acknowledged(params) && late) on_lists_missed();
    if (resource_subscription_.on_acknowledged(params) && late) on_updates_missed();
  } else {
    listener_.on_other_notification(method, params);
  }
}

}  // namespace hawser
