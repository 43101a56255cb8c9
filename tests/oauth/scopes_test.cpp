// SPDX-License-Identifier: MIT
#include "../../oauth/scopes.hpp"

#include "../support/cpu_time.hpp"
#include "../support/ut.hpp"

namespace scopes_test {

using namespace boost::ut;
using namespace hawser;

const suite<"scopes"> all = [] {
  "a union has each scope once, in the order of its appearance"_test = [] {
    expect(scope_union("read write", "admin read") == std::string{"read write admin"});
    expect(scope_union("", "") == std::string{});
    expect(scope_union("  a   b ", "b") == std::string{"a b"});
  };

  "what cannot be a scope is left out"_test = [] {
    expect(scope_union("good b\"ad", "wor\\se tab\tbed https://example.com/a:b") ==
           std::string{"good https://example.com/a:b"});
  };

  "a set has another one if it has all of its scopes"_test = [] {
    expect(has_scopes("a b c", "c a"));
    expect(has_scopes("a", ""));
    expect(!has_scopes("a b", "ab"));
    expect(!has_scopes("", "a"));
  };

  "FRZ-13 sets of scopes cost no more than their size"_test = [] {
    std::string many;
    for (int i = 0; i < 40'000; ++i) many += 's' + std::to_string(i) + ' ';
    const auto cost = testing::cpu_time_of([&] {
      expect(scope_union(many, many).size() == many.size() - 1);
      expect(has_scopes(many, many));
    });
    expect(cost < std::chrono::milliseconds{testing::instrumented ? 5'000 : 500})
        << cost / std::chrono::milliseconds{1} << "ms";
  };
};

}  // namespace scopes_test
