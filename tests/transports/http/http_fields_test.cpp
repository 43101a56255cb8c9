// SPDX-License-Identifier: MIT
#include "../../../transports/http/http_fields.hpp"

#include "../../support/ut.hpp"

namespace http_fields_test {

using namespace hawser;

const suite<"http_fields"> tests = [] {
  "fields are found whatever their case, in their order"_test = [] {
    http_fields fields;
    fields.add("Accept", "a");
    fields.add("X", "1");
    fields.add("x", "2");
    expect(fields.find("accept") == std::optional<std::string_view>{"a"});
    expect(fields.find("X") == std::optional<std::string_view>{"1"});
    expect(!fields.find("Y").has_value());
    expect(!fields.find("").has_value());
    expect(fields.count("x") == 2_ul);
    fields.set("X", "3");
    expect(fields.count("x") == 1_ul);
    expect(fields.find("x") == std::optional<std::string_view>{"3"});
    expect(fields.all().size() == 2_ul);
  };

  "T-18 a name is a token"_test = [] {
    for (const char* good : {"A", "Mcp-Param-x", "!#$%&'*+-.^_`|~09azAZ"}) expect(valid_field_name(good)) << good;
    for (const std::string_view bad :
         {"", "A B", "A:", "A\r\n", "A\t", "\x80", "A(", "\"A\"", "A/B", "A,", "A@", "[A]"})
      expect(!valid_field_name(bad)) << bad;
    expect(!valid_field_name(std::string_view{"A\0", 2}));
    expect(!valid_field_name(std::string_view{"\0", 1}));
  };

  "T-18 a value has no control character and no white space around it"_test = [] {
    for (const char* good : {"", "a", "a b", "a\tb", "\xC3\xA4", "a: b, \"c\""})
      expect(valid_field_value(good)) << good;
    for (const std::string_view bad :
         {" a", "a ", "\ta", "a\t", " ", "a\rb", "a\nb", "a\r\nb", "a\x01", "a\x7F", "\x1B[m"})
      expect(!valid_field_value(bad)) << bad;
    expect(!valid_field_value(std::string_view{"a\0b", 3}));
  };

  "a field is one line"_test = [] {
    std::string head = "GET / HTTP/1.1\r\n";
    append_field(head, "A", "b c");
    append_field(head, "Empty", "");
    expect(head == "GET / HTTP/1.1\r\nA: b c\r\nEmpty: \r\n");
  };

  "a media type has no parameters"_test = [] {
    expect(media_type("application/json") == "application/json");
    expect(media_type(" text/event-stream ;charset=utf-8;x") == "text/event-stream");
    expect(media_type("").empty());
    expect(media_type(";").empty());
    expect(equal_ignoring_case(media_type("Application/JSON; a"), "application/json"));
    expect(!equal_ignoring_case("a", "ab"));
    expect(!equal_ignoring_case("[", "{")) << "letters only";
  };

  "a word of a list is found in any line of the field"_test = [] {
    http_fields fields;
    fields.add("Connection", "keep-alive , Upgrade");
    fields.add("connection", "CLOSE");
    for (const char* word : {"keep-alive", "upgrade", "close"})
      expect(has_list_element(fields, "Connection", word)) << word;
    for (const char* word : {"keep", "clos", ","}) expect(!has_list_element(fields, "Connection", word)) << word;
    expect(!has_list_element(fields, "Accept", "close"));
  };
};

}  // namespace http_fields_test
