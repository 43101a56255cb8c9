// SPDX-License-Identifier: MIT
// Listing a server's tools, prompts and resources, and subscribing to their changes, in both eras.
#include <algorithm>
#include <boost/json/value.hpp>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../status.hpp"
#include "session.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;
namespace note = protocol::notification;

// Asking for a list is harmless, but not worth waiting for as long as for a call.
call_options for_lists() {
  return {.idle_timeout = std::chrono::seconds{30}, .hard_timeout = std::chrono::seconds{60}};
}

// Enough for all elicitations that one call can wait for.
constexpr std::size_t pages_remembered = 256;
constexpr std::size_t longest_page_id = 1024;

constexpr std::string_view log_levels[] = {"debug", "info",     "notice", "warning",
                                           "error", "critical", "alert",  "emergency"};

error unknown_level(const std::string& level) {
  std::string known;
  for (const std::string_view one : log_levels) known += (known.empty() ? "" : ", ") + std::string{one};
  return error{.code = errc::config, .what = "no level of logging: \"" + level + "\"; it is one of " + known};
}

struct list_words {
  std::string_view method;
  std::string_view member;
};

list_words words_of(list_kind which) {
  switch (which) {
    case list_kind::tools: return {method::tools_list, "tools"};
    case list_kind::resources: return {method::resources_list, "resources"};
    case list_kind::resource_templates: return {method::resources_templates_list, "resourceTemplates"};
    case list_kind::prompts: break;
  }
  return {method::prompts_list, "prompts"};
}

error endless(std::string_view method, std::string what) {
  return error{.code = errc::too_large, .what = std::string{method} + ": " + std::move(what)};
}

// Cap on the described reasons for one tool list.
constexpr std::size_t skipped_described_in_all = 100;

// Results: an unknown resultType, or one that this method does not allow, makes the result invalid.
error incomplete() { return error{.code = errc::protocol, .what = "the page is not a complete result"}; }

// A list of anything but tools, as far as it was read.
struct element_list {
  boost::json::array elements{};
  std::size_t values = 0;  // in all its pages
};

// A page that would be too much does not become a tree first.
result<void> count_values(std::string_view page, std::string_view member, std::size_t limit, element_list& into) {
  json_validator check{page.data() + page.size(), {.max_values = limit - into.values}};
  const char* end = check.value(check.space(page.data()), 0);
  into.values += check.values();
  if (end == nullptr && into.values > limit)
    return endless(member, "more than " + std::to_string(limit) + " values in all (max_list_values)");
  return {};  // what is no JSON will be seen
}

// One page of it.
result<std::optional<std::string>> take_elements(const raw_json& page, std::string_view member, bool modern,
                                                 const host_limits& limits, element_list& into) {
  if (auto counted = count_values(page.text(), member, limits.max_list_values, into); !counted) return counted.error();
  auto tree = page.parse();
  if (!tree) return tree.error();
  boost::json::object* object = tree->if_object();
  boost::json::value* found = object != nullptr ? object->if_contains(member) : nullptr;
  if (found == nullptr || !found->is_array())
    return error{.code = errc::protocol, .what = "the page has no list of " + std::string{member}};
  const boost::json::value* type = object->if_contains("resultType");
  if (modern && type != nullptr && *type != boost::json::value("complete")) return incomplete();
  for (boost::json::value& element : found->get_array()) {
    if (into.elements.size() == limits.max_tools)
      return endless(member, "more than " + std::to_string(limits.max_tools) + " elements");
    into.elements.push_back(std::move(element));
  }
  const boost::json::value* cursor = object->if_contains("nextCursor");
  if (cursor == nullptr || cursor->is_null()) return std::optional<std::string>{};
  if (!cursor->is_string()) return error{.code = errc::protocol, .what = "\"nextCursor\" is not a string"};
  return std::optional<std::string>{std::string{cursor->get_string()}};
}

}  // namespace

// Caching: each page is cached by itself, for its own ttl. Tool pages are not cached: tools are listed again only after
// a change.
task<result<raw_json>> session::read_page(std::string_view method, const std::optional<std::string>& cursor) {
  const bool cacheable = negotiated_.modern() && method != method::tools_list;
  const std::string key = cursor ? '=' + *cursor : std::string{};
  const cached_response* known = cacheable ? cache_.find(method, key, context_.home.now()) : nullptr;
  if (known != nullptr) co_return raw_json{known->result->text()};
  const prepared_request request =
      prepare_request(method, cursor ? R"("cursor":)" + json_string(*cursor) : std::string{});
  const std::uint64_t before = list_changes_;
  const call_options limits = for_lists();
  auto got = co_await peer_.call(request, {}, limits);
  if (!got && got.error().code == errc::remote) cache_.invalidate(method);  // the cursor of an old page, perhaps
  // A page that was asked for before a change says nothing about afterwards.
  if (got && cacheable && before == list_changes_ && got->check())
    cache_.put(method, key,
               {std::make_shared<const raw_json>(got->text()), cache_hints::of(got->text()), context_.home.now()});
  co_return got;
}

