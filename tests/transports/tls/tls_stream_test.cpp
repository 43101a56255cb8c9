// SPDX-License-Identifier: MIT
#include "../../../transports/tls/tls_handshake.hpp"

#include <string>

#include "../../../runtime/async/scope.hpp"
#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/async/when.hpp"
#include "../../support/every_step.hpp"
#include "../../support/run.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_stream_test {

using namespace hawser;
using namespace std::chrono_literals;
using testing::counted;
using testing::every_step;
using testing::stream_end;
using testing::tls_fixture;

using connection = std::unique_ptr<byte_stream>;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26 + i / 1000 % 3);
  return text;
}

struct both_ends {
  std::unique_ptr<stream_end> client;
  std::unique_ptr<stream_end> server;
  [[nodiscard]] bool made() const { return client != nullptr && server != nullptr; }
};

task<both_ends> connected(tls_fixture& fixture) {
  auto both = co_await when_all(fixture.connect(), fixture.accept());
  both_ends ends;
  if (std::get<0>(both)) ends.client = std::make_unique<stream_end>(std::move(*std::get<0>(both)));
  if (std::get<1>(both)) ends.server = std::make_unique<stream_end>(std::move(*std::get<1>(both)));
  co_return ends;
}

// One request, one answer, and an end in good order.
task<void> one_exchange(loop& l) {
  const counted alive;
  tls_fixture fixture{l};
  both_ends ends = co_await connected(fixture);
  const context where = co_await this_context();
  if (where.stop_requested()) co_return;
  expect(fatal(ends.made()));
  ends.client->write("ping");
  auto heard = co_await ends.server->read_exactly(4);
  if (!heard) co_return;
  ends.server->write("pong");
  auto ended = co_await ends.server->get().shutdown();
  auto answer = co_await ends.client->read_to_end();
  if (where.stop_requested()) co_return;
  expect(*heard == "ping" and ended.has_value());
  expect(answer.has_value() and *answer == "pong");
  expect(ends.client->ends.size() == 1_ul);
  co_await ends.client->get().close();
  co_await ends.client->get().close();
  ends.client->write("into the void");
  auto sent = co_await ends.client->get().drained();
  expect(sent.has_error());
}

task<result<void>> send(stream_end& to, std::string text) {
  const counted alive;
  to.write(text);
  auto sent = co_await to.get().drained();
  if (!sent) co_return sent.error();
  co_return co_await to.get().shutdown();
}

task<void> megabytes_both_ways(loop& l) {
  tls_fixture fixture{l};
  both_ends ends = co_await connected(fixture);
  expect(fatal(ends.made()));
  const std::string up = pattern(5'000'000);
  const std::string down = pattern(7'000'001);
  auto all = co_await when_all(send(*ends.client, up), send(*ends.server, down), ends.client->read_to_end(),
                               ends.server->read_to_end());
  expect(std::get<0>(all).has_value() and std::get<1>(all).has_value());
  expect(fatal(std::get<2>(all).has_value() and std::get<3>(all).has_value()));
  expect(bool{*std::get<2>(all) == down} and bool{*std::get<3>(all) == up});
}

task<void> truncated(loop& l) {
  tls_fixture fixture{l};
  both_ends ends = co_await connected(fixture);
  expect(fatal(ends.made()));
  ends.server->write("half an ans");
  auto sent = co_await ends.server->get().drained();
  expect(sent.has_value());
  co_await ends.server->get().close();
  auto got = co_await ends.client->read_to_end();
  expect(fatal(got.has_error()));
  expect(got.error().code == errc::io and got.error().what.find("truncated") != std::string::npos) << got.error().what;
  expect(got.error().what.find("localhost") != std::string::npos);
  expect(ends.client->get().unread() == "half an ans") << "what came is still there to be judged";
}

task<void> resumes(loop& l) {
  tls_fixture fixture{l};
  for (int i = 0; i < 4; ++i) {
    both_ends ends = co_await connected(fixture);
    expect(fatal(ends.made()));
    ends.server->write("a ticket comes along");
    auto heard = co_await ends.client->read_exactly(20);
    expect(heard.has_value());
    co_await ends.client->get().close();  // without a close_notify, as pools do
  }
  expect(fixture.client->counters().handshakes == 4_ul and fixture.client->counters().resumed == 3_ul);
  expect(fixture.server->counters().resumed == 3_ul);

  auto other = co_await when_all(fixture.connect("127.0.0.1"), fixture.accept());
  expect(std::get<0>(other).has_value());
  expect(fixture.client->counters().handshakes == 5_ul and fixture.client->counters().resumed == 3_ul)
      << "another name is another place";
}

