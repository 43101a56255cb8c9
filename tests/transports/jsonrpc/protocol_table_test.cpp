// SPDX-License-Identifier: MIT
// The tables of the protocol: what can be looked up in them, and that docs/protocol.md shows the same.
#include "../../../transports/jsonrpc/protocol_table.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "../../support/source_root.hpp"
#include "../../support/ut.hpp"

namespace protocol_table_test {

using namespace hawser::protocol;

std::string quoted(std::string_view text) { return text.empty() ? std::string{} : '`' + std::string{text} + '`'; }

std::string to_text(revision_range range) {
  if (range.first.empty() && range.last.empty()) return "all";
  if (range.first == range.last) return std::string{range.first};
  if (range.first.empty()) return "until " + std::string{range.last};
  if (range.last.empty()) return "since " + std::string{range.first};
  return std::string{range.first} + " to " + std::string{range.last};
}

std::string_view to_text(sender from) {
  switch (from) {
    case sender::client: return "client";
    case sender::server: return "server";
    case sender::either: break;
  }
  return "either";
}

std::string_view to_text(message_type type) {
  switch (type) {
    case message_type::request: return "request";
    case message_type::input_request: return "input request";
    case message_type::notification: break;
  }
  return "notification";
}

std::string_view to_text(dispatch dispatched) {
  switch (dispatched) {
    case dispatch::refused: return "`no`";
    case dispatch::refused_if_no_id: return "`no` if the id is null";
    case dispatch::unknown: break;
  }
  return "`unknown`";
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string line = "|";
  for (const std::string_view cell : cells) line.append(cell.empty() ? "" : " ").append(cell).append(" |");
  return line + '\n';
}

std::string method_table() {
  std::string table =
      "| method | type | sent by | revisions | capability | repeated | cached |\n|---|---|---|---|---|---|---|\n";
  for (const method_rule& rule : methods)
    table += row({quoted(rule.name), to_text(rule.type), to_text(rule.from), to_text(rule.revisions),
                  quoted(rule.capability), rule.repeatable ? "yes" : "", rule.cacheable ? "yes" : ""});
  return table;
}

std::string feature_table() {
  std::string table = "| feature | revisions |\n|---|---|\n";
  for (const feature_rule& rule : features) table += row({rule.description, to_text(rule.revisions)});
  return table;
}

std::string error_table() {
  std::string table = "| code | meaning | revisions | `executed` |\n|---|---|---|---|\n";
  for (const error_rule& rule : errors)
    table += row({"−" + std::to_string(-rule.code), rule.meaning, to_text(rule.revisions), to_text(rule.dispatched)});
  return table;
}

std::string document() {
  std::ostringstream text;
  text << std::ifstream{hawser::testing::source_root() + "/docs/protocol.md"}.rdbuf();
  return text.str();
}

const suite<"protocol_table"> tests = [] {
  "docs/protocol.md shows the tables as they are"_test = [] {
    const std::string text = document();
    for (const std::string& table : {method_table(), feature_table(), error_table()})
      expect(text.find('\n' + table + '\n') != std::string::npos) << "docs/protocol.md should have:\n" << table;
  };

  "every method and notification of protocol.hpp has a rule, and no two rules hold at once"_test = [] {
    for (const std::string_view name : {method::initialize,
                                        method::discover,
                                        method::ping,
                                        method::tools_list,
                                        method::tools_call,
                                        method::resources_list,
                                        method::resources_templates_list,
                                        method::resources_read,
                                        method::resources_subscribe,
                                        method::resources_unsubscribe,
                                        method::prompts_list,
                                        method::prompts_get,
                                        method::complete,
                                        method::set_level,
                                        method::subscriptions_listen,
                                        method::create_message,
                                        method::elicit,
                                        method::roots_list,
                                        notification::initialized,
                                        notification::cancelled,
                                        notification::progress,
                                        notification::message,
                                        notification::tools_list_changed,
                                        notification::resources_list_changed,
                                        notification::resources_updated,
                                        notification::prompts_list_changed,
                                        notification::roots_list_changed,
                                        notification::subscriptions_acknowledged,
                                        notification::elicitation_complete})
      expect(std::any_of(methods.begin(), methods.end(), [&](const method_rule& rule) { return rule.name == name; }))
          << name;
    for (const std::string_view date : revision::all) {
      std::set<std::string_view> names;
      for (const method_rule& rule : methods) {
        if (rule.revisions.contains(date)) expect(names.insert(rule.name).second) << rule.name << date;
      }
    }
  };

  "a method belongs to revisions and directions"_test = [] {
    static_assert(has_method(method::ping, sender::client, revision::v2025_11_25));
    static_assert(has_method(method::ping, sender::server, revision::v2024_11_05));
    static_assert(!has_method(method::ping, sender::client, revision::v2026_07_28));
    static_assert(has_method(method::discover, sender::client, revision::v2026_07_28));
    static_assert(!has_method(method::discover, sender::client, revision::v2025_11_25));
    static_assert(!has_method(method::tools_call, sender::server, revision::v2025_11_25));
    static_assert(!has_method(method::elicit, sender::server, revision::v2025_03_26));
    static_assert(find_method(method::elicit, sender::server, revision::v2025_06_18)->type == message_type::request);
    static_assert(find_method(method::elicit, sender::server, revision::latest)->type == message_type::input_request);
    static_assert(is_modern_request(method::discover) && is_modern_request(method::subscriptions_listen));
    static_assert(!is_modern_request(method::initialize) && !is_modern_request(method::tools_call));
    static_assert(!is_modern_request(method::elicit) && !is_modern_request(notification::subscriptions_acknowledged));
    static_assert(!has_method("tools/run", sender::client, revision::latest));
    expect(find_method(method::tools_list, sender::client, revision::latest)->capability == "tools");
  };

  "what came before the first revision counts as it, what comes after the last one as that"_test = [] {
    static_assert(has(feature::handshake, "2024-10-07") && !has(feature::input_required, "2024-10-07"));
    static_assert(has(feature::handshake, "") && !has(feature::batches, ""));
    static_assert(has(feature::input_required, "2027-01-01") && !has(feature::handshake, "2027-01-01"));
    for (const std::string_view date : revision::all) {
      expect(has(feature::handshake, date) != modern(date)) << date;
      expect(has(feature::batches, date) == (date == "2025-03-26")) << date;
    }
  };

  "only requests without effects are repeated, and only some results are cached"_test = [] {
    expect(is_repeatable(method::initialize) && is_repeatable(method::prompts_list));
    expect(!is_repeatable(method::tools_call) && !is_repeatable(method::resources_read) && !is_repeatable(""));
    expect(is_cacheable(method::resources_read) && !is_cacheable(method::prompts_get));
  };

  "a code of an error has its meaning in some revisions"_test = [] {
    expect(find_error(code::header_mismatch, revision::latest)->dispatched == dispatch::refused);
    expect(!has_error(code::header_mismatch, revision::v2025_11_25) && !has_error(code::header_mismatch, ""));
    expect(has_error(code::resource_not_found, revision::v2025_11_25));
    expect(!has_error(code::resource_not_found, revision::latest) && !has_error(-1234, revision::latest));
  };
};

}  // namespace protocol_table_test
