// SPDX-License-Identifier: MIT
#include "../../oauth/display_text.hpp"

#include "../support/ut.hpp"

namespace display_text_test {

using namespace hawser;

const suite<"shown text"> tests = [] {
  "control characters are gone, of both kinds, and the rest stays"_test = [] {
    expect(display_text("plain \xC3\xA4 \xF0\x9F\x98\x80") == std::string{"plain \xC3\xA4 \xF0\x9F\x98\x80"});
    expect(display_text("\x1b[31mred\x07\r\n\tx\x7f\xC2\x9B"
                        "31m") == std::string{"[31mred   x31m"});
    expect(display_text(std::string_view{"a\0b", 3}) == std::string{"ab"});
  };

  "bytes that are not UTF-8 are shown as such"_test = [] {
    expect(display_text("a\xFF\xC3") == std::string{"a??"});
    expect(display_text("\xED\xA0\x80") == std::string{"???"});
  };

  "what is long is cut, never inside a character"_test = [] {
    expect(display_text(std::string(200, 'x')) == std::string(200, 'x'));
    expect(display_text(std::string(201, 'x')) == std::string(200, 'x') + "...");
    expect(display_text("aaa\xC3\xA4", 4) == std::string{"aaa..."});
    expect(display_text("aaa\xC3\xA4", 5) == std::string{"aaa\xC3\xA4"});
    expect(display_text(std::string(100'000, '\x1b')).empty());
  };

  "SEC-3 a secret is taken out before a text is cut, also where hidden characters stand in it"_test = [] {
    redaction hidden;
    const std::string planted = "RTok-Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4L5";
    hidden.add(planted);
    for (std::size_t shown = 1; shown <= planted.size(); ++shown) {
      const std::string said = display_text(std::string(200 - shown, 'x') + planted + std::string(100, 'y'), hidden);
      expect(said.find("RTok") == said.npos && said.find("xR") == said.npos) << said;
      expect(said.size() <= 203U && said.ends_with("...")) << said;
    }
    expect(display_text("a " + planted.substr(0, 20) + "\x1b" + planted.substr(20), hidden) == "a [redacted]");
    std::string many;
    while (many.size() < 200'000) many += planted;
    const std::string said = display_text(many, hidden);
    expect(said.find("RT") == said.npos && said.size() <= 203U) << said;
    expect(display_text("plain", hidden) == "plain");
  };
};

}  // namespace display_text_test
