// SPDX-License-Identifier: MIT
#include "../../../transports/streamable_http/mcp_fields.hpp"

#include <string>

#include "../../support/cpu_time.hpp"
#include "../../support/ut.hpp"

namespace mcp_fields_test {

using namespace hawser;
using namespace hawser::testing;

// What the marks of the schema make of the arguments; "?…" where the tool is refused, "!…" where the call is.
std::string fields_of(std::string_view schema, std::string_view arguments) {
  const auto marks = header_arguments::read(schema);
  if (!marks) return '?' + marks.error().what;
  const auto lines = marks->fields(arguments);
  return lines ? *lines : '!' + lines.error().what;
}

std::string property(const std::string& name, const std::string& field, const std::string& more = {}) {
  return '"' + name + R"(":{"type":"string","x-mcp-header":")" + field + '"' + more + '}';
}
std::string object_of(const std::string& properties) { return R"({"properties":{)" + properties + "}}"; }

constexpr const char* nested =
    R"({"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"n":{"x-mcp-header":"N","type":"integer"},
       "in":{"properties":{"d\u0065ep":{"type":"boolean","x-mcp-header":"Deep"}}},"free":{"type":"string"}}})";

// Of processor time, for what takes a few milliseconds.
constexpr std::chrono::milliseconds bound{testing::instrumented ? 6'000 : 300};

const suite<"mcp_fields"> tests = [] {
  "marked arguments become fields, wherever in the arguments they stand"_test = [] {
    expect(fields_of(nested, R"({"free":"x","in":{"other":1,"deep":true},"n":7,"\u0061":"b"})") ==
           "Mcp-Param-Deep: true\r\nMcp-Param-N: 7\r\nMcp-Param-A: b\r\n");
    for (const char* none : {"", "{}", "[]", R"({"a":null,"in":7})", R"({"in":{}})", R"({"deep":true})"})
      expect(fields_of(nested, none).empty()) << none << fields_of(nested, none);
    expect(fields_of(nested, R"({"a":"\u00e4"})") == "Mcp-Param-A: =?base64?w6Q=?=\r\n");
  };
  "an argument that fits into no field, or stands there twice, refuses the call"_test = [] {
    for (const char* bad : {R"({"n":1.5})", R"({"a":{}})", R"({"a":[]})", R"({"n":9007199254740992})"})
      expect(fields_of(nested, bad).starts_with("!the argument for the header field Mcp-Param-")) << bad;
    expect(fields_of(nested, R"({"a":"1","a":"2"})").starts_with("!the argument a,"));
    expect(fields_of(nested, R"({"in":{"deep":true},"in":{}})").starts_with("!the argument in,"));
    expect(fields_of(nested, R"({"free":1,"free":2})").empty());
  };
  "an invalid x-mcp-header annotation rejects the tool"_test = [] {
    struct row {
      std::string schema;
      const char* why;
    };
    for (const row& r : {
             row{object_of(property("a", "")), "is no name of a header field"},
             row{object_of(property("a", "X Y")), "is no name of a header field"},
             row{R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})", "is no name of a header field"},
             row{R"({"properties":{"a":{"x-mcp-header":"A"}}})", "is no string, integer or boolean"},
             row{R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})", "is no string, integer or boolean"},
             row{R"({"type":"string","x-mcp-header":"A"})", "stands where no argument has one place"},
             row{R"({"items":{"properties":{)" + property("a", "A") + "}}}", "stands where no argument has one place"},
             row{R"({"anyOf":[{"properties":{)" + property("a", "A") + "}}]}",
                 "stands where no argument has one place"},
             row{object_of(property("a", "Same") + ',' + property("b", "sAME")), "stands there twice"},
         })
      expect(fields_of(r.schema, "{}").starts_with("?x-mcp-header ") and fields_of(r.schema, "{}").ends_with(r.why))
          << r.schema << fields_of(r.schema, "{}");
    expect(fields_of(R"({"default":{"x-mcp-header":"A"},"enum":[{"x-mcp-header":"A"}]})", "{}").empty());
    std::string deep = R"({"x-mcp-header":"A"})";
    for (int i = 0; i < 100; ++i) deep = R"({"not":)" + deep + '}';
    expect(fields_of(deep, "{}") == "?its input schema is too deep");
  };
  "FRZ-2 a schema with twenty thousand marks is read once, and so are the arguments of a call"_test = [] {
    std::string properties;
    std::string arguments;
    for (int i = 0; i < 20'000; ++i) {
      const std::string number = std::to_string(i);
      properties += (i > 0 ? "," : "") + property("p" + number, "H" + number);
      arguments += (i > 0 ? ",\"p" : "\"p") + number + "\":\"v\"";
    }
    const std::string schema = object_of(properties);
    arguments = '{' + arguments + '}';
    result<header_arguments> marks = header_arguments::read(schema);
    expect(fatal(marks.has_value()));
    expect(cpu_time_of([&] { marks = header_arguments::read(schema); }) < bound);
    std::string lines;
    expect(cpu_time_of([&] { lines = marks->fields(arguments).value(); }) < bound);
    expect(lines.size() > 20'000 * std::string{"Mcp-Param-H0: v\r\n"}.size());
  };
  "FRZ-2 neither a long name above many marks nor a mark that is repeated costs more than its bytes"_test = [] {
    std::string inner;
    for (int i = 0; i < 5'000; ++i)
      inner += (i > 0 ? "," : "") + property("p" + std::to_string(i), "H" + std::to_string(i));
    const std::string below_long_name =
        R"({"properties":{")" + std::string(500'000, 'n') + R"(":)" + object_of(inner) + "}}";
    std::string repeated;
    for (int i = 0; i < 20'000; ++i) repeated += R"(,"x-mcp-header":"H)" + std::to_string(i) + '"';
    const std::string in_one_schema = R"({"properties":{"a":{"type":"string")" + repeated + "}}}";
    std::string deep = inner;
    for (int i = 0; i < 60; ++i) deep = "\"d\":" + object_of(deep);
    for (const std::string& schema : {below_long_name, in_one_schema, object_of(deep)}) {
      bool readable = false;
      expect(cpu_time_of([&] { readable = header_arguments::read(schema).has_value(); }) < bound);
      expect(readable);
    }
  };
};

}  // namespace mcp_fields_test
