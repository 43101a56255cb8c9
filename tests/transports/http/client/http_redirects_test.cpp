// SPDX-License-Identifier: MIT
// Where an HTTP client goes when a server, or a name, leads it on, and where it never goes.
#include "../../../support/ut.hpp"
#include "http_client_fixture.hpp"

namespace http_redirects_test {

using namespace hawser;
using namespace hawser::testing::http_client_fixture;
using testing::scripted_connection;
using testing::scripted_http_server;

// Every name has the address the test gave it.
class fixed_names final : public resolver {
 public:
  explicit fixed_names(std::vector<ip_address> all) : all_(std::move(all)) {}
  task<result<std::vector<ip_address>>> resolve(std::string /*host*/) override {
    ++asked;
    co_return all_;
  }
  int asked = 0;

 private:
  std::vector<ip_address> all_;
};

const suite<"http client"> tests = [] {
  "C12 T-16 a redirect is followed within the origin, with the same request, three times"_test = [] {
    outcome got;
    std::vector<std::string> targets;
    const auto hops = [&](scripted_connection& with) {
      while (auto asked = with.request()) {
        targets.push_back(asked->head.substr(0, asked->head.find(" HTTP")));
        const std::size_t hop = targets.size();
        if (hop <= 3) {
          with.reply(hop % 2 == 0 ? "307 Elsewhere" : "308 Elsewhere", "text/plain", "",
                     "Location: /hop" + std::to_string(hop) + "\r\n");
        } else {
          with.json(asked->body);
        }
      }
    };
    with_server(hops, [&](http_client& client, const http_url& to) { return one_post(client, to, &got); });
    expect(got.status == 200_i && got.body == "{}") << got.said();
    expect(targets.back() == "POST /hop3");
  };

  "C12 a redirect without end is an error"_test = [] {
    const outcome got = answer_of([](scripted_connection& with) {
      while (with.request()) with.reply("307 Elsewhere", "text/plain", "", "Location: /again\r\n");
    });
    expect(got.failed_with(errc::protocol, execution::no) && mentions(got, "too often")) << got.said();
  };

  "T-16 no credential leaves the origin: other hosts, ports, schemes and changed methods are refused"_test = [] {
    scripted_http_server elsewhere{[](scripted_connection& with) {
      while (with.request()) with.json("{}");
    }};
    const std::string port = std::to_string(elsewhere.port());
    for (const int status : {301, 302, 303, 307, 308}) {
      for (const std::string& to :
           {"http://127.0.0.1:" + port + "/", "http://localhost:" + port + "/", "https://127.0.0.1:" + port + "/",
            "//127.0.0.1:" + port + "/", std::string{"javascript:alert(1)"}, std::string{"file:///etc/passwd"}}) {
        const outcome got = answer_of([&](scripted_connection& with) {
          if (with.request())
            with.reply(std::to_string(status) + " Elsewhere", "text/plain", "", "Location: " + to + "\r\n");
        });
        expect(got.failure.has_value() && got.failure->code == errc::protocol && mentions(got, "refused"))
            << status << to << got.said();
      }
    }
    const outcome changed = answer_of([&](scripted_connection& with) {
      if (with.request()) with.reply("303 See Other", "text/plain", "", "Location: /mcp\r\n");
    });
    expect(changed.failed_with(errc::protocol, execution::unknown)) << changed.said();
    expect(elsewhere.connections() == 0_i);
  };

  "T-15 D03 only addresses that were checked are connected to, and link-local ones never"_test = [] {
    fixed_names metadata{{ip_address::v4({169, 254, 169, 254})}};
    const outcome refused = answer_of([](scripted_connection&) {}, {.names = &metadata});
    expect(refused.failed_with(errc::protocol, execution::no) && mentions(refused, "169.254.169.254"))
        << refused.said();
    fixed_names rebinding{{ip_address::loopback_v4()}};
    outcome got;
    with_server([](scripted_connection&) {},
                [&](http_client& client, const http_url& to) -> task<void> {
                  client_request learned{.to = &to, .body = "{}", .innermost = network_zone::open};
                  got = co_await ask(client, std::move(learned));
                },
                {.names = &rebinding});
    expect(got.failed_with(errc::protocol, execution::no) && mentions(got, "further inward")) << got.said();
    expect(rebinding.asked == 1_i) << "resolved once, and that is what was checked";
  };
};

}  // namespace http_redirects_test
