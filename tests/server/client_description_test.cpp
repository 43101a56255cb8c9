// SPDX-License-Identifier: MIT
#include "../../server/client_description.hpp"

#include "../../transports/jsonrpc/protocol.hpp"
#include "../support/ut.hpp"

namespace client_description_test {

using namespace hawser;

std::string missing(std::string capabilities, std::string method, std::string params = "{}") {
  const client_description client{.revision = "2025-11-25", .capabilities = std::move(capabilities)};
  return client.missing_capabilities({"k", std::move(method), std::move(params)});
}

const suite<"client_description"> tests = [] {
  "a client is asked only for what it declares"_test = [] {
    expect(missing("{}", "roots/list") == R"({"roots":{}})" and missing(R"({"roots":{}})", "roots/list").empty());
    expect(missing("{}", "sampling/createMessage") == R"({"sampling":{}})");
    expect(missing(R"({"sampling":{}})", "sampling/createMessage", R"({"tools":[]})") ==
           R"({"sampling":{"tools":{}}})");
    expect(missing(R"({"sampling":{"tools":{}}})", "sampling/createMessage", R"({"tools":[]})").empty());
  };
  "elicitation without a mode means forms"_test = [] {
    const std::string url = R"({"mode":"url"})";
    const std::string form = R"({"mode":"form"})";
    expect(missing(R"({"elicitation":{}})", "elicitation/create").empty());
    expect(missing(R"({"elicitation":{}})", "elicitation/create", form).empty());
    expect(missing(R"({"elicitation":{}})", "elicitation/create", url) == R"({"elicitation":{"url":{}}})");
    expect(missing(R"({"elicitation":{"url":{}}})", "elicitation/create", form) == R"({"elicitation":{"form":{}}})");
    expect(missing(R"({"elicitation":{"url":{}}})", "elicitation/create", url).empty());
    expect(missing(R"({"elicitation":true})", "elicitation/create", form) == R"({"elicitation":{"form":{}}})");
  };
  "a client without a handshake declares its capabilities in each request"_test = [] {
    const auto client = read_modern_client(
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{"x":1},"io.modelcontextprotocol/clientInfo":{"name":"n"}}})",
        protocol::revision::all);
    expect(client.has_value());
    expect(client->modern() and client->capabilities == R"({"x":1})" and client->info == R"({"name":"n"})");
  };
};

}  // namespace client_description_test
