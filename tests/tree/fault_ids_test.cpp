// SPDX-License-Identifier: MIT
// Reads the names of all tests and docs/faults.md: every fault id that a name carries has a row there, and every row
// names tests that exist and carry its id. Whether these tests pass is not checked here.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../support/source_root.hpp"
#include "../support/ut.hpp"

namespace fault_ids_test {

namespace fs = std::filesystem;

constexpr const char* document = "docs/faults.md";

struct test_name {
  std::string file;       // relative to the root
  std::string full_name;  // "suite: name", as the test program prints it
};

struct fault_row {
  std::string id;
  std::vector<std::string> tests;
};

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A08, T-29, CLM-1. Three digits without a hyphen are a row of docs/features.md (S014).
bool is_id(std::string_view word) {
  static const std::set<std::string_view> standards{"SEP", "SHA", "UTF"};  // SEP-1034, SHA-256, UTF-8
  const std::string_view letters = word.substr(0, word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
  std::string_view number = word.substr(letters.size());
  if (letters.empty() || number.empty()) return false;
  if (number.front() != '-') return letters.size() == 1 && number.size() == 2 && all_digits(number);
  number.remove_prefix(1);
  return all_digits(number) && !standards.contains(letters);
}

std::set<std::string> ids_in(const std::string& name) {
  std::string words = name;
  std::ranges::replace_if(words, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, ' ');
  std::set<std::string> ids;
  std::istringstream rest{words};
  for (std::string word; rest >> word;) {
    if (is_id(word)) ids.insert(word);
  }
  return ids;
}

// A test is declared on a line of its own, as "name"_test or test("name"). Of a name that is composed while the program
// runs, the literal at its beginning counts.
std::vector<test_name> tests_in(const std::string& file, const std::string& source) {
  std::vector<test_name> found;
  std::string suite;
  std::istringstream lines{source};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('"');
    if (open == std::string::npos) continue;
    const std::size_t close = line.find("\"_test", open + 1);
    const std::string_view before = std::string_view{line}.substr(0, open);
    if (before.ends_with("suite<")) {
      suite = line.substr(open + 1, line.find('"', open + 1) - open - 1);
    } else if (before.ends_with(" test(") || before.ends_with("::test(")) {
      found.push_back({file, suite + ": " + line.substr(open + 1, line.find('"', open + 1) - open - 1)});
    } else if (close != std::string::npos && line[close - 1] != '\\') {  // escaped, it is text within another literal
      found.push_back({file, suite + ": " + line.substr(open + 1, close - open - 1)});
    }
  }
  return found;
}

std::vector<std::string> in_backticks(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t open = text.find('`'); open != std::string::npos;) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    found.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('`', close + 1);
  }
  return found;
}

// "| id | what must hold | `test`<br>`test` |" a line. A row of another form has no id, or no tests.
std::vector<fault_row> rows_in(const std::string& table) {
  std::vector<fault_row> rows;
  std::istringstream lines{table};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| id |")) continue;
    const std::size_t second = line.find(" | ");
    const std::size_t third = line.find(" | ", second == std::string::npos ? second : second + 3);
    rows.push_back({line.substr(2, second == std::string::npos ? second : second - 2), {}});
    if (third != std::string::npos) rows.back().tests = in_backticks(line.substr(third));
  }
  return rows;
}

std::vector<std::string> problems_of(const std::vector<test_name>& tests, const std::vector<fault_row>& rows) {
  std::vector<std::string> problems;
  std::map<std::string, int> rows_of_id;
  for (const fault_row& row : rows) ++rows_of_id[row.id];
  std::set<std::string> names;
  for (const test_name& test : tests) {
    names.insert(test.full_name);
    for (const std::string& id : ids_in(test.full_name)) {
      if (!rows_of_id.contains(id))
        problems.push_back(test.file + ": the test `" + test.full_name + "` carries " + id + ", which has no row in " +
                           document + ": add the row, or correct the id");
    }
  }
  for (const fault_row& row : rows) {
    const std::string place = std::string{document} + ": the row of " + row.id;
    if (!is_id(row.id)) problems.push_back(place + " does not begin with one id such as A08 or T-29: correct it");
    if (rows_of_id[row.id] > 1) problems.push_back(place + " is there more than once: merge the rows");
    if (row.tests.empty()) problems.push_back(place + " names no test: add the test in backticks in the third column");
    for (const std::string& test : row.tests) {
      std::string problem = place;
      problem.append(" names `").append(test);
      if (!names.contains(test)) {
        problems.push_back(problem + "`, which is in no tests/*/*_test.cpp: correct the name");
      } else if (!ids_in(test).contains(row.id)) {
        problems.push_back(problem + "`, which does not carry " + row.id +
                           ": name another test, or put the id into the name of this one");
      }
    }
  }
  return problems;
}

