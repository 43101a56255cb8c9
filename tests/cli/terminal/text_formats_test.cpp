// SPDX-License-Identifier: MIT
// Formats are tested where forms use them; here are URLs.
#include "../../../cli/terminal/text_formats.hpp"

#include "../../support/ut.hpp"

namespace text_formats_test {

using hawser::cli::split_url;

const suite<"text_formats"> tests = [] {
  "the host of a URL is found where a browser would go"_test = [] {
    const auto plain = split_url("https://login.example:8443/path?a@b");
    expect(plain.before == "https://");
    expect(plain.host == "login.example:8443");
    expect(plain.behind == "/path?a@b");
    expect(!plain.has_user && !plain.is_foreign);
    expect(split_url("https://example.org").host == "example.org");
    expect(split_url("https://example.org#x@y").host == "example.org");
    expect(split_url("https://evil.example\\@bank.example/").host == "evil.example");
  };

  "what deceives the reader of a URL is noticed"_test = [] {
    const auto user = split_url("https://bank.example@evil.example/");
    expect(user.host == "evil.example");
    expect(user.has_user);
    expect(split_url("https://xn--bnk-0na.example/").is_foreign);
    expect(split_url("https://www.XN--bnk-0na.example/").is_foreign);
    expect(split_url("https://b\xc3\xa4nk.example/").is_foreign);
    expect(!split_url("https://bank.example/xn--").is_foreign);
  };

  "a URL without a host has none"_test = [] {
    for (const char* url : {"mailto:a@b", "", "nonsense", "https:///x"}) expect(split_url(url).host.empty()) << url;
  };
};

}  // namespace text_formats_test
