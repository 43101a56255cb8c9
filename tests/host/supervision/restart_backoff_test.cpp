// SPDX-License-Identifier: MIT
#include "../../../host/supervision/restart_backoff.hpp"

#include "../../support/ut.hpp"

namespace restart_backoff_test {

using namespace hawser;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr time_point beginning{std::chrono::hours{5}};

const suite<"restart_backoff"> tests = [] {
  "the pauses double from one second to one minute"_test = [] {
    restart_backoff plan{{.starts = 100}};
    time_point now = beginning;
    for (const int wanted : {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
      plan.started(now);
      const auto pause = plan.ended(now, 0);
      expect(pause.has_value() and *pause == seconds{wanted}) << wanted;
      now += *pause;
    }
  };

  "jitter makes a pause up to a fifth longer, and never shorter"_test = [] {
    for (const double jitter : {0.0, 0.25, 0.5, 1.0}) {
      restart_backoff plan{{.first_pause = seconds{10}}};
      plan.started(beginning);
      const auto pause = plan.ended(beginning, jitter);
      expect(pause.has_value() and *pause >= seconds{10} and *pause <= seconds{12}) << jitter;
      if (jitter == 1.0) expect(*pause == seconds{12});
    }
  };

  "ten starts in ten minutes are enough"_test = [] {
    restart_backoff plan;
    time_point now = beginning;
    int starts = 0;
    for (;;) {
      plan.started(now);
      ++starts;
      const auto pause = plan.ended(now, 0);
      if (!pause) break;
      expect(fatal(starts < 10_i));
      now += *pause;
    }
    expect(starts == 10_i and now - beginning < minutes{10});
  };

  "starts that are spread over more than the window go on for ever"_test = [] {
    restart_backoff plan;
    time_point now = beginning;
    for (int i = 0; i < 100; ++i) {
      plan.started(now);
      expect(fatal(plan.ended(now + seconds{5}, 0).has_value())) << i;
      now += seconds{70};
    }
  };

  "one that ran long enough begins anew"_test = [] {
    restart_backoff plan;
    time_point now = beginning;
    for (int i = 0; i < 9; ++i) {
      plan.started(now);
      expect(plan.ended(now, 0).has_value());
    }
    plan.started(now);
    const auto pause = plan.ended(now + minutes{2}, 0);
    expect(pause.has_value() and *pause == seconds{1}) << "neither the count nor the pause is remembered";
  };

  "one that ran almost long enough does not"_test = [] {
    restart_backoff plan;
    plan.started(beginning);
    expect(plan.ended(beginning, 0) == seconds{1});
    plan.started(beginning);
    expect(plan.ended(beginning + minutes{2} - seconds{1}, 0) == seconds{2});
  };

  "a manual restart resets the number of attempts"_test = [] {
    restart_backoff plan{{.starts = 2}};
    plan.started(beginning);
    expect(plan.ended(beginning, 0).has_value());
    plan.started(beginning);
    expect(!plan.ended(beginning, 0).has_value());
    plan.forget();
    plan.started(beginning);
    expect(plan.ended(beginning, 0) == seconds{1});
  };

  "a server that never got as far as to start is paused for, too"_test = [] {
    restart_backoff plan;
    expect(plan.ended(beginning, 0) == seconds{1});
    expect(plan.ended(beginning, 0) == seconds{2});
  };
};

}  // namespace restart_backoff_test
