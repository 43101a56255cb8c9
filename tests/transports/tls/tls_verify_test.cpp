// SPDX-License-Identifier: MIT
// Whom TLS believes: every kind of wrong certificate, on either side, and files that cannot be used.
#include <filesystem>
#include <string>

#include "../../../runtime/async/when.hpp"
#include "../../../transports/tls/tls_handshake.hpp"
#include "../../support/contains.hpp"
#include "../../support/run.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_verify_test {

using namespace hawser;
using namespace std::string_literals;
using testing::certificate_authority;
using testing::certificate_options;
using testing::contains;
using testing::credential;
using testing::stream_end;
using testing::tls_fixture;
using testing::tls_fixture_options;

struct outcome {
  bool made = false;
  error why{};
  bool server_made = false;
};

task<outcome> meet(loop& l, tls_fixture_options options, std::string host) {
  tls_fixture fixture{l, options};
  auto both = co_await when_all(fixture.connect(std::move(host)), fixture.accept());
  outcome o{.made = std::get<0>(both).has_value(), .server_made = std::get<1>(both).has_value()};
  if (!o.made) o.why = std::get<0>(both).error();
  expect(fixture.client->counters().handshakes == (o.made ? 1U : 0U));
  co_return o;
}

outcome meeting(std::function<std::string(certificate_authority&)> certificate, std::string host = "localhost") {
  loop l;
  tls_fixture_options options;
  options.certificate = std::move(certificate);
  return l.run(meet(l, std::move(options), std::move(host)));
}

outcome meeting(certificate_options wish, std::string host = "localhost") {
  return meeting([wish = std::move(wish)](certificate_authority& o) { return o.signed_file(wish); }, std::move(host));
}

// The error says which host, what is wrong, and of which certificate; the server has not shaken hands, so that no byte
// of an application can have been sent.
void refused(const outcome& o, const std::string& reason, const std::string& subject, const std::string& host) {
  expect(not o.made and not o.server_made);
  expect(o.why.code == errc::protocol and o.why.executed == execution::no);
  expect(contains(o.why.what, "\"" + host + "\"")) << o.why.what;
  expect(contains(o.why.what, reason)) << o.why.what;
  expect(contains(o.why.what, subject)) << o.why.what;
}

task<result<void>> handshake(tls_fixture& fixture) {
  auto both = co_await when_all(fixture.connect(), fixture.accept());
  if (!std::get<0>(both)) co_return std::get<0>(both).error();
  co_return result<void>{};
}

task<result<std::string>> first_words(tls_fixture& fixture, std::shared_ptr<tls_context> as) {
  auto made = co_await fixture.connect_by(std::move(as), "localhost");
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  end.write("hello");
  co_return co_await end.read_exactly(5);
}

task<result<std::string>> echo_five(tls_fixture& fixture) {
  auto made = co_await fixture.accept();
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  auto heard = co_await end.read_exactly(5);
  if (!heard) co_return heard.error();
  end.write(*heard);
  auto ended = co_await end.get().shutdown();
  if (!ended) co_return ended.error();
  co_return heard;
}

task<void> client_certificates(loop& l) {
  tls_fixture_options options;
  options.asks_clients = true;
  tls_fixture fixture{l, options};
  auto good = fixture.trusting(fixture.test_authority.signed_file({.name = "a good client"}));
  auto welcome = co_await when_all(first_words(fixture, good), echo_five(fixture));
  expect(std::get<0>(welcome).has_value() and std::get<1>(welcome).has_value());
  auto again = co_await when_all(first_words(fixture, good), echo_five(fixture));
  expect(std::get<0>(again).has_value() and std::get<1>(again).has_value());
  expect(fixture.server->counters().resumed == 1_ul) << "a session remembers the client";

  auto nobody = co_await when_all(first_words(fixture, fixture.client), echo_five(fixture));
  expect(fatal(std::get<0>(nobody).has_error() and std::get<1>(nobody).has_error()));
  // With TLS 1.3 the client has shaken hands when it hears of it: D07, an alert in the middle of the stream.
  expect(contains(std::get<0>(nobody).error().what, "certificate required")) << std::get<0>(nobody).error().what;
  expect(std::get<0>(nobody).error().code == errc::protocol);
  expect(contains(std::get<1>(nobody).error().what, "peer did not return a certificate"))
      << std::get<1>(nobody).error().what;

  const credential stranger{{.name = "a stranger"}};
  auto strange = fixture.trusting(fixture.test_authority.file(stranger.certificate() + stranger.key()));
  auto unknown = co_await when_all(first_words(fixture, strange), echo_five(fixture));
  expect(fatal(std::get<0>(unknown).has_error() and std::get<1>(unknown).has_error()));
  expect(contains(std::get<1>(unknown).error().what, "CN=a stranger")) << std::get<1>(unknown).error().what;
}

