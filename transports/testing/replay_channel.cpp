// SPDX-License-Identifier: MIT
#include "replay_channel.hpp"

#include "../json/json_text.hpp"
#include "../jsonrpc/outgoing_lines.hpp"

namespace hawser {

result<std::unique_ptr<replay_channel>> replay_channel::load(loop& home, std::string_view record) {
  std::unique_ptr<replay_channel> replay{new replay_channel{home}};
  std::size_t number = 0;
  while (!record.empty()) {
    const std::size_t end = std::min(record.find('\n'), record.size());
    const std::string_view line = record.substr(0, end);
    record.remove_prefix(std::min(end + 1, record.size()));
    ++number;
    if (line.empty()) continue;
    const auto bad = [&](const char* why) {
      return error{.code = errc::parse, .what = "record, line " + std::to_string(number) + ": " + why};
    };
    if (auto valid = validate_json(line); !valid) return bad(valid.error().what.c_str());
    const auto from = text_of(find_member(line, "from"));
    const std::string_view message = find_member(line, "message");
    if (!from) return bad("\"from\" is missing");
    if (!message.empty()) {
      replay->entries_.push_back(
          {*from == "host" ? kind::host_message : kind::server_message, std::string{message}, number});
    } else if (auto text = text_of(find_member(line, "text"))) {
      replay->entries_.push_back({kind::server_text, *std::move(text), number});
    } else if (auto why = text_of(find_member(line, "closed"))) {
      replay->entries_.push_back({kind::closed, *std::move(why), number});
    } else if (!find_member(line, "failed").empty() || !find_member(line, "reset").empty()) {
      // Not replayed: such a call ends with the channel.
    } else {
      return bad("neither \"message\" nor \"text\" nor \"closed\"");
    }
  }
  return replay;
}

task<result<void>> replay_channel::open(receiver& to) {
  auto both = memory_channel::make(loop_);
  host_ = std::move(both.first);
  server_ = std::move(both.second);
  auto opened = co_await host_->open(to);
  play();
  co_return opened;
}

void replay_channel::play() {
  for (; next_ < entries_.size() && entries_[next_].what != kind::host_message; ++next_) {
    const entry& e = entries_[next_];
    if (e.what == kind::closed) {
      server_->end(error{.code = errc::closed, .what = e.text});
    } else {
      server_->send_bytes((e.what == kind::server_message ? with_current_ids(e.text) : e.text) + '\n');
    }
  }
}

std::string replay_channel::with_current_ids(const std::string& message) {
  const message_view m = scanner_.scan(message);
  const bool answers = m.kind == message_kind::result || m.kind == message_kind::failure;
  const auto today = answers ? ids_.find(m.id) : ids_.end();
  if (today == ids_.end()) return message;
  const auto at = static_cast<std::size_t>(m.id.data() - message.data());
  return message.substr(0, at) + today->second + message.substr(at + m.id.size());
}

std::size_t replay_channel::send(const outgoing_message& message) {
  if (next_ == entries_.size()) return 0;
  const entry& expected = entries_[next_];
  scanner other;
  const message_view then = other.scan(expected.text);
  const message_view now = scanner_.scan(message.line);
  if (now.kind != then.kind || now.method != then.method) {
    report_mismatch(expected, now);
    return 0;
  }
  if (now.kind == message_kind::request) ids_[std::string{then.id}] = now.id;
  ++next_;
  play();
  return 0;
}

void replay_channel::report_mismatch(const entry& expected, const message_view& got) {
  server_->end(error{.code = errc::protocol,
                     .what = "record, line " + std::to_string(expected.line) + ": expected " + expected.text +
                             ", but the host sent " + std::string{got.bytes.substr(0, got.bytes.find('\n'))}});
  next_ = entries_.size();
}

task<result<void>> replay_channel::drained() { co_return result<void>{}; }

void replay_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  send({.line = cancelled_line(request, reason)});
}

task<result<void>> replay_channel::close() {
  if (host_ == nullptr) co_return result<void>{};
  co_return co_await host_->close();
}

}  // namespace hawser
