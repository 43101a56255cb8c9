// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/post_table.hpp"

#include "../../../transports/streamable_http/detail/unsent_bytes.hpp"
#include "../../support/recorded_posts.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace post_table_test {

using namespace hawser;
using hawser::detail::outbound_post;
using hawser::detail::post_table;

std::shared_ptr<outbound_post> request_in(post_table& posts, std::int64_t id) {
  auto post = posts.make();
  post->request = id;
  posts.add(post);
  return post;
}

const suite<"post_table"> tests = [] {
  "a request is found by its id until it is removed, in any order"_test = [] {
    testing::ignoring_post_listener listener;
    post_table posts{listener};
    std::vector<std::shared_ptr<outbound_post>> requests;
    for (std::int64_t id = 0; id < 20; ++id) requests.push_back(request_in(posts, id));
    for (const std::int64_t id : {0, 19, 7}) {
      posts.remove(*requests[static_cast<std::size_t>(id)]);
      posts.remove(*requests[static_cast<std::size_t>(id)]);  // has no effect
      expect(posts.find(id) == nullptr);
    }
    for (std::int64_t id = 0; id < 20; ++id) {
      if (id != 0 && id != 19 && id != 7) expect(posts.find(id) == requests[static_cast<std::size_t>(id)]) << id;
    }
    expect(posts.take_all().size() == 17_ul);
    expect(posts.find(3) == nullptr);
    posts.remove(*requests[3]);
  };

  "a small post without other owners is used again, without its state"_test = [] {
    testing::ignoring_post_listener listener;
    post_table posts{listener};
    auto post = posts.make();
    const outbound_post* first = post.get();
    post->request = 1;
    post->answered = post->replayable = post->names_session = true;
    post->used_credentials.emplace();
    post->abandon();
    posts.recycle(std::move(post));
    post = posts.make();
    expect(post.get() == first);
    expect(!post->request && !post->answered && !post->replayable && !post->names_session);
    expect(!post->used_credentials && !post->abandoned.is_set() && !post->handle.cancelled());
    const auto other_owner = post;
    posts.recycle(std::move(post));
    expect(posts.make().get() != first);
    auto large = posts.make();
    const outbound_post* second = large.get();
    large->body.resize(100'000);
    posts.recycle(std::move(large));
    const auto next = posts.make();
    expect(next.get() != second || next->body.capacity() < 100'000_ul);
  };

  "bytes are counted until the first time that they are marked as sent"_test = [] {
    testing::ignoring_post_listener listener;
    outbound_post first{listener};
    outbound_post second{listener};
    first.body = "12345";
    second.body = "123";
    hawser::detail::unsent_bytes unsent;
    unsent.add(first);
    unsent.add(second);
    expect(unsent.total() == 8_ul);
    unsent.mark_sent(first);
    unsent.mark_sent(first);
    expect(unsent.total() == 3_ul);
    unsent.close();
    const auto drained = testing::run(unsent.drained());
    expect(drained.has_value()) << "nobody waits after close()";
    unsent.mark_sent(second);
    expect(unsent.total() == 0_ul);
  };
};

}  // namespace post_table_test
