// SPDX-License-Identifier: MIT
#include "../../../host/result/envelope.hpp"

#include <boost/json.hpp>
#include <chrono>

#include "../../../transports/json/json_text.hpp"
#include "../../support/colliding_names.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/ut.hpp"

namespace envelope_test {

using namespace hawser;
namespace json = boost::json;

envelope opened(std::string_view text, envelope_options options = {}) {
  auto read = envelope::read(raw_json{text}, std::move(options));
  expect(fatal(read.has_value())) << text;
  return *std::move(read);
}
std::string text_of(std::string_view content, envelope_options options = {}) {
  return opened("{\"content\":" + std::string{content} + '}', std::move(options)).text();
}
envelope_options with_schema(std::string_view schema) { return {.schema = {.json = schema}}; }

const suite<"envelope"> tests = [] {
  "S017 S074 texts are joined by line feeds"_test = [] {
    expect(text_of(R"([{"type":"text","text":"a"}])") == "a");
    expect(text_of(R"([{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"text","text":"c"}])") ==
           "a\nb\n\nc");
    expect(text_of(R"([{"type":"text","text":""},{"type":"text","text":"c"}])") == "\nc");
    expect(text_of(R"([{"type":"text","text":"\u00fc \ud83d\ude00 \"q\" \/"}])") ==
           "\xC3\xBC \xF0\x9F\x98\x80 \"q\" /");
  };
  "S075 an image is mentioned with its type and its size, and so is a sound"_test = [] {
    const auto image = [](std::string_view data) {
      return text_of(R"([{"type":"image","mimeType":"image/png","data":")" + std::string{data} + "\"}]");
    };
    expect(image("") == "[image: image/png, 0 bytes]" and image("QQ==") == "[image: image/png, 1 bytes]");
    expect(image("QUI=") == "[image: image/png, 2 bytes]" and image("QUJD") == "[image: image/png, 3 bytes]");
    expect(image("QUJDQQ") == "[image: image/png, 4 bytes]") << "without padding";
    expect(image("QU\\nJD\\/\\u002f==") == "[image: image/png, 4 bytes]") << "line breaks and escapes";
    expect(text_of(R"([{"type":"audio","mimeType":"audio/wav","data":"QUJD"}])") == "[audio: audio/wav, 3 bytes]");
    expect(text_of(R"([{"type":"image","data":"QUJD"}])") == "[image: unknown type, 3 bytes]");
  };
  "S076 a resource is its text or its address, a link its address"_test = [] {
    expect(text_of(R"([{"type":"resource","resource":{"uri":"file:///a","text":"hello"}}])") == "hello");
    expect(text_of(R"([{"type":"resource","resource":{"uri":"file:///a","blob":"QQ=="}}])") == "[resource: file:///a]");
    expect(text_of(R"([{"type":"resource_link","uri":"file:///l","name":"n"}])") == "[resource: file:///l]");
  };
  "CMD-3 the exact text is the bytes of the texts, and nothing where a block is none"_test = [] {
    const auto exact = [](std::string_view content) {
      return opened("{\"content\":" + std::string{content} + '}').exact_text();
    };
    expect(exact(R"([{"type":"text","text":"a\r\n"},{"type":"text","text":""},{"type":"text","text":"\u0000b"}])")
               .value() == std::string_view{"a\r\n\0b", 5});
    expect(exact(R"([{"type":"resource","resource":{"uri":"x:y","text":"t"}}])").value() == "t");
    expect(exact("[]").value().empty() and opened("{}").exact_text().value().empty());
    expect(exact(R"([{"type":"text","text":""}])").value().empty());
    expect(opened(R"({"structuredContent":{ "a" : 1.50 }})").exact_text().value() == R"({ "a" : 1.50 })");
    for (const char* block :
         {R"({"type":"image","data":"QQ=="})", R"({"type":"audio","data":"QQ=="})",
          R"({"type":"resource","resource":{"uri":"x:y","blob":"QQ=="}})", R"({"type":"resource_link","uri":"x:y"})",
          R"({"type":"text"})", R"({"type":"other"})", "7"}) {
      const auto refused = exact(R"([{"type":"text","text":"a"},)" + std::string{block} + "]");
      expect(refused.has_error() and refused.error().what.starts_with("block 2 of the result is no text: ")) << block;
    }
  };
  "S018 by a setting, resources are JSON"_test = [] {
    const std::string resource = R"({"type":"resource","resource":{"uri":"file:///a","text":"hello"}})";
    const std::string link = R"({"type":"resource_link","uri":"file:///l","name":"n"})";
    expect(text_of("[ " + resource + " ," + link + R"(,{"type":"text","text":"t"}])",
                   {.resources = resource_form::json}) == resource + '\n' + link + "\nt");
  };
  "S019 nothing at all is said so, also by servers that leave content out"_test = [] {
    expect(text_of("[]") == "(no output)" and text_of(R"([{"type":"text","text":""}])") == "(no output)");
    expect(opened("{}").text() == "(no output)" and opened("{}").content().empty());
    expect(opened(R"({"structuredContent":{ "a" : 1 },"content":[]})").text() == R"({"a":1})") << "not nothing";
  };
  "S020 S077 S098 an error of the tool is a result that says so"_test = [] {
    const auto e = opened(R"({"content":[{"type":"text","text":"no such file"}],"isError":true})");
    expect(e.is_error() and e.text() == "no such file");
    expect(!opened(R"({"content":[]})").is_error() and !opened(R"({"content":[],"isError":false})").is_error());
    expect(!opened(R"({"content":[],"isError":"true"})").is_error());
  };
  "S014 S043 a long text is cut between characters, and says by how much"_test = [] {
    const std::string content = R"([{"type":"text","text":"aaaa\u00fc\u20acbbbb"}])";  // 4 + 2 + 3 + 4 bytes
    expect(text_of(content, {.max_text = 13}) ==
           "aaaa\xC3\xBC\xE2\x82\xAC"
           "bbbb");
    expect(text_of(content, {.max_text = 12}) ==
           "aaaa\xC3\xBC\xE2\x82\xAC"
           "bbb\n[cut: 1 more bytes]");
    for (const std::size_t limit : {6UL, 7UL, 8UL})
      expect(text_of(content, {.max_text = limit}) == "aaaa\xC3\xBC\n[cut: 7 more bytes]") << limit;
    expect(text_of(content, {.max_text = 5}) == "aaaa\n[cut: 9 more bytes]");
    expect(text_of(content, {.max_text = 0}) == "\n[cut: 13 more bytes]");
    const std::string large(6'000'000, 'x');
    const auto text = text_of(R"([{"type":"text","text":")" + large + "\"}]");
    expect(text == large.substr(0, 5'000'000) + "\n[cut: 1000000 more bytes]");
  };
  "S095 S096 the data are the structured content, or else the blocks"_test = [] {
    const auto both = opened(R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{"a":1}})");
    expect(both.data().value() == json::value{{"a", 1}} and both.structured().value() == json::value{{"a", 1}});
    const auto blocks =
        opened(R"({"content":[{"type":"text","text":"t","annotations":{"priority":1}},{"type":"odd"}]})");
    expect(!blocks.structured().value().has_value());
    expect(blocks.data().value() == json::parse(R"([{"type":"text","text":"t","annotations":{"priority":1}},
      {"type":"text","text":"{\"type\":\"odd\"}"}])"));
    expect(opened("{}").data().value() == json::array{});
  };
  "any JSON is structured content, null too"_test = [] {
    for (const char* value : {"null", "0", "\"a\"", "[1,2]", "true", "{}"}) {
      const auto e = opened(R"({"content":[],"structuredContent":)" + std::string{value} + '}');
      expect(e.structured().value().has_value()) << value;
      expect(e.data().value() == json::parse(value)) << value;
    }
  };
  "S097 absent members get the defaults of the output schema"_test = [] {
    const char* schema = R"({"type":"object","properties":{"a":{"default":1},"b":{"type":"object","default":{}},
      "c":{"properties":{"d":{"default":"x"}}},"e":{"type":"array","items":{"$ref":"#/$defs/f"}},"g":{"type":"string"}},
      "$defs":{"f":{"properties":{"h":{"default":null},"i":{"$ref":"#/$defs/j"}}},"j":{"default":2}}})";
    const auto e =
        opened(R"({"content":[],"structuredContent":{"a":7,"c":{},"e":[{},{"h":1,"i":1},3]}})", with_schema(schema));
    expect(e.data().value() == json::parse(R"({"a":7,"b":{},"c":{"d":"x"},"e":[{"h":null,"i":2},{"h":1,"i":1},3]})"))
        << json::serialize(e.data().value());
    expect(e.structured().value() == json::parse(R"({"a":7,"c":{},"e":[{},{"h":1,"i":1},3]})")) << "as it was sent";
    expect(opened(R"({"content":[],"structuredContent":[1]})", with_schema(schema)).data().value() ==
           json::parse("[1]"));
  };
  "S103 a schema that is none, or that refers to itself or elsewhere, changes nothing"_test = [] {
    for (const char* schema :
         {"", "{", "7", "null", "{}", R"({"$ref":"#"})", R"({"$ref":"#/a","a":{"$ref":"#/a"}})", R"({"properties":7})",
          R"({"$ref":"https://a.test/s.json"})", R"({"$ref":"#/none"})", R"({"properties":{"a":{"$ref":"#bad"}}})",
          R"({"properties":{"x":{"$ref":"#"}},"items":{"$ref":"#"}})"}) {
      const auto e = opened(R"({"content":[],"structuredContent":{"x":{"x":{"x":[[]]}}}})", with_schema(schema));
      expect(e.data().value() == json::parse(R"({"x":{"x":{"x":[[]]}}})")) << schema;
    }
  };
  "T-40 defaults cannot make a large value of a small one"_test = [] {
    const std::string schema = R"({"items":{"properties":{"a":{"default":")" + std::string(100'000, 'x') + R"("}}}})";
    std::string elements = "{}";
    for (int i = 0; i < 10'000; ++i) elements += ",{}";
    const auto e = opened(R"({"content":[],"structuredContent":[)" + elements + "]}", with_schema(schema));
    expect(json::serialize(e.data().value()).size() < std::size_t{8} << 20);
  };
  "FRZ-4 filling in defaults costs no more than the size of schema and value"_test = [] {
    const std::string name(100'000, 'n');
    std::string elements = "{}";
    for (int i = 0; i < 100'000; ++i) elements += ",{}";
    std::string properties = R"("p":{"default":1})";
    for (int i = 0; i < 2'000; ++i) properties += ",\"p" + std::to_string(i) + "\":{}";
    for (const std::string& schema : {R"({"items":{"$ref":"#/$defs/)" + name + R"("},"$defs":{")" + name + R"(":{}}})",
                                      R"({"items":{"properties":{)" + properties + "}}}"}) {
      const auto e = opened(R"({"content":[],"structuredContent":[)" + elements + "]}", with_schema(schema));
      json::value filled;
      expect(testing::cpu_time_of([&] { filled = e.data().value(); }) <
             std::chrono::milliseconds{testing::instrumented ? 10'000 : 500});
      expect(filled.as_array().size() == 100'001_ul);
    }
  };
  "FRZ-12 a result with names that collide in a hash table is refused, wherever they stand"_test = [] {
    const std::string object = testing::colliding_object(14);
    for (const std::string& whole :
         {R"({"content":[],"structuredContent":)" + object + '}', R"({"content":[],"_meta":)" + object + '}',
          R"({"content":[{"type":"resource_link","uri":"a:1","_meta":)" + object + "}]}"}) {
      bool refused = false;
      const auto cost = testing::cpu_time_of([&] {
        const auto read = envelope::read(raw_json{whole});
        refused = !read && read.error().code == errc::too_large && read.error().executed == execution::unknown;
        if (read) (void)read->to_json();  // what it costs where it is accepted
      });
      expect(refused);
      expect(cost < std::chrono::milliseconds{testing::instrumented ? 2'000 : 100}) << cost.count();
    }
  };
  "FRZ-12 defaults whose names collide stay unfilled, by themselves or beside those of the value"_test = [] {
    const auto names = testing::colliding_names(13, testing::any_salt);
    const auto costs = [](const envelope& of, json::value& filled) {
      return testing::cpu_time_of([&] { filled = of.data().value(); });
    };
    constexpr auto bound = std::chrono::milliseconds{testing::instrumented ? 2'000 : 100};
    const std::string schema = R"({"properties":)" + testing::object_of(names, R"({"default":1})") + '}';
    json::value filled;
    const auto alone = opened(R"({"content":[],"structuredContent":{"a":1}})", with_schema(schema));
    expect(costs(alone, filled) < bound and filled == json::value{{"a", 1}});

    // As many more that collide with nothing: in a table for these alone the others do not collide, in the one for all.
    std::vector<std::string> half(names.begin(), names.begin() + 4096);
    std::vector<std::string> odd = half;
    for (int i = 0; odd.size() < 4099; ++i) odd.push_back("odd" + std::to_string(i));
    std::vector<std::string> own;
    for (int i = 0; own.size() < 8192 - 4099; ++i) own.push_back("own" + std::to_string(i));
    const std::string two = R"({"properties":)" + testing::object_of(odd, R"({"default":1})") + '}';
    const auto beside =
        opened(R"({"content":[],"structuredContent":)" + testing::object_of(own) + '}', with_schema(two));
    expect(costs(beside, filled) < bound);
    expect(filled.as_object().size() == own.size()) << filled.as_object().size();
    const std::string three = R"({"properties":)" + testing::object_of(own, R"({"default":1})") + '}';
    const auto many = opened(R"({"content":[],"structuredContent":{"a":1}})", with_schema(three));
    expect(costs(many, filled) < bound and filled.as_object().size() == own.size() + 1) << "others are filled in";
  };
  "FRZ-12 references and keywords that are deep in the fullest bucket of a schema are not looked up for every element"_test =
      [] {
        const auto names = testing::colliding_names(17, testing::any_salt);
        const std::vector<std::string> deep(names.begin(), names.begin() + 1'500);
        const std::string definitions = testing::object_of(testing::filled_up(deep, std::size_t{1} << 17), "{}");
        std::string elements = "{}";
        for (int i = 0; i < 100'000; ++i) elements += ",{}";
        const std::string first = json_string("#/$defs/" + deep.front());
        const std::string schema = R"({"items":{"$ref":)" + first + R"(},"$defs":)" + definitions + '}';
        const auto e = opened(R"({"content":[],"structuredContent":[)" + elements + "]}", with_schema(schema));
        json::value filled;
        const auto cost = testing::cpu_time_of([&] { filled = e.data().value(); });
        expect(cost < std::chrono::milliseconds{testing::instrumented ? 10'000 : 400}) << cost.count();
        expect(filled.as_array().size() == 100'001_ul);
      };
  "B23 structured content that is not what the schema says is delivered, and flagged"_test = [] {
    const auto schema = R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})";
    const auto flag = [&](std::string_view result) { return opened(result, with_schema(schema)).violation(); };
    expect(!flag(R"({"content":[],"structuredContent":{"n":1}})").has_value());
    const auto wrong = opened(R"({"content":[],"structuredContent":{"n":"1"}})", with_schema(schema));
    expect(wrong.violation().has_value() and wrong.violation()->starts_with("/n: ")) << wrong.violation().value_or("");
    expect(wrong.data().value() == json::value{{"n", "1"}});
    expect(flag(R"({"content":[],"structuredContent":[]})").has_value());
    expect(flag(R"({"content":[]})").has_value()) << "missing";
    expect(!flag(R"({"content":[],"isError":true})").has_value()) << "a failure has no such shape";
    expect(!opened(R"({"content":[],"structuredContent":7})").violation().has_value()) << "no schema";
    const auto unchecked =
        opened(R"({"content":[],"structuredContent":7})", with_schema(R"({"$ref":"http://a.test/"})"));
    expect(unchecked.violation().has_value() and unchecked.violation()->starts_with("not checked: schema: "));
  };
  "S094 S099 the whole envelope as JSON"_test = [] {
    const auto e = opened(R"({"_meta":{"k":[1]},"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1},
      "isError":true,"resultType":"complete"})");
    expect(e.to_json().value() ==
           json::parse(R"({"data":{"a":1},"meta":{"isError":true,"content":[{"type":"text","text":"t"}],
      "structuredContent":{"a":1},"_meta":{"k":[1]}}})"))
        << json::serialize(e.to_json().value());
    expect(e.meta().value() == json::object{{"k", json::array{1}}});
    expect(opened("{}").to_json().value() == json::parse(R"({"data":[],"meta":{"isError":false,"content":[]}})"));
    expect(opened(R"({"_meta":7})").meta().value().empty() and opened("{}").meta().value().empty());
  };
  "what is no result of a call is refused, and may have been executed"_test = [] {
    for (const char* text : {"[]", "7", "null", "{\"content\":{}}", "{\"content\":null}", R"({"content":"text"})",
                             "{\"content\":[}", "{\"content\":[1,]}", "", R"({"a":01})"}) {
      const auto read = envelope::read(raw_json{std::string_view{text}});
      expect(read.has_error() and read.error().code == errc::protocol) << text;
      expect(read.has_error() and read.error().executed == execution::unknown and read.error().phase == "call") << text;
    }
    const auto deep = envelope::read(raw_json{"{\"x\":" + std::string(500, '[') + std::string(500, ']') + '}'});
    expect(deep.has_error() and deep.error().code == errc::too_large and deep.error().executed == execution::unknown);
  };
  "FRZ-17 of a result with very many values no tree is built, and its bytes are available"_test = [] {
    std::string values = "0";
    for (int i = 0; i < 999; ++i) values += ",0";
    for (const std::string& sent :
         {R"({"content":[{"type":"text","text":"t"}],"structuredContent":[)" + values + R"(],"_meta":{"k":1}})",
          R"({"content":[{"type":"text","text":"t"},{"type":"text","text":"","x":[)" + values + R"(]}],"_meta":{}})",
          R"({"content":[{"type":"text","text":"t"}],"_meta":{"k":[)" + values + "]}}"}) {
      const auto large = opened(sent, {.max_values = 1'000});
      expect(large.raw() == sent and large.text().starts_with("t") and !large.is_error() and !large.content().empty());
      const auto refused = [](const auto& tree) {
        return tree.has_error() && tree.error().code == errc::too_large &&
               tree.error().executed == execution::unknown &&
               tree.error().what.find("max_result_values") != std::string::npos;
      };
      expect(refused(large.structured()) and refused(large.data()) and refused(large.meta()) and
             refused(large.to_json()));
      const auto small = opened(sent, {.max_values = 1'020});
      expect(small.structured().has_value() and small.data().has_value() and small.meta().has_value() and
             small.to_json().has_value());
    }
  };
  "FRZ-17 a text with very many values is not parsed by default"_test = [] {
    const auto array = [](std::size_t count) {
      std::string text = "[0";
      for (std::size_t i = 1; i < count; ++i) text += ",0";
      return raw_json{text + ']'};
    };
    expect(array(499'999).parse().has_value());
    const auto refused = array(500'000).parse();
    expect(refused.has_error() and refused.error().code == errc::too_large);
  };
  "the bytes are kept as they were sent, and copies share them"_test = [] {
    const std::string_view sent = R"( { "content" : [ ] , "x" : 1.0e0 } )";
    const auto e = opened(sent);
    const auto copy = e;
    expect(e.raw() == sent and copy.raw().data() == e.raw().data());
  };
  "native tools answer with a text, a value or a failure"_test = [] {
    const auto text = envelope::of_text("a \"quoted\"\nline");
    expect(text.text() == "a \"quoted\"\nline" and !text.is_error() and text.content().size() == 1_ul);
    const auto value = envelope::of_value(json::value{{"a", json::array{1, "x"}}});
    expect(value.text() == R"({"a":[1,"x"]})" and
           value.structured().value() == json::value{{"a", json::array{1, "x"}}});
    const auto failure = envelope::failure("no");
    expect(failure.is_error() and failure.text() == "no");
    expect(envelope::of_value(json::value("\xFF")).is_error()) << "no JSON could carry it";
    expect(envelope::of_text("\xFF").text() == "\xEF\xBF\xBD");
    for (const auto& e : {text, value, failure}) expect(envelope::read(raw_json{e.raw()}).has_value());
  };
};

}  // namespace envelope_test
