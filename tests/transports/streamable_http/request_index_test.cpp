// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/detail/request_index.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "../../support/ut.hpp"

namespace request_index_test {

using namespace hawser;

struct entry {
  std::optional<std::int64_t> request;
  entry* next_by_id = nullptr;
};

const suite<"request_index"> tests = [] {
  "what was added is found until it is removed"_test = [] {
    request_index<entry> index;
    expect(index.find(1) == nullptr);
    std::vector<std::unique_ptr<entry>> all;
    // As pending_calls makes them: a slot and its generation.
    for (std::int64_t slot = 1; slot <= 1000; ++slot) {
      for (std::int64_t generation = 0; generation < 3; ++generation) {
        all.push_back(std::make_unique<entry>(entry{.request = generation << 16 | slot}));
        index.add(*all.back());
      }
    }
    for (const auto& one : all) expect(index.find(*one->request) == one.get());
    for (std::size_t i = 0; i < all.size(); i += 2) index.remove(*all[i]);
    for (std::size_t i = 0; i < all.size(); ++i)
      expect(index.find(*all[i]->request) == (i % 2 == 0 ? nullptr : all[i].get()));
    expect(index.size() == all.size() / 2);
    index.add(*all.front());
    expect(index.find(*all.front()->request) == all.front().get());
    index.clear();
    for (const auto& one : all) expect(index.find(*one->request) == nullptr);
  };
};

}  // namespace request_index_test
