// SPDX-License-Identifier: MIT
// The official conformance suite against Hawser as a client: every scenario by itself, at every revision that the suite
// lists it for. tests/interop/conformance/scenarios.txt says which those are, and which of them are not passed yet and
// why; one of these that passes is a failure, too, so that the file stays true.
#include <sys/wait.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "../support/fixture.hpp"
#include "../support/interop_servers.hpp"
#include "../support/source_root.hpp"
#include "../support/temporary_folder.hpp"

namespace conformance_test {

using namespace hawser;
using testing::temporary_folder;
namespace fs = std::filesystem;
namespace json = boost::json;

struct entry {
  std::string scenario;
  std::string revision;   // "extension": of no revision
  std::string not_yet{};  // why; empty = it has to pass
  [[nodiscard]] std::string name() const { return scenario + " at " + revision; }
};

std::string text_in(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

// One "scenario revision [why it is not passed yet]" a line.
std::deque<entry> entries() {
  std::deque<entry> all;
  std::istringstream lines{text_in(testing::source_root() + "/tests/interop/conformance/scenarios.txt")};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words{line};
    entry one;
    words >> one.scenario >> one.revision >> std::ws;
    std::getline(words, one.not_yet);
    all.push_back(std::move(one));
  }
  return all;
}

std::string quoted(const std::string& word) { return '\'' + word + '\''; }  // none of ours has a quote in it

// Nothing, and a skipped test, where the suite or its node is missing.
std::optional<std::string> suite_command() {
  const auto found = testing::interop_server_on_node_22(testing::interop::conformance);
  if (!found) return std::nullopt;
  return quoted(found->program) + ' ' + quoted(found->arguments.front());
}

// What it printed, and its exit code; -1 if it did not end by itself.
std::pair<int, std::string> run(const std::string& line, const temporary_folder& folder) {
  const int status = std::system((line + " < /dev/null > " + quoted(folder / "log") + " 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_in(folder / "log")};
}

struct verdict {
  bool passed = false;
  std::string why{};  // it did not
};

// What is not asked for is not checked. The modern era has no handshake; anything else that is skipped is something
// that conformance_client should have done.
bool may_be_skipped(std::string_view check) {
  return check == "ClientMcpMethodHeader_initialize" || check == "ClientMcpMethodHeader_notifications_initialized";
}

// A client that does nothing passes several scenarios by the suite's own count: there must be a success, too.
verdict judged(int code, const std::string& printed, const temporary_folder& folder) {
  verdict is{.passed = code == 0, .why = code == 0 ? "" : "exit code " + std::to_string(code) + "; "};
  std::size_t successes = 0;
  bool found = false;
  for (const auto& file : fs::recursive_directory_iterator{folder.path}) {
    if (file.path().filename() == "stderr.txt") is.why += "the client: " + text_in(file.path()) + "; ";
    if (file.path().filename() != "checks.json") continue;
    found = true;
    const json::value checks = json::parse(text_in(file.path()));
    for (const json::value& one : checks.as_array()) {
      const std::string status = json::value_to<std::string>(one.at("status"));
      const std::string name = json::value_to<std::string>(one.at("name"));
      if (status == "SUCCESS") ++successes;
      if (status == "SUCCESS" || status == "INFO" || (status == "SKIPPED" && may_be_skipped(name))) continue;
      is.passed = false;
      const json::value* more = one.as_object().if_contains("errorMessage");
      is.why += status + ' ' + name + ": " +
                (more != nullptr && more->is_string() ? json::value_to<std::string>(*more) : "") + "; ";
    }
  }
  if (successes == 0) is = {.passed = false, .why = is.why + "no check succeeded; "};
  if (!found) is.why += printed.substr(0, 2000);
  return is;
}

verdict outcome_of(const entry& one, const std::string& suite) {
  const temporary_folder folder;
  // `timeout` by itself: the suite's own would end only the shell.
  std::string line = suite + " client --scenario " + quoted(one.scenario) + " -o " + quoted(folder.path) +
                     " --command " + quoted("exec timeout -k 2 25 " + testing::program("conformance_client"));
  if (one.revision != "extension") line += " --spec-version " + quoted(one.revision);
  const auto [code, printed] = run(line, folder);
  return judged(code, printed, folder);
}

void check(const entry& one) {
  const auto suite = suite_command();
  if (!suite) return;
  verdict is = outcome_of(one, *suite);
  // It measures a pause to the tenth of a second, its own server's delays included: a busy machine may have been late.
  for (int again = 0; again < 2 && one.scenario == "sse-retry" && !is.passed; ++again) is = outcome_of(one, *suite);
  if (one.not_yet.empty()) {
    expect(is.passed) << is.why;
  } else {
    expect(!is.passed) << "it passes: the line in scenarios.txt that says" << one.not_yet << "is not true any more";
  }
}

// "  - name [revision,revision]" a line.
std::map<std::string, int> listed(const std::string& printed) {
  std::map<std::string, int> names;
  std::istringstream lines{printed};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find(" [");
    if (!line.starts_with("  - ") || open == std::string::npos) continue;
    std::istringstream revisions{line.substr(open + 2, line.size() - open - 3)};
    for (std::string one; std::getline(revisions, one, ',');) ++names[line.substr(4, open - 4) + " at " + one];
  }
  return names;
}

const suite<"conformance"> tests = [] {
  static const std::deque<entry> all = entries();  // the tests' names lie here
  static std::deque<std::string> names;

  "the scenarios are those of the suite, at the revisions that it lists them for"_test = [] {
    const auto suite = suite_command();
    if (!suite) return;
    const temporary_folder folder;
    const auto [code, printed] = run(*suite + " list --client", folder);
    expect(code == 0_i) << printed;
    std::map<std::string, int> ours;
    for (const entry& one : all) ++ours[one.name()];
    expect(ours == listed(printed) and ours.size() > 60_ul) << ours.size() << printed;
  };

  for (const entry& one : all) {
    names.push_back(one.name() + (one.not_yet.empty() ? " passes" : " does not pass yet"));
    boost::ut::test(names.back()) = [&one] { check(one); };
  }
};

}  // namespace conformance_test
