// SPDX-License-Identifier: MIT
// A session with a scripted server at its far end, and everything that a host would provide for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../host/session/session.hpp"
#include "../../runtime/async/scope.hpp"
#include "counted.hpp"
#include "manual_clock.hpp"
#include "scripted_server.hpp"
#include "ut.hpp"

namespace hawser::testing {

/// Records what the session reports to its owner.
class recording_session_listener final : public session_listener {
 public:
  void on_list_changed(list_kind which) override { lists.push_back(which); }
  void on_resource_updated(std::string_view uri) override { updated.emplace_back(uri); }
  void on_log_message(std::string_view level, std::string_view data) override {
    logged.push_back(std::string{level} + ' ' + std::string{data});
  }
  void on_other_notification(std::string_view method, std::string_view params) override {
    others.push_back(std::string{method} + ' ' + std::string{params});
  }
  void on_session_closed(const error& why) override { closed.push_back(why.what); }
  task<result<void>> admits_retry(std::string tool) override {
    asked_again.push_back(std::move(tool));
    if (refusal) co_return *refusal;
    co_return result<void>{};
  }

  std::vector<list_kind> lists;
  std::vector<std::string> updated;
  std::vector<std::string> logged;
  std::vector<std::string> others;
  std::vector<std::string> closed;
  std::vector<std::string> asked_again;
  std::optional<error> refusal;  ///< of every further round of a call
};

constexpr const char* everything = R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},)"
                                   R"("prompts":{"listChanged":true},"logging":{},"completions":{}})";
constexpr const char* tools_only = R"({"tools":{}})";

inline void modern_server(scripted_server& far, const std::string& can = everything) {
  far.on("server/discover", R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" + can +
                                R"(,"ttlMs":0,"cacheScope":"private"})");
  far.stay_silent("subscriptions/listen");
}
inline void legacy_server(scripted_server& far, const std::string& can = everything,
                          const std::string& revision = "2025-11-25") {
  far.on("initialize", R"({"protocolVersion":")" + revision + R"(","capabilities":)" + can +
                           R"(,"serverInfo":{"name":"old","version":"1"}})");
}

struct session_fixture {
  explicit session_fixture(loop& l, input_handlers can = {}, executor where = {}, host_limits bounds = {})
      : session_fixture(l, memory_channel::make(l), std::move(can), std::move(where), bounds) {}

  task<void> open(session::open_options options = {}) {
    auto far_open = co_await far.open();
    expect(far_open.has_value());
    opened.emplace(co_await near->open(std::move(options)));
  }
  /// Afterwards nothing of the session may be left.
  task<void> close() {
    auto closed = co_await near->close();
    expect(closed.has_value());
    near.reset();
    auto far_closed = co_await far.close();
    expect(far_closed.has_value());
    proxy->close();
  }

  loop_proxy_ptr proxy;
  host_limits limits;
  input_dispatcher dispatcher;
  client_profile who;
  recording_session_listener listener;
  scripted_server far;
  std::unique_ptr<session> near;
  std::optional<result<void>> opened;

 private:
  session_fixture(loop& l, memory_channel::pair both, input_handlers can, executor where, host_limits bounds)
      : proxy(std::make_shared<loop_proxy>(l)),
        limits(bounds),
        dispatcher(proxy, std::move(where), std::move(can)),
        who({.name = "tester", .version = "7"}, dispatcher.handlers()),
        far(std::move(both.second)),
        near(std::make_unique<session>(session_context{l, who, dispatcher, limits}, "box", std::move(both.first),
                                       listener)) {}
};

/// How a task ended, and how often.
template <class T>
struct ending {
  int times = 0;
  std::optional<result<T>> got{};
  [[nodiscard]] bool fine() const { return times == 1 && got && got->has_value(); }
  [[nodiscard]] bool failed(errc code) const { return times == 1 && got && !*got && got->error().code == code; }
};

template <class T>
task<void> watch_end(ending<T>& into, task<result<T>> what) {
  const counted alive;
  auto got = co_await std::move(what);
  ++into.times;
  into.got.emplace(std::move(got));
}

struct setting {
  void (*server)(scripted_server&) = [](scripted_server& far) { modern_server(far, tools_only); };
  input_handlers can{};
  executor where{};
  host_limits limits{};
  session::open_options open{};
  hawser::clock* by = nullptr;
};
using session_body = task<void> (*)(session_fixture&);

inline task<void> in_session(loop& l, setting how, session_body inside) {
  session_fixture h{l, std::move(how.can), std::move(how.where), how.limits};
  how.server(h.far);
  co_await h.open(std::move(how.open));
  expect(h.opened && h.opened->has_value()) << "the session opens";
  if (h.opened->has_value()) co_await inside(h);
  co_await h.close();
}

/// An open session, the test's body, and a close after which nothing may be left.
inline void with_session(setting how, session_body inside) {
  {
    loop l{loop::options{.clock = how.by}};
    l.run(in_session(l, std::move(how), inside));
  }
  expect(counted::alive() == 0_l);
}

inline void legacy_with_everything(scripted_server& far) { legacy_server(far); }
inline void modern_with_everything(scripted_server& far) { modern_server(far); }
inline const session::open_options open_legacy{.how = session::open_mode::legacy};

}  // namespace hawser::testing
