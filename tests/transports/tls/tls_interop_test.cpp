// SPDX-License-Identifier: MIT
// TLS with programs that other people wrote, where the system has them: node serves us, curl is served by us.
#include <charconv>
#include <string>

#include "../../../runtime/async/when.hpp"
#include "../../../runtime/process/keeper.hpp"
#include "../../../transports/tls/tls_handshake.hpp"
#include "../../support/run.hpp"
#include "../../support/tls_fixture.hpp"
#include "../../support/ut.hpp"

namespace tls_interop_test {

using namespace hawser;
using testing::certificate_authority;
using testing::stream_end;
using testing::tls_fixture;

// One request on a connection of its own.
task<result<std::string>> ask(std::uint16_t port, std::shared_ptr<tls_context> with) {
  std::vector<endpoint> only{endpoint{ip_address::loopback_v4(), port}};
  auto reached = co_await tcp_connect(std::move(only));
  if (!reached) co_return reached.error();
  auto made = co_await tls_connect(std::move(*reached), std::move(with), "localhost", port);
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  end.write("GET /twice HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  co_return co_await end.read_to_end();
}

task<void> node_serves(loop& l) {
  certificate_authority test_authority;
  const std::string file = test_authority.local_file();
  keeper starter{l};
  command node{.program = "node",
               .arguments = {"-e",
                             "const pem = require('fs').readFileSync(process.argv[1]);"
                             "require('https').createServer({key: pem, cert: pem}, (q, s) =>"
                             " s.end(q.url + ' ' + q.socket.getProtocol() + ' ' + q.socket.servername))"
                             ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
                             file}};
  auto started = co_await starter.spawn(std::move(node));
  if (!started) {
    cfg<override>.skip_this("there is no node here");
  } else {
    std::uint16_t port = 0;
    while (started->output().unread().find('\n') == std::string_view::npos) {
      auto said = co_await started->output().read_some();
      if (!said) break;
    }
    const std::string_view line = started->output().unread();
    std::from_chars(line.data(), line.data() + line.size(), port);
    expect(port != 0);
    auto client = tls_context::client({.trust_file = test_authority.root_file()});
    expect(fatal(client.has_value()));
    for (int i = 0; i < 2; ++i) {
      auto answer = co_await ask(port, *client);
      expect(fatal(answer.has_value())) << answer.error().what;
      expect(answer->find("HTTP/1.1 200 OK") == 0_ul) << *answer;
      expect(answer->find("/twice TLSv1.3 localhost") != std::string::npos) << *answer;
    }
    expect((*client)->counters().handshakes == 2_ul and (*client)->counters().resumed == 1_ul);
    auto ended = co_await started->shutdown({});
    expect(ended.has_value());
  }
  auto closed = co_await starter.close();
  expect(closed.has_value());
}

task<result<void>> answer_one(tls_fixture& fixture) {
  auto made = co_await fixture.accept();
  if (!made) co_return made.error();
  stream_end end{std::move(*made)};
  auto head = co_await end.read_until("\r\n\r\n");
  if (!head) co_return head.error();
  end.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nserved");  // its end is the end of the stream
  co_return co_await end.get().shutdown();
}

task<result<std::string>> all_of(stream& from) {
  while (true) {
    auto more = co_await from.read_some();
    if (!more) co_return std::string{from.unread()};
  }
}

task<void> curl_is_served(loop& l) {
  tls_fixture fixture{l};
  keeper starter{l};
  const std::string url = "https://localhost:" + std::to_string(fixture.at().port) + "/";
  command curl{.program = "curl",
               .arguments = {"-sS", "--ipv4", "--noproxy", "*", "--max-time", "20", "--http1.1", "--cacert",
                             fixture.test_authority.root_file(), url}};
  auto started = co_await starter.spawn(std::move(curl));
  if (!started) {
    cfg<override>.skip_this("there is no curl here");
  } else {
    auto both = co_await when_all(answer_one(fixture), all_of(started->output()));
    expect(std::get<0>(both).has_value()) << std::get<0>(both).error().what;
    expect(*std::get<1>(both) == "served") << *std::get<1>(both);
    auto ended = co_await started->shutdown({});
    expect(ended.has_value());
  }
  auto closed = co_await starter.close();
  expect(closed.has_value());
}

const suite<"tls interop"> tests = [] {
  "node's server is understood, and resumes the session"_test = [] {
    loop l;
    l.run(node_serves(l));
  };
  "curl is served, and believes an answer that ends with a close_notify"_test = [] {
    loop l;
    l.run(curl_is_served(l));
  };
};

}  // namespace tls_interop_test
