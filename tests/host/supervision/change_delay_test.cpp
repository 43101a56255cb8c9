// SPDX-License-Identifier: MIT
#include "../../../host/supervision/change_delay.hpp"

#include "../../support/ut.hpp"

namespace change_delay_test {

using namespace hawser;
using std::chrono::milliseconds;

constexpr time_point beginning{std::chrono::hours{5}};
constexpr duration quiet_period = milliseconds{200};

const suite<"change_delay"> tests = [] {
  "nothing is due without a change"_test = [] {
    const change_delay changes{quiet_period};
    expect(not changes.pending());
    expect(not changes.due().has_value());
  };

  "a list is due a quiet period after the last change"_test = [] {
    change_delay changes{quiet_period};
    changes.on_change(beginning);
    expect(changes.pending());
    expect(changes.due() == beginning + quiet_period);
    changes.on_change(beginning + milliseconds{150});
    expect(changes.due() == beginning + milliseconds{350});
  };

  "a burst of changes delays a list by ten quiet periods at most"_test = [] {
    change_delay changes{quiet_period};
    for (int i = 0; i < 100; ++i) changes.on_change(beginning + i * milliseconds{100});
    expect(changes.due() == beginning + 10 * quiet_period);
  };

  "a change after the list was read begins a new delay"_test = [] {
    change_delay changes{quiet_period};
    changes.on_change(beginning);
    changes.reset();
    expect(not changes.pending());
    changes.on_change(beginning + std::chrono::hours{1});
    expect(changes.due() == beginning + std::chrono::hours{1} + quiet_period);
  };
};

}  // namespace change_delay_test
