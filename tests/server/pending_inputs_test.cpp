// SPDX-License-Identifier: MIT
#include "../../server/pending_inputs.hpp"

#include "../support/ut.hpp"

namespace pending_inputs_test {

using namespace hawser;
using namespace std::chrono_literals;

const text_digest somebody = digest_of(R"({"name":"somebody"})");
const text_digest other = digest_of(R"({"name":"other"})");
const text_digest call = pending_inputs::subject_of("tools/call", "ask", "{}");

text_digest with(std::string_view arguments) { return pending_inputs::subject_of("tools/call", "ask", arguments); }

const suite<"pending_inputs"> tests = [] {
  "FRZ-8 one client's rounds never push out those of another, and its own are not lost"_test = [] {
    pending_inputs rounds;
    const time_point now{1h};
    const auto first = rounds.add(other, call, {.state = "kept"}, now);
    expect(first.has_value());
    std::vector<std::string> names;
    for (int i = 0; i < 5000; ++i) {
      const auto name = rounds.add(somebody, call, {.state = "s"}, now);
      if (name) names.push_back(*name);
      if (!name) expect(name.error().code == errc::too_large) << name.error().what;
    }
    expect(names.size() == 128_ul && rounds.waiting() == 129_ul);
    expect(rounds.add(other, call, {}, now).has_value()) << "others may still ask";
    const auto resumed = rounds.resume(*first, call, now);
    expect(resumed.has_value() && resumed->state == "kept");
    expect(rounds.resume(names.front(), call, now).has_value());
    expect(rounds.add(somebody, call, {}, now).has_value()) << "an answer makes room";
    expect(rounds.add(somebody, call, {}, now + 31min).has_value() && rounds.waiting() == 1_ul) << "so does time";
  };
  "FRZ-8 however many clients there are, rounds and their bytes are bounded"_test = [] {
    pending_inputs rounds;
    const time_point now{1h};
    std::size_t kept = 0;
    for (int i = 0; i < 3000; ++i)
      kept += rounds.add(digest_of(std::to_string(i)), call, {}, now).has_value() ? 1U : 0U;
    expect(kept == 1024_ul);
    pending_inputs large;
    std::size_t bytes = 0;
    for (int i = 0; i < 100; ++i) {
      const std::string state(std::size_t{1} << 20, 's');
      if (large.add(digest_of(std::to_string(i / 10)), call, {.state = state}, now)) bytes += state.size();
    }
    expect(bytes == std::size_t{16} << 20) << bytes;
    pending_inputs own;
    std::size_t mine = 0;
    for (int i = 0; i < 100; ++i)
      mine += own.add(somebody, call, {.state = std::string(std::size_t{1} << 20, 's')}, now) ? 1U : 0U;
    expect(mine == 4_ul);
  };
  "a subject is the same whatever its spaces and the order of its members"_test = [] {
    expect(with(R"({"a":1,"b":[1,{"c":"d","e":null}]})") ==
           with(R"( { "b" : [1, {"e":null, "\u0063":"d"} ], "a":1 })"));
    expect(with(R"({"a":1})") != with(R"({"a":2})") && with(R"({"a":[1,2]})") != with(R"({"a":[2,1]})"));
    expect(with("{}") != pending_inputs::subject_of("tools/call", "as", "k{}"));
    const std::string large(200'000, 'x');
    expect(with(R"({"a":")" + large + R"( "})") == with(R"({ "a" : ")" + large + R"( " })"));
    expect(with(R"({"a":")" + large + R"( "})") != with(R"({"a":")" + large + R"("})")) << "spaces in texts count";
  };
};

}  // namespace pending_inputs_test
