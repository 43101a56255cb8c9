// SPDX-License-Identifier: MIT
#include "../../../bench/peers/peer_protocol.hpp"

#include <boost/json/parse.hpp>

#include "../../support/contains.hpp"
#include "../../support/ut.hpp"

namespace peer_protocol_test {

using namespace hawser;
using namespace hawser::bench;
using namespace std::chrono_literals;
using testing::contains;
namespace json = boost::json;

std::string problem_of(std::string_view line, int count = 2, int in_flight = 1, std::chrono::nanoseconds waited = 1s) {
  const auto times = read_times(line, count, in_flight, waited);
  return times ? "none" : times.error().what;
}

const boost::ut::suite<"peer_protocol"> tests = [] {
  using namespace boost::ut;

  "a client is told where to connect, what to call and how often, in lines of JSON"_test = [] {
    const std::string stdio = connect_line({.stdio = {"/bin/a server", "--x"}});
    expect(stdio.ends_with("}\n") and stdio.find('\n') == stdio.size() - 1);
    expect(json::parse(stdio) ==
           json::parse(
               R"({"connect":{"stdio":["/bin/a server","--x"]},"call":{"name":"echo","arguments":{"text":"hi"}}})"));
    expect(json::parse(connect_line({.http = "http://127.0.0.1:1/mcp"})).at("connect") ==
           json::parse(R"({"http":"http://127.0.0.1:1/mcp"})"));
    expect(run_line(300, 16) == "{\"run\":300,\"in_flight\":16}\n");
  };

  "ready comes with a version or without one"_test = [] {
    expect(read_ready(R"({"ready":"1.2"})").value() == "1.2");
    expect(read_ready(R"({"ready":""})").value().empty());
  };

  "an invalid ready line is quoted without control characters"_test = [] {
    expect(contains(read_ready("hello \x1b[2J").error().what, "no JSON object: hello ?[2J"));
    expect(contains(read_ready("[]").error().what, "no JSON object"));
    expect(contains(read_ready(R"({"ready":1})").error().what, "not \"ready\""));
    expect(contains(read_ready(R"({"error":"no HTTP in it"})").error().what, "it said: no HTTP in it"));
    expect(contains(read_ready(R"({"error":{"code":1}})").error().what, R"({"code":1})"));
    expect(read_ready(std::string(10'000, 'x')).error().what.size() < 200_ul);
  };

  "times are read whatever numbers the client's language makes"_test = [] {
    const auto times = read_times(R"({"took":3000,"nanoseconds":[1000,1.5e3]})", 2, 1, 1s);
    expect(fatal(times.has_value()));
    expect(times->took == 3us and times->each == std::vector<std::chrono::nanoseconds>{1us, 1500ns});
  };

  "impossible times are refused with the reason"_test = [] {
    expect(contains(problem_of(R"({"nanoseconds":[1,2]})"), "\"took\""));
    expect(contains(problem_of(R"({"took":-1,"nanoseconds":[1,2]})"), "\"took\""));
    expect(contains(problem_of(R"({"took":"1","nanoseconds":[1,2]})"), "\"took\""));
    expect(contains(problem_of(R"({"took":1e300,"nanoseconds":[1,2]})"), "\"took\""));
    expect(contains(problem_of(R"({"took":5})"), "no list"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":7})"), "no list"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":[1]})"), "1 times for 2 calls"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":[1,2,3]})"), "3 times for 2 calls"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":[1,null]})"), "time number 2"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":[-1,1]})"), "time number 1"));
    expect(contains(problem_of(R"({"took":5,"nanoseconds":[1,9e9]})"), "time number 2")) << "longer than the whole";
    expect(contains(problem_of(R"({"error":"tired"})"), "it said: tired"));
  };

  "a client cannot have worked longer than we have waited, nor on more calls than were in flight"_test = [] {
    const char* line = R"({"took":50000000,"nanoseconds":[40000000,40000000]})";
    expect(contains(problem_of(line, 2, 1, 10ms), "longer than we have waited"));
    expect(contains(problem_of(line, 2, 1, 50ms), "more than 1 in flight"));
    expect(problem_of(line, 2, 2, 50ms) == "none");
  };
};

}  // namespace peer_protocol_test
