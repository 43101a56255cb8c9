// SPDX-License-Identifier: MIT
// Requests through proxies, and over TLS behind them.
#include "../../../../transports/http/client/http_proxy.hpp"

#include "../../../../runtime/async/scope.hpp"
#include "../../../../transports/http/client/http_client.hpp"
#include "../../../../transports/http/server/http_server.hpp"
#include "../../../support/certificates.hpp"
#include "../../../support/scripted_http_server.hpp"
#include "../../../support/tcp_peers.hpp"

namespace http_proxy_test {

using namespace hawser;
using testing::certificate_authority;
using testing::received_request;
using testing::scripted_connection;
using testing::scripted_http_server;

class only_loopback final : public resolver {
 public:
  task<result<std::vector<ip_address>>> resolve(std::string host) override {
    asked.push_back(std::move(host));
    std::vector<ip_address> all{ip_address::loopback_v4()};
    co_return all;
  }
  std::vector<std::string> asked;
};

struct outcome {
  int status = 0;
  std::string body{};
  std::optional<error> failure{};
  [[nodiscard]] std::string said() const { return failure ? failure->what : std::to_string(status) + ' ' + body; }
  [[nodiscard]] bool mentions(std::string_view part) const { return said().find(part) != std::string::npos; }
};

task<outcome> one_post(loop& l, resolver& names, http_client_options options, std::string url) {
  http_client client{l, names, std::move(options)};
  outcome got;
  const http_url to = http_url::parse(url).value();
  {
    client_request post{.to = &to, .body = "{}"};
    auto answer = co_await client.fetch(post);
    if (!answer) {
      got.failure = answer.error();
    } else {
      got.status = answer->head().status;
      auto body = co_await answer->read_all(10'000);
      if (body) got.body = body->view();
    }
  }
  co_await client.close();
  co_return got;
}

outcome posted(http_client_options options, const std::string& url, only_loopback* names = nullptr) {
  loop l;
  only_loopback usual;
  return l.run(one_post(l, names != nullptr ? *names : usual, std::move(options), url));
}

// Both ways until one side ends.
task<void> pump(stream& from, stream& to) {
  for (;;) {
    auto bytes = co_await from.read_some();
    if (!bytes) break;
    to.write(*bytes);
    from.consume(bytes->size());
  }
  co_await to.close();
}

// A proxy that opens tunnels to one place, whatever it is asked for.
task<void> tunnels(tcp_listener& at, endpoint to, std::string* asked) {
  auto client = co_await at.accept();
  if (!client) co_return;
  while (client->unread().find("\r\n\r\n") == std::string_view::npos) {
    auto more = co_await client->read_some();
    if (!more) co_return;
  }
  *asked = client->unread();
  client->consume(client->unread().size());
  std::vector<endpoint> there{to};
  auto server = co_await tcp_connect(std::move(there));
  if (!server) co_return;
  client->write("HTTP/1.1 200 Connection Established\r\nX-Proxy: yes\r\n\r\n");
  scope both{co_await this_context()};
  both.spawn(pump(*client, *server));
  both.spawn(pump(*server, *client));
  co_await both.join();
}

task<void> greet(server_exchange& call) {
  call.reply(200, {}, "hello over TLS");
  co_return;
}

const suite<"http proxy"> tests = [] {
  "a proxy's url is parsed, and its password appears in no error"_test = [] {
    const auto plain = http_proxy::parse("proxy.example:3128");
    expect(plain.has_value() && plain->at.host == "proxy.example" && plain->at.port == 3128 &&
           plain->authorization.empty());
    const auto login = http_proxy::parse("http://ann:p%40ss@proxy.example:8080/");
    expect(login.has_value() && login->authorization == secret{"Basic YW5uOnBAc3M="});
    for (const char* bad : {"ftp://u:s3cret@p:1", "http://u:s3cret@:1", "https://u:s3cret@p:1", "http://u:s3cret@"}) {
      const auto refused = http_proxy::parse(bad);
      expect(refused.has_error()) << bad;
      if (refused.has_error()) expect(refused.error().what.find("s3cret") == std::string::npos) << refused.error().what;
    }
  };

  "who goes through a proxy: by scheme, never loopback, and not whom the list excepts"_test = [] {
    const proxy_rules rules{.for_http = "http://p:1",
                            .for_https = "http://p:2",
                            .except = "internal.example, .corp.example,10.0.0.1 ,[fe80::1]:80,port.example:444"};
    const auto through = [&](const char* url) -> int {
      const auto chosen = rules.choose(http_url::parse(url).value());
      return chosen.has_value() && chosen->has_value() ? (*chosen)->at.port : 0;
    };
    expect(through("http://a.example/") == 1_i && through("https://a.example/") == 2_i);
    for (const char* direct : {"http://localhost/", "http://127.0.0.1/", "http://[::1]/", "https://internal.example/",
                               "https://x.internal.example/", "https://a.corp.example/", "https://corp.example/",
                               "http://10.0.0.1:8080/", "https://port.example:444/"})
      expect(through(direct) == 0_i) << direct;
    for (const char* other :
         {"https://notinternal.example/", "https://acorp.example/", "https://port.example/", "http://110.0.0.1/"})
      expect(through(other) > 0_i) << other;
    expect(!proxy_rules{.for_http = "http://p:1", .except = "*"}
                .choose(http_url::parse("http://a.example/").value())
                ->has_value());
  };

  "a plain request names its origin to the proxy, which alone is resolved"_test = [] {
    received_request got;
    scripted_http_server proxy{[&](scripted_connection& with) {
      got = with.request().value();
      with.json("{}");
    }};
    only_loopback names;
    const outcome answer =
        posted({.proxies = {.for_http = "http://ann:secret@proxy.test:" + std::to_string(proxy.port())}},
               "http://remote.test:81/mcp", &names);
    expect(answer.status == 200_i) << answer.said();
    expect(got.head.starts_with("POST http://remote.test:81/mcp HTTP/1.1\r\nHost: remote.test:81\r\n")) << got.head;
    expect(got.field("Proxy-Authorization") == "Basic YW5uOnNlY3JldA==");
    expect(names.asked == std::vector<std::string>{"proxy.test"});
  };

  "TLS goes through a tunnel: the proxy sees the name and nothing else, the certificate is the server's"_test = [] {
    certificate_authority test_authority;
    const std::string good = test_authority.signed_file({.name = "remote", .hosts = {"remote.test"}});
    const std::string other = test_authority.signed_file({.name = "other", .hosts = {"other.test"}});
    for (const std::string& file : {good, other}) {
      auto serving = tls_context::server({.certificate_file = file});
      auto trusted = tls_context::client({.trust_file = test_authority.root_file()});
      expect(fatal(serving.has_value() && trusted.has_value()));
      outcome got;
      std::string asked;
      loop l;
      l.run([](loop& on, std::shared_ptr<tls_context> server_side, std::shared_ptr<tls_context> ours, outcome* into,
               std::string* seen) -> task<void> {
        auto server = http_server::listen(on, {.tls = std::move(server_side)});
        auto proxy = tcp_listener::listen(on, tcp_listener::loopback::v4, 0);
        expect(fatal(server.has_value() && proxy.has_value()));
        scope work{co_await this_context()};
        work.spawn(server->serve(greet));
        work.spawn(tunnels(*proxy, server->local(), seen));
        only_loopback names;
        http_client_options options{
            .proxies = {.for_https = "http://proxy.test:" + std::to_string(proxy->local().port)},
            .tls = std::move(ours)};
        *into = co_await one_post(on, names, std::move(options), "https://remote.test:8443/mcp");
        work.request_stop();
        co_await work.join();
      }(l, *serving, *trusted, &got, &asked));
      expect(asked.starts_with("CONNECT remote.test:8443 HTTP/1.1\r\nHost: remote.test:8443\r\n")) << asked;
      if (file == good) {
        expect(got.status == 200_i && got.body == "hello over TLS") << got.said();
      } else {
        expect(got.failure.has_value() && got.failure->executed == execution::no && got.mentions("remote.test"))
            << got.said();
      }
    }
  };

  "D11 a proxy that refuses a tunnel, or wants a login, is named with what to do"_test = [] {
    auto trusted = tls_context::client({});
    for (const auto& [status, hint] :
         {std::pair{"403 Forbidden", "403"}, std::pair{"407 Login", "login"}, std::pair{"502 Bad", "502"}}) {
      scripted_http_server proxy{[&](scripted_connection& with) {
        if (with.request()) with.reply(status, "text/plain", "no");
      }};
      http_client_options options{.proxies = {.for_https = "http://proxy.test:" + std::to_string(proxy.port())},
                                  .tls = trusted ? *trusted : nullptr};
      const outcome got = posted(std::move(options), "https://remote.test/mcp");
      expect(got.failure.has_value() && got.failure->executed == execution::no) << got.said();
      expect(got.mentions("proxy.test") && got.mentions(hint)) << got.said();
    }
  };

  "C31 TLS asked of a plain server, and a plain request to a TLS server, are readable errors"_test = [] {
    certificate_authority test_authority;
    auto trusted = tls_context::client({.trust_file = test_authority.root_file()});
    expect(fatal(trusted.has_value()));
    scripted_http_server plain{[](scripted_connection& with) {
      with.reply("400 Bad Request", "text/plain", "what?");  // as servers do to what is no request
      with.hang();
    }};
    const outcome got = posted({.tls = *trusted}, "https://remote.test:" + std::to_string(plain.port()) + "/mcp");
    expect(got.failure.has_value() && got.failure->executed == execution::no && got.mentions("TLS")) << got.said();
    outcome cleartext;
    loop l;
    l.run([](loop& on, std::string file, outcome* into) -> task<void> {
      auto context = tls_context::server({.certificate_file = std::move(file)});
      auto secure = http_server::listen(on, {.tls = context ? *context : nullptr});
      expect(fatal(secure.has_value()));
      scope work{co_await this_context()};
      work.spawn(secure->serve(greet));
      only_loopback names;
      std::string url = "http://remote.test:" + std::to_string(secure->local().port) + "/mcp";
      *into = co_await one_post(on, names, {}, std::move(url));
      work.request_stop();
      co_await work.join();
    }(l, test_authority.local_file(), &cleartext));
    expect(cleartext.failure.has_value()) << cleartext.said();
  };
};

}  // namespace http_proxy_test
