// SPDX-License-Identifier: MIT
#include "../../../host/session/input_handlers.hpp"

#include <boost/json.hpp>

#include "../../support/ut.hpp"

namespace input_handlers_test {

using namespace hawser;

std::string prefilled(const char* schema) {
  const form_request form{.schema = boost::json::parse(schema).as_object()};
  return boost::json::serialize(form.prefilled());
}

const suite<"input"> tests = [] {
  "SEC-2 a form is prefilled with its schema's defaults"_test = [] {
    expect(prefilled(R"({"properties":{"name":{"type":"string"},"age":{"type":"integer","default":7},
      "on":{"type":"boolean","default":false},"c":{"type":"string","enum":["r","g"],"default":"g"},
      "tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["a"]}}})") ==
           R"({"age":7,"on":false,"c":"g","tags":["a"]})");
  };

  "SEC-2 a default that the schema itself does not allow prefills nothing"_test = [] {
    expect(prefilled(R"({"properties":{"age":{"type":"integer","default":"seven"},
      "c":{"type":"string","enum":["r"],"default":"g"},"n":{"type":"number","maximum":1,"default":2},
      "ok":{"type":"number","default":1}}})") == R"({"ok":1})");
  };

  "SEC-2 a schema without members prefills nothing"_test = [] {
    for (const char* schema : {"{}", R"({"properties":7})", R"({"properties":{"a":1}})"})
      expect(prefilled(schema) == "{}") << schema;
  };
};

}  // namespace input_handlers_test
