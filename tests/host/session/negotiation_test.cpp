// SPDX-License-Identifier: MIT
// Version and era negotiation, as protocol.md §2 wants it, seen from the far end of the channel.
#include "../../../host/session/negotiation.hpp"

#include "../../support/every_step.hpp"
#include "../../support/session_fixture.hpp"

namespace negotiation_test {

using namespace hawser;
using namespace hawser::testing;
using open_mode = session::open_mode;

// What is left of one attempt to open a session.
struct attempt {
  result<void> outcome = error{};
  negotiated_peer negotiated;
  bool died = false;
  std::vector<scripted_server::message> seen;
  std::string order;
  duration took{};
};

task<attempt> try_once(loop& l, manual_clock& by, void (*server)(scripted_server&), session::open_options options) {
  session_fixture h{l};
  server(h.far);
  co_await h.open(std::move(options));
  attempt got{.outcome = *h.opened, .negotiated = h.near->negotiated(), .died = h.near->exited_on_probe()};
  got.took = by.elapsed();
  co_await h.close();
  got.seen = h.far.seen;
  got.order = h.far.order();
  co_return got;
}

attempt open_with(void (*server)(scripted_server&), session::open_options options = {}) {
  manual_clock by;
  loop l{loop::options{.clock = &by}};
  return l.run(try_once(l, by, server, std::move(options)));
}

constexpr const char* fallen_back = "server/discover initialize notifications/initialized";

template <int Code>
void refuses_discover(scripted_server& far) {
  far.on_error("server/discover", Code);
  legacy_server(far);
}

const suite<"negotiation"> tests = [] {
  "a modern server is asked once, and nothing else is sent"_test = [] {
    const attempt got = open_with([](scripted_server& far) { modern_server(far, tools_only); });
    expect(got.outcome.has_value() and got.negotiated.modern() and got.negotiated.revision == "2026-07-28");
    expect(got.order == "server/discover") << got.order;
    const auto& asked = got.seen.front();
    expect(asked.at({"params", "_meta", "io.modelcontextprotocol/protocolVersion"}) == "\"2026-07-28\"");
    expect(asked.at({"params", "_meta", "io.modelcontextprotocol/clientCapabilities"}) == "{}");
    expect(asked.at({"params", "_meta", "io.modelcontextprotocol/clientInfo", "name"}) == "\"tester\"");
  };

  "T-36 whatever error a legacy server has for the question, it gets the handshake"_test = [] {
    for (const auto server :
         {refuses_discover<-32601>, refuses_discover<-32602>, refuses_discover<-32600>, refuses_discover<-32603>,
          refuses_discover<-32700>, refuses_discover<-32001>, refuses_discover<-32000>, refuses_discover<0>,
          refuses_discover<1>, refuses_discover<404>}) {
      const attempt got = open_with(server);
      expect(got.outcome.has_value() and !got.negotiated.modern() and got.negotiated.revision == "2025-11-25");
      expect(got.order == fallen_back) << got.order;
    }
  };

  "a result that is no DiscoverResult is a legacy server's"_test = [] {
    for (const auto server :
         {+[](scripted_server& far) { far.on("server/discover", "{}"); },
          +[](scripted_server& far) { far.on("server/discover", "null"); },
          +[](scripted_server& far) { far.on("server/discover", R"({"ok":true,"tools":[]})"); },
          +[](scripted_server& far) { far.on("server/discover", R"({"supportedVersions":7})"); },
          +[](scripted_server& far) { far.on("server/discover", R"({"supportedVersions":[1,]})"); }}) {
      static void (*before)(scripted_server&);
      before = server;
      const attempt got = open_with([](scripted_server& far) {
        before(far);
        legacy_server(far);
      });
      expect(got.outcome.has_value() and got.negotiated.revision == "2025-11-25" and got.order == fallen_back)
          << got.order;
    }
  };

  "an answer that is no message of JSON-RPC is a legacy server's"_test = [] {
    const attempt got = open_with([](scripted_server& far) {
      far.on("server/discover",
             scripted_server::answer{[](std::string_view) { return std::string{R"("result":1,"error":{})"}; }});
      legacy_server(far);
    });
    expect(got.outcome.has_value() and got.negotiated.revision == "2025-11-25" and got.order == fallen_back)
        << got.order;
  };

  "silence for the probe's time means legacy; the question is not cancelled"_test = [] {
    const attempt got = open_with(
        [](scripted_server& far) {
          far.stay_silent("server/discover");
          legacy_server(far);
        },
        {.probe_timeout = std::chrono::seconds{4}});
    expect(got.outcome.has_value() and got.negotiated.revision == "2025-11-25");
    expect(got.order == fallen_back) << got.order;
    expect(got.took >= std::chrono::seconds{4} and got.took < std::chrono::seconds{5});
  };

  "-32022 without a legacy revision is no legacy server: nothing in common"_test = [] {
    for (const auto server :
         {+[](scripted_server& far) { far.on_error("server/discover", -32022); },
          +[](scripted_server& far) { far.on_error("server/discover", -32022, R"({"supported":["2031-01-01"]})"); },
          +[](scripted_server& far) { far.on_error("server/discover", -32022, R"({"supported":"2025-11-25"})"); }}) {
      const attempt got = open_with(server);
      expect(!got.outcome and got.outcome.error().code == errc::protocol and got.order == "server/discover");
      expect(!got.died);
    }
  };

  "-32022 that names a legacy revision leads to the handshake"_test = [] {
    const attempt got = open_with([](scripted_server& far) {
      far.on_error("server/discover", -32022, R"({"supported":["2031-01-01","2025-06-18"],"requested":"2026-07-28"})");
      legacy_server(far, everything, "2025-06-18");
    });
    expect(got.outcome.has_value() and got.negotiated.revision == "2025-06-18" and got.order == fallen_back);
  };

  "-32022 that names a modern revision of ours is asked again with that one, and only once"_test = [] {
    static int asked;
    asked = 0;
    const char* refused = R"({"supported":["2031-01-01","2026-07-28"],"requested":"2026-07-28"})";
    static std::string refusal;
    refusal = scripted_server::error_of(-32022, "no", refused);
    const attempt second = open_with([](scripted_server& far) {
      far.on("server/discover", scripted_server::answer{[](std::string_view) {
               return ++asked == 1
                          ? refusal
                          : scripted_server::result_of(R"({"supportedVersions":["2026-07-28"],"capabilities":{}})");
             }});
    });
    expect(second.outcome.has_value() and second.negotiated.revision == "2026-07-28");
    expect(second.order == "server/discover server/discover") << second.order;
    const attempt never = open_with([](scripted_server& far) {
      far.on("server/discover", scripted_server::answer{[](std::string_view) { return refusal; }});
    });
    expect(!never.outcome and never.outcome.error().code == errc::protocol);
    expect(never.order == "server/discover server/discover") << never.order;
  };

  "-32020 and -32021 are said by modern servers only: no fallback"_test = [] {
    for (const auto server : {refuses_discover<-32020>, refuses_discover<-32021>}) {
      const attempt got = open_with(server);
      expect(!got.outcome and got.outcome.error().code == errc::remote and got.order == "server/discover");
    }
  };

  "supportedVersions with legacy ones only leads to the handshake, with none of ours to an error"_test = [] {
    const attempt old = open_with([](scripted_server& far) {
      far.on("server/discover", R"({"supportedVersions":["2025-06-18"],"capabilities":{}})");
      legacy_server(far, everything, "2025-06-18");
    });
    expect(old.outcome.has_value() and old.negotiated.revision == "2025-06-18" and old.order == fallen_back);
    const attempt later = open_with([](scripted_server& far) {
      far.on("server/discover", R"({"supportedVersions":["2031-01-01"],"capabilities":{}})");
      legacy_server(far);
    });
    expect(!later.outcome and later.outcome.error().code == errc::protocol and later.order == "server/discover");
  };

  "S065 a server known as legacy gets initialize first, with the newest legacy revision, then initialized"_test = [] {
    const attempt got = open_with(legacy_with_everything, open_legacy);
    expect(got.outcome.has_value() and got.negotiated.server.name == "old");
    expect(got.order == "initialize notifications/initialized") << got.order;
    expect(got.seen[0].at({"params", "protocolVersion"}) == "\"2025-11-25\"");
    expect(got.seen[0].at({"params", "_meta"}).empty() and !got.seen[0].id.empty() and got.seen[1].id.empty());
  };

  "the server may choose an older revision, and 2024-10-07"_test = [] {
    const attempt first =
        open_with([](scripted_server& far) { legacy_server(far, everything, "2024-11-05"); }, open_legacy);
    expect(first.outcome.has_value() and first.negotiated.revision == "2024-11-05");
    const attempt before =
        open_with([](scripted_server& far) { legacy_server(far, everything, "2024-10-07"); }, open_legacy);
    expect(before.outcome.has_value() and before.negotiated.revision == "2024-10-07");
  };

  "a server that answers initialize with a revision we do not speak is left, and not told that all is well"_test = [] {
    for (const auto server : {+[](scripted_server& far) { legacy_server(far, everything, "2031-01-01"); },
                              +[](scripted_server& far) { legacy_server(far, everything, "2026-07-28"); }}) {
      const attempt got = open_with(server, open_legacy);
      expect(!got.outcome and got.outcome.error().code == errc::protocol and got.order == "initialize") << got.order;
    }
  };

  "2026-07-28 is never offered through initialize, even if it is asked for"_test = [] {
    const attempt got = open_with(legacy_with_everything, {.how = open_mode::legacy, .revision = "2026-07-28"});
    for (const auto& one : got.seen) expect(one.at({"params", "protocolVersion"}) != "\"2026-07-28\"");
    expect(!got.outcome and got.outcome.error().code == errc::config);
  };

  "a pinned revision is offered, and no other will do"_test = [] {
    const session::open_options pinned{.how = open_mode::legacy, .revision = "2025-03-26"};
    const attempt same = open_with([](scripted_server& far) { legacy_server(far, everything, "2025-03-26"); }, pinned);
    expect(same.outcome.has_value() and same.seen[0].at({"params", "protocolVersion"}) == "\"2025-03-26\"");
    const attempt other = open_with(legacy_with_everything, pinned);
    expect(!other.outcome and other.outcome.error().code == errc::protocol and other.order == "initialize");
    expect(other.outcome.error().what.find("2025-03-26") != std::string::npos) << other.outcome.error().what;
  };

  "a pinned revision decides the era: nothing is asked that is known"_test = [] {
    const attempt old = open_with(
        [](scripted_server& far) {
          modern_server(far);
          legacy_server(far, everything, "2025-06-18");
        },
        {.revision = "2025-06-18"});
    expect(old.outcome.has_value() and old.negotiated.revision == "2025-06-18");
    expect(old.order == "initialize notifications/initialized") << old.order;
    const attempt now = open_with(refuses_discover<-32601>, {.revision = "2026-07-28"});
    expect(!now.outcome and now.order == "server/discover") << now.order;
  };

  "a session that must be modern does not fall back, and waits longer than a probe"_test = [] {
    const session::open_options must{.how = open_mode::modern, .timeout = std::chrono::seconds{20}};
    const attempt refused = open_with(refuses_discover<-32601>, must);
    expect(!refused.outcome and refused.order == "server/discover");
    const attempt silent = open_with([](scripted_server& far) { far.stay_silent("server/discover"); }, must);
    expect(!silent.outcome and silent.order == "server/discover" and silent.took >= std::chrono::seconds{20});
  };

  "a server that ends when it is asked is known to have died of the question"_test = [] {
    static scripted_server* end;
    const attempt got = open_with([](scripted_server& far) {
      end = &far;
      far.on("server/discover", scripted_server::answer{[](std::string_view) {
               end->end();
               return std::string{};
             }});
    });
    expect(!got.outcome and got.outcome.error().code == errc::closed and got.died);
    const attempt later = open_with(
        [](scripted_server& far) {
          end = &far;
          far.on("initialize", scripted_server::answer{[](std::string_view) {
                   end->end();
                   return std::string{};
                 }});
        },
        open_legacy);
    expect(!later.outcome and later.outcome.error().code == errc::closed and !later.died);
  };

  "initialize that is not answered is given up after its time, and never cancelled"_test = [] {
    const attempt got = open_with([](scripted_server& far) { far.stay_silent("initialize"); },
                                  {.how = open_mode::legacy, .timeout = std::chrono::seconds{9}});
    expect(!got.outcome and got.outcome.error().code == errc::timed_out and got.order == "initialize") << got.order;
    expect(got.took >= std::chrono::seconds{9} and got.took < std::chrono::seconds{10});
  };

  "an error of initialize is the server's, with its code: -32022 says that it is modern"_test = [] {
    const attempt got =
        open_with([](scripted_server& far) { far.on_error("initialize", -32022, R"({"supported":["2026-07-28"]})"); },
                  open_legacy);
    expect(!got.outcome and got.outcome.error().code == errc::remote and got.outcome.error().native == -32022);
  };

  "opening and closing leave nothing behind, at whatever step they are stopped"_test = [] {
    manual_clock by;
    for (const auto server : {refuses_discover<-32601>, +[](scripted_server& far) { modern_server(far); },
                              +[](scripted_server& far) { far.stay_silent("server/discover"); }}) {
      every_step(
          [&](loop& l) {
            return [](loop& home, void (*script)(scripted_server&)) -> task<void> {
              const counted alive;
              session_fixture h{home};
              script(h.far);
              co_await h.open({});
              co_await h.close();
              for (const auto& one : h.far.seen)
                expect(one.method != "notifications/cancelled" or h.far.order().find("listen") != std::string::npos)
                    << "neither the probe nor initialize is cancelled";
            }(l, server);
          },
          {.clock = &by});
    }
  };
};

}  // namespace negotiation_test
