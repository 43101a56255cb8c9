// SPDX-License-Identifier: MIT
// Coroutine constructs that some compilers get wrong, run on whatever compiler builds this: g++ 12 double-frees in
// most of them. Hawser avoids them ("plain awaits"); users' code will not.
#include <memory>
#include <string>
#include <vector>

#include "../../../runtime/async/sleep.hpp"
#include "../../../runtime/async/task.hpp"
#include "../../../runtime/loop/loop.hpp"
#include "../../support/counted.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"

namespace compiler_test {

using namespace hawser;
using testing::counted;
using testing::run;

struct aggregate {
  std::string text;
  std::shared_ptr<int> number{};
  counted alive{};
};

task<std::size_t> by_value(aggregate a) {
  co_await yield();
  co_return a.text.size() + (a.number ? static_cast<std::size_t>(*a.number) : 0U);
}
task<std::size_t> by_reference(const aggregate& a) {
  co_await yield();
  co_return a.text.size() + (a.number ? static_cast<std::size_t>(*a.number) : 0U);
}
task<std::size_t> of_vector(std::vector<std::string> texts) {
  co_await yield();
  co_return texts.size();
}
template <class F>
task<std::size_t> call(F f) {
  co_await yield();
  co_return f();
}
task<aggregate> give(std::string text) {
  co_await yield();
  co_return aggregate{.text = std::move(text), .number = std::make_shared<int>(1)};
}
task<bool> yes() {
  co_await yield();
  co_return true;
}
task<std::vector<int>> numbers() {
  co_await yield();
  co_return std::vector{1, 2, 3};
}

const std::string long_text(100, 'x');  // too long for the string's own buffer: a double free shows

struct aggregate_awaiter {
  std::string text;
  counted alive{};
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiting) const {
    waiting.promise().task_context.loop->post([waiting] { waiting.resume(); });
  }
  [[nodiscard]] std::size_t await_resume() const noexcept { return text.size(); }
};
aggregate_awaiter awaiter_of(std::string text) { return {std::move(text)}; }

class built {
 public:
  explicit built(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }

 private:
  std::string text_;
  counted alive_;
};
task<std::size_t> of_built(built b) {
  co_await yield();
  co_return b.size();
}

// Without a loop, so that nobody minds when its frame is destroyed.
struct bare {
  struct promise_type {
    bare get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};
bare suspended(std::string text, counted parameter) {
  const built local{text + long_text};
  const aggregate temporary = aggregate{.text = std::move(text)};
  co_await std::suspend_always{};
  static_cast<void>(parameter);
}

task<std::size_t> lambda_argument() {
  const auto number = std::make_shared<int>(5);
  co_return co_await call(
      [number, text = long_text, alive = counted{}] { return text.size() + static_cast<std::size_t>(*number); });
}
task<std::size_t> aggregate_by_value() { co_return co_await by_value(aggregate{long_text, std::make_shared<int>(5)}); }
task<std::size_t> aggregate_by_reference() {
  co_return co_await by_reference(aggregate{long_text, std::make_shared<int>(5)});
}
task<std::size_t> designated() { co_return co_await by_value({.text = long_text, .number = std::make_shared<int>(5)}); }
task<std::size_t> awaiter_with_member() { co_return co_await aggregate_awaiter{long_text}; }
task<std::size_t> conditional(bool which) {
  const aggregate a = which ? aggregate{co_await give(long_text)} : aggregate{};
  co_return a.text.size();
}
task<std::size_t> braced_list() { co_return co_await of_vector({long_text, long_text, "short"}); }
task<bool> in_a_conjunction() { co_return co_await yes() && co_await yes(); }
task<int> range_over_the_result() {
  int sum = 0;
  for (const int n : co_await numbers()) sum += n;
  co_return sum;
}
task<std::size_t> binding_in_a_loop() {
  std::size_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    const auto [text, number, alive] = co_await give(long_text);
    sum += text.size();
  }
  co_return sum;
}
task<std::size_t> named_first() {
  aggregate a{long_text, std::make_shared<int>(5)};
  co_return co_await by_value(std::move(a));
}
task<std::size_t> class_temporary() { co_return co_await of_built(built{long_text}); }
task<std::size_t> returned_awaiter() { co_return co_await awaiter_of(long_text); }
task<std::size_t> either(bool which) {
  aggregate a;
  if (which) {
    a = co_await give(long_text);
  } else {
    a = aggregate{};
  }
  co_return a.text.size();
}
task<std::size_t> nested() { co_return co_await by_value(aggregate{co_await give(long_text)}); }

const suite<"compiler"> tests = [] {
  "temporaries beside co_await are destroyed once"_test = [] {
    expect(run(lambda_argument()) == 105U);
    expect(counted::alive() == 0) << "a lambda with captures";
    expect(run(aggregate_by_value()) == 105U);
    expect(counted::alive() == 0) << "an aggregate by value";
    expect(run(aggregate_by_reference()) == 105U);
    expect(counted::alive() == 0) << "an aggregate by reference";
    expect(run(designated()) == 105U);
    expect(counted::alive() == 0) << "designated initialisers";
    expect(run(awaiter_with_member()) == 100U);
    expect(counted::alive() == 0) << "an aggregate awaiter";
    expect(run(nested()) == 101U);
    expect(counted::alive() == 0) << "an aggregate of an await";
    expect(run(class_temporary()) == 100U);
    expect(counted::alive() == 0) << "a class with a constructor";
    expect(run(returned_awaiter()) == 100U);
    expect(counted::alive() == 0) << "an aggregate awaiter that a function returns";
  };
  "what is named first and moved then is destroyed once"_test = [] {
    expect(run(named_first()) == 105U);
    expect(counted::alive() == 0);
  };
  "a frame that is destroyed while it is suspended takes along what it has"_test = [] {
    const bare one = suspended(long_text, counted{});
    expect(counted::alive() > 0);
    one.frame.destroy();
    expect(counted::alive() == 0);
  };
  "a conditional with co_await destroys what it made"_test = [] {
    expect(run(conditional(true)) == 100U);
    expect(run(conditional(false)) == 0U);
    expect(run(either(true)) == 100U);
    expect(run(either(false)) == 0U);
    expect(counted::alive() == 0);
  };
  "a braced list is a vector argument"_test = [] { expect(run(braced_list()) == 3U); };
  "co_await stands in conjunctions, ranges and bindings"_test = [] {
    expect(run(in_a_conjunction()));
    expect(run(range_over_the_result()) == 6);
    expect(run(binding_in_a_loop()) == 1000U);
    expect(counted::alive() == 0);
  };
};

}  // namespace compiler_test
