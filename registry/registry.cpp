// SPDX-License-Identifier: MIT
#include "registry.hpp"

#include <algorithm>
#include <random>

#include "detail/server_rows.hpp"

namespace hawser {

namespace {

// A list may contain a hundred thousand duplicates; reporting more than this is of no use.
constexpr std::size_t most_refusals = 100;

std::uint64_t random_seed() {
  std::random_device entropy;
  return std::uint64_t{entropy()} << 32U | entropy();
}

std::string in_quotes(std::string_view text) { return '"' + std::string{text} + '"'; }

std::string owner(const tool_row& row) {
  return row.server_name.empty() ? std::string{"a native tool"} : "server " + in_quotes(row.server_name);
}

refusal refused_duplicate(const tool& t, const tool_row& by) {
  std::string what = "tool " + in_quotes(t.name) + " is in the list twice: the first one is used";
  if (by.definition->name != t.name)
    what = "tool " + in_quotes(t.name) + " gets the same exposed name as " + in_quotes(by.definition->name) +
           " of the same server, which comes first";
  return {refusal::reason::duplicate, std::string{t.name}, std::string{by.name}, std::move(what)};
}

refusal refused_as_taken(const tool_row& row, const tool_row& by) {
  return {refusal::reason::taken, std::string{row.definition->name}, std::string{row.name},
          "tool " + in_quotes(row.definition->name) + ": the exposed name " + in_quotes(row.name) + " is taken by " +
              owner(by)};
}

}  // namespace

registry::registry(naming_options names)
    : names_(validate_naming(std::move(names)).value()),
      seed_(random_seed()),
      publisher_(std::make_shared<detail::table_publisher>(std::make_unique<const tool_table>(seed_).release())) {}

registry::~registry() = default;

registry::entry* registry::find(server_id id) {
  const auto found = entries_.find(id.slot);
  return found != entries_.end() && found->second.id == id ? &found->second : nullptr;
}

registry::outcome registry::replace(server_id id, std::string_view server_name,
                                    std::shared_ptr<const tool_list> tools) {
  entry& e = entries_.try_emplace(id.slot, entry{.id = id}).first->second;
  if (e.id > id) {
    return {.version = version(),
            .refused = tools->size(),
            .refusals = {{refusal::reason::superseded,
                          {},
                          {},
                          "server " + in_quotes(server_name) + ": a later start of it has listed its tools already"}}};
  }
  const bool same_tools =
      e.block ? e.block->server_name() == server_name && e.block->tools() == *tools : tools->empty();
  if (same_tools && e.block && e.id == id && e.state == availability::available) return describe(e, false, false);
  e.id = id;
  e.state = availability::available;
  const bool others =
      change(e, std::make_shared<detail::server_rows>(names_, seed_, id, server_name, std::move(tools)));
  return describe(e, true, !same_tools || others);
}

registry::outcome registry::remove(server_id id) {
  entry* const e = find(id);
  if (e == nullptr) return {.version = version()};
  const bool had_rows = e->block->rows().size() > e->waiting.size();
  change(*e, nullptr);
  entries_.erase(id.slot);
  return {.version = version(), .changed = true, .listing_changed = had_rows};
}

registry::outcome registry::set_available(server_id id, availability state) {
  entry* const e = find(id);
  if (e == nullptr) return {.version = version()};
  if (e->state == state) return describe(*e, false, false);
  e->state = state;
  change(*e, std::make_shared<detail::server_rows>(*e->block, state));
  return describe(*e, true, false);
}

// Publishes a table in which `next` replaces the entry's rows. Returns true if that admitted waiting rows of other
// servers.
bool registry::change(entry& e, std::shared_ptr<const detail::server_rows> next) {
  const tool_table& now = *publisher_->current();
  rows removed;
  rows added;
  rows waits;
  if (e.block) {
    removed.reserve(e.block->rows().size());
    auto waiting = e.waiting.begin();  // sorted like the rows
    for (const tool_row& row : e.block->rows()) {
      if (waiting != e.waiting.end() && *waiting == &row) {
        ++waiting;
      } else {
        removed.push_back(&row);
      }
    }
  }
  if (next) {
    added.reserve(next->rows().size());
    for (const tool_row& row : next->rows()) {
      const tool_row* const has = now.find(row);
      const bool taken = has != nullptr && has->server.slot != row.server.slot;  // its own rows are replaced
      (taken ? waits : added).push_back(&row);
    }
  }
  auto table = std::make_unique<tool_table>(
      now, now.version() + 1,
      detail::table_change{.removed = removed, .added = added, .removed_block = e.block.get(), .added_block = next});
  waiting_ += waits.size() - e.waiting.size();
  e.waiting = std::move(waits);
  e.block = std::move(next);
  const bool others = admit_waiting(table);
  publisher_->publish(table.release());
  publisher_->collect();
  return others;
}

// Admits waiting rows whose names are free in this table. It is not published yet, so all of this is one change.
bool registry::admit_waiting(std::unique_ptr<tool_table>& table) {
  bool admitted = false;
  if (waiting_ == 0) return admitted;
  for (auto& [slot, e] : entries_) {
    rows added;
    rows still;
    for (const tool_row* row : e.waiting) (table->find(*row) != nullptr ? still : added).push_back(row);
    if (added.empty()) continue;
    e.waiting = std::move(still);
    waiting_ -= added.size();
    table = std::make_unique<tool_table>(*table, table->version(), detail::table_change{.removed = {}, .added = added});
    admitted = true;
  }
  return admitted;
}

registry::outcome registry::describe(const entry& e, bool changed, bool listing_changed) const {
  const tool_table& now = *publisher_->current();
  outcome out{.version = now.version(), .changed = changed, .listing_changed = listing_changed};
  out.refused = e.block->duplicates().size() + e.waiting.size();
  for (const auto& d : e.block->duplicates()) {
    if (out.refusals.size() == most_refusals) return out;
    out.refusals.push_back(refused_duplicate(*d.definition, e.block->rows()[d.row]));
  }
  for (const tool_row* row : e.waiting) {
    if (out.refusals.size() == most_refusals) return out;
    out.refusals.push_back(refused_as_taken(*row, *now.find(*row)));
  }
  return out;
}

}  // namespace hawser
