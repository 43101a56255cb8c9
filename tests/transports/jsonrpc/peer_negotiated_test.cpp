// SPDX-License-Identifier: MIT
// What a peer does differently once a revision is agreed on, and calls whose id somebody wants to know.
#include "../../support/peer_fixture.hpp"

namespace peer_negotiated_test {

using namespace hawser;
using namespace hawser::testing;

task<void> ask_id(peer& to, std::int64_t& id, int& ends) {
  call_options options;
  options.id = &id;
  auto answer = co_await to.call(echo, "{}", options);
  ++ends;
  ignore(answer, "only its id is wanted");
}

const suite<"peer_negotiated"> tests = [] {
  "B21 a peer that does not answer requests drops them, counts them, and goes on with its calls"_test = [] {
    with_fixture([](peer_fixture& h) -> task<void> {
      h.side.negotiated(peer_info{"2026-07-28"}, false);
      h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
      h.far.say(R"({"jsonrpc":"2.0","id":"x","method":"roots/list","params":{}})");
      h.far.say(R"({"jsonrpc":"2.0","id":2,"method":7})");
      h.far.say(R"({"jsonrpc":"2.0","method":"notifications/x"})");
      const outcome got = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
      expect(got.text == "1" and h.heard.requests.empty() and h.side.counters().forbidden == 2_ul);
      expect(h.heard.notifications.size() == 1_ul and h.far.messages.empty()) << "nothing was sent but the call";
    });
  };

  "requests that came before the agreement are stopped by it, and their answers not sent"_test = [] {
    with_fixture([](peer_fixture& h) -> task<void> {
      h.far.say(R"({"jsonrpc":"2.0","id":1,"method":"early"})");
      const outcome first = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
      expect(fatal(h.heard.answers.size() == 1_ul and first.ends == 1));
      h.side.negotiated(peer_info{"2026-07-28"}, false);
      expect(!h.heard.answers.front().wanted() and h.heard.answers.front().stop().stop_requested());
      h.heard.answers.front().result("{}");
      h.heard.answers.clear();
      const outcome second = co_await one_call(h, {R"({"jsonrpc":"2.0","id":ID,"result":1})"});
      expect(second.ends == 1_i and h.far.messages.empty() and h.side.counters().forbidden == 1_ul);
    });
  };

  "a legacy agreement changes nothing for requests, and brings batches where the revision has them"_test = [] {
    with_fixture([](peer_fixture& h) -> task<void> {
      h.side.negotiated(peer_info{"2025-03-26"}, true);
      h.far.say(R"([{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}])");
      h.far.say(R"({"jsonrpc":"2.0","id":3,"method":"c"})");
      const outcome got = co_await one_call(h, {R"([{"jsonrpc":"2.0","id":ID,"result":1}])"});
      expect(got.text == "1" and h.heard.requests.size() == 3_ul and h.side.counters().forbidden == 0_ul);
    });
  };

  "the id of a call is known before it is sent, and is the one on the wire"_test = [] {
    with_fixture([](peer_fixture& h) -> task<void> {
      std::int64_t id = 0;
      int ends = 0;
      scope calls{co_await this_context()};
      calls.spawn(ask_id(h.side, id, ends));
      const std::string request = co_await h.far.next();
      expect(id != 0_l and id_of(request) == std::to_string(id));
      h.far.say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":1})");
      co_await calls.join();
      expect(ends == 1_i);
    });
  };

  "a call that is not sent has no id"_test = [] {
    with_fixture([](peer_fixture& h) -> task<void> {
      std::int64_t id = 0;
      int ends = 0;
      scope calls{co_await this_context()};
      calls.request_stop();
      calls.spawn(ask_id(h.side, id, ends));
      co_await calls.join();
      expect(id == 0_l and ends == 1_i and h.far.messages.empty());
    });
  };
};

}  // namespace peer_negotiated_test
