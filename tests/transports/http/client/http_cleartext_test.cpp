// SPDX-License-Identifier: MIT
// Where an HTTP client goes without TLS: which addresses it sends credentials to, and which a name may move to.
#include "../../../support/contains.hpp"
#include "../../../support/ut.hpp"
#include "http_client_fixture.hpp"

namespace http_cleartext_test {

using namespace hawser;
using namespace hawser::testing::http_client_fixture;
using testing::contains;
using testing::scripted_connection;
using testing::scripted_http_server;

const std::string credentials = "Authorization: Bearer t0ken\r\n";
const ip_address somewhere = ip_address::v4({203, 0, 113, 5});

// Every name has these addresses.
class given_names final : public resolver {
 public:
  explicit given_names(std::vector<ip_address> all) : all_(std::move(all)) {}
  task<result<std::vector<ip_address>>> resolve(std::string host) override {
    const auto literal = ip_address::parse(host);
    co_return literal ? std::vector{*literal} : all_;
  }

 private:
  std::vector<ip_address> all_;
};

struct request_kind {
  bool with_credentials = false;
};

task<void> asking(loop& l, resolver& names, http_client_options options, http_url to, std::vector<request_kind> kinds,
                  std::vector<outcome>* into) {
  http_client client{l, names, std::move(options)};
  for (const request_kind& kind : kinds) {
    client_request post{.to = &to, .body = "{}"};
    if (kind.with_credentials) post.credential_fields = credentials;
    const outcome got = co_await ask(client, post);
    into->push_back(got);
  }
  co_await client.close();
}

std::vector<outcome> asked(const std::vector<ip_address>& addresses, std::uint16_t port,
                           std::vector<request_kind> kinds, http_client_options options = {}) {
  given_names names{addresses};
  const http_url to = http_url::parse("http://mcp.example:" + std::to_string(port) + "/mcp").value();
  std::vector<outcome> got;
  loop l;
  l.run(asking(l, names, std::move(options), to, std::move(kinds), &got));
  return got;
}

void answers(scripted_connection& with) {
  while (with.request()) with.json("{}");
}

const suite<"http cleartext"> tests = [] {
  "SEC-4 a bearer token is not sent over plain http to an address that is not loopback"_test = [] {
    const auto got = asked({somewhere}, 80, {{.with_credentials = true}}).front();
    expect(got.failed_with(errc::config, execution::no)) << got.said();
    expect(mentions(got, "plain http") && mentions(got, "203.0.113.5") && mentions(got, "https")) << got.said();
    expect(!mentions(got, "t0ken"));
  };

  "SEC-4 a bearer token is sent over plain http to the loopback addresses of a name, and to no other"_test = [] {
    const scripted_http_server server{answers};
    const auto got = asked({somewhere, ip_address::loopback_v4()}, server.port(), {{.with_credentials = true}}).front();
    expect(got.status == 200_i) << got.said();
    expect(server.seen().size() == 1_ul);
    expect(contains(server.seen().front().head, "t0ken"));
  };

  "SEC-4 a bearer token is not sent over plain http through a proxy, nor over a connection that was made without"_test =
      [] {
        const scripted_http_server proxy{answers};
        http_client_options options;
        options.proxies = {.for_http = proxy.origin()};
        const auto got = asked({somewhere}, 80, {{}, {.with_credentials = true}, {}}, options);
        expect(got.at(0).status == 200_i and got.at(2).status == 200_i) << got.at(0).said() << got.at(2).said();
        expect(got.at(1).failed_with(errc::config, execution::no)) << got.at(1).said();
        expect(mentions(got.at(1), "proxy")) << got.at(1).said();
        for (const auto& one : proxy.seen()) expect(!contains(one.head, "t0ken"));
      };

  "SEC-5 a public name that later resolves to loopback is not connected to over plain http"_test = [] {
    const scripted_http_server server{answers};
    for (const network_zone before : {network_zone::open, network_zone::internal}) {
      http_client_options options;
      options.zones = std::make_shared<zone_cache>();
      options.zones->note("mcp.example", before);
      const auto got = asked({ip_address::loopback_v4()}, server.port(), {{}}, options).front();
      expect(got.failed_with(errc::protocol, execution::no)) << got.said();
      expect(mentions(got, "127.0.0.1") && mentions(got, "first connection")) << got.said();
    }
    expect(server.connections() == 0_i);
  };

  "SEC-5 only the addresses of a name that lie no further inward than at the first connection are used"_test = [] {
    const scripted_http_server server{answers};
    http_client_options options;
    options.timeouts.connect = std::chrono::milliseconds{100};  // nobody is at the other address
    options.zones = std::make_shared<zone_cache>();
    options.zones->note("mcp.example", network_zone::open);
    const auto got = asked({ip_address::loopback_v4(), somewhere}, server.port(), {{}}, options).front();
    expect(got.failure.has_value()) << got.said();
    expect(server.connections() == 0_i);
  };

  "SEC-5 the zone of the first connection is remembered, by host and for all who share the memory"_test = [] {
    const scripted_http_server server{answers};
    http_client_options options;
    options.zones = std::make_shared<zone_cache>();
    expect(!options.zones->first("mcp.example").has_value());
    const auto got = asked({ip_address::loopback_v4()}, server.port(), {{}, {}}, options);
    expect(got.at(0).status == 200_i and got.at(1).status == 200_i) << got.at(0).said();
    expect(options.zones->first("mcp.example") == network_zone::loopback);
    options.zones->note("mcp.example", network_zone::open);
    expect(options.zones->first("mcp.example") == network_zone::loopback) << "the first one counts";
    expect(!options.zones->first("other.example").has_value());
  };

  "SEC-5 a connection that failed is not remembered"_test = [] {
    std::uint16_t port = 0;
    {
      const scripted_http_server gone{answers};
      port = gone.port();
    }
    http_client_options options;
    options.zones = std::make_shared<zone_cache>();
    const auto got = asked({ip_address::loopback_v4()}, port, {{}}, options).front();
    expect(got.failure.has_value());
    expect(!options.zones->first("mcp.example").has_value());
  };
};

}  // namespace http_cleartext_test
