// SPDX-License-Identifier: MIT
// TLS over a wire that cuts, holds back and spoils what goes over it.
#include <algorithm>
#include <functional>
#include <string>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../../transports/tls/detail/tls_core.hpp"
#include "../../../transports/tls/tls_handshake.hpp"
#include "../../support/run.hpp"
#include "../../support/tcp_peers.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_wire_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::contains;
using testing::stream_end;
using testing::tls_fixture;
using testing::tls_fixture_options;

using connection = std::unique_ptr<byte_stream>;

task<result<connection>> connect_to(endpoint at, std::shared_ptr<tls_context> with) {
  std::vector<endpoint> only{at};
  auto reached = co_await tcp_connect(std::move(only));
  if (!reached) co_return reached.error();
  co_return co_await tls_connect(std::move(*reached), std::move(with), "localhost", at.port);
}

task<result<std::string>> converse(endpoint at, std::shared_ptr<tls_context> with, std::string say, std::size_t hear) {
  auto made = co_await connect_to(at, std::move(with));
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  end.write(say);
  auto heard = co_await end.read_exactly(hear);
  if (!heard) co_return heard.error();
  auto rest = co_await end.read_to_end();
  if (!rest) co_return rest.error();
  co_return *heard + *rest;
}

// In the middle of the wire: hands on what comes in pieces of at most so many bytes, each in a turn of its own, after
// `change` has had its way with them.
struct meddling {
  std::size_t piece = std::size_t{1} << 20;
  std::function<void(std::string&)> change{};
  event* held = nullptr;       // while set, everything after …
  std::size_t hold_after = 0;  // … so many bytes, counted from then on, waits …
  event* holding = nullptr;    // … saying so here …
  event* release = nullptr;    // … for this
};

task<void> hand_on(stream& from, stream& to, meddling how) {
  std::size_t seen_while_holding = 0;
  while (true) {
    auto more = co_await from.read_some();
    if (!more) break;
    while (!from.unread().empty()) {
      std::string piece{from.unread().substr(0, how.piece)};
      if (how.held != nullptr && how.held->is_set() && !how.release->is_set()) {
        if (seen_while_holding >= how.hold_after) {
          how.holding->set();
          auto waited = co_await how.release->wait();
          if (!waited) co_return;
        } else {
          piece.resize(std::min(piece.size(), how.hold_after - seen_while_holding));
          seen_while_holding += piece.size();
        }
      }
      from.consume(piece.size());
      if (how.change) how.change(piece);
      to.write(piece);
      auto sent = co_await to.drained();
      if (!sent) co_return;
      co_await testing::turn();
    }
  }
  auto ended = co_await to.shutdown();
  ignore(ended, "the other side may be gone");
}

task<void> meddle(tls_fixture& fixture, tcp_listener& door, meddling up, meddling down) {
  auto inside = co_await door.accept();
  if (!inside) co_return;
  auto outside = co_await fixture.reach();
  if (!outside) co_return;
  auto both = co_await when_all(hand_on(*inside, *outside, std::move(up)), hand_on(*outside, *inside, std::move(down)));
  static_cast<void>(both);
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}

task<result<void>> answer_in_records(tls_fixture& fixture, std::string text, std::size_t record) {
  auto made = co_await fixture.accept();
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  auto heard = co_await end.read_exactly(5);
  if (!heard) co_return heard.error();
  for (std::size_t i = 0; i < text.size(); i += record) end.write(std::string_view{text}.substr(i, record));
  co_return co_await end.get().shutdown();
}

struct cut {
  std::size_t record;
  std::size_t piece;
};

