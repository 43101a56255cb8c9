// SPDX-License-Identifier: MIT
#include "list_reader.hpp"

#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_validator.hpp"
#include "../../transports/jsonrpc/protocol_table.hpp"
#include "../status.hpp"
#include "detail/short_call.hpp"

namespace hawser {

namespace {

namespace method = protocol::method;

// How one kind of list is requested, and the member of the result that holds it.
struct list_words {
  std::string_view method;
  std::string_view member;
};

list_words words_of(list_kind kind) {
  switch (kind) {
    case list_kind::tools: return {method::tools_list, "tools"};
    case list_kind::resources: return {method::resources_list, "resources"};
    case list_kind::resource_templates: return {method::resources_templates_list, "resourceTemplates"};
    case list_kind::prompts: break;
  }
  return {method::prompts_list, "prompts"};
}

error endless(std::string_view method, std::string reason) {
  return error{.code = errc::too_large, .what = std::string{method} + ": " + std::move(reason)};
}

// Cap on the described reasons for one tool list.
constexpr std::size_t max_skipped_described = 100;

// Results: an unknown resultType, or one that this method does not allow, makes the result invalid.
error incomplete() { return error{.code = errc::protocol, .what = "the page is not a complete result"}; }

// What was read so far of a list of anything but tools.
struct element_list {
  boost::json::array elements{};
  std::size_t values = 0;  // in all its pages
};

// Before a tree is built of the page: it may have too many values.
result<void> count_values(std::string_view page, std::string_view member, std::size_t limit, element_list& elements) {
  json_validator check{page.data() + page.size(), {.max_values = limit - elements.values}};
  const char* end = check.value(check.space(page.data()), 0);
  elements.values += check.values();
  if (end == nullptr && elements.values > limit)
    return endless(member, "more than " + std::to_string(limit) + " values in all (max_list_values)");
  return {};  // the parser reports invalid JSON
}

// Appends the elements of a page. Returns the next cursor.
result<std::optional<std::string>> take_elements(const raw_json& page, std::string_view member, bool typed,
                                                 const host_limits& limits, element_list& all) {
  if (auto counted = count_values(page.text(), member, limits.max_list_values, all); !counted) return counted.error();
  auto tree = page.parse();
  if (!tree) return tree.error();
  boost::json::object* object = tree->if_object();
  boost::json::value* found = object != nullptr ? object->if_contains(member) : nullptr;
  if (found == nullptr || !found->is_array())
    return error{.code = errc::protocol, .what = "the page has no list of " + std::string{member}};
  const boost::json::value* type = object->if_contains("resultType");
  if (typed && type != nullptr && *type != boost::json::value("complete")) return incomplete();
  for (boost::json::value& element : found->get_array()) {
    if (all.elements.size() == limits.max_tools)
      return endless(member, "more than " + std::to_string(limits.max_tools) + " elements");
    all.elements.push_back(std::move(element));
  }
  const boost::json::value* cursor = object->if_contains("nextCursor");
  if (cursor == nullptr || cursor->is_null()) return std::optional<std::string>{};
  if (!cursor->is_string()) return error{.code = errc::protocol, .what = "\"nextCursor\" is not a string"};
  return std::optional<std::string>{std::string{cursor->get_string()}};
}

}  // namespace

// Caching: each page is cached by itself, for its own ttl. Tool pages are not cached: tools are listed again only after
// a change.
task<result<raw_json>> list_reader::read_page(std::string_view method, const std::optional<std::string>& cursor) {
  const bool cacheable =
      protocol::has(protocol::feature::cache_hints, negotiated_.revision) && method != method::tools_list;
  const std::string key = cursor ? '=' + *cursor : std::string{};
  const context here = co_await this_context();
  const cached_response* known = cacheable ? cache_.find(method, key, here.loop->now()) : nullptr;
  if (known != nullptr) co_return raw_json{known->result->text()};
  const std::string members = cursor ? R"("cursor":)" + json_string(*cursor) : std::string{};
  const prepared_request request{{.method = method, .members = members, .meta = meta_}};
  const std::uint64_t before = list_changes_;
  const call_options limits = detail::short_call();
  auto got = co_await peer_.call(request, {}, limits);
  if (!got && got.error().code == errc::remote) cache_.invalidate(method);  // the cursor of an old page, perhaps
  // A page that was asked for before a change says nothing about afterwards.
  if (got && cacheable && before == list_changes_ && got->check())
    cache_.put(method, key,
               {std::make_shared<const raw_json>(got->text()), cache_hints::of(got->text()), here.loop->now()});
  co_return got;
}

void list_reader::on_changed(list_kind kind) {
  ++list_changes_;
  if (kind == list_kind::tools) ++tool_changes_;
  cache_.invalidate(words_of(kind).method);
  if (kind == list_kind::resources) cache_.invalidate(method::resources_templates_list);
}

// One timeout for all pages together; otherwise a slow server could use the full timeout for each page.
task<result<void>> list_reader::read_pages(std::string_view method, const page_handler& handler) {
  const duration limit = limits_.list_timeout;
  const context here = co_await this_context();
  const time_point due = here.loop->now() + limit;
  auto read = co_await with_timeout(limit, read_every_page(method, handler));
  if (read || read.error().code != errc::timed_out || here.loop->now() < due) co_return read;
  co_return error{
      .code = errc::timed_out,
      .what = std::string{method} + ": the list was not complete within " + format_duration(limit) + " (list_timeout)",
      .phase = "list"};
}

// Pagination: continue until there is no cursor; an empty string is a cursor. A repeated cursor would never end.
task<result<void>> list_reader::read_every_page(std::string_view method, const page_handler& handler) {
  std::optional<std::string> cursor;
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (std::size_t count = 1;; ++count) {
    auto got = co_await read_page(method, cursor);
    if (!got) co_return prefixed(method, got.error());
    bytes += got->text().size();
    if (bytes > limits_.max_listing)
      co_return endless(method, "more than " + std::to_string(limits_.max_listing) + " bytes in all (max_listing)");
    auto next = handler(*std::move(got));
    if (!next) co_return prefixed(method, next.error());
    cursor = *std::move(next);
    if (!cursor) co_return {};
    if (cursor->size() > limits_.max_cursor)
      co_return endless(method, "a cursor of more than " + std::to_string(limits_.max_cursor) + " bytes (max_cursor)");
    if (!seen.insert(*cursor).second) co_return endless(method, "the server repeats a cursor");
    if (count == limits_.max_pages)
      co_return endless(method, "more than " + std::to_string(count) + " pages (max_pages)");
  }
}

task<result<tool_listing>> list_reader::tools() {
  auto tools = std::make_shared<tool_list>();
  tool_listing listing;
  listing.changes = tool_changes_;
  const bool typed = protocol::has(protocol::feature::input_required, negotiated_.revision);  // has a resultType
  const page_handler handler = [&](raw_json page) -> result<std::optional<std::string>> {
    auto read = read_tool_page(std::move(page), *tools, limits_.max_tools);
    if (!read) return read.error();
    if (!read->complete && typed) return incomplete();
    listing.skipped_count += read->skipped_count;
    for (skipped_tool& tool : read->skipped) {
      if (listing.skipped.size() < max_skipped_described) listing.skipped.push_back(std::move(tool));
    }
    return std::move(read->next_cursor);
  };
  auto read = co_await read_pages(method::tools_list, handler);
  if (!read) co_return read.error();
  store_header_arguments(tools, listing);
  tools->shrink();
  listing.tools = std::move(tools);
  co_return listing;
}

// Custom headers: a tool with invalid header annotations must not be used.
void list_reader::store_header_arguments(const std::shared_ptr<tool_list>& tools, tool_listing& listing) {
  header_arguments_.clear();
  if (!reads_header_arguments_) return;
  tools->drop_if([&](const tool& listed) {
    auto marks = header_arguments::read(listed.input_schema);
    if (!marks) {
      ++listing.skipped_count;
      if (listing.skipped.size() < max_skipped_described)
        listing.skipped.push_back({std::string{listed.name}, marks.error().what});
      return true;
    }
    if (!marks->empty()) header_arguments_.insert_or_assign(std::string{listed.name}, *std::move(marks));
    return false;
  });
}

result<std::string> list_reader::header_fields(const std::string& tool, std::string_view arguments) const {
  const auto marked = header_arguments_.find(tool);
  if (marked == header_arguments_.end()) return std::string{};
  auto lines = marked->second.fields(arguments);
  if (!lines) return prefixed("tool \"" + tool + '"', lines.error());
  return lines;
}

task<result<boost::json::array>> list_reader::list(list_kind kind) {
  const bool typed = protocol::has(protocol::feature::input_required, negotiated_.revision);  // has a resultType
  const list_words words = words_of(kind);
  element_list all;
  const page_handler handler = [&](const raw_json& page) {
    return take_elements(page, words.member, typed, limits_, all);
  };
  auto read = co_await read_pages(words.method, handler);
  if (!read) co_return read.error();
  co_return std::move(all.elements);
}

}  // namespace hawser
