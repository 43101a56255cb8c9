// SPDX-License-Identifier: MIT
// How many instructions a call in memory, our side of a call over HTTP and a lookup take, against those that are kept
// for this toolchain in bench/instructions.json: time is noisy, instructions are not. HAWSER_KEEP_INSTRUCTIONS=1 keeps
// the new ones.
#include <uv.h>

#include <boost/json.hpp>
#include <boost/version.hpp>
#include <charconv>
#include <fstream>

#include "../../support/bench_program.hpp"
#include "../../support/source_root.hpp"

namespace instructions_test {

using namespace hawser;
namespace json = boost::json;
using testing::bench_program;

constexpr double most_growth = 1.10;

std::string kept_path() { return testing::source_root() + "/bench/instructions.json"; }

// What changes the code that comes out, without a change of ours.
std::string toolchain() {
#ifdef __clang__
  const std::string compiler = "clang " + std::to_string(__clang_major__);
#else
  const std::string compiler = "g++ " + std::to_string(__GNUC__);
#endif
#ifdef __x86_64__
  const std::string machine = "x86_64";
#else
  const std::string machine = "another machine";
#endif
  return compiler + ", libstdc++ " + std::to_string(_GLIBCXX_RELEASE) + ", Boost " +
         std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000) + ", libuv " +
         std::to_string(UV_VERSION_MAJOR) + "." + std::to_string(UV_VERSION_MINOR) + ", " + machine;
}

json::object kept() {
  std::ifstream file{kept_path()};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return json::parse(text).as_object();
}

void keep(const json::object& all) {
  std::ofstream file{kept_path()};
  file << "{\n";
  for (const auto& one : all)
    file << "  " << json::serialize(json::string{one.key()}) << ": " << json::serialize(one.value())
         << (&one + 1 == all.end() ? "\n" : ",\n");
  file << "}\n";
}

// Of a whole run, as callgrind counts them.
double collected(const std::string& what, int times) {
  bench_program run{"/usr/bin/valgrind",
                    {"--tool=callgrind", "--callgrind-out-file=/dev/null", testing::program("hawser-bench"), "count",
                     what, "--rounds", std::to_string(times)}};
  const int code = run.wait();
  const std::string said = run.err();
  const std::size_t at = said.find("Collected : ");
  expect(fatal(code == 0 and at != std::string::npos)) << said;
  double count = 0;
  std::from_chars(said.data() + at + 12, said.data() + said.size(), count);
  return count;
}

// The start and the end of the program are in both runs.
double each(const std::string& what) {
  constexpr int few = 1000;
  constexpr int many = 3000;
  return (collected(what, many) - collected(what, few)) / (many - few);
}

const boost::ut::suite<"instructions"> tests = [] {
  using namespace boost::ut;

  "a call in memory, one over HTTP and a lookup take hardly more instructions than are kept for this toolchain"_test =
      [] {
        if (!testing::bench_can_measure()) return;
        if (access("/usr/bin/valgrind", X_OK) != 0) return cfg<override>.skip_this("valgrind is not installed");
        json::object all = kept();
        const bool keeping = std::getenv("HAWSER_KEEP_INSTRUCTIONS") != nullptr;
        if (!keeping and not all.contains(toolchain()))
          return cfg<override>.skip_this("none are kept for " + toolchain() +
                                         "; HAWSER_KEEP_INSTRUCTIONS=1 ./dev test instructions keeps them");
        json::object now;
        for (const char* what : {"dispatch", "http", "lookup"}) {
          const double count = each(what);
          expect(count > 10.0_d) << what << "is not optimised away";
          now[what] = static_cast<std::int64_t>(count);
          if (keeping) continue;
          const double before = all.at(toolchain()).at(what).to_number<double>();
          expect(count <= before * most_growth)
              << what << "takes" << count << "instructions, where it took" << before
              << ": if that is meant, HAWSER_KEEP_INSTRUCTIONS=1 ./dev test instructions keeps it";
        }
        if (!keeping) return;
        all[toolchain()] = now;
        keep(all);
      };
};

}  // namespace instructions_test
