// SPDX-License-Identifier: MIT
#include "../../../host/supervision/era_history.hpp"

#include "../../support/ut.hpp"

namespace era_history_test {

using namespace hawser;
using kind = protocol_choice::kind;
using mode = session::open_mode;
using evidence = session::evidence;

constexpr std::int64_t now = 1'800'000'000;
constexpr std::int64_t year = std::int64_t{365} * 24 * 3600;

const suite<"era_history"> tests = [] {
  "a server without a history is probed"_test = [] {
    const era_history history;
    expect(history.open_mode(kind::automatic, now) == mode::probe);
    expect(history.last_probed() == 0);
  };

  "a configured era decides, whatever is known"_test = [] {
    era_history history;
    history.on_negotiated(evidence::answer, false, now);
    expect(history.open_mode(kind::modern, now) == mode::modern);
    expect(history.open_mode(kind::legacy, now) == mode::legacy);
  };

  "a server that was found to be legacy is not probed again until that expires"_test = [] {
    era_history history;
    history.on_negotiated(evidence::answer, false, now);
    expect(history.open_mode(kind::automatic, now) == mode::legacy);
    expect(history.open_mode(kind::automatic, now + year) == mode::probe);
  };

  "a modern server is probed at every start"_test = [] {
    era_history history;
    history.on_negotiated(evidence::answer, true, now);
    expect(history.open_mode(kind::automatic, now) == mode::probe);
    expect(history.last_probed() == now);
  };

  "a start without a probe does not make an era younger"_test = [] {
    era_history history;
    history.on_negotiated(evidence::answer, false, now);
    history.on_negotiated(evidence::none, false, now + 3600);
    expect(history.last_probed() == now);
  };

  "a probe without an answer counts in this process only"_test = [] {
    era_history history;
    history.on_negotiated(evidence::timeout, false, now);
    expect(history.open_mode(kind::automatic, now) == mode::legacy);
    expect(history.last_probed() == 0);
  };

  "a server that exits on the probe is legacy"_test = [] {
    era_history history;
    history.on_exit_at_probe(now);
    expect(history.open_mode(kind::automatic, now) == mode::legacy);
    expect(history.last_probed() == now);
  };

  "a legacy server that refuses the handshake is probed"_test = [] {
    era_history history;
    history.restore({.revision = "2025-06-18", .last_probed = now});
    expect(history.open_mode(kind::automatic, now) == mode::legacy);
    history.on_handshake_refused();
    expect(history.open_mode(kind::automatic, now) == mode::probe);
    expect(history.last_probed() == now);
  };

  "a cached modern revision is no reason to skip the probe"_test = [] {
    era_history history;
    history.restore({.revision = "2026-07-28", .last_probed = now});
    expect(history.open_mode(kind::automatic, now) == mode::probe);
  };
};

}  // namespace era_history_test
