// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/form_dialog.hpp"

#include <boost/json.hpp>
#include <deque>
#include <string>

#include "../../support/contains.hpp"
#include "../../support/run.hpp"
#include "../../support/ut.hpp"
#include "../captured_output.hpp"
#include "../pseudo_terminal.hpp"

namespace form_dialog_test {

using namespace hawser;
using action = elicitation_answer::action;
using testing::captured_output;
using testing::contains;
using testing::run;

class scripted_lines final : public cli::line_source {
 public:
  explicit scripted_lines(std::deque<std::string> lines) : lines_(std::move(lines)) {}
  task<result<std::string>> next() override {
    if (lines_.empty()) co_return error{.code = errc::closed, .what = "the end of the script"};
    std::string first = std::move(lines_.front());
    lines_.pop_front();
    co_return first;
  }

 private:
  std::deque<std::string> lines_;
};

struct asked_form {
  elicitation_answer answer;
  std::string shown;
};

form_request request(std::string_view schema, std::string message = "please") {
  return {.server = "demo", .message = std::move(message), .schema = boost::json::parse(schema).as_object()};
}

asked_form fill(form_request what, std::deque<std::string> lines) {
  captured_output screen;
  scripted_lines script{std::move(lines)};
  auto r = run(cli::ask_form(screen.out, script, std::move(what)));
  expect(fatal(r.has_value()));
  return {std::move(*r), screen.text()};
}

asked_form visit(std::string url, std::deque<std::string> lines) {
  captured_output screen;
  scripted_lines script{std::move(lines)};
  auto r =
      run(cli::ask_url(screen.out, script, url_request{.server = "demo", .message = "log in", .url = std::move(url)}));
  expect(fatal(r.has_value()));
  return {std::move(*r), screen.text()};
}

constexpr std::string_view person = R"({"properties":{
  "name":{"type":"string","minLength":2},"age":{"type":"integer","default":30},"news":{"type":"boolean"}},"required":["name"]})";

const suite<"form_dialog"> tests = [] {
  "a form is asked, checked, reviewed and sent"_test = [] {
    const auto [answer, shown] = fill(request(person), {"", "x", "Ada", "", "", "y"});
    expect(answer.what == action::accept);
    expect(boost::json::serialize(answer.content) == R"({"name":"Ada","age":30})");
    expect(contains(shown, "server demo asks:\nplease\n"));
    expect(contains(shown, "needs at least 2 characters"));
    expect(contains(shown, "age (a whole number, optional) [30]: "));
    expect(contains(shown, "news: (left out)"));
  };

  "SEC-2 an optional answer that has a default can be left out"_test = [] {
    const auto [answer, shown] = fill(request(person), {"Ada", "/skip", "", "y"});
    expect(boost::json::serialize(answer.content) == R"({"name":"Ada"})");
    expect(contains(shown, "age: (left out)"));
    expect(fill(request(person), {"/skip", "Bo", "", "", "y"}).answer.content.at("name") == "/skip")
        << "what is required cannot be left out";
  };

  "a form can be edited before it is sent"_test = [] {
    const auto answer = fill(request(person), {"Ada", "36", "yes", "e", "", "", "no", "y"}).answer;
    expect(boost::json::serialize(answer.content) == R"({"name":"Ada","age":36,"news":false})");
  };

  "a user may say no, or nothing, at every question"_test = [] {
    expect(fill(request(person), {"/decline"}).answer.what == action::decline);
    expect(fill(request(person), {"Ada", "/cancel"}).answer.what == action::cancel);
    expect(fill(request(person), {"Ada"}).answer.what == action::cancel) << "the end of input";
    expect(fill(request(person), {"Ada", "", "", "d"}).answer.what == action::decline);
    expect(fill(request(person), {"Ada", "", "", "what?", "c"}).answer.what == action::cancel);
    expect(fill(request(person), {"Ada", "", ""}).answer.what == action::cancel);
  };

  "choices are numbered"_test = [] {
    const auto [answer, shown] = fill(
        request(
            R"({"properties":{"c":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}}})"),
        {"2", "y"});
    expect(boost::json::serialize(answer.content) == R"({"c":"g"})");
    expect(contains(shown, "  1) Red (r)\n  2) Green (g)\n"));
  };

  "a form that may not be is declined with the reason"_test = [] {
    const auto [answer, shown] = fill(request(R"({"properties":{"deep":{"type":"object"}}})"), {});
    expect(answer.what == action::decline);
    expect(contains(shown, "declined: the form's member \"deep\""));
  };

  "G09 what the server says cannot push the question away or draw on the screen"_test = [] {
    const std::string hostile = "\x1b[2J" + std::string(1 << 20, '\n') + "\r\xe2\x80\xae";
    const auto shown = fill(request(person, hostile), {}).shown;
    expect(!contains(shown, "\x1b"));
    expect(!contains(shown, "\r"));
    expect(std::count(shown.begin(), shown.end(), '\n') < 20);
    expect(contains(shown, "name (text, at least 2 characters): "));
  };

  "a page is shown whole with its host, and only consent is asked for"_test = [] {
    const std::string url = "https://login.example/" + std::string(5'000, 'x') + "\x1b";
    const auto [answer, shown] = visit(url, {"e", "y"});
    expect(answer.what == action::accept);
    expect(answer.content.empty());
    expect(contains(shown, "https://login.example/" + std::string(5'000, 'x') + "\\u{1b}\n"));
    expect(contains(shown, "host: login.example\n"));
    expect(visit(url, {"n"}).answer.what == action::decline);
    expect(visit(url, {"", "c"}).answer.what == action::cancel);
    expect(visit(url, {}).answer.what == action::cancel);
  };

  "a page whose address deceives comes with a warning"_test = [] {
    expect(contains(visit("https://bank.example@evil.example/", {}).shown, "not the host"));
    expect(contains(visit("https://xn--bnk-0na.example/", {}).shown, "look like others"));
    expect(!contains(visit("https://bank.example/", {}).shown, "look like others"));
  };

  "SEC-2 the review shows what is sent: a choice with its title and its value, each of several, and whole texts"_test =
      [] {
        const std::string schema =
            R"({"properties":{"c":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"Red","title":"r"}]},
            "m":{"type":"array","items":{"enum":["a","b","a, b"]}},"t":{"type":"string"}},"required":["c","m","t"]})";
        const std::string text = std::string(3'000, 'x') + "end";
        const auto one = fill(request(schema), {"1", "3", text, "y"});
        expect(boost::json::serialize(one.answer.content) == R"({"c":"r","m":["a, b"],"t":")" + text + "\"}");
        expect(contains(one.shown, "  c: Red (r)\n")) << one.shown;
        expect(contains(one.shown, "  m: \"a, b\"\n")) << one.shown;
        expect(contains(one.shown, "  t: " + text + '\n'));
        const auto two = fill(request(schema), {"2", "1,2", "t", "y"});
        expect(contains(two.shown, "  c: r (Red)\n") && contains(two.shown, "  m: \"a\", \"b\"\n")) << two.shown;
      };
};

}  // namespace form_dialog_test
