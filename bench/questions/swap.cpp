// SPDX-License-Identifier: MIT
// The cost of a call while other servers are added and removed, against the same calls when nothing changes. Through
// the hub, from the loop thread, with table lookups beside each call. In short turns: quiet; with a server inside
// this program, which shows Hawser's own cost; and with a server process, whose start needs the core as well.
#include <array>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>

#include "../../host/hub.hpp"
#include "../../registry/reader.hpp"
#include "../../runtime/async/scope.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../transports/jsonrpc/peer.hpp"
#include "../../transports/jsonrpc/protocol.hpp"
#include "../../transports/testing/memory_channel.hpp"
#include "../report/progress.hpp"
#include "questions.hpp"

namespace hawser::bench {

namespace {

constexpr int tools_per_server = 20;
constexpr int servers_that_stay = 10;

std::string listed_tools() {
  std::string json = R"({"tools":[)";
  for (int i = 0; i < tools_per_server; ++i) {
    json += (i == 0 ? "" : ",") + std::string{R"({"name":"guest_)"} + std::to_string(i) +
            R"(","description":"Comes and goes.","inputSchema":{"type":"object"}})";
  }
  return json + "]}";
}

// A server inside this program that does the handshake and lists its tools, one connection at a time.
class guest_server final : private peer_listener {
 public:
  explicit guest_server(loop& home) : home_(home), work_(context{&home, nullptr}) {}

  std::function<std::unique_ptr<channel>()> connect() {
    return [this]() -> std::unique_ptr<channel> {
      auto both = memory_channel::make(home_);
      peer_listener& me = *this;
      far_end& far = ends_.emplace_back(home_, std::move(both.second), me);
      work_.spawn(open(*far.own, far.side));
      return std::move(both.first);
    };
  }
  /// After its server was removed: closes the far ends of its connections.
  task<void> clear() {
    co_await work_.join();
    for (far_end& one : ends_) {
      auto closed = co_await one.own->close();
      ignore(closed, "the other side is closed already");
    }
    ends_.clear();
  }

 private:
  struct far_end {
    far_end(loop& home, std::unique_ptr<memory_channel> end, peer_listener& listener)
        : own(std::move(end)), side(home, *own, listener) {}
    std::unique_ptr<memory_channel> own;
    peer side;
  };
  static task<void> open(memory_channel& own, peer& side) {
    auto opened = co_await own.open(side);
    ignore(opened, "the near end says so, too");
  }
  void on_request(std::string_view method, std::string_view /*params*/, responder answer) override {
    if (method == protocol::method::initialize) {
      answer.result(
          R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"guest","version":"1"}})");
    } else if (method == protocol::method::tools_list) {
      answer.result(tools_);
    } else {
      answer.result("{}");
    }
  }

  loop& home_;
  scope work_;
  std::list<far_end> ends_;
  std::string tools_ = listed_tools();
};

enum class guest : std::uint8_t { none, inside, process };

struct swapping {
  hub& at;
  guest_server& inside;
  guest who = guest::none;
  bool over = false;
  bool fine = true;
  int swaps = 0;
};

// Adding and removing a server inside the program takes 50 us. Without a pause the loop would do nothing else, which
// is not realistic; with it this happens about a thousand times a second.
constexpr duration pause_inside = std::chrono::milliseconds{1};

// Adds a server, waits until it is ready, removes it, and repeats until the end.
task<void> come_and_go(swapping& s) {
  while (!s.over && s.fine) {
    server_settings coming = stdio_server_configs(1, tools_per_server).servers.front();
    coming.name = "guest";
    coming.protocol.era = protocol_choice::kind::legacy;
    const bool is_inside = s.who == guest::inside;
    auto added = is_inside ? s.at.add_server(coming, s.inside.connect()) : s.at.add_server(coming);
    auto ready = co_await s.at.ready("guest");
    auto removed = co_await s.at.remove_server("guest");
    co_await s.inside.clear();
    s.fine = added.has_value() && ready.has_value() && removed.has_value();
    if (!ready) std::fprintf(stderr, "hawser-bench: %s\n", ready.error().what.c_str());
    ++s.swaps;
    if (!is_inside) continue;
    auto slept = co_await sleep_for(pause_inside);
    s.fine = s.fine && slept.has_value();
  }
}

