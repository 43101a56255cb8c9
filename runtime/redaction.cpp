// SPDX-License-Identifier: MIT
#include "redaction.hpp"

#include <algorithm>

#include "detail/check.hpp"
#include "detail/decoded_text.hpp"
#include "detail/secret_index.hpp"

namespace hawser {

struct redaction::range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

redaction::redaction() : index_(std::make_unique<detail::secret_index>()) {}
redaction::redaction(redaction&& other) noexcept = default;
redaction& redaction::operator=(redaction&& other) noexcept = default;
redaction::~redaction() = default;

std::vector<secret>::iterator redaction::find_in(std::vector<secret>& list, std::string_view hidden) {
  return std::find_if(list.begin(), list.end(), [&](const secret& one) { return one.reveal() == hidden; });
}

void redaction::add(std::string_view hidden) {
  if (hidden.size() < min_secret_bytes) return;
  if (!index_->has(hidden)) {
    index_->add(hidden);
  } else if (const auto before = find_in(recent_, hidden); before != recent_.end()) {
    std::rotate(before, before + 1, recent_.end());  // it is in use again, so it becomes the newest
    return;
  } else {
    return;  // permanent or held
  }
  recent_.emplace_back(hidden);
  drop_oldest();
}

void redaction::drop_oldest() {
  if (recent_.size() < max_secrets) return;
  recent_.erase(recent_.begin(), recent_.begin() + max_secrets / 2);
  index_->clear();
  for (const auto* list : {&permanent_, &held_, &recent_}) {
    for (const secret& one : *list) index_->add(one.reveal());
  }
}

void redaction::add_permanent(std::string_view hidden) {
  if (hidden.size() < min_secret_bytes) return;
  if (!index_->has(hidden)) {
    index_->add(hidden);
  } else if (find_in(permanent_, hidden) != permanent_.end()) {
    return;
  }
  permanent_.emplace_back(hidden);
}

void redaction::hold(const secret& hidden) {
  if (!index_->has(hidden.reveal())) index_->add(hidden.reveal());
  if (const auto before = find_in(recent_, hidden.reveal()); before != recent_.end()) recent_.erase(before);
  held_.push_back(hidden);
}

void redaction::release(const secret& hidden) {
  const auto held = find_in(held_, hidden.reveal());
  detail::require(held != held_.end(), "a secret was released that nobody held");
  held_.erase(held);
  const bool kept =
      find_in(held_, hidden.reveal()) != held_.end() || find_in(permanent_, hidden.reveal()) != permanent_.end();
  if (kept) return;
  recent_.push_back(hidden);  // other parties may still send it for a while
  drop_oldest();
}

std::vector<redaction::range> redaction::ranges_in(std::string_view text) const {
  std::vector<range> found;
  if (size() == 0 || text.size() < min_secret_bytes) return found;
  for (const auto& [begin, end] : index_->find(text)) found.push_back({begin, end});
  if (detail::decoded_text::has_escapes(text)) {
    const detail::decoded_text decoded{text};
    for (const auto& [begin, end] : index_->find(decoded.bytes())) {
      const auto origin = decoded.origin({begin, end});
      found.push_back({origin.begin, origin.end});
    }
  }
  std::sort(found.begin(), found.end(), [](const range& a, const range& b) { return a.begin < b.begin; });
  return found;
}

std::string redaction::apply_truncated(std::string_view text, std::size_t most_bytes) const {
  const std::string_view searched = text.substr(0, std::min(text.size(), most_bytes) + max_secret_bytes);
  std::string shown = apply(searched);
  // The searched part may end inside a secret, and redaction may have shortened what precedes it.
  if (searched.size() < text.size()) shown.resize(shown.size() - std::min(shown.size(), max_secret_bytes));
  if (shown.size() <= most_bytes) return shown;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
  shown.resize(end);
  return shown;
}

bool redaction::matches(std::string_view text) const { return !ranges_in(text).empty(); }

std::string redaction::apply(std::string_view text) const {
  std::string out;
  std::size_t done = 0;
  for (const range& one : ranges_in(text)) {
    // Overlapping secrets are replaced by one mark.
    if (one.begin >= done) {
      out += text.substr(done, one.begin - done);
      out += placeholder;
    }
    done = std::max(done, one.end);
  }
  out += text.substr(done);
  return out;
}

log_sink redacted(log_sink sink, std::shared_ptr<const redaction> by) {
  if (!sink) return {};
  return [sink = std::move(sink), by = std::move(by)](const log_record& record) {
    const std::string subject = by->apply(record.subject);
    const std::string text = by->apply(record.text);
    sink(log_record{record.level, subject, text});
  };
}

logger redacted(const logger& by_whom, std::shared_ptr<const redaction> by) {
  return logger{redacted(by_whom.sink(), std::move(by)), by_whom.threshold()};
}

text_sink redacted(text_sink sink, std::shared_ptr<const redaction> by) {
  if (!sink) return {};
  return [sink = std::move(sink), by = std::move(by)](std::string_view subject, std::string_view text) {
    sink(by->apply(subject), by->apply(text));
  };
}

}  // namespace hawser
