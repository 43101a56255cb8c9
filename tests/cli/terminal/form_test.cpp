// SPDX-License-Identifier: MIT
#include "../../../cli/terminal/form.hpp"

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "../../support/ut.hpp"

namespace form_test {

using namespace hawser;
using cli::form_field;
namespace json = boost::json;

std::vector<form_field> fields(std::string_view properties, std::string_view required = "[]") {
  const auto schema = json::parse(R"({"type":"object","properties":)" + std::string{properties} + R"(,"required":)" +
                                  std::string{required} + "}");
  auto read = cli::parse_form_schema(schema.as_object());
  expect(fatal(read.has_value())) << (read ? "" : read.error().what);
  return *read;
}

form_field field(std::string_view schema) { return fields(R"({"x":)" + std::string{schema} + "}").front(); }

std::string answer(const form_field& f, std::string_view line) {
  const auto r = cli::parse_answer(f, line);
  return r ? json::serialize(*r) : "error: " + r.error().what;
}

const suite<"form"> tests = [] {
  "a schema becomes questions in its order"_test = [] {
    const auto all = fields(R"({"name":{"type":"string","title":"Your name","description":"as printed"},
                               "age":{"type":"integer","minimum":0},"news":{"type":"boolean","default":true}})",
                            R"(["name"])");
    expect(fatal(all.size() == 3_u));
    expect(all[0].title == "Your name");
    expect(all[0].description == "as printed");
    expect(all[0].required);
    expect(all[1].title == "age") << "without a title the name";
    expect(!all[1].required);
    expect(all[2].default_value.has_value());
    expect(*all[2].default_value == json::value(true));
  };

  "texts have lengths in characters"_test = [] {
    const auto f = field(R"({"type":"string","minLength":2,"maxLength":3})");
    expect(answer(f, " äö ") == R"("äö")") << "spaces around are not meant";
    expect(answer(f, "ä") == "error: needs 2 to 3 characters");
    expect(answer(f, "abcd") == "error: needs 2 to 3 characters");
  };

  "formats are checked"_test = [] {
    const auto mail = field(R"({"type":"string","format":"email"})");
    expect(answer(mail, "a@b.example") == R"("a@b.example")");
    for (const char* bad : {"a", "@b", "a@", "a b@c", "a@.b", "a@b..c"})
      expect(answer(mail, bad) == "error: needs an address like name@example.org") << bad;
    const auto uri = field(R"({"type":"string","format":"uri"})");
    expect(answer(uri, "https://example.org/x") == R"("https://example.org/x")");
    for (const char* bad : {"example.org", "1a:b", "https:", "a b:c"})
      expect(answer(uri, bad).starts_with("error")) << bad;
    const auto date = field(R"({"type":"string","format":"date"})");
    expect(answer(date, "2024-02-29") == R"("2024-02-29")");
    for (const char* bad : {"2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "1900-02-29", "2026-01-01x"})
      expect(answer(date, bad).starts_with("error")) << bad;
    const auto time = field(R"({"type":"string","format":"date-time"})");
    for (const char* good : {"2026-02-28T12:00:00Z", "2026-02-28T12:00:00.25+02:00"})
      expect(!answer(time, good).starts_with("error")) << good;
    for (const char* bad : {"2026-02-28", "2026-02-28T24:00:00Z", "2026-02-28T12:00:00", "2026-02-28T12:00Z"})
      expect(answer(time, bad).starts_with("error")) << bad;
    expect(answer(field(R"({"type":"string","format":"else"})"), "anything") == R"("anything")");
  };

  "numbers stay within their limits"_test = [] {
    const auto whole = field(R"({"type":"integer","minimum":1,"maximum":10})");
    expect(answer(whole, "7") == "7");
    for (const char* bad : {"0", "11", "1.5", "x", "", "7 7", "99999999999999999999"})
      expect(answer(whole, bad) == "error: needs a whole number, 1 to 10") << bad;
    const auto number = field(R"({"type":"number","maximum":2.5})");
    expect(answer(number, "-1.25") == "-1.25E0" || answer(number, "-1.25") == "-1.25") << answer(number, "-1.25");
    for (const char* bad : {"2.6", "nan", "inf", "1e999"})
      expect(answer(number, bad) == "error: needs a number, at most 2.5") << bad;
  };

  "booleans are words of people"_test = [] {
    const auto f = field(R"({"type":"boolean"})");
    for (const char* yes : {"y", "Yes", "TRUE", "1"}) expect(answer(f, yes) == "true") << yes;
    for (const char* no : {"n", "No", "false", "0"}) expect(answer(f, no) == "false") << no;
    expect(answer(f, "perhaps") == "error: needs yes or no");
  };

  "a choice is given by its number, its value or its title"_test = [] {
    for (const char* schema :
         {R"({"type":"string","enum":["r","g"],"enumNames":["Red","Green"]})",
          R"({"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]})"}) {
      const auto f = field(schema);
      for (const char* green : {"2", "g", "Green"}) expect(answer(f, green) == R"("g")") << schema << green;
      for (const char* bad : {"0", "3", "blue", ""}) expect(answer(f, bad).starts_with("error")) << schema << bad;
    }
  };

  "several choices have commas between"_test = [] {
    const auto f = field(R"({"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[
      {"const":"a","title":"First"},{"const":"b","title":"Second"},{"const":"c","title":"Third"}]}})");
    expect(answer(f, "1, Third") == R"(["a","c"])");
    expect(answer(f, "a,a,1") == R"(["a"])") << "each once";
    expect(answer(f, "a,b,c") == "error: needs 1 to 2 of them");
    expect(answer(f, "") == "error: needs 1 to 2 of them");
    expect(answer(f, "a,x") == R"(error: "x" is not among them)");
    const auto plain = field(R"({"type":"array","items":{"type":"string","enum":["a","b"]}})");
    expect(answer(plain, "b") == R"(["b"])");
  };

  "defaults are kept where the form would take them"_test = [] {
    expect(field(R"({"type":"string","enum":["a"],"default":"a"})").default_value == json::value("a"));
    expect(!field(R"({"type":"string","enum":["a"],"default":"b"})").default_value.has_value());
    expect(!field(R"({"type":"integer","default":"x"})").default_value.has_value());
    const auto several = field(R"({"type":"array","items":{"enum":["a","b"]},"default":["b","a"]})");
    expect(fatal(several.default_value.has_value()));
    expect(cli::answer_text(several, *several.default_value) == "b, a");
  };

  "what forms may not have is refused by name"_test = [] {
    for (const char* odd :
         {R"({"type":"object"})", R"({"type":"array","items":{"type":"string"}})", R"({"type":"null"})", "7"}) {
      const auto schema = json::parse(R"({"properties":{"deep":)" + std::string{odd} + "}}");
      const auto r = cli::parse_form_schema(schema.as_object());
      expect(fatal(r.has_error())) << odd;
      expect(r.error().what == R"(the form's member "deep" is of no kind that forms may have)");
    }
    expect(cli::parse_form_schema(json::object{}).has_error());
  };

  "SEC-2 a number that is shown means the option it stands before, whatever others are called"_test = [] {
    const auto f = field(R"({"type":"string","enum":["3","2","1","x"]})");
    expect(answer(f, "3") == R"("1")") << answer(f, "3");
    expect(answer(f, "1") == R"("3")") << answer(f, "1");
    const auto titled =
        field(R"({"type":"string","oneOf":[{"const":"keep","title":"2"},{"const":"delete","title":"1"}]})");
    expect(answer(titled, "1") == R"("keep")");
    expect(answer(titled, "2") == R"("delete")");
    const auto several = field(R"({"type":"array","items":{"enum":["2","1"]}})");
    expect(answer(several, "1") == R"(["2"])");
    expect(answer(field(R"({"type":"string","enum":["02","x"]})"), "02") == R"("02")") << "not as it is shown";
    std::string many;
    for (int i = 1; i <= 60; ++i) many += (i == 1 ? "\"" : ",\"") + std::to_string(61 - i) + '"';
    const auto long_list = field(R"({"type":"string","enum":[)" + many + "]}");
    expect(answer(long_list, "50") == R"("11")") << "shown";
    expect(answer(long_list, "51") == R"("51")") << "not shown: only a value";
  };

  "SEC-2 a default of a choice is a value, and never a number or a title"_test = [] {
    expect(!field(R"({"type":"string","enum":["a","b"],"default":"2"})").default_value.has_value());
    expect(!field(R"({"type":"array","items":{"enum":["a","b"]},"default":["2"]})").default_value.has_value());
    expect(!field(R"({"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"})").default_value.has_value());
    expect(field(R"({"type":"string","enum":["3","2","1"],"default":"3"})").default_value == json::value("3"));
  };

  "SEC-2 a whole number that is too large is refused, and not changed"_test = [] {
    const auto whole = field(R"({"type":"integer"})");
    for (const char* bad : {"9223372036854775808", "-9223372036854775809", "99999999999999999999"})
      expect(answer(whole, bad) == "error: needs a whole number from -9223372036854775808 to 9223372036854775807")
          << answer(whole, bad);
    expect(answer(whole, "9223372036854775807") == "9223372036854775807");
    const std::string large = answer(field(R"({"type":"number"})"), "100000000000000000000");
    expect(large == "1E20") << large;
  };
};

}  // namespace form_test
