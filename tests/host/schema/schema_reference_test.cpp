// SPDX-License-Identifier: MIT
// Schemas and values at random, and what jsoncons says about them.
#include <jsoncons/json.hpp>
#include <jsoncons_ext/jsonschema/jsonschema.hpp>
#include <optional>
#include <random>
#include <string>

#include "../../../host/schema/schema_check.hpp"
#include "../../support/ut.hpp"

namespace schema_reference_test {

using namespace hawser;
namespace rules = jsoncons::jsonschema;

// Small ranges everywhere, so that schemas and values have something to do with each other.
class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  std::string value(int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0: return "null";
      case 1: return below(2) == 0 ? "true" : "false";
      case 2: return std::to_string(below(5));
      case 3: return std::to_string(below(4)) + (below(2) == 0 ? ".0" : ".5");
      case 4:
      case 5: return '"' + name() + (below(3) == 0 ? "\\u00fc" : "") + '"';
      case 6: return '[' + several(4, [&] { return value(depth - 1); }) + ']';
      default: {
        std::string members;
        for (const char* one : {"a", "b", "c", "d"})
          if (below(2) == 0) members += (members.empty() ? "\"" : ",\"") + std::string{one} + "\":" + value(depth - 1);
        return '{' + members + '}';
      }
    }
  }

  std::string schema(int depth) {
    if (below(12) == 0) return below(3) == 0 ? "false" : "true";
    std::string members;
    std::string used;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      std::string one = keyword(depth);
      const std::string key = one.substr(0, one.find(':'));
      if (used.find(key) != std::string::npos) continue;
      used += key;
      members += (members.empty() ? "" : ",") + one;
    }
    return '{' + members + '}';
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

 private:
  std::string name() { return std::string(1, static_cast<char>('a' + below(4))); }
  std::string number() { return std::to_string(below(5)); }
  template <class F>
  std::string several(std::size_t most, F one) {
    std::string all;
    for (std::size_t n = below(most); n > 0; --n) all += (all.empty() ? "" : ",") + one();
    return all;
  }
  std::string schemas(int depth) {
    std::string all = schema(depth - 1);
    for (std::size_t n = below(3); n > 0; --n) all += ',' + schema(depth - 1);
    return all;
  }
  std::string type() {
    static constexpr const char* types[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
    return '"' + std::string{types[below(7)]} + '"';
  }

  std::string keyword(int depth) {
    const std::size_t which = below(depth > 0 ? 36 : 16);
    switch (which) {
      case 0: return R"("type":)" + type();
      case 1: return R"("type":[)" + type() + ',' + R"("object","array"])";
      case 2: return R"("enum":[)" + value(1) + ',' + value(1) + ',' + value(0) + ']';
      case 3: return R"("const":)" + value(1);
      case 4: return R"("maximum":)" + number();
      case 5: return R"("exclusiveMaximum":)" + number();
      case 6: return R"("minimum":)" + number();
      case 7: return R"("exclusiveMinimum":)" + number();
      case 8: return R"("multipleOf":)" + std::string{below(2) == 0 ? "2" : "0.5"};
      case 9: return R"("maxLength":)" + number();
      case 10: return R"("minLength":)" + number();
      case 11: return R"("maxItems":)" + number();
      case 12: return R"("minItems":)" + std::to_string(below(3));
      case 13: return R"("maxProperties":)" + number();
      case 14: return R"("uniqueItems":true)";
      case 15: return R"("required":[")" + name() + "\"]";
      case 16: return R"("minProperties":)" + std::to_string(below(3));
      case 17: return R"("dependentRequired":{")" + name() + R"(":[")" + name() + "\"]}";
      case 18: return R"("dependentSchemas":{")" + name() + R"(":)" + schema(depth - 1) + '}';
      case 19: return R"("items":)" + schema(depth - 1);
      case 20: return R"("prefixItems":[)" + schemas(depth) + ']';
      case 21: return R"("contains":)" + schema(depth - 1);
      case 22: return R"("contains":)" + schema(depth - 1) + R"(,"minContains":)" + std::to_string(below(3));
      case 23: return R"("contains":)" + schema(depth - 1) + R"(,"maxContains":)" + std::to_string(1 + below(2));
      case 24: return R"("propertyNames":)" + schema(depth - 1);
      case 25: return R"("additionalProperties":)" + schema(depth - 1);
      case 26: return R"("not":)" + schema(depth - 1);
      case 27: return R"("allOf":[)" + schemas(depth) + ']';
      case 28: return R"("anyOf":[)" + schemas(depth) + ']';
      case 29: return R"("oneOf":[)" + schemas(depth) + ']';
      case 30:
        return R"("if":)" + schema(depth - 1) + R"(,"then":)" + schema(depth - 1) + R"(,"else":)" + schema(depth - 1);
      case 31: return R"("unevaluatedProperties":)" + schema(depth - 1);
      case 32: return R"("unevaluatedItems":)" + schema(depth - 1);
      default:
        return R"("properties":{")" + name() + R"(":)" + schema(depth - 1) + (below(2) == 0 ? R"(,"e":true)" : "") +
               '}';
    }
  }

  std::mt19937 random_;
};

// Nothing where jsoncons does not like the schema.
std::optional<bool> reference(const std::string& schema, const std::string& instance) {
  try {
    rules::evaluation_options options;
    options.default_version(rules::schema_version::draft202012());
    const auto compiled = rules::make_json_schema(jsoncons::json::parse(schema), options);
    bool good = true;
    compiled.validate(jsoncons::json::parse(instance), [&](const rules::validation_message&) -> rules::walk_result {
      good = false;
      return rules::walk_result::abort;
    });
    return good;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

const suite<"schema_reference"> tests = [] {
  "T-40 random schemas judge random values as jsoncons does"_test = [] {
    std::size_t satisfied = 0;
    std::size_t violated = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
      generator make{seed};
      const std::string schema = make.schema(3);
      for (int i = 0; i < 4; ++i) {
        const std::string instance = make.value(2);
        const auto wanted = reference(schema, instance);
        const auto got = schema_violation(schema, instance);
        if (!wanted) continue;
        (*wanted ? satisfied : violated) += 1;
        expect(got.has_value() and got->has_value() != *wanted)
            << schema << instance << (got ? got->value_or("satisfied") : got.error().what);
      }
    }
    expect(satisfied > 200_ul and violated > 200_ul);
  };
};

}  // namespace schema_reference_test
