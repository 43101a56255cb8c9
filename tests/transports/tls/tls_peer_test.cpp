// SPDX-License-Identifier: MIT
// TLS against peers that are not ours.
#include <openssl/err.h>

#include <string>
#include <thread>

#include "../../../transports/tls/tls_handshake.hpp"
#include "../../support/openssl_peer.hpp"
#include "../../support/run.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_peer_test {

using namespace hawser;
using testing::certificate_authority;
using testing::contains;
using testing::openssl_client;
using testing::openssl_server;
using testing::stream_end;
using testing::tls_fixture;

using connection = std::unique_ptr<byte_stream>;

std::string read_all(SSL* from, std::size_t count) {
  std::string text(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    std::size_t more = 0;
    if (SSL_read_ex(from, text.data() + have, count - have, &more) != 1) break;
    have += more;
  }
  text.resize(have);
  return text;
}

void write_all(SSL* to, const std::string& text) {
  std::size_t taken = 0;
  SSL_write_ex(to, text.data(), text.size(), &taken);
}

std::shared_ptr<tls_context> trusting(certificate_authority& test_authority) {
  auto made = tls_context::client({.trust_file = test_authority.root_file()});
  expect(fatal(made.has_value()));
  return *made;
}

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

void only_old(SSL_CTX* context) {
  SSL_CTX_set_security_level(context, 0);  // else OpenSSL would refuse by itself
  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
}
void at_most_1_2(SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION); }

task<result<std::string>> serve_five(tls_fixture& fixture) {
  auto made = co_await fixture.accept();
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  auto heard = co_await end.read_exactly(5);
  if (!heard) co_return heard.error();
  end.write("answer to " + *heard);
  auto ended = co_await end.get().shutdown();
  if (!ended) co_return ended.error();
  co_return *heard;
}

// Our server on this thread, OpenSSL's client on another.
result<std::string> serve_openssl(const std::function<void(SSL_CTX*)>& arrange,
                                  const std::function<std::string(SSL*)>& play, std::string& client_says) {
  loop l;
  tls_fixture fixture{l};
  const endpoint at = fixture.at();
  std::thread other{[&] { client_says = openssl_client(at, arrange, play); }};
  auto served = l.run(serve_five(fixture));
  other.join();
  return served;
}

const suite<"tls peer"> tests = [] {
  "OpenSSL's own server is understood, in TLS 1.2 and 1.3"_test = [] {
    for (const bool old : {false, true}) {
      certificate_authority test_authority;
      std::string name;
      openssl_server server{test_authority.local_file(), old ? at_most_1_2 : openssl_server::arrangement{},
                            [&](SSL* ssl) {
                              name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
                              write_all(ssl, read_all(ssl, 5));
                              SSL_shutdown(ssl);
                            }};
      auto heard = testing::run(converse(server.at(), trusting(test_authority), "hello", 5));
      server.wait();
      expect(heard.has_value() and *heard == "hello") << (heard ? "" : heard.error().what);
      expect(name == "localhost") << "SNI";
    }
  };
  "D08 OpenSSL's server ends without a close_notify"_test = [] {
    certificate_authority test_authority;
    openssl_server server{test_authority.local_file(), {}, [](SSL* ssl) { write_all(ssl, read_all(ssl, 5)); }};
    auto heard = testing::run(converse(server.at(), trusting(test_authority), "hello", 5));
    expect(heard.has_error() and heard.error().code == errc::io and contains(heard.error().what, "truncated"));
  };
  "D07 T-28 a server that knows TLS 1.1 at most is refused"_test = [] {
    certificate_authority test_authority;
    openssl_server server{test_authority.local_file(), only_old, [](SSL*) {}};
    auto made = testing::run(converse(server.at(), trusting(test_authority), "hello", 5));
    server.wait();
    expect(fatal(made.has_error()));
    expect(made.error().code == errc::protocol and contains(made.error().what, "protocol version"))
        << made.error().what;
    expect(not server.shook_hands);
  };
  "D07 T-28 a client that knows TLS 1.1 at most is refused"_test = [] {
    std::string said;
    auto served = serve_openssl(only_old, [](SSL*) { return std::string{}; }, said);
    expect(served.has_error() and contains(served.error().what, "unsupported protocol"));
    expect(said == "no handshake");
  };
  "D07 a server that wants to renegotiate is not obeyed"_test = [] {
    certificate_authority test_authority;
    bool obeyed = false;
    openssl_server server{test_authority.local_file(), at_most_1_2, [&](SSL* ssl) {
                            write_all(ssl, read_all(ssl, 5));
                            SSL_renegotiate(ssl);
                            SSL_do_handshake(ssl);  // asks
                            read_all(ssl, 1);       // the answer
                            obeyed = SSL_renegotiate_pending(ssl) == 0 && SSL_is_init_finished(ssl) == 1 &&
                                     ERR_peek_error() == 0;
                          }};
    auto heard = testing::run(converse(server.at(), trusting(test_authority), "hello", 5));
    server.wait();
    expect(not obeyed);
    expect(heard.has_error()) << "OpenSSL's server gives up then";
  };
  "D07 a client that wants to renegotiate is not obeyed"_test = [] {
    std::string said;
    const auto play = [](SSL* ssl) {
      SSL_renegotiate(ssl);
      return SSL_do_handshake(ssl) == 1 ? "renegotiated" : std::string{ERR_reason_error_string(ERR_peek_error())};
    };
    auto served = serve_openssl(at_most_1_2, play, said);
    expect(said == "no renegotiation") << said;
    expect(served.has_error());
  };
  "OpenSSL's own client is understood, and a protocol that is not HTTP/1.1 refused"_test = [] {
    const auto play = [](SSL* ssl) {
      write_all(ssl, "hello");
      return read_all(ssl, 100);
    };
    std::string said;
    auto served = serve_openssl({}, play, said);
    expect(served.has_value() and said == "answer to hello") << said;
    served = serve_openssl(
        [](SSL_CTX* context) { SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>("\x02h2"), 3); },
        play, said);
    expect(served.has_error() and said == "no handshake");
  };
};

}  // namespace tls_peer_test
