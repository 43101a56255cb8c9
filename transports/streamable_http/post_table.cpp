// SPDX-License-Identifier: MIT
#include "detail/post_table.hpp"

#include <utility>

namespace hawser::detail {

namespace {

constexpr std::size_t max_spare_posts = 32;
constexpr std::size_t max_spare_body = std::size_t{4} * 1024;

}  // namespace

std::shared_ptr<outbound_post> post_table::make() {
  if (spare_.empty()) return std::make_shared<outbound_post>(listener_);
  auto post = std::move(spare_.back());
  spare_.pop_back();
  return post;
}

void post_table::recycle(std::shared_ptr<outbound_post> post) noexcept {
  if (spare_.size() >= max_spare_posts || post->body.capacity() > max_spare_body || post.use_count() != 1) return;
  post->reset();
  spare_.push_back(std::move(post));
}

void post_table::add(const std::shared_ptr<outbound_post>& post) {
  requests_.push_back(post);
  requests_by_id_.add(*post);
  post->position = requests_.size();
}

void post_table::remove(outbound_post& post) noexcept {
  if (post.position == 0) return;
  requests_by_id_.remove(post);
  const std::size_t gap = std::exchange(post.position, 0);
  if (gap < requests_.size()) {
    requests_[gap - 1].swap(requests_.back());
    requests_[gap - 1]->position = gap;
  }
  requests_.pop_back();
}

std::shared_ptr<outbound_post> post_table::find(std::int64_t request) const noexcept {
  outbound_post* found = requests_by_id_.find(request);
  return found != nullptr ? found->shared_from_this() : nullptr;
}

std::vector<std::shared_ptr<outbound_post>> post_table::take_all() noexcept {
  requests_by_id_.clear();
  for (const auto& post : requests_) post->position = 0;
  return std::exchange(requests_, {});
}

}  // namespace hawser::detail