task<void> one_system_call_for_a_request(loop& l) {
  tls_fixture fixture{l};
  both_ends ends = co_await connected(fixture);
  expect(fatal(ends.made()));
  ends.client->write("settle");
  auto settled = co_await ends.server->read_exactly(6);
  expect(settled.has_value());
  const std::size_t told = ends.server->times_told;
  const std::uint64_t before = ends.client->get().written();
  ends.client->write(pattern(1000));
  auto heard = co_await ends.server->read_exactly(1000);
  expect(heard.has_value() and ends.server->times_told == told + 1);
  expect(ends.client->get().written() - before < 1100_ul) << "in one record";
  expect(ends.client->get().queued() == 0_ul);
}

task<result<connection>> connect_in_time(tls_fixture& fixture) {
  co_return co_await with_timeout(50ms, fixture.connect());
}
task<result<connection>> accept_in_time(tls_fixture& fixture) {
  co_return co_await with_timeout(50ms, fixture.accept());
}

task<void> a_silent_server(loop& l) {
  tls_fixture fixture{l};
  auto silent = co_await when_all(connect_in_time(fixture), fixture.listener->accept());
  const auto& made = std::get<0>(silent);
  expect(fatal(made.has_error()));
  expect(made.error().code == errc::timed_out) << made.error().what;
}

task<void> a_silent_client(loop& l) {
  tls_fixture fixture{l};
  auto silent = co_await when_all(fixture.reach(), accept_in_time(fixture));
  expect(std::get<1>(silent).has_error());
  expect(std::get<1>(silent).error().code == errc::timed_out);
}

task<void> goes_away_in_the_handshake(loop& l) {
  tls_fixture fixture{l};
  scope leaving{co_await this_context()};
  struct script {
    static task<void> hang_up(tls_fixture& at) {
      auto accepted = co_await at.listener->accept();
      if (!accepted) co_return;
      auto hello = co_await accepted->read_some();
      ignore(hello, "whatever it says");
      accepted->consume(accepted->unread().size());
      co_await accepted->close();
    }
  };
  leaving.spawn(script::hang_up(fixture));
  auto made = co_await fixture.connect();
  co_await leaving.join();
  expect(fatal(made.has_error()));
  expect(made.error().what.find("during the handshake") != std::string::npos) << made.error().what;
}

task<void> speaks_no_tls(loop& l) {
  tls_fixture fixture{l};
  scope speaking{co_await this_context()};
  struct script {
    static task<void> plain(tls_fixture& at) {
      auto accepted = co_await at.listener->accept();
      if (!accepted) co_return;
      accepted->write("HTTP/1.1 400 Bad Request\r\n\r\n");
      auto sent = co_await accepted->shutdown();
      ignore(sent, "the other side may be gone");
      auto rest = co_await accepted->read_some();
      ignore(rest, "until it has heard");
    }
  };
  speaking.spawn(script::plain(fixture));
  auto made = co_await fixture.connect();
  co_await speaking.join();
  expect(fatal(made.has_error()));
  expect(made.error().code == errc::protocol and made.error().what.find("is it TLS at all") != std::string::npos)
      << made.error().what;
}

const suite<"tls stream"> tests = [] {
  const auto with_loop = [](task<void> (*body)(loop&)) {
    loop l;
    l.run(body(l));
  };
  "T-28 an exchange under TLS ends in good order, once"_test = [=] { with_loop(one_exchange); };
  "connecting, accepting and an exchange stopped at every step"_test = [] { every_step(one_exchange); };
  "megabytes go both ways at once"_test = [=] { with_loop(megabytes_both_ways); };
  "D08 T-28 an end without close_notify is not one in good order"_test = [=] { with_loop(truncated); };
  "a session is resumed by the next connections to the same place"_test = [=] { with_loop(resumes); };
  "a request leaves in one piece"_test = [=] { with_loop(one_system_call_for_a_request); };
  "D07 a server that stalls the handshake is given up in time"_test = [=] { with_loop(a_silent_server); };
  "D07 a client that stalls the handshake is given up in time"_test = [=] { with_loop(a_silent_client); };
  "D07 a peer that goes away in the handshake is named"_test = [=] { with_loop(goes_away_in_the_handshake); };
  "D07 a server that speaks no TLS is told apart"_test = [=] { with_loop(speaks_no_tls); };
};

}  // namespace tls_stream_test
