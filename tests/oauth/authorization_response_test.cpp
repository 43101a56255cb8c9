// SPDX-License-Identifier: MIT
#include "../../oauth/authorization_response.hpp"

#include "../../oauth/display_text.hpp"
#include "../support/ut.hpp"

namespace authorization_response_test {

using namespace boost::ut;
using namespace hawser;

const secret state{"s-1234567890"};
const std::string uri = "http://127.0.0.1:4711/callback/abc";

// What came of it: `code:…`, `error:…|description`, or the kind of failure.
std::string outcome(const result<authorization_response>& read) {
  if (!read) return std::string{to_string(read.error().code)};
  std::string text = read->code.empty() ? "error:" + read->error + '|' + read->error_description
                                        : "code:" + std::string{read->code.reveal()};
  if (read->has_iss) text += " iss:" + read->iss;
  if (read->code_only) text += " bare";
  return text;
}
std::string answer(std::string_view query) { return outcome(parse_redirect_query(query, state)); }
std::string pasted(std::string_view text) { return outcome(parse_pasted_response(text, uri, state)); }

const suite<"callback answer"> all = [] {
  "a code comes with its state, and the issuer as it was sent"_test = [] {
    expect(answer("code=4%2F0A%2Bb+c&state=s-1234567890") == std::string{"code:4/0A+b c"});
    expect(answer("state=s-1234567890&iss=https%3A%2F%2Fa.example%2F&code=x&other=y") ==
           std::string{"code:x iss:https://a.example/"});
    expect(answer("code=x&state=s-1234567890&iss=") == std::string{"code:x iss:"}) << "empty is not the same as none";
  };

  "E05 T-22 no state, an empty one and another one are of another login"_test = [] {
    for (const char* query : {"", "code=x", "code=x&state=", "code=x&state=s-123456789", "code=x&state=s-1234567891",
                              "code=x&state=s-12345678900", "code=x&STATE=s-1234567890", "error=access_denied",
                              "code=x&state=S-1234567890", "code=x&state=s-1234567890%00"})
      expect(answer(query) == std::string{to_string(errc::auth)}) << query;
  };

  "T-22 what is said twice is not believed"_test = [] {
    for (const char* query : {"code=x&state=s-1234567890&state=s-1234567890", "code=x&code=y&state=s-1234567890",
                              "state=wrong&code=x&state=s-1234567890", "code=x&state=s-1234567890&iss=a&iss=a",
                              "error=a&error=b&state=s-1234567890", "code=%zz&state=s-1234567890", "code=%4"})
      expect(answer(query) == std::string{to_string(errc::parse)}) << query;
  };

  "an answer of this login that has nothing in it is the server's fault"_test = [] {
    for (const char* query : {"state=s-1234567890", "code=&state=s-1234567890", "state=s-1234567890&error=&code="})
      expect(answer(query) == std::string{to_string(errc::protocol)}) << query;
  };

  "E06 an error ends the login, also beside a code, and its text is fit to be shown"_test = [] {
    expect(answer("error=access_denied&error_description=no+way&state=s-1234567890") ==
           std::string{"error:access_denied|no way"});
    expect(answer("code=x&error=access_denied&state=s-1234567890") == std::string{"error:access_denied|"});
    expect(answer("error=%1B%07&state=s-1234567890") == std::string{"error:?|"});
    std::string query = "state=s-1234567890&error=access_denied&error_description=";
    for (int i = 0; i < 10'000; ++i) query += "%1B%5B31m<b>%0A%C2%9B";
    const auto read = parse_redirect_query(query, state);
    expect(fatal(read.has_value()));
    expect(read->error_description.size() <= query.size()) << "cut where it is shown, when secrets were taken out";
    expect(read->error_description.starts_with("[31m<b> [31m<b> ")) << read->error_description;
    expect(display_text(read->error_description, redaction{}).size() <= 203_ul);
  };

  "no error names anything of what was sent"_test = [] {
    for (const char* query : {"code=canary&state=canary", "code=canary", "canary=%zz", "state=s-1234567890&x=canary"}) {
      const auto read = parse_redirect_query(query, state);
      expect(fatal(!read.has_value()));
      expect(read.error().what.find("canary") == std::string::npos);
      expect(read.error().what.find("s-123") == std::string::npos);
    }
  };

  "a pasted address is read like one that the browser brought"_test = [] {
    expect(pasted(uri + "?code=x&state=s-1234567890") == std::string{"code:x"});
    expect(pasted("  <" + uri + "?code=x&state=s-1234567890&iss=i#_=_>\r\n") == std::string{"code:x iss:i"});
    expect(pasted("127.0.0.1:4711/callback/abc?code=x&state=s-1234567890") == std::string{"code:x"});
    expect(pasted("?code=x&state=s-1234567890") == std::string{"code:x"});
    expect(pasted("state=s-1234567890&code=x") == std::string{"code:x"});
    expect(pasted(uri + "?error=access_denied&state=s-1234567890") == std::string{"error:access_denied|"});
  };

  "E05 a pasted address needs the state, too"_test = [] {
    const std::string of_another{to_string(errc::auth)};
    expect(pasted(uri + "?code=x") == of_another);
    expect(pasted(uri + "?code=x&state=y") == of_another);
    expect(pasted("code=x") == of_another);
    expect(pasted("?code=x&state=y") == of_another);
  };

  "a pasted address of somewhere else is refused"_test = [] {
    for (const std::string text :
         {"http://127.0.0.1:4712/callback/abc?code=x&state=s-1234567890",
          "https://127.0.0.1:4711/callback/abc?code=x&state=s-1234567890",
          "http://127.0.0.1:4711/callback/abcd?code=x&state=s-1234567890", "http://127.0.0.1:4711/callback/abc",
          "127.0.0.1:4711/other?code=x&state=s-1234567890", "https://a.example/authorize?state=s-1234567890", "", " ",
          "two words",
          "c\xC3\xB6"
          "de",
          "a\x1B[b"})
      expect(pasted(text) == std::string{to_string(errc::parse)}) << text;
    expect(pasted(std::string((std::size_t{64} << 10) + 1, 'a')) == std::string{to_string(errc::too_large)});
  };

  "a bare code is one that nothing is known about, with or without the escapes of an address"_test = [] {
    expect(pasted("SplxlOBeZQQYbYS6WxSbIA\n") == std::string{"code:SplxlOBeZQQYbYS6WxSbIA bare"});
    expect(pasted("4/0Ab+c==") == std::string{"code:4/0Ab+c== bare"});
    expect(pasted("4%2F0Ab") == std::string{"code:4/0Ab bare"});
    expect(pasted("100%") == std::string{"code:100% bare"});
    expect(pasted("a&b=c") == std::string{"code:a&b=c bare"});
  };

  "text of a server is one short line of valid UTF-8"_test = [] {
    expect(display_text("plain") == std::string{"plain"});
    expect(display_text("a\r\nb\tc") == std::string{"a  b c"});
    expect(display_text("\x1B[2J\x7F\xC2\x85x") == std::string{"[2Jx"});
    expect(display_text("caf\xC3\xA9 \xF0\x9F\x98\x80") == std::string{"caf\xC3\xA9 \xF0\x9F\x98\x80"});
    expect(display_text("\xE2\x80\xAE"
                        "abc\xE2\x80\x8B\xF3\xA0\x81\x81") == std::string{"abc"});
    expect(display_text("\xC3\x28\xED\xA0\x80\xC0\xAF\xF5\xE2\x82") == std::string{"?(????????"});
    expect(display_text(std::string(200, 'x')) == std::string(200, 'x'));
    expect(display_text(std::string(199, 'x') + "\xC3\xA9"
                                                "y") == std::string(199, 'x') + "...");
  };
};

}  // namespace authorization_response_test
