// SPDX-License-Identifier: MIT
#include "../../runtime/error.hpp"

#include <boost/system/result.hpp>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/ut.hpp"

namespace error_test {

using namespace hawser;

static_assert(static_cast<int>(errc::cancelled) == 1, "zero means success elsewhere, so no code has it");

error full() {
  return {.code = errc::remote,
          .what = "no such tool",
          .native = -32602,
          .executed = execution::unknown,
          .server = "git",
          .phase = "call",
          .data = R"({"a":1})",
          .retry_after = std::chrono::seconds{7}};
}

result<int> half(int n) {
  if (n % 2 != 0) return error{.code = errc::parse, .what = "odd"};
  return n / 2;
}

result<void> only_even(int n) {
  if (n % 2 != 0) return error{.code = errc::parse, .what = "odd"};
  return {};
}

template <class T>
std::string thrown_by_value(const result<T>& unchecked) {
  try {
    unchecked.value();
  } catch (const unchecked_error& thrown) {
    return thrown.what();
  }
  return "nothing";
}

const suite<"error"> tests = [] {
  "every code has its own name"_test = [] {
    const std::vector<std::pair<errc, std::string_view>> names = {{errc::cancelled, "cancelled"},
                                                                  {errc::timed_out, "timed_out"},
                                                                  {errc::closed, "closed"},
                                                                  {errc::io, "io"},
                                                                  {errc::spawn, "spawn"},
                                                                  {errc::parse, "parse"},
                                                                  {errc::too_large, "too_large"},
                                                                  {errc::protocol, "protocol"},
                                                                  {errc::remote, "remote"},
                                                                  {errc::auth, "auth"},
                                                                  {errc::config, "config"},
                                                                  {errc::tool_unknown, "tool_unknown"},
                                                                  {errc::server_gone, "server_gone"}};
    for (const auto& [code, name] : names) expect(to_string(code) == name) << name;
    expect(static_cast<std::size_t>(errc::server_gone) == names.size()) << "a new code needs its line here";
  };

  "a code from nowhere has a name, too"_test = [] {
    expect(to_string(errc{}) == "unknown");
    expect(to_string(static_cast<errc>(200)) == "unknown");
  };

  "a prefix stands before the sentence and those before it"_test = [] {
    const error once = prefixed("spawn \"uvx\"", error{.code = errc::spawn, .what = "no such file or directory"});
    expect(once.what == "spawn \"uvx\": no such file or directory");
    expect(prefixed("server \"git\"", once).what == "server \"git\": spawn \"uvx\": no such file or directory");
  };

  "a prefix changes nothing but the sentence"_test = [] {
    const error before = full();
    const error after = prefixed("server", before);
    expect(after.what == "server: no such tool");
    expect(after.code == before.code && after.native == before.native && after.executed == before.executed);
    expect(after.server == before.server && after.phase == before.phase && after.data == before.data);
    expect(after.retry_after == before.retry_after && after.retry_after.has_value());
  };

  "a stop has one error"_test = [] {
    const error e = cancelled_error();
    expect(e.code == errc::cancelled && e.what == "cancelled" && e.native == 0 && e.executed == execution::no);
  };

  "a result holds a value or an error"_test = [] {
    const result<int> good = half(8);
    expect(good.has_value() && !good.has_error() && *good == 4);
    const result<int> bad = half(7);
    expect(!bad && bad.has_error() && bad.error().code == errc::parse && bad.error().what == "odd");
    expect(only_even(2).has_value() && only_even(3).has_error());
  };

  "an error keeps all its fields on the way through results"_test = [] {
    result<int> inner = full();
    const result<std::string> outer = std::move(inner).error();
    expect(outer.error().native == -32602 && outer.error().server == "git" && outer.error().data == R"({"a":1})");
  };

  // That a dropped one is a warning is checked where the library is installed: tools/check.sh, dropped_results.
  "EMB-8 a result is a class of its own that converts, copies, moves and compares"_test = [] {
    static_assert(!std::same_as<result<int>, boost::system::result<int, error>>);
    static_assert(std::derived_from<result<int>, boost::system::result<int, error>>);
    static_assert(std::is_nothrow_move_constructible_v<result<std::string>>);
    static_assert(!std::is_copy_constructible_v<result<std::unique_ptr<int>>>);
    const result<const char*> text = "eight";
    const result<std::string> widened = text;
    expect(widened.has_value() && *widened == "eight");
    result<std::string> copy = widened;
    expect(std::move(copy).value() == "eight" && widened->size() == 5U);
    result<std::unique_ptr<int>> owner = std::make_unique<int>(8);
    const result<std::unique_ptr<int>> moved = std::move(owner);
    expect(moved.has_value() && **moved == 8);
    result<void> outcome;
    expect(outcome.has_value());
    outcome = full();
    expect(outcome.has_error() && outcome.error().what == "no such tool");
  };

  "a value nobody checked for throws what the error said"_test = [] {
    expect(thrown_by_value(half(7)) == "result was not checked: odd");
    expect(thrown_by_value(only_even(7)) == "result was not checked: odd");
    expect(thrown_by_value(half(8)) == "nothing");
    expect(thrown_by_value(only_even(8)) == "nothing");
    expect(throws<unchecked_error>([] { std::ignore = result<std::string>{full()}.value(); }));
  };
};

}  // namespace error_test
