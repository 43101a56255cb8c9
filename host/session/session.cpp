// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <algorithm>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "negotiation.hpp"

namespace hawser {

namespace {

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

session::session(const session_context& shared_context, std::string server, std::unique_ptr<channel> over,
                 session_listener& listener)
    : context_(shared_context),
      server_(std::move(server)),
      channel_(std::move(over)),
      listener_(listener),
      peer_(shared_context.home, *channel_, *this, limits_of(shared_context.limits)),
      requests_held_(most_held(shared_context.limits)),
      lists_(peer_, meta_, {[this] { on_lists_missed(); }, [this](const std::string& what) { log_warning(what); }}),
      resources_(peer_, meta_,
                 {[this] { on_updates_missed(); }, [this](const std::string& what) { log_warning(what); }}) {}

session::~session() { detail::require(!opened_, "a session died before it was closed"); }

task<result<void>> session::open(open_options options) {
  const use guard{users_};
  const context where = co_await this_context();
  work_ = std::make_unique<scope>(context{where.loop, nullptr});
  opened_ = true;
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
    early_requests_.emplace();
    phase_ = protocol::method::discover;
    auto found = co_await probe(peer_, context_.client, bound);
    if (!found) {
      exited_on_probe_ = found.error().code == errc::closed && !channel_->is_http();
      co_return prefixed(protocol::method::discover, found.error());
    }
    if (found->by_timeout && channel_->is_http())
      co_return error{.code = errc::timed_out, .what = "no answer to " + std::string{protocol::method::discover}};
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
    answer_early_requests();
  }
  std::string revision = pinned ? options.revision : std::string{protocol::revision::latest_legacy};
  phase_ = protocol::method::initialize;
  auto agreed = co_await initialize(peer_, context_.client, std::move(revision), pinned, options.timeout);
  if (!agreed) co_return agreed.error();
  set_negotiated(*std::move(agreed));
  co_return {};
}

void session::set_negotiated(negotiated_peer what) {
  negotiated_ = std::move(what);
  if (!negotiated_.modern()) return;
  peer_.negotiated(peer_info{negotiated_.revision}, false);
  early_requests_.reset();
  meta_ = context_.client.modern_meta(negotiated_.revision);
  work_->spawn(lists_.run());
  work_->spawn(resources_.run());
  std::string wanted;
  const auto add = [&](bool can, std::string_view name) {
    if (!can) return;
    wanted += wanted.empty() ? "{" : ",";
    append_quoted(wanted, name);
    wanted += ":true";
  };
  add(negotiated_.can.tools_changes, "toolsListChanged");
  add(negotiated_.can.prompts_changes, "promptsListChanged");
  add(negotiated_.can.resources_changes, "resourcesListChanged");
  if (!wanted.empty()) lists_.set_filter(wanted + '}');
}

task<result<void>> session::close() {
  if (!opened_) co_return {};
  if (std::exchange(closing_down_, true)) {
    const use guard{closers_};
    auto waited = co_await shield(std::chrono::hours{24}, ended());
    ignore(waited, "the first one has bounds of its own");
    co_return *closed_;
  }
  closing_.set();
  work_->request_stop();
  closed_ = co_await channel_->close();
  co_await work_->join();
  co_await users_.wait();
  opened_ = false;
  ended_.set();
  co_await closers_.wait();  // after this the owner may destroy the session
  co_return *closed_;
}

task<result<void>> session::ended() { co_return co_await ended_.wait(); }

void session::on_closed(const error& why) {
  closing_.set();
  listener_.on_session_closed(why);
}

void session::on_reset(const error& why) {
  expired_ = true;
  context_.home.log().write(log_level::info, server_, why.what);
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
  auto fields = header_fields_of(name, arguments);
  if (!fields) co_return fields.error();
  options.fields = *std::move(fields);
  auto answer = co_await peer_.call(request, arguments, options);
  const auto left = [&] {
    return std::max(duration{1}, options.hard_timeout - options.elapsed_before - (context_.home.now() - began));
  };
  if (answer.has_error() && answer.error().code == errc::tool_unknown) {
    // Not admitted when it would have been written. If that is because the tools have changed, the new list decides.
    std::string same = name;
    auto asking = admits_retry(std::move(same));
    auto admitted = co_await with_timeout(left(), std::move(asking));
    if (!admitted) co_return admitted.error();
    fields = header_fields_of(name, arguments);
    if (!fields) co_return fields.error();
    options.fields = *std::move(fields);
    call_options rest = options;
    rest.elapsed_before += context_.home.now() - began;
    answer = co_await peer_.call(request, arguments, rest);
  }
  if (answer.has_error() && answer.error().native == protocol::code::header_mismatch &&
      answer.error().code == errc::remote && answer.error().executed == execution::no && negotiated_.modern() &&
      channel_->is_http()) {
    // Header mismatch: the tool may have changed since it was listed.
    auto listed = co_await with_timeout(left(), list_tools());
    if (!listed) {
      const bool ended = listed.error().code == errc::timed_out || listed.error().code == errc::cancelled;
      if (!ended) co_return answer;
      co_return prefixed("the tools were listed again after \"" + answer.error().what + '"', listed.error());
    }
    if (auto admitted = listener_.on_tools_relisted(name, *listed); !admitted) co_return admitted.error();
    auto now = header_fields_of(name, arguments);
    if (!now || *now == options.fields) co_return answer;
    options.fields = *std::move(now);
    call_options rest = options;
    rest.elapsed_before += context_.home.now() - began;
    answer = co_await peer_.call(request, arguments, rest);
  }
  const bool usual = answer.has_value() && !negotiated_.modern();
  if (usual) co_return answer;
  std::string members = R"("name":)" + json_string(name);
  if (!arguments.empty()) members += R"(,"arguments":)" + arguments;
  std::string method{protocol::method::tools_call};
  co_return co_await call_with_input(std::move(method), std::move(members), options, began, std::move(answer),
                                     std::move(name));
}

task<result<raw_json>> session::read_resource(std::string uri, call_options options) {
  const use guard{users_};
  std::string method{protocol::method::resources_read};
  if (const cached_response* known = cache_.find(method, uri, context_.home.now()))
    co_return raw_json{known->result->text()};
  const time_point began = context_.home.coarse_now();
  std::string members = R"("uri":)" + json_string(uri);
  const prepared_request request = prepare_request(method, members);
  auto first = co_await peer_.call(request, {}, options);
  // Caching: a result that needed no input may be reused; one that needed input is valid for this call only.
  if (first && negotiated_.modern() && first->check())
    cache_.put(method, uri,
               {std::make_shared<const raw_json>(first->text()), cache_hints::of(first->text()), context_.home.now()});
  co_return co_await call_with_input(std::move(method), std::move(members), options, began, std::move(first));
}

task<result<raw_json>> session::get_prompt(std::string name, std::string arguments, call_options options) {
  const use guard{users_};
  std::string method{protocol::method::prompts_get};
  std::string members = R"("name":)" + json_string(name);
  if (!arguments.empty()) members += R"(,"arguments":)" + arguments;
  const time_point began = context_.home.coarse_now();
  co_return co_await call_with_input(std::move(method), std::move(members), options, began, std::nullopt);
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

}  // namespace hawser
