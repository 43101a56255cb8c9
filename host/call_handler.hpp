// SPDX-License-Identifier: MIT
// Calls a function of the embedding program that answers by a `reply`, where the program wants it called, and waits for
// how that ends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../runtime/guarded.hpp"
#include "../runtime/task.hpp"
#include "reply.hpp"

namespace hawser {

/// How a handler has ended: with an answer, by an exception, or with neither, which declines.
template <class T>
struct handler_outcome {
  std::optional<T> answer{};
  std::optional<error> thrown{};
};

namespace detail {

/// One call of a handler, or none where it was dropped first.
template <class Request, class T>
class delivery {
 public:
  using handler = std::function<void(Request, reply<T>)>;
  delivery(door_ref way, std::shared_ptr<question<T>> of, handler to, std::string callback, Request request)
      : way_(std::move(way)),
        of_(std::move(of)),
        to_(std::move(to)),
        callback_(std::move(callback)),
        request_(std::move(request)),
        answer_(way_, of_) {}
  delivery(const delivery&) = delete;
  delivery& operator=(const delivery&) = delete;
  ~delivery() { end(); }

  /// Once, on any thread. Not begun if nobody waits any more: it would do what its caller was told was given up.
  void run() {
    if (!of_->begin_call()) return;
    auto called = guarded(callback_, [&] { to_(std::move(request_), std::move(answer_)); });
    if (!called) {
      way_->post([way = way_, of = of_, why = std::move(called).error()]() mutable {
        if (of->answered.is_set() || of->is_withdrawn()) return way->log_error("callback", why.what);
        of->thrown = std::move(why);
        of->answered.set();
      });
    }
    end();  // not left to the destructor: an executor may keep the function for longer
  }

 private:
  void end() {
    if (!std::exchange(ended_, true)) end_source(*way_, of_);
  }

  door_ref way_;
  std::shared_ptr<question<T>> of_;
  handler to_;
  std::string callback_;
  Request request_;
  reply<T> answer_;
  bool ended_ = false;
};

}  // namespace detail

/// Calls `handler(request, reply)` and waits for how it ends; `callback` is its name in errors. Unbounded: people
/// think. A stop ends the wait; an answer that comes later is dropped. A handler that the executor has not called by
/// then is not called any more, and the error says `executed: no`.
template <class Request, class T>
task<result<handler_outcome<T>>> call_handler(door_ref way, executor where,
                                              std::function<void(Request, reply<T>)> handler, std::string callback,
                                              Request request) {
  const context here = co_await this_context();
  if (here.stop_requested_anywhere()) co_return cancelled_error();
  auto open = std::make_shared<detail::question<T>>();
  {
    // std::function wants to be copied, a reply may not be: a shared pointer stands between. Nothing of it stays here,
    // so that an executor that drops the function has declined, too.
    auto call = std::make_shared<detail::delivery<Request, T>>(way, open, std::move(handler), std::move(callback),
                                                               std::move(request));
    if (where) {
      auto given = guarded("the executor of callbacks", [&] { where([call = std::move(call)] { call->run(); }); });
      if (!given) way->log_error("callback", given.error().what);
    } else {
      call->run();
    }
  }
  auto waited = co_await open->answered.wait();
  if (!waited) {
    error why = waited.error();
    why.executed = open->withdraw() ? execution::unknown : execution::no;
    co_return why;
  }
  co_return handler_outcome<T>{std::move(open->answer), std::move(open->thrown)};
}

/// The same where an exception is worth a log line and declines; nothing if it was declined.
template <class Request, class T>
task<result<std::optional<T>>> ask(door_ref way, executor where, std::function<void(Request, reply<T>)> handler,
                                   std::string callback, Request request) {
  auto ended =
      co_await call_handler(way, std::move(where), std::move(handler), std::move(callback), std::move(request));
  if (!ended) co_return ended.error();
  if (ended->thrown) way->log_error("callback", ended->thrown->what);
  co_return std::move(ended->answer);
}

}  // namespace hawser
