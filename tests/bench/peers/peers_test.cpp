// SPDX-License-Identifier: MIT
// The whole of it: hawser-bench with other clients against its servers. Never for judgement: --free and --quick.
#include <sys/wait.h>

#include <boost/json/parse.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "../../support/fixture.hpp"
#include "../../support/shell_peer.hpp"
#include "../../support/source_root.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace peers_test {

using namespace hawser;
namespace json = boost::json;

struct outcome {
  int code = -1;
  std::string text{};
  [[nodiscard]] bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
};

outcome bench(const std::string& arguments) {
  outcome seen;
  const std::string line = testing::program("hawser-bench") + ' ' + arguments + " 2>&1";
  FILE* from = popen(line.c_str(), "r");
  expect(fatal(from != nullptr));
  char piece[4096];
  while (const std::size_t count = fread(piece, 1, sizeof piece, from)) seen.text.append(piece, count);
  const int status = pclose(from);
  seen.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return seen;
}

// Who has a row in the table of this wire.
std::set<std::string> rows_of(const outcome& seen, const std::string& wire) {
  std::set<std::string> names;
  std::istringstream lines{seen.text};
  for (std::string line; std::getline(lines, line);) {
    boost::system::error_code failed;
    const json::value read = json::parse(line, failed);
    if (failed || !read.is_object() || !read.get_object().contains("candidate")) continue;
    const json::object& one = read.get_object();
    if (one.at("question").as_string() != "tools/call over " + wire + ", side by side") continue;
    expect(one.at("p50_us").as_double() > 0.0_d) << line;
    names.emplace(one.at("candidate").as_string());
  }
  return names;
}

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// A build with a sanitizer measures nothing.
bool measures() {
  if (testing::instrumented) cfg<override>.skip_this("hawser-bench refuses to measure with a sanitizer");
  return !testing::instrumented;
}

constexpr const char* quickly = " --free --quick --rounds 2 --per-round 20 ";

const boost::ut::suite<"peers"> tests = [] {
  using namespace boost::ut;

  "bad usage is told before anything is measured"_test = [] {
    expect(bench("dispatch --peer nothing").code == 3_i);
    expect(bench("dispatch --peer nothing").has("'name=command' is wanted"));
    expect(bench("http --peer =x").has("printable"));
  };

  "the example of bench/peers/README.md takes part over stdio and says that it has no HTTP"_test = [] {
    if (!measures()) return;
    if (std::system("python3 -c '' 2>/dev/null") != 0) {
      cfg<override>.skip_this("there is no python3");
      return;
    }
    const std::string readme = content_of(testing::source_root() + "/bench/peers/README.md");
    const std::size_t begin = readme.find("```python\n");
    expect(fatal(begin != std::string::npos));
    const std::size_t end = readme.find("```", begin + 10);
    const testing::temporary_folder folder;
    std::ofstream{folder / "example.py"} << readme.substr(begin + 10, end - begin - 10);
    const outcome seen = bench("dispatch --json" + std::string{quickly} + "--peer 'example=exec python3 " +
                               folder.path + "/example.py'");
    expect(seen.code == 2_i) << "somebody could not be measured";
    expect(rows_of(seen, "stdio") == std::set<std::string>{"blocking read and write", "Hawser, result as bytes",
                                                           "Hawser, result as a tree", "example"})
        << seen.text;
    expect(rows_of(seen, "HTTP") == std::set<std::string>{"blocking keep-alive exchange", "Hawser, result as bytes",
                                                          "Hawser, result as a tree"});
    expect(seen.has(R"(it said: no HTTP in it; it is left out over HTTP)")) << seen.text;
    expect(seen.has(R"("figure":"p50, example over stdio")"));
  };

  "clients that die or talk nonsense are named, the others measured, and no process is left"_test = [] {
    if (!measures()) return;
    const testing::temporary_folder folder;
    const std::string token = testing::new_token();
    std::ofstream{folder / token} << testing::shell_peer();
    const std::string good = "sh " + folder.path + '/' + token;
    const outcome seen = bench("http --json" + std::string{quickly} + "--peer 'good=" + good + "' --peer 'dies=exit 9" +
                               "' --peer 'mad=echo lalala; " + good + "'");
    expect(seen.code == 2_i) << seen.text;
    expect(rows_of(seen, "HTTP") == std::set<std::string>{"blocking keep-alive exchange", "Hawser, result as bytes",
                                                          "Hawser, result as a tree", "good 7"});
    expect(seen.has(R"(peer \"dies\": it ended without an answer: exited with 9)")) << seen.text;
    expect(seen.has(R"(peer \"mad\": it said what is no JSON object: lalala)")) << seen.text;
    expect(testing::survivors(token, 2000).empty());
  };

  "a client runs where everything else runs: on one core, unless it is free"_test = [] {
    if (!measures()) return;
    const testing::temporary_folder folder;
    std::ofstream{folder / "peer"} << testing::shell_peer(
        R"(cores=$(grep Cpus_allowed_list /proc/self/status); echo "{\"ready\":\"on ${cores##*[!0-9,-]}.\"}")");
    const std::string peer = "--rounds 1 --per-round 1 --json --quick --peer 'it=sh " + folder.path + "/peer'";
    const auto cores = [](const outcome& seen) {
      const std::size_t begin = seen.text.find("it on ");
      return begin == std::string::npos ? seen.text
                                        : seen.text.substr(begin + 6, seen.text.find('.', begin) - begin - 6);
    };
    const std::string pinned = cores(bench("http " + peer));
    expect(not pinned.empty() and pinned.find_first_not_of("0123456789") == std::string::npos) << pinned;
    std::string ours;
    std::ifstream status{"/proc/self/status"};
    while (std::getline(status, ours) && !ours.starts_with("Cpus_allowed_list:")) {
    }
    expect(ours.ends_with('\t' + cores(bench("http --free " + peer)))) << ours;
  };

  "both TypeScript clients take part over stdio and over HTTP"_test = [] {
    if (!measures()) return;
    if (std::getenv("HAWSER_BENCH_PEERS") == nullptr) {
      const char* why = std::getenv("HAWSER_BENCH_PEERS_MISSING");
      cfg<override>.skip_this(why != nullptr ? why : "HAWSER_BENCH_PEERS does not say where they are; ./dev test does");
      return;
    }
    const outcome seen = bench("dispatch --peers --json" + std::string{quickly});
    expect(seen.code == 0_i) << seen.text;
    const auto over_stdio = rows_of(seen, "stdio");
    expect(over_stdio.size() == 5_ul and over_stdio.contains("TypeScript SDK 1.32.2") and
           over_stdio.contains("TypeScript client 2.4.0"))
        << seen.text;
    expect(rows_of(seen, "HTTP").size() == 5_ul) << seen.text;
    for (const char* goal : {"P9 p50, TypeScript SDK 1.32.2 over stdio", "P9 p50, TypeScript client 2.4.0 over stdio",
                             "P9 p50, TypeScript SDK 1.32.2 over HTTP", "P9 p50, TypeScript client 2.4.0 over HTTP"})
      expect(seen.has(goal)) << goal;
  };
};

}  // namespace peers_test
