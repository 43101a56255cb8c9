// SPDX-License-Identifier: MIT
#include "../../../transports/jsonrpc/message.hpp"

#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <string>

#include "../../../transports/jsonrpc/outgoing_lines.hpp"
#include "../../../transports/jsonrpc/scanner.hpp"
#include "../../support/json_corpus.hpp"
#include "../../support/ut.hpp"

namespace message_test {

using namespace hawser;
using namespace hawser::testing;

const suite<"message"> tests = [] {
  "a prepared request knows its method where nothing else need be read out of it"_test = [] {
    expect(prepared_request::tool_call("method").plain_method() == "tools/call");
    expect(prepared_request::verbatim("tools/list", {}).plain_method() == "tools/list");
    expect(prepared_request{{.method = "method", .members = R"("a":"b")"}}.plain_method() == "method");
    constexpr const char* version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
    expect(prepared_request::tool_call("t", version).plain_method().empty()) << "it names a revision";
    expect(
        prepared_request::verbatim("tools/list", R"({"_meta":{)" + std::string{version} + "}}").plain_method().empty());
    expect(prepared_request::verbatim("a\"b", {}).plain_method().empty()) << "it is escaped";
  };

  "B05 an id keeps its JSON type"_test = [] {
    expect(request_id::from_json("1") == request_id{1});
    expect(request_id::from_json("\"1\"") == request_id{std::string{"1"}});
    expect(request_id::from_json("1") != request_id::from_json("\"1\""));
    expect(request_id::from_json("7") != request_id::from_json("7.0"));
    expect(request_id::from_json("10") != request_id::from_json("1e1"));
    expect(request_id::from_json(R"("\u0061")") == request_id{std::string{"a"}}) << "escapes are no difference";
  };

  "B05 every number and every text can be echoed unaltered"_test = [] {
    for (const std::string json : {"0",
                                   "-0",
                                   "-1",
                                   "7.0",
                                   "1e1",
                                   "1E+1",
                                   "9007199254740993",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "-9223372036854775808",
                                   "-9223372036854775809",
                                   "1e400",
                                   "-1e400",
                                   "1e-400",
                                   "\"\"",
                                   "\"7\"",
                                   "\"a b\"",
                                   "\"\xC3\xA9\"",
                                   "\"\\u0000\"",
                                   "\"\\\"\\\\\""}) {
      const auto id = request_id::from_json(json);
      expect(id.has_value() && id->json() == json) << json;
    }
    const std::string long_number(400, '9');
    expect(request_id::from_json(long_number)->json() == long_number);
  };

  "B05 null, truths, objects and arrays are no ids"_test = [] {
    for (const char* json : {"null", "true", "false", "{}", "{\"id\":7}", "[]", "[7]", ""})
      expect(!request_id::from_json(json).has_value()) << json;
  };

  "a part that is kept is a copy where the message's memory is not offered"_test = [] {
    std::string line = R"({"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}})";
    scanner scan;
    const message_view message = scan.scan(line);
    const raw_json kept{message, message.result};
    expect(kept.text().data() != message.result.data());
    line.assign(line.size(), 'x');
    expect(kept.text() == R"({"a":[1,2]})" && !kept.empty());
    expect(kept.parse().value() == boost::json::parse(R"({"a":[1,2]})"));
  };

  "a part that is kept takes the message's memory where it is offered"_test = [] {
    const std::string line = R"({"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}})";
    byte_buffer storage;
    line.copy(storage.reserve(line.size()).at, line.size());
    storage.commit(line.size());
    scanner scan;
    message_view message = scan.scan(storage.view());
    message.storage = &storage;
    raw_json kept{message, message.result};
    expect(kept.text().data() == message.result.data() && kept.text() == R"({"a":[1,2]})");
    const raw_json moved{std::move(kept)};
    expect(moved.text() == R"({"a":[1,2]})") << "and moves with it";
    expect(raw_json{message, message.params}.empty()) << "what is absent takes nothing";
    expect(raw_json{}.empty() && raw_json{std::string_view{}}.empty());
  };

  "whatever is valid can be made a tree, as deep as any limit allows"_test = [] {
    for (const std::string& text : corpus("valid")) {
      expect(raw_json{text}.parse().has_value()) << text;
      expect(raw_json{text}.text() == text);
    }
    expect(raw_json{std::string(1024, '[') + std::string(1024, ']')}.parse({.max_depth = 1024}).has_value());
  };

  "B14 a tree has no better numbers than Boost.JSON, but the text stays"_test = [] {
    const raw_json numbers{"[9007199254740993,18446744073709551615,1e400,123456789012345678901]"};
    const auto tree = numbers.parse().value().as_array();
    expect(tree[0].as_int64() == 9007199254740993 && tree[1].as_uint64() == UINT64_MAX);
    expect(std::isinf(tree[2].as_double()) && tree[3].is_double());
    expect(numbers.text().ends_with(",1e400,123456789012345678901]"));
  };
};

}  // namespace message_test
