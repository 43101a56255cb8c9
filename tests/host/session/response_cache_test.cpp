// SPDX-License-Identifier: MIT
#include "../../../host/session/response_cache.hpp"

#include "../../support/ut.hpp"

namespace response_cache_test {

using namespace hawser;
using namespace std::chrono_literals;

const time_point start{1000s};

cached_response response(std::string_view text, duration ttl, time_point arrived = start) {
  return {.result = std::make_shared<const raw_json>(text), .hints = {.ttl = ttl}, .arrived = arrived};
}
std::string found(const response_cache& cache, std::string_view method, std::string_view key, time_point now = start) {
  const cached_response* r = cache.find(method, key, now);
  return r != nullptr ? std::string{r->result->text()} : "none";
}

const suite<"response_cache"> tests = [] {
  "what a result says of its keeping"_test = [] {
    const auto ttl = [](std::string_view json) { return cache_hints::of(json).ttl; };
    expect(ttl(R"({"tools":[],"ttlMs":1500})") == 1500ms and ttl(R"({"ttlMs":0.5})") == 500us);
    for (const char* json : {"{}", R"({"ttlMs":0})", R"({"ttlMs":-1})", R"({"ttlMs":"5"})", R"({"ttlMs":null})", "[]"})
      expect(ttl(json) == 0s) << json;
    expect(ttl(R"({"ttlMs":86400001})") == 24h and ttl(R"({"ttlMs":1e300})") == 24h);
    expect(cache_hints::of(R"({"cacheScope":"public"})").scope == cache_scope::shared);
    for (const char* json : {"{}", R"({"cacheScope":"private"})", R"({"cacheScope":"Public"})", R"({"cacheScope":1})"})
      expect(cache_hints::of(json).scope == cache_scope::own) << json;
  };
  "an answer is fresh until its time is over, and stale after"_test = [] {
    response_cache cache;
    cache.put("tools/list", "", response("1", 10ms));
    expect(found(cache, "tools/list", "", start) == "1" and found(cache, "tools/list", "", start + 10ms - 1ns) == "1");
    expect(found(cache, "tools/list", "", start + 10ms) == "none");
    expect(cache.find_stale("tools/list", "") != nullptr and cache.find_stale("tools/list", "x") == nullptr);
  };
  "method and key tell answers apart, and a newer one takes the place"_test = [] {
    response_cache cache;
    cache.put("tools/list", "", response("first", 1s));
    cache.put("tools/list", "p2", response("second", 1s));
    cache.put("resources/read", "p2", response("other", 1s));
    cache.put("tools/list", "", response("newer", 1s, start + 500ms));
    expect(cache.entries() == 3_ul and found(cache, "tools/list", "", start + 1200ms) == "newer");
    expect(found(cache, "tools/list", "p2") == "second" and found(cache, "resources/read", "p2") == "other");
    cache.put("tools/list", "", response("not to be kept", 0s));
    expect(found(cache, "tools/list", "") == "none" and cache.entries() == 2_ul) << "nor is the older one";
  };
  "a change makes every page of a method stale, or one resource, or all"_test = [] {
    response_cache cache;
    for (const char* key : {"", "a", "b"}) {
      cache.put("resources/list", key, response("l", 1s));
      cache.put("resources/read", key, response("r", 1s));
    }
    cache.put("resources", "a", response("x", 1s));
    cache.invalidate("resources/list");
    expect(cache.entries() == 4_ul and found(cache, "resources/list", "a") == "none");
    cache.invalidate("resources/read", "a");
    cache.invalidate("resources/read", "none");
    expect(cache.entries() == 3_ul and found(cache, "resources/read", "b") == "r");
    cache.invalidate_all();
    expect(cache.entries() == 0_ul and cache.bytes() == 0_ul and found(cache, "resources", "a") == "none");
  };
  "entries and bytes are bounded, what arrived first leaves first"_test = [] {
    response_cache few{{.max_entries = 2}};
    for (const char* key : {"a", "b", "c"}) few.put("m", key, response(key, 1s));
    expect(few.entries() == 2_ul and found(few, "m", "a") == "none" and found(few, "m", "c") == "c");
    response_cache small{{.max_bytes = 10'000}};
    for (int i = 0; i < 100; ++i) small.put("m", std::to_string(i), response(std::string(1'000, 'x'), 1s));
    expect(small.bytes() <= 10'000_ul and small.entries() > 5_ul and found(small, "m", "99") != "none");
    small.put("m", "large", response(std::string(10'000, 'x'), 1s));
    expect(found(small, "m", "large") == "none" and found(small, "m", "99") != "none");
    response_cache none{{.max_entries = 0}};
    none.put("m", "", response("1", 1s));
    expect(none.entries() == 0_ul);
  };
  "a cache that was moved still finds, and what is held outlives it"_test = [] {
    std::shared_ptr<const raw_json> held;
    {
      response_cache first;
      first.put("m", "k", response("1", 1s));
      const response_cache second = std::move(first);
      expect(found(second, "m", "k") == "1");
      held = second.find("m", "k", start)->result;
    }
    expect(held->text() == "1");
  };
};

}  // namespace response_cache_test
