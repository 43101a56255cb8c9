// SPDX-License-Identifier: MIT
// What a connection under TLS holds while nothing happens on it: a pool keeps many of them.
#include <malloc.h>
#include <openssl/opensslv.h>

#include <string>
#include <vector>

#include "../../../runtime/async/when.hpp"
#include "../../../transports/tls/detail/tls_core.hpp"
#include "../../../transports/tls/tls_handshake.hpp"
#include "../../support/memory_use.hpp"
#include "../../support/run.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_memory_test {

using namespace hawser;
using testing::stream_end;
using testing::tls_fixture;

// In bytes, and exactly: what has been allocated and not freed.
std::size_t allocated() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) return __sanitizer_get_current_allocated_bytes();
  const auto use = mallinfo2();
  return use.uordblks + use.hblkhd;
}

struct both_ends {
  stream_end client;
  stream_end server;
};

task<std::unique_ptr<both_ends>> talked(tls_fixture& fixture) {
  auto both = co_await when_all(fixture.connect(), fixture.accept());
  expect(fatal(std::get<0>(both).has_value() and std::get<1>(both).has_value()));
  std::unique_ptr<both_ends> ends{
      new both_ends{stream_end{std::move(*std::get<0>(both))}, stream_end{std::move(*std::get<1>(both))}}};
  ends->client.write(std::string(50'000, 'q'));
  auto asked = co_await ends->server.read_exactly(50'000);
  expect(asked.has_value());
  ends->server.write(std::string(300'000, 'a'));
  auto answered = co_await ends->client.read_exactly(300'000);
  expect(answered.has_value());
  ends->client.get().trim();
  ends->server.get().trim();
  co_return std::move(ends);
}

enum class handshakes : bool { full, resumed };

task<std::size_t> per_connection(loop& l, handshakes kind) {
  tls_fixture fixture{l};
  // Who shakes hands in full keeps the server's certificates.
  if (kind == handshakes::full)
    SSL_CTX_set_session_cache_mode(fixture.client->core().context.get(), SSL_SESS_CACHE_OFF);
  constexpr std::size_t many = 100;
  std::vector<std::unique_ptr<both_ends>> idle;
  idle.reserve(many);
  for (int i = 0; i < 80; ++i) {  // until the sessions that are kept are as many as will ever be
    auto warm = co_await talked(fixture);
    static_cast<void>(warm);
  }
  const std::size_t before = allocated();
  for (std::size_t i = 0; i < many; ++i) {
    auto one = co_await talked(fixture);
    idle.push_back(std::move(one));
  }
  const std::size_t after = allocated();
  for (auto& ends : idle) {  // they live
    ends->client.write("still there?");
    auto heard = co_await ends->server.read_exactly(12);
    expect(heard.has_value());
  }
  expect(fixture.client->counters().resumed == (kind == handshakes::full ? 0U : many + 79));
  co_return (after - before) / (2 * many);
}

const suite<"tls memory"> tests = [] {
  // From 3.5 on OpenSSL keeps the larger keys of its post-quantum exchange, 8 kB, and 4 kB of its own.
  constexpr std::size_t most = OPENSSL_VERSION_NUMBER < 0x30500000L ? 24'000 : 40'000;
  "an idle connection holds at most 24 kB on either side, and 40 kB with OpenSSL 3.5"_test = [] {
    for (const handshakes kind : {handshakes::full, handshakes::resumed}) {
      loop l;
      const std::size_t bytes = l.run(per_connection(l, kind));
      expect(bytes > 1000_ul) << "something is measured";
      expect(bytes <= most) << bytes;
    }
  };
};

}  // namespace tls_memory_test
