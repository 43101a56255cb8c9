// SPDX-License-Identifier: MIT
#include "call_loops.hpp"

#include <boost/json/value.hpp>
#include <cstdio>

#include "../../runtime/async/scope.hpp"

namespace hawser::bench {

task<bool> calls_in_turn(peer& to, int count, result_form what, distribution* into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto answer = co_await to.call(echo_request(), echo_arguments(), usual_deadlines());
    if (!answer) {
      std::fprintf(stderr, "hawser-bench: %s\n", answer.error().what.c_str());
      co_return false;
    }
    if (what == result_form::tree && !answer->parse()) co_return false;
    if (into != nullptr) into->add(std::chrono::steady_clock::now() - begin);
  }
  if (into != nullptr) into->end_round();
  co_return true;
}

namespace {

task<void> one_caller(peer& to, int count, result_form what, bool& fine) {
  const bool answered = co_await calls_in_turn(to, count, what, nullptr);
  fine = fine && answered;
}

}  // namespace

task<double> throughput(peer& to, int in_flight, int each, result_form what) {
  bool fine = true;
  scope callers{co_await this_context()};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < in_flight; ++i) callers.spawn(one_caller(to, each, what, fine));
  co_await callers.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  co_return fine ? in_flight* each / took.count() : 0;
}

}  // namespace hawser::bench
