// SPDX-License-Identifier: MIT
#include "../../../transports/json/object_writer.hpp"

#include "../../support/ut.hpp"

namespace object_writer_test {

using hawser::object_writer;

const suite<"object_writer"> tests = [] {
  "members are written in order, texts quoted"_test = [] {
    expect(object_writer{}.done() == "{}");
    expect(object_writer{}.member("a", "[1]").text("b\"", "x\n").done() == R"({"a":[1],"b\"":"x\n"})");
  };
  "members of another object are copied byte for byte, but for some"_test = [] {
    const char* other = R"({ "a" : 1.0e0 , "b\u0061":{"c": [ ]}, "":2,"d":3})";
    expect(object_writer{}.members_of(other).done() == R"({"a":1.0e0,"b\u0061":{"c": [ ]},"":2,"d":3})");
    expect(object_writer{}.text("x", "").members_of(other, {"ba", "d"}).done() == R"({"x":"","a":1.0e0,"":2})");
    expect(object_writer{}.members_of("[1]").members_of("").members_of("{}").done() == "{}");
  };
};

}  // namespace object_writer_test
