// SPDX-License-Identifier: MIT
// The requests of an http_channel that wait for their responses, by id, and the objects that can be reused for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "outbound_post.hpp"
#include "request_index.hpp"

namespace hawser::detail {

class post_table {
 public:
  /// `listener` outlives every post.
  explicit post_table(post_listener& listener) : listener_(listener) {}

  /// A post that is not in the table. Its strings may hold those of an earlier message.
  std::shared_ptr<outbound_post> make();
  /// Keeps the object for make() if the caller has the only reference and it is small.
  void recycle(std::shared_ptr<outbound_post> post) noexcept;

  /// Precondition: it is a request.
  void add(const std::shared_ptr<outbound_post>& post);
  /// Does nothing if it is not in the table.
  void remove(outbound_post& post) noexcept;
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<outbound_post> find(std::int64_t request) const noexcept;
  /// Removes and returns all requests.
  [[nodiscard]] std::vector<std::shared_ptr<outbound_post>> take_all() noexcept;

  /// Frees what is kept for reuse.
  void trim() noexcept { spare_.clear(); }

 private:
  post_listener& listener_;
  std::vector<std::shared_ptr<outbound_post>> requests_;
  request_index<outbound_post> requests_by_id_;
  std::vector<std::shared_ptr<outbound_post>> spare_;
};

}  // namespace hawser::detail
