// SPDX-License-Identifier: MIT
#include "server_slots.hpp"

#include "../config/detail/config_checks.hpp"

namespace hawser::detail {

server_slots::server_slots(const server_context& shared_context) : context_(shared_context) {
  entries_.emplace_back().generation = native_id.generation;
}

std::shared_ptr<server> server_slots::find(std::string_view name) const {
  for (const entry& candidate : entries_) {
    if (candidate.instance && !candidate.removing && candidate.instance->name() == name) return candidate.instance;
  }
  return nullptr;
}

std::shared_ptr<server> server_slots::find(server_id id) const {
  if (id.slot >= entries_.size()) return nullptr;
  const entry& candidate = entries_[id.slot];
  const bool found = candidate.instance && !candidate.removing && candidate.instance->id() == id;
  return found ? candidate.instance : nullptr;
}

std::vector<std::shared_ptr<server>> server_slots::all() const {
  std::vector<std::shared_ptr<server>> servers;
  for (const entry& occupied : entries_) {
    if (occupied.instance) servers.push_back(occupied.instance);
  }
  return servers;
}

std::vector<std::shared_ptr<server>> server_slots::possible_owners(const naming_options& naming,
                                                                   std::string_view exposed_name) const {
  std::vector<std::shared_ptr<server>> owners;
  for (const entry& candidate : entries_) {
    if (candidate.instance && !candidate.removing && could_expose(naming, candidate.instance->name(), exposed_name))
      owners.push_back(candidate.instance);
  }
  return owners;
}

void server_slots::run(entry& added) {
  added.work = std::make_unique<scope>(context{&context_.session.home, nullptr});
  added.work->spawn(added.instance->run());
}

result<server_id> server_slots::add(server_settings settings, channel_maker connect) {
  if (const char* fault = server_name_fault(settings.name)) return error{.code = errc::config, .what = fault};
  if (find(settings.name))
    return error{.code = errc::config,
                 .what = "there is a server named \"" + settings.name + "\" already",
                 .server = settings.name};
  if (auto filter = tool_filter::parse(settings.tools); !filter)
    return prefixed("server \"" + settings.name + '"', filter.error());
  std::size_t slot = 1;
  while (slot < entries_.size() && entries_[slot].instance) ++slot;
  if (slot == entries_.size()) entries_.emplace_back();
  entry& added = entries_[slot];
  const server_id id{static_cast<std::uint32_t>(slot), ++added.generation};
  added.instance = std::make_shared<server>(context_, std::move(settings), id, std::move(connect));
  if (is_open()) run(added);
  return id;
}

task<void> server_slots::remove(server_id id) {
  entries_[id.slot].removing = true;
  if (entries_[id.slot].work) {
    scope& work = *entries_[id.slot].work;
    work.request_stop();
    co_await work.join();
  } else {
    entries_[id.slot].instance->end_unstarted();
  }
  // Looked up again after the await: `entries_` may have been reallocated.
  entries_[id.slot] = {.generation = id.generation};
}

void server_slots::open() {
  stage_ = stage::open;
  for (entry& occupied : entries_) {
    if (occupied.instance) run(occupied);
  }
}

void server_slots::request_stop() {
  stage_ = stage::closing;
  for (entry& occupied : entries_) {
    if (occupied.instance && !occupied.work) occupied.instance->end_unstarted();
  }
  for (entry& occupied : entries_) {
    if (occupied.work) occupied.work->request_stop();
  }
}

task<void> server_slots::join() {
  for (std::size_t slot = 1; slot < entries_.size(); ++slot) {
    if (!entries_[slot].work || entries_[slot].removing) continue;  // remove() joins the other ones
    scope& work = *entries_[slot].work;
    co_await work.join();
  }
}

}  // namespace hawser::detail
