// SPDX-License-Identifier: MIT
#include "../../oauth/url_encoded_form.hpp"

#include "../support/ut.hpp"

namespace url_encoded_form_test {

using namespace boost::ut;
using namespace hawser;

const suite<"form"> all = [] {
  "what is not unreserved is escaped"_test = [] {
    expect(form_encode("aZ09-._~") == std::string{"aZ09-._~"});
    expect(form_encode("a b+c&d=e/f:\xFF\n") == std::string{"a%20b%2Bc%26d%3De%2Ff%3A%FF%0A"});
  };

  "pairs keep their order, an empty value only where it is meant"_test = [] {
    url_encoded_form made;
    made.add("a", "1&2").add("b", "").add_unless_empty("c", "").add_unless_empty("d", "x y");
    expect(made.text() == "a=1%262&b=&d=x%20y") << made.text();
    expect(made.to_secret().reveal() == made.text());
  };

  "a form grows beyond any first guess"_test = [] {
    url_encoded_form made;
    std::string expected;
    for (int i = 0; i < 200; ++i) {
      made.add("n", std::string(static_cast<std::size_t>(i), '/'));
      expected += (i == 0 ? "n=" : "&n=");
      for (int k = 0; k < i; ++k) expected += "%2F";
    }
    expect(made.text() == expected);
  };

  "every byte comes back as it was"_test = [] {
    std::string all_bytes;
    for (int c = 0; c < 256; ++c) all_bytes += static_cast<char>(c);
    url_encoded_form made;
    made.add(all_bytes, all_bytes);
    const auto pairs = parse_form(made.text());
    expect(pairs.has_value());
    expect(pairs->size() == 1_ul);
    expect(pairs->front().first == all_bytes);
    expect(pairs->front().second == all_bytes);
  };

  "a plus is a space, empty parts are skipped, a name may stand alone"_test = [] {
    const auto pairs = parse_form("&a=b+c&&d&e=f=g&");
    expect(pairs.has_value());
    expect(pairs->size() == 3_ul);
    expect(pairs->at(0) == std::pair<std::string, std::string>{"a", "b c"});
    expect(pairs->at(1) == std::pair<std::string, std::string>{"d", ""});
    expect(pairs->at(2) == std::pair<std::string, std::string>{"e", "f=g"});
    expect(parse_form("a=%41")->front().second == std::string{"A"});
  };

  "broken escapes and floods of pairs are refused"_test = [] {
    for (const char* bad : {"a=%", "a=%4", "a=%4g", "%zz=1", "a=b&c=%"}) expect(!parse_form(bad)) << bad;
    url_encoded_form many;
    for (int i = 0; i < 65; ++i) many.add("a", "b");
    expect(!parse_form(many.text()));
  };
};

}  // namespace url_encoded_form_test
