// SPDX-License-Identifier: MIT
#include "../../../host/schema/schema_check.hpp"

#include <chrono>
#include <vector>

#include "../../../transports/json/json_text.hpp"
#include "../../support/colliding_names.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/ut.hpp"

namespace schema_check_test {

using namespace hawser;

// "" = satisfied, "?…" = cannot be told, else what is wrong.
std::string verdict(std::string_view schema, std::string_view instance) {
  const auto checked = schema_violation(schema, instance);
  if (!checked) return '?' + checked.error().what;
  return checked->value_or("");
}
bool satisfied(std::string_view schema, std::string_view instance) { return verdict(schema, instance).empty(); }
bool violated(std::string_view schema, std::string_view instance) {
  const std::string v = verdict(schema, instance);
  return !v.empty() && v.front() != '?';
}
bool refused(std::string_view schema, std::string_view instance, std::string_view why) {
  return verdict(schema, instance).starts_with("?schema: " + std::string{why});
}
std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

const suite<"schema_check"> tests = [] {
  "the keywords of 2020-12 are enforced"_test = [] {
    struct row {
      const char* schema;
      const char* good;
      const char* bad;
    };
    for (const row& r : {
             row{R"({"type":"object"})", "{}", "[]"},
             row{R"({"type":["string","null"]})", "null", "1"},
             row{R"({"type":"integer"})", "1.0", "1.5"},
             row{R"({"enum":[1,"a",null]})", "\"a\"", "2"},
             row{R"({"const":{"a":[1]}})", R"({"a":[1]})", R"({"a":[2]})"},
             row{R"({"required":["a"]})", R"({"a":1})", "{}"},
             row{R"({"properties":{"a":{"type":"string"}}})", R"({"a":"x"})", R"({"a":1})"},
             row{R"({"properties":{"a":{}},"additionalProperties":false})", R"({"a":1})", R"({"b":1})"},
             row{R"({"additionalProperties":{"type":"string"}})", R"({"b":"x"})", R"({"b":1})"},
             row{R"({"propertyNames":{"maxLength":1}})", R"({"b":1})", R"({"bb":1})"},
             row{R"({"items":{"type":"number"}})", "[1,2]", R"([1,"a"])"},
             row{R"({"prefixItems":[{"type":"number"}]})", R"([1,"a"])", R"(["a"])"},
             row{R"({"contains":{"const":1},"maxContains":1})", "[1,2]", "[1,1]"},
             row{R"({"minItems":1,"maxItems":2,"uniqueItems":true})", "[1,2]", "[1,1]"},
             row{R"({"minLength":2,"maxLength":3})", "\"\xC3\xBC\xC3\xBC\"", "\"x\""},
             row{R"({"minimum":1,"exclusiveMaximum":3,"multipleOf":0.5})", "1.5", "3"},
             row{R"({"minProperties":1,"maxProperties":1})", R"({"a":1})", "{}"},
             row{R"({"allOf":[{"minimum":1},{"maximum":2}]})", "1", "3"},
             row{R"({"anyOf":[{"type":"string"},{"minimum":2}]})", "2", "1"},
             row{R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "1", "2"},
             row{R"({"not":{"type":"string"}})", "1", "\"a\""},
             row{R"({"if":{"minimum":5},"then":{"multipleOf":5},"else":{"multipleOf":2}})", "10", "7"},
             row{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1,"b":1})", R"({"a":1})"},
             row{R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"b":1})", R"({"a":1})"},
             row{R"({"dependencies":{"a":["b"],"c":{"minProperties":2}}})", R"({"a":1,"b":1})", R"({"c":1})"},
             row{R"({"properties":{"a":{}},"unevaluatedProperties":false})", R"({"a":1})", R"({"b":1})"},
             row{R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})", "\"x\"", "1"},
             row{R"({"$ref":"#/definitions/a","definitions":{"a":{"type":"string"}}})", "\"x\"", "1"},
             row{R"({"$ref":"#/$defs/a~1%20b","$defs":{"a/ b":{"type":"string"}}})", "\"x\"", "1"},
             row{R"({"$ref":"#n","$defs":{"a":{"$anchor":"n","type":"string"}}})", "\"x\"", "1"},
             row{R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string"})", "\"x\"", "1"},
             row{R"({"$id":"https://a.test/s","$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})", "\"x\"", "1"},
             row{"true", "1", nullptr},
             row{"false", nullptr, "1"},
         }) {
      if (r.good != nullptr) expect(satisfied(r.schema, r.good)) << r.schema << r.good << verdict(r.schema, r.good);
      if (r.bad != nullptr) expect(violated(r.schema, r.bad)) << r.schema << r.bad << verdict(r.schema, r.bad);
    }
  };
  "draft 7 is understood where it is declared, and other dialects are refused"_test = [] {
    for (const std::string dialect :
         {"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"}) {
      const std::string schema = R"({"$schema":")" + dialect +
                                 R"(","items":[{"type":"string"}],"additionalItems":{"$ref":"#/$defs/a"},
        "$defs":{"a":{"type":"number"}}})";
      expect(satisfied(schema, R"(["a",1])")) << verdict(schema, R"(["a",1])");
      expect(violated(schema, "[1]") and violated(schema, R"(["a","b"])"));
    }
    for (const char* dialect : {R"("http://json-schema.org/draft-03/schema#")", R"("https://a.test/own")", "7"})
      expect(refused(std::string{"{\"$schema\":"} + dialect + '}', "1", "its dialect is not supported")) << dialect;
  };
  "what is wrong is told with its place, and not at length"_test = [] {
    const auto text = verdict(R"({"properties":{"a":{"items":{"type":"string"}}}})", R"({"a":["x",2]})");
    expect(text.starts_with("/a/1: ")) << text;
    expect(verdict(R"({"enum":["a"]})", '"' + std::string(100'000, 'x') + '"').size() <= 500_ul);
  };
  "T-40 nothing is fetched, and what cannot be resolved is not a pass"_test = [] {
    for (const char* reference :
         {"https://json-schema.org/draft/2020-12/schema", "http://a.test/s.json#/a", "other.json", "file:///etc/passwd",
          "#/none", "#none", "#/properties", "#/enum/0", "#/x", ""}) {
      const std::string schema =
          R"({"enum":[{"type":"string"}],"x":{},"properties":{},"allOf":[{"$ref":")" + std::string{reference} + "\"}]}";
      expect(refused(schema, "1", "a \"$ref\" leads to no schema inside of it")) << reference << verdict(schema, "1");
    }
    expect(refused(R"({"$defs":{"a":{"$id":"https://a.test/"}}})", "1", "a nested \"$id\""));
    expect(refused(R"({"$dynamicRef":"#a"})", "1", "\"$dynamicRef\" is not supported"));
  };
  "T-40 a schema that refers to itself ends, on the same value by a refusal"_test = [] {
    for (const char* schema :
         {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
          R"({"if":{"anyOf":[{"$ref":"#"}]}})",
          R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"oneOf":[true,{"$ref":"#/$defs/a"}]}}})",
          R"({"$defs":{"a":{"$ref":"#/$defs/a"}}})", R"({"dependentSchemas":{"a":{"$ref":"#"}}})"})
      expect(refused(schema, R"({"a":1})", "it refers to itself in a circle")) << schema << verdict(schema, "1");
    const auto tree =
        R"({"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}},"required":["n"]})";
    expect(satisfied(tree, R"({"n":1,"children":[{"n":2,"children":[{"n":3}]},{"n":4}]})"));
    expect(violated(tree, R"({"n":1,"children":[{"n":2,"children":[{}]}]})"));
    const std::string deep = repeated(R"({"n":1,"children":[)", 31) + R"({"n":1})" + repeated("]}", 31);
    expect(satisfied(tree, deep)) << verdict(tree, deep);
  };
  "T-40 too deep, too many, too much work: refused before it is begun"_test = [] {
    const auto too_large = [](std::string_view schema, std::string_view instance) {
      const auto checked = schema_violation(schema, instance);
      return checked.has_error() && checked.error().code == errc::too_large;
    };
    expect(too_large(repeated(R"({"not":)", 2'000) + "true" + repeated("}", 2'000), "1"));
    expect(too_large("{\"enum\":[1" + repeated(",1", 10'000) + "]}", "1"));
    expect(too_large("true", repeated("[", 65) + repeated("]", 65)));
    expect(too_large("true", "[1" + repeated(",1", 200'000) + "]"));
    std::string doubling = R"({"$ref":"#/$defs/d0","$defs":{"d40":{"type":"integer"})";
    std::string chain = R"({"$ref":"#/$defs/d0","$defs":{"d1500":{"type":"integer"})";
    for (int i = 0; i < 1'500; ++i) {
      const std::string name = "\"d" + std::to_string(i) + '"';
      const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
      if (i < 40) doubling += ',' + name + ":{\"allOf\":[" + next + ',' + next + "]}";
      chain += ',' + name + ':' + next;
    }
    expect(too_large(doubling + "}}", "1")) << verdict(doubling + "}}", "1");
    expect(too_large(chain + "}}", "1")) << verdict(chain + "}}", "1");
    const auto twice = R"({"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}})";
    expect(too_large(twice, repeated("[", 60) + repeated("]", 60)));
    expect(satisfied(twice, "[[[]]]"));
  };
  "what is the same is found among a hundred thousand elements, and what differs in its last byte is not the same"_test =
      [] {
        std::string many = "[0";
        for (int i = 1; i < 100'000; ++i) many += ',' + std::to_string(i);
        expect(satisfied(R"({"uniqueItems":true})", many + "]"));
        expect(violated(R"({"uniqueItems":true})", many + ",77]"));
        for (const char* same : {"[1,1.0]", "[0,-0.0]", R"([{"a":1,"b":[2]},{"b":[2.0],"a":1}])", R"([[],[]])"})
          expect(violated(R"({"uniqueItems":true})", same)) << same;
        for (const char* differ : {"[1,true]", "[0,false]", R"(["1",1])", R"([{"a":1},{"a":2}])", "[[1,2],[2,1]]",
                                   R"([null,0,"",[],{}])", "[9007199254740993,9007199254740992]"})
          expect(satisfied(R"({"uniqueItems":true})", differ)) << differ << verdict(R"({"uniqueItems":true})", differ);
      };
  "FRZ-4 no schema and no value make a check take longer than their size allows"_test = [] {
    struct hostile {
      const char* what;
      std::string schema;
      std::string instance;
    };
    const std::string four_megabytes(4'000'000, 'x');
    const std::string text = '"' + four_megabytes + '"';
    const std::string numbers = "[1" + repeated(",1", 190'000) + "]";
    std::string refers = R"({"$defs":{")" + std::string(1'000'000, 'n') + R"(":{"allOf":[)";
    for (int i = 0; i < 2'000; ++i) refers += i > 0 ? R"(,{"a":1})" : R"({"a":1})";
    std::string chain = R"({"$ref":"#/$defs/d0","$defs":{)";
    for (int i = 0; i < 3'000; ++i)
      chain += "\"d" + std::to_string(i) + R"(":{"anyOf":[{"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}]},";
    std::string nested = "1";
    for (int i = 0; i < 60; ++i) nested = R"({")" + std::string(60'000, 'k') + R"(":)" + nested + "}";
    std::string properties;
    std::string members;
    for (int i = 0; i < 3'000; ++i) {
      properties += (i > 0 ? ",\"" : "\"") + std::string(900, 'p') + std::to_string(i) + R"(":{"type":"integer"})";
      members += (i > 0 ? ",\"" : "\"") + std::string(900, 'p') + std::to_string(i) + "\":1";
    }
    const std::vector<hostile> all{
        {"lengths", R"({"allOf":[true)" + repeated(R"(,{"maxLength":3999999})", 900) + "]}", text},
        {"lengths in branches", R"({"anyOf":[false)" + repeated(R"(,{"minLength":3999999,"maxLength":1})", 900) + "]}",
         text},
        {"choices", R"({"anyOf":[false)" + repeated(R"(,{"enum":["a","b",1]})", 900) + "]}", text},
        {"constants",
         R"({"anyOf":[false)" + repeated(R"(,{"const":)" + std::string("\"") + std::string(4'000, 'x') + "\"}", 900) +
             "]}",
         '"' + std::string(4'000, 'x') + '"'},
        {"names", R"({"anyOf":[false)" + repeated(R"(,{"propertyNames":{"maxLength":3999999}})", 900) + "]}",
         '{' + text + ":1}"},
        {"required names", R"({"items":{"required":[")" + std::string(100'000, 'r') + "\"]}}",
         "[{}" + repeated(",{}", 90'000) + "]"},
        {"the same items", R"({"anyOf":[false)" + repeated(R"(,{"uniqueItems":true})", 900) + "]}", numbers},
        {"long items", R"({"uniqueItems":true})",
         "[1" + repeated(",\"" + std::string(2'000, 'u') + '"', 1) +
             repeated(",[\"" + std::string(2'000, 'u') + "\",1]", 2'000) + "]"},
        {"many branches for many values",
         R"({"items":{"anyOf":[false)" + repeated(R"(,{"type":"string"})", 3'000) + "]}}", numbers},
        {"unevaluated",
         R"({"unevaluatedItems":false,"anyOf":[true)" + repeated(R"(,{"contains":{"const":2}})", 2'000) + "]}",
         numbers},
        {"a long name above many schemas", refers + "]}}}", "1"},
        {"a chain whose loss spreads backwards", chain + R"("d3000":{"pattern":"x"}}})", "1"},
        {"long names inside of each other", R"({"additionalProperties":{"$ref":"#"},"required":[]})", nested},
        {"long names beside each other", R"({"properties":{)" + properties + "}}", '{' + members + '}'},
        {"twice at every level", R"({"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}})",
         repeated("[", 60) + repeated("]", 60)},
    };
    for (const hostile& one : all) {
      const auto took = testing::cpu_time_of([&] { verdict(one.schema, one.instance); });
      const std::size_t bytes = one.schema.size() + one.instance.size();
      // Four times what is allowed: the machine may be busy, and this program's own code is not optimised.
      constexpr int slower = testing::instrumented ? 20 : 1;
      const auto allowed = slower * (std::chrono::milliseconds{40} + std::chrono::microseconds{40} * (bytes / 1024));
      expect(took < allowed) << one.what << std::chrono::duration_cast<std::chrono::microseconds>(took).count() << "us"
                             << verdict(one.schema, one.instance);
    }
  };
  "FRZ-12 neither a schema nor a value whose names collide in a hash table is checked"_test = [] {
    const std::string value = testing::colliding_object(14);
    const std::string schema =
        R"({"properties":)" + testing::object_of(testing::colliding_names(12, testing::any_salt), "{}") + '}';
    std::string verdict_on_value;
    std::string verdict_on_schema;
    const auto took = testing::cpu_time_of([&] {
      verdict_on_value = verdict("{}", value);
      verdict_on_schema = verdict(schema, "{}");
    });
    expect(took < std::chrono::milliseconds{testing::instrumented ? 2'000 : 100}) << took.count();
    expect(verdict_on_value.starts_with("?value to be checked: an object has too many members")) << verdict_on_value;
    expect(verdict_on_schema.starts_with("?schema: an object has too many members")) << verdict_on_schema;
  };
  "FRZ-12 names that are looked for in the fullest bucket of many objects cost no more than their size"_test = [] {
    // As many names in one bucket as may pass, and others of that bucket that are absent.
    const auto names = testing::colliding_names(10, testing::any_salt);
    const std::vector<std::string> present(names.begin(), names.begin() + 220);
    const std::string object = testing::object_of(testing::filled_up(present, 1024));
    std::string instance = "[" + object;
    for (int i = 1; i < 190; ++i) instance += ',' + object;
    instance += ']';
    const std::vector<std::string> absent(names.begin() + 220, names.end());
    std::string again = "[";
    for (int i = 0; i < 4'000; ++i) {
      if (i > 0) again += ',';
      append_quoted(again, present.front());
    }
    again += ']';
    for (const std::string& rules :
         {R"("dependentRequired":)" + testing::object_of(absent, R"(["a"])"),
          R"("dependentSchemas":)" + testing::object_of(absent, "true"), R"("required":)" + again}) {
      const std::string schema = R"({"items":{)" + rules + "}}";
      const auto took = testing::cpu_time_of([&] { verdict(schema, instance); });
      constexpr int slower = testing::instrumented ? 20 : 1;
      const auto allowed =
          slower * (std::chrono::milliseconds{40} + std::chrono::microseconds{40} * (instance.size() / 1024));
      expect(took < allowed) << std::chrono::duration_cast<std::chrono::microseconds>(took).count() << "us of"
                             << allowed.count() << rules.substr(0, 20);
    }
    expect(satisfied(R"({"items":{"required":["other1","other1","other2"]}})", instance));
  };
  "FRZ-4 what is too much work for its size is not checked, and says so"_test = [] {
    const std::string text = '"' + std::string(4'000'000, 'x') + '"';
    const std::string schema = R"({"allOf":[true)" + repeated(R"(,{"maxLength":3999999999})", 900) + "]}";
    expect(satisfied(schema, text)) << "a text that is short enough by its bytes is not counted";
    const std::string counts = R"({"anyOf":[false)" + repeated(R"(,{"maxLength":3999999})", 900) + "]}";
    expect(refused(counts, text, "checking the value would be too much work")) << verdict(counts, text);
    expect(violated(R"({"maxLength":3999999})", text) and satisfied(R"({"maxLength":4000000})", text));
    std::string rows = "[";
    for (int i = 0; i < 20'000; ++i)
      rows += (i > 0 ? "," : "") + (R"({"id":)" + std::to_string(i) + R"(,"name":"some name","tags":["a","b"]})");
    expect(satisfied(R"({"type":"array","uniqueItems":true,"items":{"type":"object","required":["id","name"],
      "additionalProperties":false,"properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string",
      "maxLength":100},"tags":{"type":"array","items":{"enum":["a","b","c"]}}}}})",
                     rows + "]"))
        << "a large result of the usual kind is";
  };
  "T-40 the deepest check that is allowed does not overflow the stack"_test = [] {
    const auto schema = R"({"items":{"allOf":[{"anyOf":[{"allOf":[{"anyOf":[{"$ref":"#"}]}]}]}]}})";
    const std::string instance = repeated("[", 64) + repeated("]", 64);
    expect(satisfied(schema, instance)) << verdict(schema, instance);
  };
  "T-40 a pattern is not run, and what depends on it accuses nobody"_test = [] {
    const std::string evil = R"("pattern":"(a+)+$")";
    const std::string text = '"' + std::string(50'000, 'a') + "!\"";
    expect(satisfied('{' + evil + '}', text) and violated('{' + evil + R"(,"maxLength":5})", text));
    expect(satisfied(R"({"pattern":"("})", "\"a\"")) << "not even compiled";
    expect(satisfied(R"({"not":{"pattern":"x"}})", "\"a\"") and
           satisfied(R"({"not":{"not":{"pattern":"x"}}})", "\"a\""));
    expect(satisfied(R"({"oneOf":[{"pattern":"^a"},{"pattern":"^b"}]})", "\"a\""));
    expect(satisfied(R"({"not":{"$ref":"#/$defs/p"},"$defs":{"p":{"properties":{"a":{"pattern":"x"}}}}})",
                     R"({"a":"y"})"));
    expect(satisfied(R"({"if":{"pattern":"^b"},"then":{"minLength":9}})", "\"a\""));
    expect(satisfied(R"({"contains":{"pattern":"^b"},"maxContains":1})", R"(["a","b"])"));
    expect(
        satisfied(R"({"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false})", R"({"x1":"a"})"));
    expect(satisfied(R"({"allOf":[{"patternProperties":{"^x":{}}}],"unevaluatedProperties":false})", R"({"x1":"a"})"));
    expect(satisfied(R"({"patternProperties":{"(a+)+$":{}}})", "{" + text + ":1}"));
    expect(violated(R"({"properties":{"pattern":{"type":"string"}},"not":{"type":"array"}})", R"({"pattern":1})"))
        << "a member of that name is no pattern";
    expect(violated(R"({"properties":{"a":{"pattern":"x"},"b":{"not":{"type":"string"}}}})", R"({"b":"x"})"))
        << "what does not depend on it stays";
  };
  "what is no schema is refused, and what is no JSON"_test = [] {
    for (const char* schema : {"7", "null", "\"a\"", "[]", R"({"properties":[]})", R"({"allOf":{}})", R"({"anyOf":[]})",
                               R"({"properties":{"a":7}})", R"({"$ref":7})", R"({"multipleOf":0})",
                               R"({"type":"colour"})", R"({"multipleOf":-1})", R"({"not":1})"}) {
      const auto checked = schema_violation(schema, "5");
      expect(checked.has_error() and checked.error().code == errc::protocol) << schema << verdict(schema, "5");
    }
    for (const auto& [schema, instance] : {std::pair{"{", "1"}, {"", "1"}, {"{}", ""}, {"{}", "{]"}, {"{} x", "1"}}) {
      const auto checked = schema_violation(schema, instance);
      expect(checked.has_error() and checked.error().code == errc::parse) << schema << instance;
    }
    for (const char* odd :
         {R"({"type":7})", R"({"required":"a"})", R"({"minLength":-1})", R"({"maximum":"x"})", R"({"enum":7})",
          R"({"minimum":1e400})", R"({"multipleOf":1e-400})", R"({"required":[1]})", R"({"dependentRequired":{"a":7}})",
          R"({"dependentRequired":7})", R"({"uniqueItems":"yes"})", R"({"maxItems":1.5})",
          R"({"maxProperties":99999999999999999999999})"})
      for (const char* instance : {"1", "\"a\"", R"({"a":1})", "[1,1]", "1e400", "-0.0", "9223372036854775808"})
        verdict(odd, instance);  // any answer will do
  };
};

}  // namespace schema_check_test
