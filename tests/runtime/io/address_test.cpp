// SPDX-License-Identifier: MIT
#include "../../../runtime/io/address.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/ut.hpp"

namespace address_test {

using namespace hawser;
using namespace std::string_view_literals;
using family = ip_address::family;

// What an address looks like after a round trip; "refused" if it is none.
std::string rewritten(std::string_view text) {
  const auto parsed = ip_address::parse(text);
  return parsed ? parsed->to_string() : "refused";
}

void expect_refused(std::string_view text) { expect(!ip_address::parse(text).has_value()) << "accepted:" << text; }

ip_address v6_ending_in(std::uint8_t last, std::uint32_t scope = 0) {
  std::array<std::uint8_t, 16> bytes{};
  bytes.back() = last;
  return ip_address::v6(bytes, scope);
}

const suite<"address"> tests = [] {
  "an address that nobody set is 0.0.0.0"_test = [] {
    const ip_address unset;
    expect(unset.kind() == family::v4);
    expect(unset.to_string() == std::string{"0.0.0.0"});
    expect(endpoint{}.to_string() == std::string{"0.0.0.0:0"});
  };

  "a dotted quad becomes four bytes in network order"_test = [] {
    const auto parsed = ip_address::parse("192.0.2.33");
    expect((parsed.has_value()) >> fatal);
    expect(parsed->kind() == family::v4);
    expect(*parsed == ip_address::v4({192, 0, 2, 33}));
    const auto& bytes = parsed->bytes();
    expect(bytes[0] == 192 && bytes[1] == 0 && bytes[2] == 2 && bytes[3] == 33);
    expect(std::all_of(bytes.begin() + 4, bytes.end(), [](std::uint8_t b) { return b == 0; }));
  };

  "the quad may be anything from 0.0.0.0 to 255.255.255.255"_test = [] {
    for (const auto text : {"0.0.0.0"sv, "127.0.0.1"sv, "10.20.30.40"sv, "255.255.255.255"sv}) {
      expect(rewritten(text) == std::string{text});
    }
  };

  "octal, hexadecimal and shortened quads are refused"_test = [] {
    for (const auto text : {"0177.0.0.1"sv, "127.0.0.01"sv, "127.000.0.1"sv, "00.0.0.0"sv, "0x7f.0.0.1"sv,
                            "0x7f000001"sv, "127.1"sv, "127.0.1"sv, "127"sv, "2130706433"sv}) {
      expect_refused(text);
    }
  };

  "a quad with a part too large, too many or missing is refused"_test = [] {
    for (const auto text : {"256.0.0.1"sv, "1.2.3.999"sv, "1.2.3.4.5"sv, "1..3.4"sv, ".1.2.3.4"sv, "1.2.3.4."sv,
                            "1.2.3."sv, "-1.2.3.4"sv, "+1.2.3.4"sv, "1.2.3.4294967297"sv}) {
      expect_refused(text);
    }
  };

  "nothing may stand around an address"_test = [] {
    for (const auto text : {""sv, " "sv, " 127.0.0.1"sv, "127.0.0.1 "sv, "127.0.0.1\n"sv, "127.0.0.1:80"sv,
                            "127.0.0.1/8"sv, "[127.0.0.1]"sv, " ::1"sv, "::1 "sv, "::1/128"sv, "[::1]"sv, "[::1]:80"sv,
                            "[::1"sv, "::1]"sv, "localhost"sv}) {
      expect_refused(text);
    }
  };

  "a zone is refused"_test = [] {
    for (const auto text : {"fe80::1%lo"sv, "fe80::1%1"sv, "fe80::1%"sv, "::1%lo"sv, "127.0.0.1%lo"sv})
      expect_refused(text);
  };

  "a NUL hides nothing"_test = [] {
    for (const auto text : {"127.0.0.1\0"sv, "127.0.0.1\0.example"sv, "\0"sv, "\0127.0.0.1"sv, "::1\0"sv,
                            "::\0"
                            "1"sv}) {
      expect_refused(text);
    }
  };

  "the longest text of an address is accepted and a longer one refused"_test = [] {
    const auto longest = "0000:0000:0000:0000:0000:ffff:255.255.255.255"sv;
    expect(longest.size() == 45_ul);
    expect(rewritten(longest) == std::string{"::ffff:255.255.255.255"});
    expect_refused("00000:0000:0000:0000:0000:ffff:255.255.255.255");
    expect_refused(std::string(100'000, '1'));
    expect_refused(std::string(46, ':'));
  };

  "RFC 4291 text is accepted in all its forms and rewritten in the short one"_test = [] {
    expect(rewritten("::") == std::string{"::"});
    expect(rewritten("::1") == std::string{"::1"});
    expect(rewritten("0:0:0:0:0:0:0:1") == std::string{"::1"});
    expect(rewritten("2001:0DB8:0000:0000:0008:0800:200C:417A") == std::string{"2001:db8::8:800:200c:417a"});
    expect(rewritten("2001:db8::") == std::string{"2001:db8::"});
    expect(rewritten("1:2:3:4:5:6:7:8") == std::string{"1:2:3:4:5:6:7:8"});
    expect(rewritten("::ffff:192.0.2.1") == std::string{"::ffff:192.0.2.1"});
  };

  "text that is nearly RFC 4291 is refused"_test = [] {
    for (const auto text :
         {":"sv, ":::"sv, "1::2::3"sv, "1:2:3:4:5:6:7"sv, "1:2:3:4:5:6:7:8:9"sv, "12345::"sv, "g::"sv, ":1"sv, "1:"sv,
          "::ffff:127.1"sv, "::ffff:0177.0.0.1"sv, "::127.0.0.1:1"sv, "::256.0.0.1"sv}) {
      expect_refused(text);
    }
  };

  "a v4 address mapped into v6 stays v6"_test = [] {
    const auto mapped = ip_address::parse("::ffff:127.0.0.1");
    expect((mapped.has_value()) >> fatal);
    expect(mapped->kind() == family::v6);
    expect(*mapped != ip_address::loopback_v4());
  };

  "the loopback addresses are those of the standards"_test = [] {
    expect(ip_address::loopback_v4() == ip_address::parse("127.0.0.1"));
    expect(ip_address::loopback_v6() == ip_address::parse("::1"));
    expect(ip_address::loopback_v6().kind() == family::v6);
  };

  "an endpoint puts brackets around v6 only"_test = [] {
    expect(endpoint{ip_address::loopback_v4(), 80}.to_string() == std::string{"127.0.0.1:80"});
    expect(endpoint{ip_address::loopback_v6(), 65535}.to_string() == std::string{"[::1]:65535"});
    expect(endpoint{ip_address::v6({}), 0}.to_string() == std::string{"[::]:0"});
  };

  "addresses order by family, then bytes, then scope"_test = [] {
    const std::vector<ip_address> ordered{
        ip_address::v4({0, 0, 0, 0}),
        ip_address::v4({10, 0, 0, 1}),
        ip_address::v4({10, 0, 0, 2}),
        ip_address::v4({200, 0, 0, 0}),
        ip_address::v6({}),
        v6_ending_in(1),
        v6_ending_in(1, 1),
        v6_ending_in(1, 2),
        v6_ending_in(200),
    };
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      for (std::size_t j = 0; j < ordered.size(); ++j) {
        expect((ordered[i] < ordered[j]) == (i < j)) << ordered[i].to_string() << ordered[j].to_string();
        expect((ordered[i] == ordered[j]) == (i == j)) << ordered[i].to_string() << ordered[j].to_string();
      }
    }
  };

  "endpoints order by address, then port"_test = [] {
    const endpoint low{ip_address::v4({10, 0, 0, 1}), 9};
    const endpoint next{ip_address::v4({10, 0, 0, 1}), 10};
    const endpoint far{ip_address::v4({10, 0, 0, 2}), 1};
    expect(low < next && next < far && low < far);
    expect(low == endpoint{ip_address::v4({10, 0, 0, 1}), 9} && low != next);
  };
};

}  // namespace address_test
