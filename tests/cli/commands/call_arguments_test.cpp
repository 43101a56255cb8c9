// SPDX-License-Identifier: MIT
#include "../../../cli/commands/call_arguments.hpp"

#include <string>
#include <vector>

#include "../../support/ut.hpp"

namespace call_arguments_test {

using namespace hawser;

constexpr std::string_view schema = R"({"type":"object","properties":{
  "text":{"type":"string"},"count":{"type":"integer"},"ratio":{"type":"number"},"deep":{"type":"boolean"},
  "tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"integer"}},
  "where":{"type":"object"},"maybe":{"type":["string","null"]},"id":{"type":["integer","string"]},"any":{}}})";

std::string of(std::vector<std::string> words, std::string_view by = schema) {
  const auto r = cli::call_arguments(words, by);
  return r ? *r : "error: " + r.error().what;
}

const suite<"call_arguments"> tests = [] {
  "without words the arguments are an empty object"_test = [] { expect(of({}) == "{}"); };

  "one word can be the whole object"_test = [] {
    expect(of({R"( {"a":1.50})"}) == R"( {"a":1.50})") << "byte for byte";
    expect(of({R"({"a":)"}).starts_with("error: the arguments are not valid JSON: ")) << of({R"({"a":)"});
    expect(of({"[1]"}) == R"(error: "[1]" is neither key=value nor a JSON object; put the whole object into quotes)");
  };

  "a value is what the schema says of its key"_test = [] {
    expect(of({"text=42"}) == R"({"text":"42"})");
    expect(of({"text={\"a\":1}"}) == R"({"text":"{\"a\":1}"})");
    expect(of({"count=42", "ratio=1e3", "deep=true"}) == R"({"count":42,"ratio":1e3,"deep":true})");
    expect(of({"where={\"x\":[1]}"}) == R"({"where":{"x":[1]}})");
    expect(of({"text=a=b"}) == R"({"text":"a=b"})");
    expect(of({"text="}) == R"({"text":""})");
    expect(of({"maybe=null", "id=12"}) == R"({"maybe":null,"id":12})");
    expect(of({"maybe=nobody", "id=x12"}) == R"({"maybe":"nobody","id":"x12"})");
  };

  "a value that the schema does not allow is an error with its key"_test = [] {
    expect(of({"count=many"}) == R"(error: argument "count": "many" is not an integer)");
    expect(of({"count=1.5"}) == R"(error: argument "count": "1.5" is not an integer)");
    expect(of({"deep=yes"}) == R"(error: argument "deep": "yes" is not a boolean)");
    expect(of({"where=here"}) == R"(error: argument "where": "here" is not an object)");
    expect(of({"count=2.0"}) == R"({"count":2.0})") << "a whole number, if oddly written";
  };

  "without a schema what can be read as JSON is JSON"_test = [] {
    expect(of({"a=1", "b=true", "c=text", "d=[1,2]", "e=\"q\"", "f=01"}, "") ==
           R"({"a":1,"b":true,"c":"text","d":[1,2],"e":"q","f":"01"})");
    expect(of({"any=1", "unknown=x"}) == R"({"any":1,"unknown":"x"})");
  };

  "JSON can be forced"_test = [] {
    expect(of({"text:=42"}) == R"({"text":42})");
    expect(of({"text:=oops"}).starts_with(R"(error: argument "text": no JSON behind ":=")"));
  };

  "an array is given whole, or by its elements"_test = [] {
    expect(of({"tags=[\"a\"]"}) == R"({"tags":["a"]})");
    expect(of({"tags=a", "text=x", "tags=b"}) == R"({"tags":["a","b"],"text":"x"})");
    expect(of({"sizes=1", "sizes=2"}) == R"({"sizes":[1,2]})");
    expect(of({"sizes=a"}) == R"(error: argument "sizes": "a" is not an integer)");
    expect(of({"sizes=[1]", "sizes=2"}) == R"(error: argument "sizes" is given twice)");
  };

  "mistakes in words are named"_test = [] {
    expect(of({"a"}, "") == R"(error: "a" is neither key=value nor a JSON object; put the whole object into quotes)");
    expect(of({"=a"}, "") == R"(error: "=a" has no key before its "=")");
    expect(of({":=1"}, "") == R"(error: ":=1" has no key before its "=")");
    expect(of({"text=a", "text=b"}) == R"(error: argument "text" is given twice)");
    expect(of({"text=caf\xe9"}, "") == R"(error: argument "text" is not UTF-8)");
    const std::string_view closed = R"({"properties":{"a":{},"b":{}},"additionalProperties":false})";
    expect(of({"c=1"}, closed) == R"(error: the tool has no argument "c"; it takes a, b)");
    expect(of({"a=1"}, closed) == R"({"a":1})");
  };

  "an invalid schema is ignored"_test = [] {
    for (const char* odd : {"nonsense", "[]", "{\"properties\":[]}", "{\"properties\":{\"a\":7}}",
                            "{\"properties\":{\"a\":{\"type\":{}}}}"}) {
      expect(of({"a=1"}, odd) == R"({"a":1})") << odd;
    }
  };

  "arguments of prompts are texts"_test = [] {
    const std::vector<std::string> words{"name=7", "style=a:=b"};
    const auto r = cli::text_arguments(words);
    expect(r.has_value() && *r == R"({"name":"7","style":"a:=b"})") << (r ? *r : r.error().what);
    expect(cli::text_arguments(std::vector<std::string>{"a=1", "a=2"}).has_error());
  };
};

}  // namespace call_arguments_test