void session::list_changed(list_kind which) {
  ++list_changes_;
  if (which == list_kind::tools) ++tool_changes_;
  cache_.invalidate(words_of(which).method);
  if (which == list_kind::resources) cache_.invalidate(method::resources_templates_list);
  listener_.on_list_changed(which);
}

void session::resource_updated(const std::string& uri) {
  cache_.invalidate(method::resources_read, uri);
  listener_.on_resource_updated(uri);
}

// One timeout for all pages together; otherwise a slow server could use the full timeout for each page.
task<result<void>> session::read_pages(std::string_view method, const page_handler& take) {
  const duration limit = context_.limits.list_timeout;
  const time_point due = context_.home.now() + limit;
  auto read = co_await with_timeout(limit, read_every_page(method, take));
  if (read || read.error().code != errc::timed_out || context_.home.now() < due) co_return read;
  co_return error{
      .code = errc::timed_out,
      .what = std::string{method} + ": the list was not complete within " + format_duration(limit) + " (list_timeout)",
      .phase = "list"};
}

// Pagination: continue until there is no cursor; an empty string is a cursor. A repeated cursor would never end.
task<result<void>> session::read_every_page(std::string_view method, const page_handler& take) {
  const host_limits& limits = context_.limits;
  std::optional<std::string> cursor;
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (std::size_t count = 1;; ++count) {
    auto got = co_await read_page(method, cursor);
    if (!got) co_return prefixed(method, got.error());
    bytes += got->text().size();
    if (bytes > limits.max_listing)
      co_return endless(method, "more than " + std::to_string(limits.max_listing) + " bytes in all (max_listing)");
    auto next = take(*std::move(got));
    if (!next) co_return prefixed(method, next.error());
    cursor = *std::move(next);
    if (!cursor) co_return {};
    if (cursor->size() > limits.max_cursor)
      co_return endless(method, "a cursor of more than " + std::to_string(limits.max_cursor) + " bytes (max_cursor)");
    if (!seen.insert(*cursor).second) co_return endless(method, "the server repeats a cursor");
    if (count == limits.max_pages)
      co_return endless(method, "more than " + std::to_string(count) + " pages (max_pages)");
  }
}

task<result<tool_listing>> session::list_tools() {
  const use guard{users_};
  auto tools = std::make_shared<tool_list>();
  tool_listing listing;
  listing.changes = tool_changes_;
  const page_handler take = [&](raw_json page) -> result<std::optional<std::string>> {
    auto read = read_tool_page(std::move(page), *tools, context_.limits.max_tools);
    if (!read) return read.error();
    if (!read->complete && negotiated_.modern()) return incomplete();
    listing.skipped_count += read->skipped_count;
    for (skipped_tool& one : read->skipped) {
      if (listing.skipped.size() < skipped_described_in_all) listing.skipped.push_back(std::move(one));
    }
    return std::move(read->next_cursor);
  };
  auto read = co_await read_pages(method::tools_list, take);
  if (!read) co_return read.error();
  read_header_arguments(tools, listing);
  tools->shrink();
  listing.tools = std::move(tools);
  co_return listing;
}

// Custom headers: a tool with invalid header annotations must not be used.
void session::read_header_arguments(const std::shared_ptr<tool_list>& tools, tool_listing& listing) {
  header_arguments_.clear();
  if (!negotiated_.modern() || !channel_->is_http()) return;
  tools->drop_if([&](const tool& one) {
    auto marks = header_arguments::read(one.input_schema);
    if (!marks) {
      ++listing.skipped_count;
      if (listing.skipped.size() < skipped_described_in_all)
        listing.skipped.push_back({std::string{one.name}, marks.error().what});
      return true;
    }
    if (!marks->empty()) header_arguments_.insert_or_assign(std::string{one.name}, *std::move(marks));
    return false;
  });
}

result<std::string> session::header_fields_of(const std::string& tool, std::string_view arguments) const {
  const auto marked = header_arguments_.find(tool);
  if (marked == header_arguments_.end()) return std::string{};
  auto lines = marked->second.fields(arguments);
  if (!lines) return prefixed("tool \"" + tool + '"', lines.error());
  return lines;
}

