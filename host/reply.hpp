// SPDX-License-Identifier: MIT
// How the embedding program answers a question of ours: now or later, from any thread, or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../runtime/event.hpp"
#include "../runtime/task.hpp"
#include "door.hpp"

namespace hawser {

namespace detail {
// Shared by who asked and who answers, whichever lives longer. Touched on the loop thread only, but for its end and its
// phase, which says whether the function that answers has been called, or never will be.
template <class T>
struct question {
  enum class phase : std::uint8_t { waiting, asked, withdrawn };
  event answered;
  std::optional<T> answer;
  std::atomic<phase> at = phase::waiting;

  /// The one who leaves the first phase decides what the next one is.
  bool leave_for(phase next) noexcept {
    phase before = phase::waiting;
    return at.compare_exchange_strong(before, next);
  }
};
}  // namespace detail

/// Movable; the first answer counts. One that is dropped unanswered has declined.
template <class T>
class reply {
 public:
  reply(door_ref way, std::shared_ptr<detail::question<T>> to) noexcept : way_(std::move(way)), to_(std::move(to)) {}
  reply(reply&&) noexcept = default;
  reply& operator=(reply&& other) noexcept {
    reply old{std::move(other)};
    std::swap(way_, old.way_);
    std::swap(to_, old.to_);
    return *this;
  }
  ~reply() { give(std::nullopt); }

  void operator()(T answer) { give(std::optional<T>{std::move(answer)}); }

 private:
  void give(std::optional<T> answer) {
    auto to = std::exchange(to_, nullptr);
    if (!to) return;
    way_->post([to = std::move(to), answer = std::move(answer)]() mutable {
      if (to->answered.is_set()) return;
      to->answer = std::move(answer);
      to->answered.set();
    });
  }

  door_ref way_;
  std::shared_ptr<detail::question<T>> to_;
};

/// Where callbacks of the embedding program run; an empty one runs them on the loop thread, where they must not block.
using executor = std::function<void(std::function<void()>)>;

/// Calls `handler(request, reply)` and waits for the answer; nothing if it was declined. Unbounded: people think. A
/// stop ends the wait; an answer that comes later is dropped. A handler that the executor has not called by then is not
/// called any more, and the error says `executed: no`.
template <class Request, class T>
task<result<std::optional<T>>> ask(door_ref way, executor where, std::function<void(Request, reply<T>)> handler,
                                   Request request) {
  using phase = typename detail::question<T>::phase;
  const context here = co_await this_context();
  if (here.stop_requested_anywhere()) co_return cancelled_error();
  auto open = std::make_shared<detail::question<T>>();
  {
    // std::function wants to be copied, a reply may not be: a shared pointer stands between. Nothing of it stays here,
    // so that an executor that drops the function has declined, too.
    auto answer = std::make_shared<reply<T>>(std::move(way), open);
    auto question = std::make_shared<Request>(std::move(request));
    std::function<void()> deliver = [handler = std::move(handler), answer = std::move(answer), question, open] {
      if (!open->leave_for(phase::asked)) return;
      handler(std::move(*question), std::move(*answer));
    };
    // An exception of the embedder's own function: the reply was dropped on its way out, which is an answer.
    try {
      if (where) {
        where(std::move(deliver));
      } else {
        deliver();
      }
    } catch (const std::exception& thrown) {
      here.loop->log().write(log_level::error, "host", std::string{"an input function threw: "} + thrown.what());
    } catch (...) {
      here.loop->log().write(log_level::error, "host", "an input function threw");
    }
  }
  auto waited = co_await open->answered.wait();
  if (!waited) {
    error why = waited.error();
    why.executed = open->leave_for(phase::withdrawn) ? execution::no : execution::unknown;
    co_return why;
  }
  co_return std::move(open->answer);
}

}  // namespace hawser