// One call and one batch of lookups per step.
task<bool> calls_with_looks(hub& at, const std::string& tool, int count, distribution& calls, distribution& looks) {
  constexpr int looks_at_once = 16;  // a single lookup is as short as reading the clock
  reader eyes{at.table()};
  for (int i = 0; i < count; ++i) {
    request_options usual;
    const auto begin = std::chrono::steady_clock::now();
    auto answer = co_await at.call(tool, "{}", std::move(usual));
    const auto answered = std::chrono::steady_clock::now();
    if (!answer) {
      std::fprintf(stderr, "hawser-bench: %s\n", answer.error().what.c_str());
      co_return false;
    }
    calls.add(answered - begin);
    const auto looking = std::chrono::steady_clock::now();
    bool found = true;
    for (int k = 0; k < looks_at_once; ++k) {
      const pin table = eyes.pin_current();
      found = found && table->find(tool) != nullptr;
    }
    looks.add((std::chrono::steady_clock::now() - looking) / looks_at_once);
    if (!found) co_return false;
  }
  calls.end_round();
  looks.end_round();
  co_return true;
}

struct swap_findings {
  std::vector<candidate> calls;
  std::vector<candidate> looks;
  std::array<int, 3> swaps{};
  std::array<duration, 3> time{};
};

task<bool> measure_swap(loop& home, const settings& s, swap_findings& into) {
  hub at{home, stdio_server_configs(servers_that_stay, tools_per_server)};
  auto opened = co_await at.open();
  auto settled = co_await at.settled();
  bool fine = opened.has_value() && settled.has_value();
  const std::string tool = fine && !at.tools()->empty() ? std::string{(*at.tools())[0].name} : std::string{};
  fine = fine && !tool.empty();
  guest_server inside{home};
  distribution warm_up;
  for (int round = -1; fine && round < s.rounds; ++round) {
    show_progress("swap", round, s.rounds);
    for (const guest who : {guest::none, guest::inside, guest::process}) {
      const auto which = static_cast<std::size_t>(who);
      swapping now{.at = at, .inside = inside, .who = who};
      scope beside{co_await this_context()};
      if (who != guest::none) beside.spawn(come_and_go(now));
      const auto begin = std::chrono::steady_clock::now();
      distribution& calls = round < 0 ? warm_up : into.calls[which].latency;
      distribution& looks = round < 0 ? warm_up : into.looks[which].latency;
      const bool answered = co_await calls_with_looks(at, tool, s.per_round, calls, looks);
      now.over = true;
      co_await beside.join();
      into.time[which] += std::chrono::steady_clock::now() - begin;
      into.swaps[which] += now.swaps;
      fine = fine && answered && now.fine;
    }
  }
  auto closed = co_await at.close();
  co_return fine&& closed.has_value();
}

}  // namespace

bool swap(const settings& s, report& into) {
  swap_findings found;
  found.calls = {
      {.name = "nothing changes"}, {.name = "a server inside comes and goes"}, {.name = "a process comes and goes"}};
  found.looks = found.calls;
  loop home;
  if (!home.run(measure_swap(home, s, found))) return false;
  std::vector<goal> all;
  for (std::size_t i = 1; i < found.calls.size(); ++i) {
    const std::string& who = found.calls[i].name;
    const distribution& floor = found.calls[0].latency;
    const double seconds = std::chrono::duration<double>{found.time[i]}.count();
    all.push_back({.name = who + ": times", .figure = static_cast<double>(found.swaps[i]), .unit = "swaps"});
    all.push_back({.name = who + ": rate", .figure = found.swaps[i] / seconds, .unit = "swaps/s"});
    for (const double p : {50.0, 99.0, 99.9}) {
      const double quiet = floor.percentile(p);
      all.push_back({.name = who + (p < 99     ? ": p50"
                                    : p < 99.5 ? ": p99"
                                               : ": p99.9"),
                     .figure = quiet > 0 ? found.calls[i].latency.percentile(p) / quiet : 0,
                     .unit = "x quiet"});
    }
  }
  into.add(latency_table{"one tools/call through the hub", std::move(found.calls)});
  into.add(latency_table{"one look into the table, and finding a tool", std::move(found.looks)});
  into.add(figure_list{"servers that come and go", std::move(all)});
  return true;
}

}  // namespace hawser::bench
