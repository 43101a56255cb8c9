// SPDX-License-Identifier: MIT
#include "../../runtime/crypto.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <concepts>
#include <ostream>
#include <random>
#include <set>

#include "../../runtime/io/detail/unique_fd.hpp"
#include "../support/ut.hpp"

namespace crypto_test {

using namespace hawser;
using namespace std::string_literals;

template <class T>
concept streamable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(streamable<std::string>, "the concept can tell");
static_assert(!streamable<secret>);
static_assert(!std::convertible_to<secret, std::string> && !std::constructible_from<std::string, secret>);
static_assert(!std::convertible_to<secret, std::string_view> && !std::constructible_from<std::string_view, secret>);
static_assert(!std::convertible_to<secret, bool> && !std::convertible_to<secret, const char*>);
static_assert(!std::convertible_to<std::string, secret> && !std::convertible_to<const char*, secret>,
              "named where made");
static_assert(!std::equality_comparable_with<secret, std::string>);

std::string hex(const std::array<std::uint8_t, 32>& digest) {
  std::string text;
  for (const unsigned byte : digest) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

// Looks at memory that may have been given back already, which a plain read must not.
std::string memory_at(const char* address, std::size_t size) {
  const hawser::detail::unique_fd memory{::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
  std::string seen(size, '?');
  const auto count =
      ::pread(memory.get(), seen.data(), size, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(address)));
  return count == static_cast<ssize_t>(size) ? seen : std::string{};
}

const suite<"crypto"> tests = [] {
  "SHA-256 gives the digests of FIPS 180"_test = [] {
    expect(hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect(hex(sha256(std::string(1'000'000, 'a'))) ==
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    expect(hex(sha256("\0"s)) == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  };

  "base64 gives the texts of RFC 4648"_test = [] {
    const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"},
                                                           {"\xfb\xff\xbf", "+/+/"},
                                                           {"\0\0"s, "AAA="}};
    for (const auto& [bytes, text] : vectors) {
      expect(base64(bytes) == text) << text;
      expect(from_base64(text) == bytes) << text;
    }
  };

  "base64url has its own alphabet and no padding"_test = [] {
    const std::pair<std::string, std::string> vectors[] = {
        {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
        {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbf", "-_-_"},
        {"\0\0"s, "AAA"}};
    for (const auto& [bytes, text] : vectors) {
      expect(base64url(bytes) == text) << text;
      expect(from_base64url(text) == bytes) << text;
    }
  };

  "base64 text of the wrong form is refused"_test = [] {
    for (const std::string& text : {"Zg"s, "Zg="s, "Zm8"s, "Z"s, "Zm9vY"s})
      expect(!from_base64(text)) << "short" << text;
    for (const std::string& text :
         {"="s, "=="s, "===="s, "Z==="s, "Zg==="s, "Zm9v===="s, "Zg==Zg=="s, "Zg=v"s, "=Zm9"s}) {
      expect(!from_base64(text)) << "padding" << text;
    }
    for (const std::string& text : {"-_-_"s, "Zm9 "s, "Zm9\n"s, "Zm9v\n"s, " Zm9v"s, "Zm9\0"s, "Zm9\xff"s, "Zm9."s}) {
      expect(!from_base64(text)) << "alphabet" << text;
    }
    for (const std::string& text : {"Zh=="s, "Zv=="s, "Zm9="s, "Zm+="s}) expect(!from_base64(text)) << "bits" << text;
  };

  "base64url text of the wrong form is refused"_test = [] {
    for (const std::string& text : {"Z"s, "Zm9vY"s}) expect(!from_base64url(text)) << "length" << text;
    for (const std::string& text : {"Zg=="s, "Zm8="s, "="s, "===="s, "Zm9v="s})
      expect(!from_base64url(text)) << "padding" << text;
    for (const std::string& text : {"+/+/"s, "Zm9 "s, "Zm9v\n"s, "Zm9\0"s, "Zm9\xff"s}) {
      expect(!from_base64url(text)) << "alphabet" << text;
    }
    for (const std::string& text : {"Zh"s, "Zv"s, "Zm9"s, "Zm-"s}) expect(!from_base64url(text)) << "bits" << text;
  };

  "of all texts of two letters only the canonical ones are read"_test = [] {
    int accepted = 0;
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) {
        const std::string text{static_cast<char>(a), static_cast<char>(b)};
        const auto bytes = from_base64url(text);
        if (!bytes) continue;
        ++accepted;
        expect(base64url(*bytes) == text);
      }
    }
    expect(accepted == 256_i) << "one text for each byte";
  };

  "what was encoded is decoded, whatever its length"_test = [] {
    std::mt19937 random{4648};
    for (int round = 0; round < 500; ++round) {
      const std::string bytes = random_bytes(random() % 300);
      expect(from_base64(base64(bytes)) == bytes) << bytes.size();
      expect(from_base64url(base64url(bytes)) == bytes) << bytes.size();
      expect(base64(bytes).size() == (bytes.size() + 2) / 3 * 4);
    }
  };

  "random bytes are as many as asked for and do not repeat"_test = [] {
    expect(random_bytes(0).empty());
    std::set<std::string> seen;
    std::bitset<256> values;
    for (int i = 0; i < 1000; ++i) {
      const std::string bytes = random_bytes(16);
      expect(bytes.size() == 16_ul);
      seen.insert(bytes);
      for (const char c : bytes) values.set(static_cast<std::uint8_t>(c));
    }
    expect(seen.size() == 1000_ul) << "sixteen bytes never come twice";
    expect(values.all()) << "no value is missing among 16000";
  };

  "comparing in constant time finds every difference"_test = [] {
    const std::string bytes = random_bytes(40);
    expect(equal_in_constant_time(bytes, std::string{bytes}));
    expect(equal_in_constant_time("", std::string_view{}));
    expect(!equal_in_constant_time(bytes, bytes + 'x') && !equal_in_constant_time(bytes, "") &&
           !equal_in_constant_time("", bytes));
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string other = bytes;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
      expect(!equal_in_constant_time(bytes, other)) << bit;
    }
  };

  "memory is cleansed to its end and not beyond"_test = [] {
    std::string bytes = "secret!";
    cleanse(bytes.data(), 6);
    expect(bytes == "\0\0\0\0\0\0!"s);
  };

  "a secret is copied, moved and compared by its bytes"_test = [] {
    const secret a{"pass\0word"s};
    secret b = a;
    expect(b == a && b.reveal() == "pass\0word"s && !b.empty());
    const secret c = std::move(b);
    expect(c == a);
    expect(b.empty() && b.reveal().empty())
        << "nothing stays where it was moved from";  // NOLINT(bugprone-use-after-move)
    expect(secret{"x"} != secret{"y"} && secret{} != a && secret{} == secret{""});
    secret d{"old"};
    d = a;
    const secret& same = d;
    d = same;
    expect(d == a);
  };

  "a secret is erased when it is destroyed or replaced"_test = [] {
    // A run of it: the allocator's own bytes in freed memory may hold a letter by chance.
    const std::string bytes(200, 'S');
    std::optional<secret> dying{bytes};
    const char* const where = dying->reveal().data();
    expect(memory_at(where, bytes.size()) == bytes) << "the test can see it";
    dying.reset();
    const std::string left = memory_at(where, bytes.size());
    expect(left.size() == bytes.size() && left.find("SSSS") == std::string::npos);

    secret copied_over{bytes};
    const char* const there = copied_over.reveal().data();
    const secret shorter{"x"};
    copied_over = shorter;
    const std::string rest = memory_at(there, bytes.size());
    expect(rest.size() == bytes.size() && rest.find("SSSS") == std::string::npos);

    secret moved_over{bytes};
    const char* const here = moved_over.reveal().data();
    moved_over = secret{"y"};
    const std::string remains = memory_at(here, bytes.size());
    expect(remains.size() == bytes.size() && remains.find("SSSS") == std::string::npos);
  };
};

}  // namespace crypto_test