task<result<boost::json::array>> session::list(list_kind which) {
  const use guard{users_};
  const list_words words = words_of(which);
  element_list all;
  const page_handler take = [&](const raw_json& page) {
    return take_elements(page, words.member, negotiated_.modern(), context_.limits, all);
  };
  auto read = co_await read_pages(words.method, take);
  if (!read) co_return read.error();
  co_return std::move(all.elements);
}

task<result<void>> session::subscribe(std::string uri) { return set_subscription(std::move(uri), true); }
task<result<void>> session::unsubscribe(std::string uri) { return set_subscription(std::move(uri), false); }

task<result<void>> session::set_subscription(std::string uri, bool wanted) {
  const use guard{users_};
  if (!negotiated_.can.subscribe || (wanted && !resources_.is_supported()))
    co_return error{.code = errc::protocol, .what = "the server offers no subscriptions to resources"};
  if (!negotiated_.modern()) {
    const prepared_request request = prepare_request(
        wanted ? method::resources_subscribe : method::resources_unsubscribe, R"("uri":)" + json_string(uri));
    const call_options limits = for_lists();
    auto answer = co_await peer_.call(request, {}, limits);
    if (!answer) co_return answer.error();
  }
  if (wanted) {
    subscribed_.insert(std::move(uri));
  } else {
    subscribed_.erase(uri);
  }
  if (negotiated_.modern()) {
    std::string list;
    for (const std::string& one : subscribed_) {
      list += list.empty() ? "" : ",";
      append_quoted(list, one);
    }
    resources_.set_filter(list.empty() ? list : R"({"resourceSubscriptions":[)" + list + "]}");
  }
  co_return {};
}

task<result<void>> session::set_log_level(std::string level) {
  const use guard{users_};
  // Only the modern era can turn logging off, by sending no level.
  const bool known = std::find(std::begin(log_levels), std::end(log_levels), level) != std::end(log_levels);
  if (!known && !(level.empty() && negotiated_.modern())) co_return unknown_level(level);
  if (negotiated_.modern()) {  // the level is sent with every request
    meta_ = context_.client.modern_meta(negotiated_.revision);
    if (!level.empty()) meta_ += ',' + json_string(protocol::meta::log_level) + ':' + json_string(level);
    tool_calls_.clear();
    co_return {};
  }
  if (!negotiated_.can.logging) co_return error{.code = errc::protocol, .what = "the server offers no logging"};
  const prepared_request request = prepare_request(method::set_level, R"("level":)" + json_string(level));
  const call_options limits = for_lists();
  auto answer = co_await peer_.call(request, {}, limits);
  if (!answer) co_return answer.error();
  co_return {};
}

// The modern era has no ping; server/discover is the request that every server must answer.
task<result<void>> session::ping() {
  const use guard{users_};
  const prepared_request request = prepare_request(negotiated_.modern() ? method::discover : method::ping, {});
  const call_options limits = for_lists();
  auto answer = co_await peer_.call(request, {}, limits);
  if (!answer) co_return answer.error();
  co_return {};
}

void session::on_lists_missed() {
  if (negotiated_.can.tools_changes) list_changed(list_kind::tools);
  if (negotiated_.can.prompts_changes) list_changed(list_kind::prompts);
  if (negotiated_.can.resources_changes) list_changed(list_kind::resources);
}

void session::on_updates_missed() {
  for (const std::string& uri : subscribed_) resource_updated(uri);
}

void session::log_warning(const std::string& what) { context_.home.log().write(log_level::warning, server_, what); }

void session::on_notification(std::string_view method, std::string_view params) {
  // Subscriptions: in the modern era a change notification counts only if it belongs to one of our subscriptions.
  const bool welcome = !negotiated_.modern() || lists_.is_subscribed(params) || resources_.is_subscribed(params);
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
    if (std::string id = text("elicitationId"); id.size() <= longest_page_id)
      completed_elicitations_.push_back(std::move(id));
    if (completed_elicitations_.size() > pages_remembered)
      completed_elicitations_.erase(completed_elicitations_.begin());
    elicitation_completed_.set();
  } else if (method == note::cancelled) {
    const auto request = params.empty() ? std::nullopt : integer_of(find_member(params, "requestId"));
    lists_.on_cancelled(request.value_or(0));
    resources_.on_cancelled(request.value_or(0));
  } else if (method == note::subscriptions_acknowledged) {
    // Over HTTP requests can overtake each other: data read before the subscription was active may have changed since.
    const bool late = channel_->is_http();
    if (lists_.on_acknowledged(params) && late) on_lists_missed();
    if (resources_.on_acknowledged(params) && late) on_updates_missed();
  } else {
    listener_.on_other_notification(method, params);
  }
}

}  // namespace hawser
