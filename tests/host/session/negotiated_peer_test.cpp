// SPDX-License-Identifier: MIT
#include "../../../host/session/negotiated_peer.hpp"

#include "../../../host/session/client_profile.hpp"
#include "../../../transports/json/json_text.hpp"
#include "../../../transports/jsonrpc/protocol.hpp"
#include "../../support/ut.hpp"

namespace negotiated_peer_test {

using namespace hawser;

result<negotiated_peer> initialized(std::string_view json) { return read_initialize_result(raw_json{json}); }
result<negotiated_peer> discovered(std::string_view json) { return read_discover_result(raw_json{json}); }

// What a program with these callbacks declares, in both eras.
std::string declared(const input_handlers& can) {
  const client_profile who{{.name = "n", .version = "1"}, can};
  const std::string legacy = who.initialize_params("2025-11-25");
  const std::string meta = '{' + who.modern_meta("2026-07-28") + '}';
  expect(raw_json{legacy}.check().has_value() and raw_json{meta}.check().has_value());
  const std::string said{find_member(legacy, "capabilities")};
  expect(find_member(meta, protocol::meta::client_capabilities) == said) << "both eras declare the same";
  return said;
}

const suite<"negotiated_peer"> tests = [] {
  "an InitializeResult is read: revision, server, capabilities, instructions"_test = [] {
    const auto read = initialized(R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},
      "resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{},"experimental":{"x":{}}},
      "serverInfo":{"name":"git","version":"1.2","title":"Git \u00e4"},"instructions":"be \"kind\"","more":1})");
    expect(fatal(read.has_value()));
    expect(read->revision == "2025-06-18" and !read->modern() and read->instructions == "be \"kind\"");
    expect(read->server.name == "git" and read->server.version == "1.2" and read->server.title == "Git ä");
    const server_capabilities& can = read->can;
    expect(can.tools and can.tools_changes and can.resources and can.subscribe and can.prompts and can.logging);
    expect(can.completions and !can.resources_changes and !can.prompts_changes);
    expect(find_member(read->capabilities, "experimental") == R"({"x":{}})") << "unknown ones are kept";
  };

  "every legacy revision is accepted, the one before the first release, too"_test = [] {
    for (const char* date : {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
      const auto read = initialized(R"({"protocolVersion":")" + std::string{date} + R"(","capabilities":{}})");
      expect(read.has_value() and read->revision == date and !read->modern()) << date;
    }
  };

  "a revision that is not ours, or of the other era, is refused by its name"_test = [] {
    for (const char* date : {"2026-07-28", "2027-01-01", "2023-01-01", "1.0", ""}) {
      const auto read = initialized(R"({"protocolVersion":")" + std::string{date} + R"(","capabilities":{}})");
      expect(!read and read.error().code == errc::protocol and read.error().what.find(date) != std::string::npos)
          << date;
    }
  };

  "an answer that is no InitializeResult is refused"_test = [] {
    for (const char* json : {"[]", "null", "7", "{}", R"({"protocolVersion":20251125})", R"({"protocolVersion":null})",
                             R"({"protocolVersion":"2025-11-25",})", "{\"protocolVersion\":tru}"})
      expect(!initialized(json)) << json;
  };

  "odd parts of an InitializeResult are as good as absent"_test = [] {
    const auto read =
        initialized(R"({"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":"me","instructions":{"a":1}})");
    expect(read.has_value() and read->server.name.empty() and read->instructions.empty() and !read->can.tools);
    expect(read->capabilities == "{}");
    const auto flags = initialized(
        R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":"true"},"resources":null}})");
    expect(flags.has_value() and flags->can.tools and !flags->can.tools_changes and !flags->can.resources);
  };

  "a DiscoverResult gives the newest revision that both know"_test = [] {
    const auto one = discovered(R"({"supportedVersions":["2025-11-25","2026-07-28","2031-01-01"],"capabilities":{}})");
    expect(one.has_value() and one->revision == "2026-07-28" and one->modern());
    const auto old = discovered(R"({"supportedVersions":["2024-11-05","2025-06-18",7,null],"capabilities":{}})");
    expect(old.has_value() and old->revision == "2025-06-18" and !old->modern());
    for (const char* versions : {R"(["2031-01-01"])", "[]"}) {
      const auto none = discovered(R"({"supportedVersions":)" + std::string{versions} + R"(,"capabilities":{}})");
      expect(none.has_value() and none->revision.empty()) << versions;
    }
  };

  "what has no list of versions is no DiscoverResult"_test = [] {
    for (const char* json : {"{}", "[]", "null", R"({"supportedVersions":"2026-07-28"})",
                             R"({"supportedVersions":{"2026-07-28":1}})", R"({"capabilities":{}})"})
      expect(!discovered(json)) << json;
  };

  "serverInfo is taken from _meta, else from the body; a malformed one counts as absent"_test = [] {
    const auto with = [](std::string_view rest) {
      auto read = discovered(R"({"supportedVersions":["2026-07-28"],"capabilities":{})" + std::string{rest} + '}');
      expect(fatal(read.has_value()));
      return read->server.name;
    };
    expect(with(R"(,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1"}})") == "m");
    expect(with(R"(,"serverInfo":{"name":"b","version":"1"})") == "b");
    expect(with(R"(,"serverInfo":{"name":"b"},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m"}})") == "m");
    expect(with(R"(,"serverInfo":{"name":"b"},"_meta":{"io.modelcontextprotocol/serverInfo":"m"})") == "b");
    expect(with(R"(,"serverInfo":["b"],"_meta":[])").empty());
    expect(with("").empty());
  };
};

