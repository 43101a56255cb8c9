// SPDX-License-Identifier: MIT
#include "../../../transports/http/network_zone.hpp"

#include <string>

#include "../../support/ut.hpp"

namespace network_zone_test {

using namespace hawser;

std::string zone(std::string_view text) {
  const auto address = ip_address::parse(text);
  return address ? std::string{to_string(zone_of(*address))} : "no address";
}

const suite<"network_zone"> tests = [] {
  "T-15 every network has its zone, to its first and last address"_test = [] {
    for (const char* a :
         {"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
          "192.169.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255",
          "169.255.0.0", "223.255.255.255", "198.17.255.255", "198.20.0.0", "192.0.1.0"})
      expect(zone(a) == "public") << a;
    for (const char* a :
         {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255", "100.64.0.0",
          "100.127.255.255", "198.18.0.0", "198.19.255.255", "192.0.0.8"})
      expect(zone(a) == "private") << a;
    for (const char* a : {"127.0.0.0", "127.0.0.1", "127.255.255.255"}) expect(zone(a) == "loopback") << a;
    for (const char* a : {"0.0.0.0", "0.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "224.0.0.1",
                          "239.255.255.255", "240.0.0.0", "255.255.255.255", "100.100.100.200", "168.63.129.16"})
      expect(zone(a) == "refused") << a;
  };

  "T-15 networks of IPv6 have theirs"_test = [] {
    for (const char* a : {"2606:4700::1111", "2001:4860:4860::8888", "fbff::1", "fe00::1", "2000::"})
      expect(zone(a) == "public") << a;
    for (const char* a : {"fc00::1", "fdff:ffff::1", "fec0::1", "feff::1", "fd00:ec2::255"})
      expect(zone(a) == "private") << a;
    expect(zone("::1") == "loopback");
    for (const char* a : {"::", "fe80::1", "febf:ffff::1", "ff02::1", "ffff::", "fd00:ec2::254"})
      expect(zone(a) == "refused") << a;
  };

  "T-15 D05 an address inside an address is judged by what is inside"_test = [] {
    for (const std::string prefix : {"::ffff:", "64:ff9b::", "::"}) {
      expect(zone(prefix + "127.0.0.1") == "loopback") << prefix;
      expect(zone(prefix + "10.1.2.3") == "private") << prefix;
      expect(zone(prefix + "169.254.169.254") == "refused") << prefix;
      expect(zone(prefix + "8.8.8.8") == "public") << prefix;
      expect(zone(prefix + "0.0.0.2") == "refused") << prefix;
    }
    expect(zone("2002:7f00:1::") == "loopback");
    expect(zone("2002:a9fe:a9fe::1") == "refused");
    expect(zone("2002:808:808::1") == "public");
    expect(zone("2001:0:4136:e378:8000:63bf:80ff:fffe") == "loopback") << "Teredo";
    expect(zone("2001:0:4136:e378:8000:63bf:f7f7:f7f7") == "public");
    expect(zone("64:ff9b:1::808:808") == "private");
  };

  "T-15 zones are ordered from the outside to the inside"_test = [] {
    expect(network_zone::open < network_zone::internal);
    expect(network_zone::internal < network_zone::loopback);
    expect(network_zone::loopback < network_zone::refused);
  };
};

}  // namespace network_zone_test
