// SPDX-License-Identifier: MIT
#include "../../../host/result/content.hpp"

#include "../../support/ut.hpp"

namespace content_test {

using namespace hawser;
using kind = content_block::kind;

std::vector<content_block> blocks(std::string_view content) {
  auto mapped = parse_content_blocks(content);
  expect(fatal(mapped.has_value())) << content;
  return *std::move(mapped);
}

const suite<"content"> tests = [] {
  "S104 every kind of block is mapped to one of ours"_test = [] {
    const auto b = blocks(R"( [ {"type":"text","text":"a\nb","annotations":{"priority":1}},
      {"type":"image","data":"QUJD","mimeType":"image/png"}, {"mimeType":"audio/wav","data":"QQ==","type":"audio"},
      {"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"t"}},
      {"type":"resource","resource":{"uri":"file:///b","blob":"QUI="}},
      {"type":"resource_link","uri":"file:///c","name":"c","mimeType":"text/x"} ])");
    expect(fatal(b.size() == 6_ul));
    expect(b[0].type == kind::text and b[0].text == "a\nb");
    expect(b[1].type == kind::image and b[1].data == "QUJD" and b[1].mime_type == "image/png");
    expect(b[2].type == kind::audio and b[2].data == "QQ==" and b[2].mime_type == "audio/wav");
    expect(b[3].type == kind::resource and b[3].text == "t" and b[3].uri == "file:///a");
    expect(b[3].mime_type == "text/plain" and b[3].data.empty());
    expect(b[4].type == kind::resource and b[4].data == "QUI=" and b[4].text.empty());
    expect(b[5].type == kind::resource_link and b[5].uri == "file:///c" and b[5].name == "c");
  };
  "S100 a block of no known kind, or without what its kind needs, is a text with its JSON"_test = [] {
    for (const std::string json :
         {R"({"type":"video","data":"x","n":1.0e0})", R"({"type":"text"})", R"({"type":"text","text":7})",
          R"({"type":"image","mimeType":"a"})", R"({"type":"resource","resource":"file:///a"})",
          R"({"type":"resource","resource":{}})", R"({"type":"resource_link"})", R"({"text":"a"})", "7", "null",
          R"("text")", "[]", "{}"}) {
      const auto b = blocks('[' + json + ']');
      expect(fatal(b.size() == 1_ul)) << json;
      expect(b[0].type == kind::text and b[0].text == json) << json << b[0].text;
    }
    expect(blocks(R"([ { "type" : "x y" , "b" : [ 1 , "\" , " ] } ])")[0].text == R"({"type":"x y","b":[1,"\" , "]})");
  };
  "names of members are understood in any spelling, and the last one counts"_test = [] {
    const auto b = blocks(R"([{"typ\u0065":"t\u0065xt","text":"a","text":"b"}])");
    expect(b[0].type == kind::text and b[0].text == "b");
  };
  "FRZ-17 content of very many blocks is refused"_test = [] {
    const auto of = [](std::size_t count) {
      std::string json = "[{}";
      for (std::size_t i = 1; i < count; ++i) json += ",{}";
      return parse_content_blocks(json + ']');
    };
    expect(of(most_content_blocks).has_value());
    const auto refused = of(most_content_blocks + 1);
    expect(refused.has_error() and refused.error().code == errc::too_large);
  };
  "what is no array of blocks is refused"_test = [] {
    for (const char* json : {"", " ", "{}", "7", "null", "[", "[1,]", "[1] 2"}) {
      const auto mapped = parse_content_blocks(json);
      expect(mapped.has_error() and mapped.error().code == errc::protocol) << json;
    }
    expect(blocks(" [ ] ").empty());
  };
};

}  // namespace content_test