const suite<"client_profile"> profile_tests = [] {
  "a capability is declared only where its callback is set, in every combination"_test = [] {
    for (int bits = 0; bits < 32; ++bits) {
      input_handlers can;
      if (bits & 1) can.roots = [](roots_request, reply<std::vector<root>>) {};
      if (bits & 2) can.form = [](form_request, reply<elicitation_answer>) {};
      if (bits & 4) can.url = [](url_request, reply<elicitation_answer>) {};
      if (bits & 8) can.sampling = [](sampling_request, reply<boost::json::object>) {};
      if (bits & 16) can.sampling_has_tools = true;
      const std::string said = declared(can);
      const std::string_view sampling = find_member(said, "sampling");
      const std::string_view elicitation = find_member(said, "elicitation");
      expect(find_member(said, "roots") == ((bits & 1) ? "{}" : "")) << bits;
      expect(elicitation.empty() == ((bits & 6) == 0)) << bits;
      expect((elicitation.find("\"form\":{}") != std::string_view::npos) == ((bits & 2) != 0)) << bits;
      expect((elicitation.find("\"url\":{}") != std::string_view::npos) == ((bits & 4) != 0)) << bits;
      expect(sampling == ((bits & 8) == 0 ? "" : (bits & 16) != 0 ? R"({"tools":{}})" : "{}")) << bits;
      if (bits == 0 || bits == 16) expect(said == "{}") << "S066";
    }
  };

  "clientInfo is valid JSON in both eras, whatever the name"_test = [] {
    const client_profile who{{.name = "a\"b\n", .version = "1", .title = "T"}, {}};
    const std::string legacy = who.initialize_params("2025-11-25");
    expect(raw_json{legacy}.check().has_value());
    const std::string_view info = find_member(legacy, "clientInfo");
    expect(text_of(find_member(info, "name")) == "a\"b\n" and text_of(find_member(info, "title")) == "T");
    expect(text_of(find_member(legacy, "protocolVersion")) == "2025-11-25");
    const std::string meta = '{' + who.modern_meta("2026-07-28") + '}';
    expect(find_member(meta, protocol::meta::client_info) == info);
    expect(text_of(find_member(meta, protocol::meta::protocol_version)) == "2026-07-28");
  };

  "without a configured name clientInfo is Hawser with its version"_test = [] {
    const client_profile who{{.version = "of nobody"}, {}};
    const std::string legacy = who.initialize_params("2025-11-25");
    const std::string_view info = find_member(legacy, "clientInfo");
    expect(text_of(find_member(info, "name")) == "hawser" and !text_of(find_member(info, "version"))->empty());
    expect(text_of(find_member(info, "version")) != "of nobody" and find_member(info, "title").empty());
  };
};

}  // namespace negotiated_peer_test