task<std::string> through_a_cutting_wire(loop& l, cut how) {
  tls_fixture fixture{l};
  auto door = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
  expect(fatal(door.has_value()));
  scope wire{co_await this_context()};
  meddling cutting;
  cutting.piece = how.piece;
  wire.spawn(meddle(fixture, *door, cutting, cutting));
  auto both = co_await when_all(converse(door->local(), fixture.client, "hello", 1),
                                answer_in_records(fixture, pattern(40'000), how.record));
  co_await wire.join();
  const auto& heard = std::get<0>(both);
  expect(heard.has_value()) << (heard ? "" : heard.error().what);
  co_return heard ? *heard : std::string{};
}

// The server's ticket, which says who the client is, is longer than a record may be here. The client has half of it
// when it wants to write, and OpenSSL does not let it before the other half is there.
task<void> write_in_half_a_ticket(loop& l) {
  tls_fixture_options options;
  options.asks_clients = true;
  tls_fixture fixture{l, options};
  SSL_CTX_set_max_send_fragment(fixture.server->core().context.get(), 512);
  fixture.client = fixture.trusting(fixture.test_authority.signed_file({.name = std::string(60, 'c')}));
  auto door = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
  expect(fatal(door.has_value()));
  event connected;
  event half_sent;
  event release;
  meddling holding;
  holding.held = &connected;
  holding.hold_after = 5 + 512 + 17;  // the first record of the ticket
  holding.holding = &half_sent;
  holding.release = &release;
  scope around{co_await this_context()};
  around.spawn(meddle(fixture, *door, {}, holding));
  struct script {
    static task<void> echo(tls_fixture& at, std::string& heard_there) {
      auto made = co_await at.accept();
      expect(fatal(made.has_value()));
      stream_end end{std::move(*made)};
      auto heard = co_await end.read_exactly(11);
      if (heard) heard_there = *heard;
      end.write("answer");
      auto ended = co_await end.get().shutdown();
      expect(ended.has_value());
    }
  };
  std::string heard_there;
  around.spawn(script::echo(fixture, heard_there));
  auto made = co_await connect_to(door->local(), fixture.client);
  expect(fatal(made.has_value()));
  connected.set();
  stream_end end{std::move(*made)};
  auto half = co_await half_sent.wait();
  expect(half.has_value());
  co_await testing::several_turns();  // in which it arrives
  const std::uint64_t before = end.get().written();
  end.write("one");
  expect(end.get().queued() == 3_ul and end.get().written() == before) << "OpenSSL wants to read first";
  end.write(" and two");
  expect(end.get().queued() == 11_ul);
  auto early = co_await with_timeout(5ms, end.get().drained());
  expect(early.has_error() and early.error().code == errc::timed_out);
  release.set();
  auto sent = co_await end.get().drained();
  expect(sent.has_value() and end.get().queued() == 0_ul);
  auto answer = co_await end.read_to_end();
  expect(answer.has_value() and *answer == "answer");
  co_await end.get().close();
  co_await around.join();
  expect(heard_there == "one and two");
}

// A bit falls over on the way to the server, which answers with an alert.
task<void> alert_in_the_middle(loop& l) {
  tls_fixture fixture{l};
  auto door = tcp_listener::listen(l, tcp_listener::loopback::v4, 0);
  expect(fatal(door.has_value()));
  bool spoil = false;
  meddling spoiling;
  spoiling.change = [&spoil](std::string& piece) {
    if (spoil) piece.back() = static_cast<char>(piece.back() ^ 1);
  };
  scope around{co_await this_context()};
  around.spawn(meddle(fixture, *door, spoiling, {}));
  auto both = co_await when_all(connect_to(door->local(), fixture.client), fixture.accept());
  expect(fatal(std::get<0>(both).has_value() and std::get<1>(both).has_value()));
  {
    stream_end client{std::move(*std::get<0>(both))};
    stream_end server{std::move(*std::get<1>(both))};
    server.write("half");
    auto half = co_await client.read_exactly(4);
    expect(half.has_value());
    spoil = true;
    client.write("a request");
    auto told = co_await client.read_to_end();
    expect(fatal(told.has_error()));
    expect(told.error().code == errc::protocol and contains(told.error().what, "alert bad record mac"))
        << told.error().what;
    auto heard = co_await server.read_to_end();
    expect(heard.has_error() and heard.error().code == errc::protocol and server.get().unread().empty());
    client.write("more");
    auto sent = co_await client.get().drained();
    expect(sent.has_error());
    expect(client.ends.size() == 1_ul and server.ends.size() == 1_ul);
  }
  co_await around.join();
}

// The other side resets the connection; writing on is an error and no signal.
task<void> reset(loop& l) {
  tls_fixture fixture{l};
  auto both = co_await when_all(fixture.connect(), fixture.accept());
  expect(fatal(std::get<0>(both).has_value() and std::get<1>(both).has_value()));
  stream_end client{std::move(*std::get<0>(both))};
  (*std::get<1>(both))->write("unread");
  client.write("unread, too");
  std::get<1>(both)->reset();
  result<void> sent;
  for (int i = 0; i < 100 && sent; ++i) {
    client.write(pattern(10'000));
    sent = co_await client.get().drained();
    co_await testing::turn();
  }
  expect(sent.has_error()) << "and the process lives";
}

const suite<"tls wire"> tests = [] {
  const auto with_loop = [](task<void> (*body)(loop&)) {
    loop l;
    l.run(body(l));
  };

  "D09 records of one byte and of 16 KiB, and a wire that cuts anywhere, give the same result"_test = [] {
    const std::string wanted = pattern(40'000);
    const std::size_t whole = std::size_t{1} << 20;
    for (const cut how :
         {cut{1, whole}, cut{16'384, whole}, cut{16'385, whole}, cut{40'000, 7}, cut{40'000, 1'460}, cut{100, 1'000}}) {
      loop l;
      expect(bool{l.run(through_a_cutting_wire(l, how)) == wanted}) << how.record << how.piece;
    }
  };
  "D09 a write that must wait for bytes to be read leaves when they come"_test = [=] {
    with_loop(write_in_half_a_ticket);
  };
  "D07 an alert in the middle of the stream ends it with its reason"_test = [=] { with_loop(alert_in_the_middle); };
  "a write to a connection that was reset is an error and no signal"_test = [=] { with_loop(reset); };
};

}  // namespace tls_wire_test
