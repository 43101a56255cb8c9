// SPDX-License-Identifier: MIT
// A thread other than the loop's that makes one call after another through the loop: two thread switches on top of
// the exchange.
#pragma once

#include <semaphore.h>

#include <thread>

#include "../../runtime/async/event.hpp"
#include "../../runtime/async/scope.hpp"
#include "../report/distribution.hpp"
#include "stdio_connection.hpp"

namespace hawser::bench {

class calling_thread {
 public:
  calling_thread(loop& home, peer& to) : loop_(home), peer_(to) { sem_init(&answered_, 0, 0); }
  calling_thread(const calling_thread&) = delete;
  calling_thread& operator=(const calling_thread&) = delete;
  ~calling_thread() { sem_destroy(&answered_); }

  /// Makes `count` calls from a new thread; awaits that thread on the loop.
  task<bool> run(int count, distribution& into);

 private:
  // One call on its way to the loop; posted without an allocation.
  class submission final : public work {
   public:
    explicit submission(calling_thread& owner) : owner_(owner) {}

   private:
    void run() noexcept override { owner_.calls_->spawn(call(owner_)); }
    calling_thread& owner_;
  };
  static task<void> call(calling_thread& self);
  void calls_from_here(int count, distribution& into);

  loop& loop_;
  peer& peer_;
  scope* calls_ = nullptr;
  submission submission_{*this};
  // Not std::binary_semaphore, which spins before it sleeps: on one core, spinning delays the response.
  sem_t answered_{};
  bool fine_ = true;
  event finished_;
};

}  // namespace hawser::bench
