// SPDX-License-Identifier: MIT
// The servers of the benchmarks understand requests as other clients write them, not only as Hawser does.
#include "../../../bench/floors/request_fields.hpp"

#include "../../../bench/load/stdio_connection.hpp"
#include "../../support/ut.hpp"

namespace request_fields_test {

using namespace hawser::bench;

const boost::ut::suite<"any_request"> tests = [] {
  using namespace boost::ut;

  "id and method are found wherever a client puts them"_test = [] {
    for (const char* request : {
             R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"},"id":42})",
             R"({"method":"tools/call","params":{"name":"echo"},"jsonrpc":"2.0","id":42})",
             R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"echo"}})",
             R"({"jsonrpc": "2.0", "id": 42, "method": "tools/call", "params": {"name": "echo"}})",
             R"({"params":{"name":"echo"},"id":42,"method":"tools/call"})",
         }) {
      expect(id_of(request) == "42") << request;
      expect(method_of(request).starts_with("tools/call\"")) << request;
    }
  };

  "an id that is a text keeps its quotes"_test = [] {
    expect(id_of(R"({"id":"a-1","method":"ping"})") == R"("a-1")");
    expect(id_of(R"({"method":"ping","id": "a-1"})") == R"("a-1")");
  };

  "a notification and an empty text have no id"_test = [] {
    expect(id_of(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").empty());
    expect(method_of(R"({"method":"notifications/initialized","jsonrpc":"2.0"})").starts_with("notifications/"));
    for (const char* nothing : {"", "{}", R"("id")", R"("method")", R"("method":)"}) {
      expect(id_of(nothing).empty()) << nothing;
      expect(method_of(nothing).empty()) << nothing;
    }
  };

  "the requests of Hawser are understood"_test = [] {
    expect(id_of(echo_line()) == "3932160001");
    expect(method_of(echo_line()).starts_with("tools/call\""));
  };
};

}  // namespace request_fields_test