void unusable(const tls_settings& settings, const std::string& file, const std::string& reason) {
  auto made = tls_context::client(settings);
  expect(fatal(made.has_error())) << file;
  expect(made.error().code == errc::config);
  expect(contains(made.error().what, file)) << made.error().what;
  expect(contains(made.error().what, reason)) << made.error().what;
}

const suite<"tls verify"> tests = [] {
  "a good chain is believed for its host and its addresses"_test = [] {
    const certificate_options wish{
        .name = "x", .hosts = {"localhost", "*.example.org"}, .addresses = {"127.0.0.1", "::1"}};
    for (const std::string host : {"localhost", "127.0.0.1", "::1", "a.example.org", "LOCALHOST"}) {
      const outcome o = meeting(wish, host);
      expect(o.made and o.server_made) << host << o.why.what;
    }
  };
  "a chain in an odd order, with the root in it, is believed"_test = [] {
    const outcome o = meeting([](certificate_authority& test_authority) {
      const credential leaf{{.name = "x", .hosts = {"localhost"}}, &test_authority.intermediate()};
      return test_authority.file(leaf.certificate() + test_authority.root().certificate() +
                                 test_authority.intermediate().certificate() + leaf.key());
    });
    expect(o.made) << o.why.what;
  };
  "an authority in the middle is enough if it is named, and a server's own certificate too"_test = [] {
    for (const bool leaf_itself : {false, true}) {
      loop l;
      tls_fixture fixture{l};
      const credential own{{.name = "own", .hosts = {"localhost"}}};
      if (leaf_itself)
        fixture.server =
            *tls_context::server({.certificate_file = fixture.test_authority.file(own.certificate() + own.key())});
      const credential& named = leaf_itself ? own : fixture.test_authority.intermediate();
      fixture.client = *tls_context::client({.ca_file = fixture.test_authority.file(named.certificate())});
      auto made = l.run(handshake(fixture));
      expect(made.has_value()) << made.error().what;
    }
  };
  "D06 T-28 a certificate for another host is refused"_test = [] {
    refused(meeting({.name = "localhost", .hosts = {"example.org"}}), "hostname mismatch", "CN=localhost", "localhost");
    const certificate_options wild{.name = "x", .hosts = {"*.example.org", "a*.example.net", "*"}};
    for (const std::string host : {"a.b.example.org", "example.org", "ab.example.net", "localhost"})
      refused(meeting(wild, host), "hostname mismatch", "CN=x", host);
  };
  "D06 T-28 a common name is no host name"_test = [] {
    refused(meeting({.name = "localhost"}), "hostname mismatch", "CN=localhost", "localhost");
  };
  "D06 T-28 an address needs a name of its own kind in the certificate"_test = [] {
    refused(meeting({.name = "127.0.0.1", .hosts = {"localhost"}}, "127.0.0.1"), "IP address mismatch", "CN=127.0.0.1",
            "127.0.0.1");
    refused(meeting({.name = "x", .hosts = {"127.0.0.1"}}, "127.0.0.1"), "IP address mismatch", "CN=x", "127.0.0.1");
    refused(meeting({.name = "x", .addresses = {"127.0.0.1"}}, "::1"), "IP address mismatch", "CN=x", "::1");
  };
  "D06 T-28 a zero byte in a name does not end it"_test = [] {
    const std::string name = "localhost\0.evil.example"s;
    const outcome o = meeting({.name = name, .hosts = {name}});
    refused(o, "hostname mismatch", "CN=localhost\\00.evil.example", "localhost");
  };
  "D06 T-28 an expired certificate is refused, and one that is not valid yet"_test = [] {
    refused(meeting({.name = "old", .hosts = {"localhost"}, .first_day = -9, .last_day = -1}),
            "certificate has expired", "CN=old", "localhost");
    refused(meeting({.name = "new", .hosts = {"localhost"}, .first_day = 2}), "certificate is not yet valid", "CN=new",
            "localhost");
  };
  "D06 T-28 a self-signed certificate is refused"_test = [] {
    const outcome o = meeting([](certificate_authority& test_authority) {
      const credential alone{{.name = "alone", .hosts = {"localhost"}}};
      return test_authority.file(alone.certificate() + alone.key());
    });
    refused(o, "self-signed certificate", "CN=alone", "localhost");
  };
  "D06 T-28 a chain without its intermediate is refused"_test = [] {
    const outcome o = meeting([](certificate_authority& test_authority) {
      const credential leaf{{.name = "orphan", .hosts = {"localhost"}}, &test_authority.intermediate()};
      return test_authority.file(leaf.certificate() + leaf.key());
    });
    refused(o, "unable to get local issuer certificate", "issued by \"CN=Hawser test intermediate\"", "localhost");
    expect(contains(o.why.what, "CN=orphan"));
  };
  "D06 T-28 a chain to an unknown root is refused"_test = [] {
    const outcome o = meeting([](certificate_authority& test_authority) {
      const credential root{{.name = "evil root", .authority = true}};
      const credential leaf{{.name = "x", .hosts = {"localhost"}}, &root};
      return test_authority.file(leaf.certificate() + root.certificate() + leaf.key());
    });
    refused(o, "self-signed certificate in certificate chain", "CN=evil root", "localhost");
  };
  "CMD-11 a certificate of an unknown authority names tls.ca, and one that is wrong does not"_test = [] {
    const outcome alone = meeting([](certificate_authority& test_authority) {
      const credential one{{.name = "alone", .hosts = {"localhost"}}};
      return test_authority.file(one.certificate() + one.key());
    });
    const outcome orphan = meeting([](certificate_authority& test_authority) {
      const credential leaf{{.name = "orphan", .hosts = {"localhost"}}, &test_authority.intermediate()};
      return test_authority.file(leaf.certificate() + leaf.key());
    });
    const outcome rooted = meeting([](certificate_authority& test_authority) {
      const credential root{{.name = "own root", .authority = true}};
      const credential leaf{{.name = "x", .hosts = {"localhost"}}, &root};
      return test_authority.file(leaf.certificate() + root.certificate() + leaf.key());
    });
    for (const outcome* one : {&alone, &orphan, &rooted})
      expect(contains(one->why.what, "name a file with its certificate, or with that of its authority, as tls.ca"))
          << one->why.what;
    const outcome expired = meeting({.name = "old", .hosts = {"localhost"}, .first_day = -9, .last_day = -2});
    expect(not expired.made and not contains(expired.why.what, "tls.ca")) << expired.why.what;
  };
  "D06 T-28 a leaf cannot sign another one"_test = [] {
    const outcome o = meeting([](certificate_authority& test_authority) {
      const credential leaf{{.name = "a mere leaf", .hosts = {"example.org"}}, &test_authority.intermediate()};
      const credential forged{{.name = "forged", .hosts = {"localhost"}}, &leaf};
      return test_authority.file(forged.certificate() + leaf.certificate() +
                                 test_authority.intermediate().certificate() + forged.key());
    });
    refused(o, "invalid CA certificate", "CN=a mere leaf", "localhost");
  };
  "a host that no certificate can be for is an error of the settings"_test = [] {
    for (const std::string& host : {""s, "local\0host"s, std::string(300, 'a')}) {
      const outcome o = meeting({.name = "x", .hosts = {"localhost"}}, host);
      expect(not o.made and o.why.code == errc::config) << o.why.what;
    }
  };
  "client certificates are shown, asked for and verified"_test = [] {
    loop l;
    l.run(client_certificates(l));
  };
  "D10 authorities that cannot be read are named, and nothing is trusted instead"_test = [] {
    certificate_authority test_authority;
    const std::string missing = test_authority.folder() / "missing.pem";
    const std::string empty = test_authority.file("");
    const std::string rubbish = test_authority.file("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    unusable({.trust_file = missing}, missing, "No such file");
    unusable({.ca_file = missing}, missing, "No such file");
    unusable({.trust_folder = missing}, missing, "no folder");
    unusable({.trust_file = test_authority.folder().path}, test_authority.folder().path, "");
    unusable({.trust_file = empty}, empty, "no certificate or crl found");
    unusable({.ca_file = rubbish}, rubbish, "");
  };
  "a certificate or key that cannot be used is named, and no passphrase is asked for"_test = [] {
    certificate_authority test_authority;
    const std::string root = test_authority.root_file();
    const std::string good = test_authority.local_file();
    const credential one{{.name = "one"}, &test_authority.root()};
    const credential two{{.name = "two"}, &test_authority.root()};
    const std::string certificate = test_authority.file(one.certificate());
    const std::string others_key = test_authority.file(two.key());
    const std::string locked = test_authority.file(one.key("secret"));
    unusable({.trust_file = root, .certificate_file = "/no/such.pem"}, "/no/such.pem", "No such file");
    unusable({.trust_file = root, .certificate_file = certificate}, certificate, "key");
    unusable({.trust_file = root, .certificate_file = certificate, .key_file = others_key}, others_key, "mismatch");
    unusable({.trust_file = root, .certificate_file = certificate, .key_file = locked}, locked, "");
    unusable({.trust_file = root, .key_file = locked}, locked, "without a certificate");
    auto served = tls_context::server({.certificate_file = good, .client_ca = "/no/such.pem"});
    expect(served.has_error() and contains(served.error().what, "/no/such.pem"));
  };
  "the system's authorities, where it has some, are found; the test's are not among them"_test = [] {
    auto made = tls_context::client({});
    expect(made.has_value() or made.error().code == errc::config);
    if (!made) return;
    loop l;
    tls_fixture fixture{l};
    fixture.client = *made;
    auto refusal = l.run(handshake(fixture));
    expect(refusal.has_error());
  };
};

}  // namespace tls_verify_test
