// SPDX-License-Identifier: MIT
// Calls a handler of the embedding program on its executor and waits for the outcome. The handler answers through a
// `reply`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../guarded.hpp"
#include "reply.hpp"
#include "task.hpp"

namespace hawser {

/// The outcome of a handler: an answer, an exception, or neither, which means declined.
template <class T>
struct handler_outcome {
  std::optional<T> answer{};
  std::optional<error> thrown{};
};

namespace detail {

/// At most one call of a handler; none if it is dropped or withdrawn first.
template <class Request, class T>
class handler_call {
 public:
  using handler = std::function<void(Request, reply<T>)>;
  handler_call(loop_proxy_ptr proxy, std::shared_ptr<reply_state<T>> of, handler to, std::string callback,
               Request request)
      : proxy_(std::move(proxy)),
        of_(std::move(of)),
        to_(std::move(to)),
        callback_(std::move(callback)),
        request_(std::move(request)),
        answer_(proxy_, of_) {}
  handler_call(const handler_call&) = delete;
  handler_call& operator=(const handler_call&) = delete;
  ~handler_call() { end(); }

  /// At most once, on any thread. Does not call the handler if the caller has stopped waiting: the caller was told that
  /// nothing was executed.
  void run() {
    if (!of_->begin_call()) return;
    auto called = guarded(callback_, [&] { to_(std::move(request_), std::move(answer_)); });
    if (!called) {
      proxy_->post([proxy = proxy_, of = of_, why = std::move(called).error()]() mutable {
        if (of->answered.is_set() || of->is_withdrawn()) return proxy->log_error("callback", why.what);
        of->thrown = std::move(why);
        of->answered.set();
      });
    }
    end();  // not left to the destructor: an executor may keep the function object longer
  }

 private:
  void end() {
    if (!std::exchange(ended_, true)) release_source(*proxy_, of_);
  }

  loop_proxy_ptr proxy_;
  std::shared_ptr<reply_state<T>> of_;
  handler to_;
  std::string callback_;
  Request request_;
  reply<T> answer_;
  bool ended_ = false;
};

}  // namespace detail

/// Calls `handler(request, reply)` and waits for the outcome; `callback` is its name in errors. Unbounded: a person may
/// be answering. A stop ends the wait, and a later answer is dropped. If the executor has not called the handler by
/// then, the handler is never called, and the error says `executed: no`.
template <class Request, class T>
task<result<handler_outcome<T>>> call_handler(loop_proxy_ptr proxy, executor where,
                                              std::function<void(Request, reply<T>)> handler, std::string callback,
                                              Request request) {
  const context here = co_await this_context();
  if (here.stop_requested_anywhere()) co_return cancelled_error();
  auto open = std::make_shared<detail::reply_state<T>>();
  {
    // std::function must be copyable and a reply is not, hence the shared pointer. No reference is kept here, so that
    // an executor that drops the function declines.
    auto call = std::make_shared<detail::handler_call<Request, T>>(proxy, open, std::move(handler), std::move(callback),
                                                                   std::move(request));
    if (where) {
      auto given = guarded("the executor of callbacks", [&] { where([call = std::move(call)] { call->run(); }); });
      if (!given) proxy->log_error("callback", given.error().what);
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

/// As call_handler, but an exception is logged and counts as declined; nullopt if declined.
template <class Request, class T>
task<result<std::optional<T>>> call_handler_or_decline(loop_proxy_ptr proxy, executor where,
                                                       std::function<void(Request, reply<T>)> handler,
                                                       std::string callback, Request request) {
  auto ended =
      co_await call_handler(proxy, std::move(where), std::move(handler), std::move(callback), std::move(request));
  if (!ended) co_return ended.error();
  if (ended->thrown) proxy->log_error("callback", ended->thrown->what);
  co_return std::move(ended->answer);
}

}  // namespace hawser
