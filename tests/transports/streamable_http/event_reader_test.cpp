// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/event_reader.hpp"

#include "../../support/recorded_posts.hpp"
#include "../../support/ut.hpp"

namespace event_reader_test {

using namespace hawser;
using namespace std::chrono_literals;
using hawser::detail::event_reader;

constexpr std::string_view notification = R"({"jsonrpc":"2.0","method":"notifications/x"})";

struct fixture {
  fixture() { router.open(receiver); }
  std::string event(std::string_view id) {
    return "id: " + std::string{id} + "\ndata: " + std::string{notification} + "\n\n";
  }
  wire_limits limits{.max_message = 200, .size_advice = "; raise it"};
  testing::message_recorder receiver;
  hawser::detail::message_router router{limits};
  event_reader events{router, limits, nullptr};
};

const suite<"event_reader"> tests = [] {
  "the ids of the most recent events are known, and older ones forgotten"_test = [] {
    hawser::detail::recent_event_ids ids;
    for (std::size_t i = 0; i < hawser::detail::recent_event_ids::capacity; ++i) expect(ids.add(std::to_string(i)));
    expect(!ids.add("0") && !ids.add("255"));
    expect(ids.add("new"));
    expect(ids.add("0")) << "the oldest one made room";
    expect(!ids.add("new"));
  };

  "an event that is replayed is delivered once, over all connections"_test = [] {
    fixture f;
    expect(f.events.feed(f.event("a") + f.event("b")).has_value());
    expect(f.events.productive() && f.events.position() == "b");
    f.events.reconnected();
    expect(!f.events.productive() && f.events.position() == "b");
    expect(f.events.feed(f.event("b") + f.event("c")).has_value());
    expect(f.receiver.messages.size() == 3_ul && f.events.position() == "c");
  };

  "half an event at the end of a connection is dropped"_test = [] {
    fixture f;
    expect(f.events.feed("id: a\ndata: {\"half\":").has_value());
    f.events.reconnected();
    expect(f.events.feed(f.event("b")).has_value());
    expect(f.receiver.messages.size() == 1_ul);
  };

  "an id that is not a valid field value is no position"_test = [] {
    fixture f;
    expect(f.events.feed(f.event("a\x01z")).has_value());
    expect(f.events.position().empty());
  };

  "the first endpoint, the delay, and other types of events are not messages"_test = [] {
    fixture f;
    expect(f.events.feed("event: endpoint\ndata: /one\n\nevent: endpoint\ndata: /two\n\nretry: 2000\n\n").has_value());
    expect(f.events.feed("event: ping\ndata: {}\n\ndata:\n\n").has_value());
    expect(f.events.endpoint() == "/one" && f.events.retry() == 2s);
    expect(f.receiver.messages.empty() && !f.events.productive());
  };

  "an event above the limit is an error that says how to allow more"_test = [] {
    fixture f;
    const auto read = f.events.feed("data: " + std::string(300, 'x') + "\n\n");
    expect(read.has_error() && read.error().code == errc::too_large && read.error().what.ends_with("; raise it"));
  };
};

}  // namespace event_reader_test
