// SPDX-License-Identifier: MIT
#include "calling_thread.hpp"

namespace hawser::bench {

task<void> calling_thread::call(calling_thread& self) {
  auto answer = co_await self.peer_.call(echo_request(), echo_arguments(), usual_deadlines());
  self.fine_ = self.fine_ && answer.has_value();
  sem_post(&self.answered_);
}

void calling_thread::calls_from_here(int count, distribution& into) {
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    loop_.post_item(submission_);
    while (sem_wait(&answered_) != 0) {
    }
    into.add(std::chrono::steady_clock::now() - begin);
  }
  into.end_round();
  loop_.post([this] { finished_.set(); });
}

task<bool> calling_thread::run(int count, distribution& into) {
  scope calls{co_await this_context()};
  calls_ = &calls;
  finished_.reset();
  std::thread caller{&calling_thread::calls_from_here, this, count, std::ref(into)};
  auto done = co_await finished_.wait();
  ignore(done, "nobody stops a bench");
  co_await calls.join();
  caller.join();
  co_return fine_;
}

}  // namespace hawser::bench