std::vector<test_name> all_tests() {
  const fs::path root = hawser::testing::source_root();
  std::vector<test_name> found;
  for (const auto& entry : fs::recursive_directory_iterator{root / "tests"}) {
    if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
    for (test_name& test : tests_in(fs::relative(entry.path(), root).string(), text_of(entry.path())))
      found.push_back(std::move(test));
  }
  return found;
}

const suite<"fault ids"> tests = [] {
  "every fault id in the name of a test has its row in docs/faults.md, and every row names tests that carry its id"_test =
      [] {
        const std::vector<test_name> named = all_tests();
        const std::vector<fault_row> rows = rows_in(text_of(fs::path{hawser::testing::source_root()} / document));
        expect(named.size() > 1000 && rows.size() > 100)
            << "read:" << named.size() << "tests," << rows.size() << "rows";
        std::string report;
        for (const std::string& problem : problems_of(named, rows)) report += "\n        " + problem;
        expect(report.empty()) << report;
      };

  "ids are told from words of the same form"_test = [] {
    expect(ids_in("x: A08 T-29 CLM-1 two rows, and B20: as well") ==
           std::set<std::string>{"A08", "T-29", "CLM-1", "B20"});
    expect(ids_in("x: S014 UTF-8, SHA-256 and SEP-1034 in 2025-03-26, by OAuth2, A1, AB12 and A-").empty());
  };

  "a test is found by its literal, its suite and its file"_test = [] {
    const std::vector<test_name> found = tests_in("f_test.cpp",
                                                  "const suite<\"one\"> a = [] {\n"
                                                  "  \"A01 first\"_test = [] {};\n"
                                                  "  boost::ut::test(\"A02 every \" + kind) = [] {};\n"
                                                  "};\n"
                                                  "const suite<\"interop: two\"> b = [] {\n"
                                                  "  \"a \\\"quoted\\\" word\"_test = [] { f(\"x\"); };\n"
                                                  "  expect(text == \"a \\\"name\\\"_test\");\n");
    expect(fatal(found.size() == 3_ul));
    expect(found[0].full_name == "one: A01 first" && found[0].file == "f_test.cpp");
    expect(found[1].full_name == "one: A02 every ");
    expect(found[2].full_name == "interop: two: a \\\"quoted\\\" word");
  };

  "whatever dangles is reported with its place and what to do"_test = [] {
    const std::vector<test_name> two{{"a_test.cpp", "s: A01 one"}, {"b_test.cpp", "s: A02 A03 two"}};
    const auto problem_of = [&](const std::string& table) {
      std::string all;
      for (const std::string& problem : problems_of(two, rows_in(table))) all += problem + '\n';
      return all;
    };
    const std::string sound =
        "| id | what must hold | tests |\n|---|---|---|\n"
        "| A01 | one `thing` | `s: A01 one` |\n| A02 | x | `s: A02 A03 two` |\n";
    const std::string third = "| A03 | x | `s: A02 A03 two` |\n";
    expect(problem_of(sound + third).empty()) << problem_of(sound + third);
    expect(problem_of(sound) ==
           "b_test.cpp: the test `s: A02 A03 two` carries A03, which has no row in docs/faults.md: add the row, or "
           "correct the id\n");
    expect(problem_of(sound + "| A03 | x | `s: A02 A03 two`<br>`s: A03` |\n") ==
           "docs/faults.md: the row of A03 names `s: A03`, which is in no tests/*/*_test.cpp: correct the name\n");
    expect(problem_of(sound + "| A03 | x | `s: A01 one` |\n") ==
           "docs/faults.md: the row of A03 names `s: A01 one`, which does not carry A03: name another test, or put the "
           "id into the name of this one\n");
    for (const char* bare : {"| A03 | x |  |\n", "| A03 | x |\n", "| A03 | `s: A02 A03 two` |\n"})
      expect(problem_of(sound + bare) ==
             "docs/faults.md: the row of A03 names no test: add the test in backticks in the third column\n")
          << bare;
    expect(problem_of(sound + third + third).find("the row of A03 is there more than once: merge the rows") !=
           std::string::npos);
    expect(problem_of(sound + third + "| A04 A05 | x | `s: A01 one` |\n").find("does not begin with one id") !=
           std::string::npos);
  };
};

}  // namespace fault_ids_test
