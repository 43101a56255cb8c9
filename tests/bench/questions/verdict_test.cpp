// SPDX-License-Identifier: MIT
#include "../../../bench/questions/verdict.hpp"

#include <boost/json/parse.hpp>

#include "../../../bench/report/results_page.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace verdict_test {

using namespace hawser::bench;

benchmark_output answer(std::string question, const std::vector<const char*>& lines) {
  benchmark_output made{.question = std::move(question)};
  for (const char* line : lines) made.lines.push_back(boost::json::parse(line).as_object());
  return made;
}

const boost::ut::suite<"verdict"> tests = [] {
  using namespace boost::ut;

  "figures of goals are found in the lines, in the order of their numbers"_test = [] {
    const std::vector<benchmark_output> all{
        answer("cli", {R"({"question":"c","figure":"P10 hawser list","value":8.5,"unit":"ms","at_most":20,"met":true})",
                       R"({"question":"c","figure":"Pages","value":1,"unit":"pages"})"}),
        answer(
            "dispatch",
            {R"({"question":"d","candidate":"blocking","p50_us":3})",
             R"({"question":"d","figure":"P3 256 in flight","value":900,"unit":"calls/s","at_least":1000,"met":false})",
             R"({"question":"d","figure":"P1 p50","value":1,"unit":"x floor"})"})};
    const auto goals = goals_in(all);
    expect(fatal(goals.size() == 3_ul));
    expect(goals[0].name == "P1 p50 (dispatch)" and not goals[0].bar and goals[0].met());
    expect(goals[1].name == "P3 256 in flight (dispatch)" and not goals[1].met()) << "at least 1000 was wanted";
    expect(goals[2].name == "P10 hawser list (cli)" and goals[2].met() and goals[2].figure == 8.5_d);
    expect(goals_missing(goals) == std::vector{2, 4, 5, 6, 7, 8, 9});
  };

  "a goal without a figure is not met"_test = [] {
    const auto goals = goals_in(std::vector{answer("list", {R"({"figure":"P6 x","value":null,"at_most":5})"})});
    expect(fatal(goals.size() == 1_ul));
    expect(not goals[0].met());
  };

  "the page of results shows goals, tables and what could not be measured"_test = [] {
    const std::vector<benchmark_output> all{
        answer("floor",
               {R"({"question":"one exchange","candidate":"blocking","p50_us":3.25,"p50_ratio":1.0,"count":100})",
                R"({"question":"one exchange","candidate":"stream","p50_us":3.5,"p50_ratio":1.11,"count":100})",
                R"({"question":"figures","figure":"P1 p50","value":1.31,"unit":"x floor","at_most":1.25,"met":false})",
                R"({"warning":"too noisy"})"}),
        benchmark_output{.question = "http", .failure = "hawser-bench http: no server"}};
    settings s{.results = "/nowhere", .notes = {"commit abc"}};
    const std::string page = results_page(s, all, {"the goals", goals_in(all)});
    for (const char* part : {"- commit abc\n", "| P1 p50 (floor) | 1.31 x floor | ≤ 1.25 | **missed** |",
                             "**one exchange**", "| | p50 µs | × floor | calls |", "| stream | 3.50 | 1.11 | 100 |",
                             "> too noisy", "Not whole: hawser-bench http: no server", "- compiler: ", "- machine: "})
      expect(page.find(part) != std::string::npos) << part << "is not in\n" << page;
    expect(page.find(".svg") == std::string::npos) << "no plot was drawn";
  };

  "results go to their folder, which is made"_test = [] {
    hawser::testing::temporary_folder folder;
    settings s{.results = folder / "deep/er"};
    expect(fatal(prepare_results(s.results).has_value()));
    expect(write_results(s, {}, {"the goals", {}}).has_value());
    expect(std::filesystem::exists(s.results + "/RESULTS.md"));
    const auto refused = prepare_results("/proc/nobody/may");
    expect(refused.has_error() and refused.error().what.find("/proc/nobody/may") != std::string::npos);
  };
};

}  // namespace verdict_test
