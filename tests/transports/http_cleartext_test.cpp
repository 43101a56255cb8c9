// SPDX-License-Identifier: MIT
// Where an HTTP client goes without TLS: which addresses it sends credentials to.
#include "../support/contains.hpp"
#include "../support/ut.hpp"
#include "http_visits.hpp"

namespace http_cleartext_test {

using namespace hawser;
using namespace hawser::testing::http_visits;
using testing::contains;
using testing::web_peer;
using testing::web_script;

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
    http_request post{.to = &to, .body = "{}"};
    if (kind.with_credentials) post.credentials = credentials;
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

void answers(web_peer& with) {
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
    const web_script server{answers};
    const auto got = asked({somewhere, ip_address::loopback_v4()}, server.port(), {{.with_credentials = true}}).front();
    expect(got.status == 200_i) << got.said();
    expect(server.seen().size() == 1_ul);
    expect(contains(server.seen().front().head, "t0ken"));
  };

  "SEC-4 a bearer token is not sent over plain http through a proxy, nor over a connection that was made without"_test =
      [] {
        const web_script proxy{answers};
        http_client_options options;
        options.proxies = {.for_http = proxy.origin()};
        const auto got = asked({somewhere}, 80, {{}, {.with_credentials = true}, {}}, options);
        expect(got.at(0).status == 200_i and got.at(2).status == 200_i) << got.at(0).said() << got.at(2).said();
        expect(got.at(1).failed_with(errc::config, execution::no)) << got.at(1).said();
        expect(mentions(got.at(1), "proxy")) << got.at(1).said();
        for (const auto& one : proxy.seen()) expect(!contains(one.head, "t0ken"));
      };

};

}  // namespace http_cleartext_test
