// SPDX-License-Identifier: MIT
#include "../../oauth/shown_text.hpp"

#include "../support/ut.hpp"

namespace shown_text_test {

using namespace hawser;

const suite<"shown text"> tests = [] {
  "control characters are gone, of both kinds, and the rest stays"_test = [] {
    expect(shown_text("plain \xC3\xA4 \xF0\x9F\x98\x80") == std::string{"plain \xC3\xA4 \xF0\x9F\x98\x80"});
    expect(shown_text("\x1b[31mred\x07\r\n\tx\x7f\xC2\x9B"
                      "31m") == std::string{"[31mred   x31m"});
    expect(shown_text(std::string_view{"a\0b", 3}) == std::string{"ab"});
  };

  "bytes that are not UTF-8 are shown as such"_test = [] {
    expect(shown_text("a\xFF\xC3") == std::string{"a??"});
    expect(shown_text("\xED\xA0\x80") == std::string{"???"});
  };

  "what is long is cut, never inside a character"_test = [] {
    expect(shown_text(std::string(200, 'x')) == std::string(200, 'x'));
    expect(shown_text(std::string(201, 'x')) == std::string(200, 'x') + "...");
    expect(shown_text("aaa\xC3\xA4", 4) == std::string{"aaa..."});
    expect(shown_text("aaa\xC3\xA4", 5) == std::string{"aaa\xC3\xA4"});
    expect(shown_text(std::string(100'000, '\x1b')).empty());
  };
};

}  // namespace shown_text_test
