// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/message_router.hpp"

#include "../../support/recorded_posts.hpp"
#include "../../support/ut.hpp"

namespace message_router_test {

using namespace hawser;
using hawser::detail::message_router;
using hawser::detail::outbound_post;

constexpr std::string_view notification = R"({"jsonrpc":"2.0","method":"notifications/x"})";

std::string response(std::string_view id) { return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})"; }

struct fixture {
  fixture() {
    router.open(receiver);
    post.request = 7;
  }
  testing::message_recorder receiver;
  testing::ignoring_post_listener listener;
  outbound_post post{listener};
  message_router router{{.max_batch = 3}};
};

struct shared_recorder final : hawser::detail::shared_stream_listener {
  void on_shared_response(std::int64_t request) noexcept override { requests.push_back(request); }
  std::vector<std::int64_t> requests;
};

const suite<"message_router"> tests = [] {
  "a response is delivered once, and only on the stream of its own request"_test = [] {
    fixture f;
    f.router.deliver(response("8"), nullptr, &f.post);
    f.router.deliver(response("7"), nullptr, nullptr);
    expect(f.receiver.messages.empty() && !f.post.answered);
    expect(f.router.misrouted_responses() == 2_ull);
    f.router.deliver(response("\"7\""), nullptr, &f.post);
    expect(f.receiver.messages.size() == 1_ul && f.post.answered);
    f.router.deliver(response("7"), nullptr, &f.post);
    expect(f.receiver.messages.size() == 1_ul);
    expect(f.router.misrouted_responses() == 3_ull);
  };

  "other messages are delivered from any stream, and nothing after close()"_test = [] {
    fixture f;
    f.router.deliver(notification, nullptr, &f.post);
    f.router.deliver(notification, nullptr, nullptr);
    expect(f.receiver.messages.size() == 2_ul && !f.post.answered);
    f.router.close();
    f.router.deliver(notification, nullptr, nullptr);
    expect(f.receiver.messages.size() == 2_ul);
  };

  "on a shared stream every response is delivered, after its listener was told the id"_test = [] {
    fixture f;
    shared_recorder shared;
    f.router.share_stream(shared);
    for (const char* id : {"7", "\"9\"", "\"x\""}) f.router.deliver(response(id), nullptr, nullptr);
    expect(f.receiver.messages.size() == 3_ul);
    expect(shared.requests == std::vector<std::int64_t>{7, 9, 0});
  };

  "a batch is delivered message by message where the revision has batches, up to its limit"_test = [] {
    fixture f;
    const std::string batch = "[" + std::string{notification} + "," + response("7") + "]";
    f.router.deliver(batch, nullptr, &f.post);
    expect(f.receiver.messages.size() == 1_ul && !f.post.answered) << "one message that is not valid";
    f.router.accept_batches(true);
    f.router.deliver(batch, nullptr, &f.post);
    expect(f.receiver.messages.size() == 3_ul && f.post.answered);
    std::string large = "[" + std::string{notification};
    for (int i = 0; i < 3; ++i) large += "," + std::string{notification};
    f.router.deliver(large + "]", nullptr, nullptr);
    expect(f.receiver.messages.size() == 4_ul) << "only the error";
  };

  "deliver_response() delivers the response to this request and nothing else"_test = [] {
    fixture f;
    for (const std::string& text : {response("8"), std::string{notification}, response("\"7\""), std::string{"{"}}) {
      byte_buffer body = byte_buffer::copy_of(text);
      expect(!f.router.deliver_response(body, f.post)) << text;
    }
    expect(f.receiver.messages.empty() && !f.post.answered && f.router.misrouted_responses() == 0_ull);
    byte_buffer body = byte_buffer::copy_of(response("7"));
    expect(f.router.deliver_response(body, f.post));
    expect(f.receiver.messages.size() == 1_ul && f.post.answered && f.receiver.movable == 0);
  };
};

}  // namespace message_router_test
