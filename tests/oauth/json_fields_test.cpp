// SPDX-License-Identifier: MIT
#include "../../oauth/json_fields.hpp"

#include "../support/ut.hpp"

namespace json_fields_test {

using namespace hawser;

const boost::json::value& document() {
  static const boost::json::value made = boost::json::parse(R"({
    "text": "a", "empty": "", "nothing": null, "list": ["a", "b"], "mixed": ["a", 1], "yes": true, "no": false,
    "one": 1, "most": 9223372036854775807, "least": -9223372036854775808, "beyond": 18446744073709551615,
    "broken": 1.9, "huge": 1e300, "tiny": -1e300, "digits": "42", "minus": "-42", "plus": "+1", "space": " 1",
    "hex": "0x10", "longest": "99999999999999999999"})");
  return made;
}

const suite<"json fields"> tests = [] {
  "texts and lists are what they are, null is absent, anything else is named"_test = [] {
    const json_fields fields{document().as_object(), "https://a.example/x"};
    expect(fields.text("text").value() == std::optional<std::string>{"a"});
    expect(fields.text("empty").value() == std::optional<std::string>{""});
    expect(!fields.text("nothing").value().has_value());
    expect(!fields.text("absent").value().has_value());
    expect(fields.text("one").error().what == "https://a.example/x: the field \"one\" is no text");
    expect(fields.required_text("text").value() == std::string{"a"});
    for (const char* name : {"empty", "nothing", "absent"})
      expect(fields.required_text(name).error().code == errc::protocol) << name;
    expect(fields.texts("list").value() == std::optional{std::vector<std::string>{"a", "b"}});
    expect(!fields.texts("nothing").value().has_value());
    for (const char* name : {"mixed", "text", "one"})
      expect(fields.texts(name).error().what.find(name) != std::string::npos) << name;
  };

  "only true is true"_test = [] {
    const json_fields fields{document().as_object(), "x"};
    expect(fields.is_true("yes"));
    for (const char* name : {"no", "nothing", "absent", "text", "one"}) expect(!fields.is_true(name)) << name;
  };

  "numbers are read from what states one, and are never too large to add to"_test = [] {
    const json_fields fields{document().as_object(), "x"};
    const std::int64_t furthest = 1'000'000'000'000;
    expect(fields.number("one") == std::optional<std::int64_t>{1});
    expect(fields.number("broken") == std::optional<std::int64_t>{1});
    expect(fields.number("digits") == std::optional<std::int64_t>{42});
    expect(fields.number("minus") == std::optional<std::int64_t>{-42});
    for (const char* name : {"most", "beyond", "huge"}) expect(fields.number(name) == std::optional{furthest}) << name;
    for (const char* name : {"least", "tiny"}) expect(fields.number(name) == std::optional{-furthest}) << name;
    for (const char* name : {"absent", "nothing", "text", "empty", "list", "yes", "plus", "space", "hex", "longest"})
      expect(!fields.number(name).has_value()) << name;
  };
};

}  // namespace json_fields_test
